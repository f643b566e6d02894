//! [`cuda_memcpy_d2d_async`]: a copy within the device that runs on by itself.

use std::fmt;

use super::between::{are_apart, views_of};
use super::execute::plan;
use super::queued::{Progress, Queued};
use crate::driver::Route;
use crate::interface::{CudaArray, CudaView};
use crate::{CudaBuffer, Result};

/// Queues the copy of a GPU array to another of the same element type and shape on the same device, whatever
/// the strides. Returns at once.
///
/// An array that is reversed along an axis, or broadcast, is queued in pieces of one element or row. Where these are
/// many and small, [`cuda_memcpy_d2d`](crate::cuda_memcpy_d2d) is faster.
///
/// The copy runs on the stream of the target's memory, behind all that is queued on the streams of both; and
/// whatever is queued on either next runs behind the copy.
///
/// ```
/// use interop_core::{CudaBuffer, DType, Gpu, Layout, Tensor, cuda_memcpy_d2d_async};
///
/// let gpu = Gpu::open(0)?;
/// let packed = CudaBuffer::from_host(&gpu, &ndarray::arr2(&[[1u8, 2, 3], [4, 5, 6]]))?;
/// let mut padded = Tensor::new(&gpu, &[2, 3], DType::U8, Layout::HW)?;
/// let copy = cuda_memcpy_d2d_async(&packed, &mut padded)?;
/// // The host is free to do something else here.
/// copy.wait()?;
/// assert_eq!(padded.to_vec::<u8>()?, [1, 2, 3, 4, 5, 6]);
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`cuda_memcpy_d2d`](crate::cuda_memcpy_d2d). One that the device meets later is returned by
/// [`DeviceCopy::wait`].
pub fn cuda_memcpy_d2d_async(
    source: &(impl CudaArray + ?Sized),
    target: &mut (impl CudaArray + ?Sized),
) -> Result<DeviceCopy> {
    const OPERATION: &str = "cuda_memcpy_d2d_async";
    let (source, target) = views_of(OPERATION, source, target)?;
    let mut queued = Queued::new(target.gpu(), target.size_bytes());
    if target.is_empty() {
        return Ok(DeviceCopy { queued });
    }
    // SAFETY: the view keeps the device, and so its stream.
    unsafe { target.gpu().queue().wait_for(OPERATION, source.gpu().stream()) }?;
    if are_apart(&source, &target) {
        queue(OPERATION, &mut queued, &source, &target)?;
    } else {
        let between = CudaBuffer::allocate(OPERATION, target.gpu(), target.shape(), target.dtype())?.cuda();
        queue(OPERATION, &mut queued, &source, &between)?;
        queued.forget_marks();
        queue(OPERATION, &mut queued, &between, &target)?;
    }
    // What is queued on the source next, freeing it included, must not come before the copy has read it.
    // SAFETY: the view keeps the device, and so its stream.
    unsafe { source.gpu().queue().wait_for(OPERATION, target.gpu().stream()) }?;
    Ok(DeviceCopy { queued })
}

/// Queues the copy between two arrays of the same shape that share no byte, on the stream of the target.
fn queue(operation: &'static str, queued: &mut Queued, source: &CudaView, target: &CudaView) -> Result<()> {
    queued.keep(source.shared_memory().clone());
    queued.keep(target.shared_memory().clone());
    let plan = plan(target.interface().layout(), source.strides(), target.strides());
    let route = Route::DeviceToDevice { source: source.pointer(), target: target.pointer() };
    // SAFETY: both arrays have the same shape and are within their memory, which `queued` keeps.
    unsafe { queued.queue(operation, &plan, route) }
}

/// A copy under way within the device, which keeps the memory of both arrays: what [`cuda_memcpy_d2d_async`]
/// returns.
///
/// A drop waits for the copy. One that is forgotten keeps both memories for good.
#[must_use = "a drop waits for the copy"]
pub struct DeviceCopy {
    queued: Queued,
}

impl DeviceCopy {
    /// Waits until the copy is complete.
    ///
    /// # Errors
    /// [`Error::Driver`](crate::Error::Driver) where this copy or earlier work on the device failed.
    pub fn wait(mut self) -> Result<()> {
        self.queued.wait("DeviceCopy::wait")
    }

    /// Whether the copy is complete.
    ///
    /// # Errors
    /// [`Error::Driver`](crate::Error::Driver).
    pub fn is_done(&self) -> Result<bool> {
        self.queued.is_done("DeviceCopy::is_done")
    }

    /// How far the copy has come.
    ///
    /// # Errors
    /// [`Error::Driver`](crate::Error::Driver).
    pub fn progress(&self) -> Result<Progress> {
        self.queued.progress("DeviceCopy::progress")
    }
}

impl fmt::Debug for DeviceCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceCopy")
    }
}
