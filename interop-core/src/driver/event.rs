//! [`Event`]: a point in a stream.

use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys;

use super::{Context, Stream};
use crate::Result;

/// A point in a stream, moved there by each [`Event::record`]. Dropping it before it is reached is allowed: the
/// driver keeps it until then.
pub(crate) struct Event {
    context: Arc<Context>,
    raw: sys::CUevent,
}

// SAFETY: a CUevent may be used from every thread (CUDA driver API 12.0, event management).
unsafe impl Send for Event {}
// SAFETY: as above; the driver locks internally.
unsafe impl Sync for Event {}

impl Event {
    /// An event without a time.
    pub fn new(context: Arc<Context>, operation: &'static str) -> Result<Self> {
        const FLAGS: u32 = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        let mut raw = ptr::null_mut();
        {
            let _current = context.enter(operation)?;
            // SAFETY: the pointer is valid for the write; a context is current.
            unsafe { context.driver().cuEventCreate(operation, &mut raw, FLAGS) }?;
        }
        Ok(Self { context, raw })
    }

    pub fn raw(&self) -> sys::CUevent {
        self.raw
    }

    /// Moves the event behind everything that is queued on `stream` now.
    pub fn record(&self, operation: &'static str, stream: &Stream) -> Result<()> {
        let _current = self.context.enter(operation)?;
        // SAFETY: both are live and of the current context.
        unsafe { self.context.driver().cuEventRecord(operation, self.raw, stream.raw()) }
    }

    /// Waits on the host until the event is reached; not at all if it was never recorded.
    pub fn synchronize(&self, operation: &'static str) -> Result<()> {
        let _current = self.context.enter(operation)?;
        // SAFETY: the event lives as long as `self`.
        unsafe { self.context.driver().cuEventSynchronize(operation, self.raw) }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter("drop of event") else { return };
        // SAFETY: created in `new`, destroyed once here.
        let _ = unsafe { self.context.driver().cuEventDestroy_v2("drop of event", self.raw) };
    }
}
