//! [`Mark`]: a point in a stream, recorded when it is made.

use std::ffi::c_float;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys;

use super::{Context, Stream, code_of};
use crate::Result;

/// A point behind everything that was queued on a stream when it was made.
///
/// It may outlive the stream, and may be destroyed before it is reached: the driver keeps it until then.
pub(crate) struct Mark {
    context: Arc<Context>,
    raw: sys::CUevent,
}

// SAFETY: a CUevent may be used from every thread (CUDA driver API 12.0, event management).
unsafe impl Send for Mark {}
// SAFETY: as above; the driver locks internally.
unsafe impl Sync for Mark {}

impl Mark {
    /// Marks what is queued on `stream`, which is of `context`.
    pub fn record(operation: &'static str, context: &Arc<Context>, stream: &Stream) -> Result<Self> {
        const FLAGS: u32 = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        Self::with_flags(operation, context, stream, FLAGS)
    }

    /// As [`Mark::record`], with the time at which the device gets there.
    pub fn record_time(operation: &'static str, context: &Arc<Context>, stream: &Stream) -> Result<Self> {
        const FLAGS: u32 = sys::CUevent_flags::CU_EVENT_DEFAULT as u32;
        Self::with_flags(operation, context, stream, FLAGS)
    }

    fn with_flags(
        operation: &'static str,
        context: &Arc<Context>,
        stream: &Stream,
        flags: u32,
    ) -> Result<Self> {
        let _current = context.enter(operation)?;
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is valid for the write; a context is current.
        unsafe { context.driver().cuEventCreate(operation, &mut raw, flags) }?;
        let mark = Self { context: context.clone(), raw };
        // SAFETY: event and stream are live and of the current context.
        unsafe { context.driver().cuEventRecord(operation, raw, stream.raw()) }?;
        Ok(mark)
    }

    /// Whether the device has come this far.
    pub fn is_reached(&self, operation: &'static str) -> Result<bool> {
        const NOT_READY: i32 = sys::CUresult::CUDA_ERROR_NOT_READY as i32;
        let _current = self.context.enter(operation)?;
        // SAFETY: the event lives as long as `self`.
        match unsafe { self.context.driver().cuEventQuery(operation, self.raw) } {
            Ok(()) => Ok(true),
            Err(error) if code_of(&error) == Some(NOT_READY) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Waits on the host until the device has come this far.
    pub fn wait(&self, operation: &'static str) -> Result<()> {
        let _current = self.context.enter(operation)?;
        // SAFETY: the event lives as long as `self`.
        unsafe { self.context.driver().cuEventSynchronize(operation, self.raw) }
    }

    /// Milliseconds from `earlier` to this; both have times and were reached.
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

impl Drop for Mark {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter("drop of event") else { return };
        // SAFETY: created in `with_flags`, destroyed once here.
        let _ = unsafe { self.context.driver().cuEventDestroy_v2("drop of event", self.raw) };
    }
}
