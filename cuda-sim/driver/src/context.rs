//! Contexts: what owns streams, events and memory.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use crate::code::{Code, Result};
use crate::order::Order;
use crate::stream::{LEGACY, Stream};
use crate::sync::lock;

/// What C calls `CUcontext`.
///
/// A primary context keeps its handle when it is released and retained again, as the real one does: a thread
/// on which it was left current goes on with the new one.
pub struct Context {
    /// Its handle.
    pub handle: usize,
    /// The ordinal of its device.
    pub device: i32,
    /// Whether it is the device's primary context.
    pub primary: bool,
    flags: AtomicU32,
    life: Mutex<Life>,
}

#[derive(Default)]
struct Life {
    /// None before the first retain and after the end.
    order: Option<Arc<Order>>,
    legacy: Option<Arc<Stream>>,
    retained: u32,
}

/// The flags a context may have, `CU_CTX_FLAGS_MASK`, without the coredump flags.
const KNOWN_FLAGS: u32 = 0x1f;

impl Context {
    /// The primary context of a device, asleep until it is retained.
    pub fn primary(handle: usize, device: i32) -> Self {
        Self { handle, device, primary: true, flags: AtomicU32::new(0), life: Mutex::default() }
    }

    /// A context of its own, alive.
    pub fn created(handle: usize, device: i32, flags: u32) -> Result<Self> {
        let life = Life { order: Some(Arc::default()), ..Life::default() };
        let context =
            Self { handle, device, primary: false, flags: AtomicU32::new(0), life: Mutex::new(life) };
        context.set_flags(flags)?;
        Ok(context)
    }

    /// The flags.
    pub fn flags(&self) -> u32 {
        self.flags.load(Ordering::Relaxed)
    }

    /// Sets the flags, which have no effect here.
    pub fn set_flags(&self, flags: u32) -> Result<()> {
        if flags & !KNOWN_FLAGS != 0 {
            return Err(Code::InvalidValue);
        }
        self.flags.store(flags, Ordering::Relaxed);
        Ok(())
    }

    /// Counts one more user of the primary context.
    pub fn retain(&self) {
        let mut life = lock(&self.life);
        life.retained += 1;
        life.order.get_or_insert_default();
    }

    /// Counts one user less. True where it was the last, so that the context ends.
    pub fn release(&self) -> Result<bool> {
        let mut life = lock(&self.life);
        life.retained = life.retained.checked_sub(1).ok_or(Code::InvalidContext)?;
        Ok(life.retained == 0)
    }

    /// Whether it is alive.
    pub fn is_alive(&self) -> bool {
        lock(&self.life).order.is_some()
    }

    /// The order of its work.
    pub fn order(&self) -> Result<Arc<Order>> {
        lock(&self.life).order.clone().ok_or(Code::ContextIsDestroyed)
    }

    /// Its legacy default stream, started on first use.
    pub fn legacy_stream(&self) -> Result<Arc<Stream>> {
        let mut life = lock(&self.life);
        if let Some(stream) = &life.legacy {
            return Ok(Arc::clone(stream));
        }
        let order = life.order.clone().ok_or(Code::ContextIsDestroyed)?;
        let stream = Arc::new(Stream::start(LEGACY, self.handle, &order, 0, 0)?);
        life.legacy = Some(Arc::clone(&stream));
        Ok(stream)
    }

    /// Ends it after all its work. A primary context that is still retained begins anew
    /// (`cuDevicePrimaryCtxReset`).
    pub fn end(&self) {
        let (order, legacy) = {
            let mut life = lock(&self.life);
            let renewed = (life.retained > 0).then(Arc::default);
            (std::mem::replace(&mut life.order, renewed), life.legacy.take())
        };
        drop(legacy);
        if let Some(order) = order {
            order.synchronize();
        }
    }
}
