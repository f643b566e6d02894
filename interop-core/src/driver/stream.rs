//! [`Stream`]: a queue of work on the device, and waiting for other queues.

use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys;

use super::Context;
use crate::{Result, StreamHandle};

/// A stream that this crate created; destroyed on drop, when the work queued on it still completes.
pub(crate) struct Stream {
    context: Arc<Context>,
    raw: sys::CUstream,
}

// SAFETY: a CUstream may be used from every thread (CUDA driver API 12.0, stream management).
unsafe impl Send for Stream {}
// SAFETY: as above; the driver locks internally.
unsafe impl Sync for Stream {}

impl Stream {
    /// A stream that does not wait for the legacy default stream, nor makes it wait.
    pub fn non_blocking(operation: &'static str, context: Arc<Context>) -> Result<Self> {
        const FLAGS: u32 = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let mut raw = ptr::null_mut();
        {
            let _current = context.enter(operation)?;
            // SAFETY: the pointer is valid for the write; a context is current.
            unsafe { context.driver().cuStreamCreate(operation, &mut raw, FLAGS) }?;
        }
        Ok(Self { context, raw })
    }

    pub fn raw(&self) -> sys::CUstream {
        self.raw
    }

    pub fn handle(&self) -> StreamHandle {
        StreamHandle::from_raw(self.raw as u64)
    }

    /// Waits on the host until everything queued so far is done.
    pub fn synchronize(&self, operation: &'static str) -> Result<()> {
        let _current = self.context.enter(operation)?;
        // SAFETY: the stream lives as long as `self`.
        unsafe { self.context.driver().cuStreamSynchronize(operation, self.raw) }
    }

    /// Orders what is queued here next behind what is queued on `other` now; the host does not wait.
    ///
    /// # Safety
    /// `other` is a live stream of this stream's context.
    pub unsafe fn wait_for(&self, operation: &'static str, other: StreamHandle) -> Result<()> {
        if other == self.handle() {
            return Ok(());
        }
        let driver = self.context.driver();
        let _current = self.context.enter(operation)?;
        let event = Event::new(&self.context, operation)?;
        // SAFETY: the event is live and of the current context, as the caller says the stream is.
        unsafe { driver.cuEventRecord(operation, event.raw, other.to_raw() as sys::CUstream) }?;
        // SAFETY: stream and event are live; zero is the default flag.
        unsafe { driver.cuStreamWaitEvent(operation, self.raw, event.raw, 0) }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter("drop of Gpu") else { return };
        // SAFETY: created in `non_blocking`, destroyed once here.
        let _ = unsafe { self.context.driver().cuStreamDestroy_v2("drop of Gpu", self.raw) };
    }
}

/// A point in a stream. Destroying it before it is reached is allowed: the driver keeps it until then.
struct Event<'a> {
    context: &'a Context,
    raw: sys::CUevent,
}

impl<'a> Event<'a> {
    /// The context must be current.
    fn new(context: &'a Context, operation: &'static str) -> Result<Self> {
        const FLAGS: u32 = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is valid for the write.
        unsafe { context.driver().cuEventCreate(operation, &mut raw, FLAGS) }?;
        Ok(Self { context, raw })
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        // SAFETY: created in `new`, destroyed once here.
        let _ = unsafe { self.context.driver().cuEventDestroy_v2("drop of event", self.raw) };
    }
}
