//! [`Stream`]: a queue of work on the device, and waiting for other queues.

use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::sys;

use super::{Context, Event, is_over};
use crate::{Result, StreamHandle};

/// So long a stream is asked whether it is done before the driver is told to wait: whose call takes half a microsecond
/// longer to notice (driver 580.159, on an H200).
const ASKED: Duration = Duration::from_micros(30);

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

    /// Waits on the host until everything queued so far is done. Memory that was freed on the stream can be given back
    /// to the system after this, not yet when the stream is known to be idle (seen on driver 580.159).
    pub fn synchronize(&self, operation: &'static str) -> Result<()> {
        let _current = self.context.enter(operation)?;
        // SAFETY: the stream lives as long as `self`.
        unsafe { self.context.driver().cuStreamSynchronize(operation, self.raw) }
    }

    /// Waits for copies that were queued, of which small ones are done within microseconds.
    pub fn wait_for_copies(&self, operation: &'static str) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < ASKED {
            match self.is_idle(operation) {
                Ok(true) => return Ok(()),
                Ok(false) => std::hint::spin_loop(),
                // Told by the call below.
                Err(_) => break,
            }
        }
        self.synchronize(operation)
    }

    /// Orders what is queued here next behind what is queued on `other` now; the host does not wait.
    ///
    /// # Safety
    /// `other` is a live stream of this stream's context.
    pub unsafe fn wait_for(&self, operation: &'static str, other: StreamHandle) -> Result<()> {
        if other == self.handle() {
            return Ok(());
        }
        let event = Event::new(self.context.clone(), operation)?;
        let _current = self.context.enter(operation)?;
        let other = other.to_raw() as sys::CUstream;
        // SAFETY: the event is live and of the current context, as the caller says the stream is.
        unsafe { self.context.driver().cuEventRecord(operation, event.raw(), other) }?;
        self.wait_for_event(operation, &event)
    }

    /// Orders what is queued here next behind an event of the same context; the host does not wait.
    pub fn wait_for_event(&self, operation: &'static str, event: &Event) -> Result<()> {
        let _current = self.context.enter(operation)?;
        // SAFETY: stream and event are live; zero is the default flag.
        unsafe { self.context.driver().cuStreamWaitEvent(operation, self.raw, event.raw(), 0) }
    }

    /// Whether everything queued so far is done.
    fn is_idle(&self, operation: &'static str) -> Result<bool> {
        let _current = self.context.enter(operation)?;
        // SAFETY: the stream lives as long as `self`.
        is_over(unsafe { self.context.driver().cuStreamQuery(operation, self.raw) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter("drop of Gpu") else { return };
        // SAFETY: created in `non_blocking`, destroyed once here.
        let _ = unsafe { self.context.driver().cuStreamDestroy_v2("drop of Gpu", self.raw) };
    }
}
