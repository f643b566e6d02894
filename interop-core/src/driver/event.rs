//! [`Event`]: a point in a stream.

use std::ffi::c_float;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys;

use super::{Context, Stream, is_over};
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
    /// An event without a time, recorded nowhere yet.
    pub fn new(context: Arc<Context>, operation: &'static str) -> Result<Self> {
        Self::with_flags(context, operation, sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    /// An event without a time, behind what is queued on `stream` now.
    pub fn behind(operation: &'static str, context: &Arc<Context>, stream: &Stream) -> Result<Self> {
        let event = Self::new(context.clone(), operation)?;
        event.record(operation, stream)?;
        Ok(event)
    }

    /// An event that takes the time when the device gets there, behind what is queued on `stream` now.
    pub fn timed_behind(operation: &'static str, context: &Arc<Context>, stream: &Stream) -> Result<Self> {
        let event = Self::with_flags(context.clone(), operation, sys::CUevent_flags::CU_EVENT_DEFAULT)?;
        event.record(operation, stream)?;
        Ok(event)
    }

    fn with_flags(context: Arc<Context>, operation: &'static str, flags: sys::CUevent_flags) -> Result<Self> {
        let mut raw = ptr::null_mut();
        {
            let _current = context.enter(operation)?;
            // SAFETY: the pointer is valid for the write; a context is current.
            unsafe { context.driver().cuEventCreate(operation, &mut raw, flags as u32) }?;
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

    /// Whether the event is reached; it is if it was never recorded.
    pub fn is_reached(&self, operation: &'static str) -> Result<bool> {
        let _current = self.context.enter(operation)?;
        // SAFETY: the event lives as long as `self`.
        is_over(unsafe { self.context.driver().cuEventQuery(operation, self.raw) })
    }

    /// Waits on the host until the event is reached; not at all if it was never recorded.
    pub fn synchronize(&self, operation: &'static str) -> Result<()> {
        let _current = self.context.enter(operation)?;
        // SAFETY: the event lives as long as `self`.
        unsafe { self.context.driver().cuEventSynchronize(operation, self.raw) }
    }

    /// The time from `earlier` to this event in milliseconds, with a resolution of about half a microsecond. Both
    /// take the time and are reached.
    pub fn milliseconds_since(&self, operation: &'static str, earlier: &Self) -> Result<f32> {
        let _current = self.context.enter(operation)?;
        let mut milliseconds: c_float = 0.0;
        // SAFETY: the pointer is valid for the write; both events are live.
        unsafe {
            self.context.driver().cuEventElapsedTime(operation, &mut milliseconds, earlier.raw, self.raw)
        }?;
        Ok(milliseconds)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter("drop of event") else { return };
        // SAFETY: created in `with_flags`, destroyed once here.
        let _ = unsafe { self.context.driver().cuEventDestroy_v2("drop of event", self.raw) };
    }
}
