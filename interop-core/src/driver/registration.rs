//! [`HostRegistration`]: the caller's own host memory, page-locked for a while.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::sys;

use super::{Context, code_of, explain_exhaustion};
use crate::{Error, Result};

/// Host memory that is page-locked while this lives.
pub(crate) struct HostRegistration {
    context: Arc<Context>,
    /// Null once it was unlocked.
    start: *mut c_void,
    bytes: usize,
}

impl HostRegistration {
    /// Locks `bytes` (not zero) from `start` on.
    ///
    /// # Safety
    /// The memory stays allocated until this is dropped, and no copy that the driver still carries out then
    /// uses it.
    pub unsafe fn new(
        context: Arc<Context>,
        operation: &'static str,
        start: *mut u8,
        bytes: usize,
    ) -> Result<Self> {
        let range = start as u64..start as u64 + bytes as u64;
        // Asked first: registering what the driver allocated itself is not refused as registered memory is.
        for address in [range.start, range.end - 1] {
            if context.pointer_info(operation, address)?.is_some() {
                return Err(Error::AlreadyPinned { operation, range });
            }
        }
        let start = start.cast::<c_void>();
        {
            let _current = context.enter(operation)?;
            let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
            // SAFETY: the caller vouches for the memory; the driver refuses what it cannot lock.
            let locked = unsafe { context.driver().cuMemHostRegister_v2(operation, start, bytes, flags) };
            locked.map_err(|error| explain_refusal(error, operation, range))?;
        }
        context.count_pinned(bytes);
        Ok(Self { context, start, bytes })
    }

    /// Unlocks the memory and returns what that met; a drop does the same.
    pub fn end(mut self, operation: &'static str) -> Result<()> {
        self.release(operation)
    }

    fn release(&mut self, operation: &'static str) -> Result<()> {
        let start = std::mem::replace(&mut self.start, std::ptr::null_mut());
        if start.is_null() {
            return Ok(());
        }
        self.context.discount_pinned(self.bytes);
        let _current = self.context.enter(operation)?;
        // SAFETY: registered in `new`, and the address is replaced, so that it is given back once.
        unsafe { self.context.driver().cuMemHostUnregister(operation, start) }
    }
}

impl Drop for HostRegistration {
    fn drop(&mut self) {
        let _ = self.release("drop of a registration");
    }
}

/// Turns the driver's codes for memory that cannot be locked into ours.
fn explain_refusal(error: Error, operation: &'static str, range: Range<u64>) -> Error {
    const REGISTERED: i32 = sys::CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED as i32;
    let requested = (range.end - range.start) as usize;
    match code_of(&error) {
        Some(REGISTERED) => Error::AlreadyPinned { operation, range },
        _ => explain_exhaustion(error, operation, requested, || None),
    }
}
