//! Everything the driver knows, from `cuInit` to the end of the process.

use std::sync::{Arc, Mutex, OnceLock};

use crate::allocation::DeviceMemory;
use crate::code::{Code, Result};
use crate::config::{Config, config};
use crate::context::Context;
use crate::device::Device;
use crate::event::Event;
use crate::graph::Graph;
use crate::leak;
use crate::pinned::HostMemory;
use crate::pool::Pool;
use crate::reclaimed::Reclaimed;
use crate::registry::Registry;
use crate::stream::{PER_THREAD, Stream};
use crate::{current, sync::lock};

/// The state of the driver.
pub struct State {
    /// What environment variables said.
    pub config: &'static Config,
    /// The devices, by ordinal.
    pub devices: Vec<Device>,
    /// All contexts, primary ones included.
    pub contexts: Registry<Context>,
    /// Streams that were created; default streams belong to their context or thread.
    pub streams: Registry<Stream>,
    /// Events.
    pub events: Registry<Event>,
    /// Graphs that were captured.
    pub graphs: Registry<Graph>,
    /// Graphs that can be launched.
    pub executables: Registry<Graph>,
    /// Memory pools.
    pub pools: Registry<Pool>,
    /// Device memory.
    pub device_memory: DeviceMemory,
    /// Host memory that the device can reach.
    pub host_memory: HostMemory,
    /// What contexts still owned when they ended.
    pub reclaimed: Mutex<Reclaimed>,
    process: u32,
}

static STATE: OnceLock<Result<State>> = OnceLock::new();

/// `cuInit`.
pub fn initialize() -> Result<()> {
    let config = config()?;
    if config.devices == 0 {
        return Err(Code::NoDevice);
    }
    let state = STATE.get_or_init(|| {
        leak::check_at_exit(config.leak_check);
        State::new(config)
    });
    state.as_ref().map_err(|&code| code)?;
    get().map(drop)
}

/// The state, if `cuInit` succeeded in this process: a forked child has none of the worker threads.
pub fn get() -> Result<&'static State> {
    match STATE.get() {
        Some(Ok(state)) if state.process == std::process::id() => Ok(state),
        _ => Err(Code::NotInitialized),
    }
}

impl State {
    /// A driver on which nothing happened yet. The bases of handles are chosen to be told apart in a
    /// debugger.
    fn new(config: &'static Config) -> Result<Self> {
        let contexts = Registry::new(0xc0_0000_0000);
        let pools = Registry::new(0xb0_0000_0000);
        let devices = (0..config.devices).map(|ordinal| device(ordinal, config, &contexts, &pools));
        Ok(Self {
            config,
            devices: devices.collect::<Result<_>>()?,
            contexts,
            streams: Registry::new(0x50_0000_0000),
            events: Registry::new(0xe0_0000_0000),
            graphs: Registry::new(0x60_0000_0000),
            executables: Registry::new(0x70_0000_0000),
            pools,
            device_memory: DeviceMemory::new(config.memory_bytes)?,
            host_memory: HostMemory::new(config.pinned_bytes),
            reclaimed: Mutex::default(),
            process: std::process::id(),
        })
    }

    /// The device with this ordinal.
    pub fn device(&self, ordinal: i32) -> Result<&Device> {
        let index = usize::try_from(ordinal).map_err(|_| Code::InvalidDevice)?;
        self.devices.get(index).ok_or(Code::InvalidDevice)
    }

    /// The stream that a handle means where `context` is current.
    pub fn stream(&self, handle: usize, context: &Context) -> Result<Arc<Stream>> {
        match handle {
            0 | 1 => context.legacy_stream(),
            PER_THREAD => current::default_stream(context, &context.order()?),
            _ => self.streams.get(handle).ok_or(Code::InvalidHandle),
        }
    }

    /// Blocks until all work of all contexts is finished, as freeing memory does.
    pub fn synchronize(&self) {
        for context in self.contexts.all() {
            if let Ok(order) = context.order() {
                order.synchronize();
            }
        }
    }

    /// Ends a context and what belongs to it.
    pub fn end_context(&self, context: &Context) {
        context.end();
        let reclaimed = Reclaimed {
            streams: self.streams.remove_where(|stream| stream.context == context.handle),
            events: self.events.remove_where(|event| event.context == context.handle),
            graphs: [&self.graphs, &self.executables]
                .map(|graphs| graphs.remove_where(|graph| graph.context == context.handle))
                .iter()
                .sum(),
            device: self.device_memory.reclaim(context.handle),
            host: self.host_memory.reclaim(context.handle),
        };
        lock(&self.reclaimed).add(&reclaimed);
    }

    /// Contexts that are alive.
    pub fn live_contexts(&self) -> usize {
        self.contexts.all().iter().filter(|context| context.is_alive()).count()
    }
}

fn device(
    ordinal: i32,
    config: &Config,
    contexts: &Registry<Context>,
    pools: &Registry<Pool>,
) -> Result<Device> {
    let primary = contexts.insert_with(|handle| Ok(Context::primary(handle, ordinal)))?;
    let default_pool =
        pools.insert_with(|handle| Ok(Pool::new(handle, ordinal, true, config.memory_bytes)))?;
    let pool = Mutex::new(Arc::clone(&default_pool));
    Ok(Device { ordinal, primary, lifecycle: Mutex::default(), default_pool, pool })
}
