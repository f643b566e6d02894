//! [`Gpu::pinned`]: the caller's own array, page-locked for the length of a call.

use crate::driver::HostRegistration;
use crate::{Element, Gpu, Result};

impl Gpu {
    /// Page-locks a slice of the caller's while `work` runs, so that copies from and to it reach the full
    /// speed of the link; returns what `work` returns.
    ///
    /// On an H200, to lock and unlock 1 GiB takes as long as copying it four times from pinned memory: it pays for
    /// memory that is copied more often. `work` gets the slice and cannot move or grow what it lies in, so that what is locked stays
    /// where it is. It is unlocked when `work` is over, also by a panic. The driver locks whole pages.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Gpu, cuda_memcpy_d2h, cuda_memcpy_h2d};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let mut samples = vec![1f32; 1000];
    /// let mut buffer = CudaBuffer::new(&gpu, &[1000], DType::F32)?;
    /// gpu.pinned(&mut samples, |samples| {
    ///     cuda_memcpy_h2d(samples, &mut buffer)?;
    ///     cuda_memcpy_d2h(&buffer, samples)
    /// })??; // the first `?` is for locking, the second for the copies
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::AlreadyPinned`](crate::Error::AlreadyPinned) for memory that is locked already, a part of it
    /// or all; [`Error::OutOfMemory`](crate::Error::OutOfMemory) where the system has too little memory that
    /// can be locked; [`Error::Driver`](crate::Error::Driver). `work` has not run then, unless the error is of
    /// unlocking the memory.
    pub fn pinned<T: Element, R>(&self, array: &mut [T], work: impl FnOnce(&mut [T]) -> R) -> Result<R> {
        let (start, bytes) = (array.as_mut_ptr().cast(), size_of_val(array));
        // SAFETY: the slice is borrowed for the whole call, and `work` gets a borrow of it only.
        unsafe { pin("Gpu::pinned", self, start, bytes, || work(array)) }
    }
}

/// Page-locks memory while `work` runs. No bytes take no locking.
///
/// # Safety
/// The memory stays allocated until this returns, whatever `work` does.
pub(crate) unsafe fn pin<R>(
    operation: &'static str,
    gpu: &Gpu,
    start: *mut u8,
    bytes: usize,
    work: impl FnOnce() -> R,
) -> Result<R> {
    if bytes == 0 {
        return Ok(work());
    }
    // SAFETY: the caller vouches for the memory. It is borrowed memory, of which all copies of this crate are
    // complete when a call, or the scope within `work`, ends, also by a panic.
    let registration = unsafe { HostRegistration::new(gpu.context().clone(), operation, start, bytes) }?;
    let mut locked = Locked { gpu, registration: Some(registration) };
    let result = work();
    locked.end(operation).map(|()| result)
}

/// Unlocks when it drops, as it does when `work` panics.
struct Locked<'a> {
    gpu: &'a Gpu,
    registration: Option<HostRegistration>,
}

impl Locked<'_> {
    fn end(&mut self, operation: &'static str) -> Result<()> {
        let Some(registration) = self.registration.take() else { return Ok(()) };
        // Nothing of ours runs on the memory any more. What others queued on our stream may: it must be over, too.
        let idle = self.gpu.queue().synchronize(operation);
        registration.end(operation).and(idle)
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.end("drop of a registration") {
            self.gpu.record_drop_error(error);
        }
    }
}
