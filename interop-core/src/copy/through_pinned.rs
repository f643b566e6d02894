//! Copies of ordinary host memory through pinned memory of ours: small ones by the caller alone, others by the copy
//! threads; straight to the device array, or through packed device memory.

use super::detour;
use super::host::HostViewMut;
use super::workers::{Direction, Sides, Stage, Way};
use crate::interface::CudaView;
use crate::layout::StridedLayout;
use crate::{Gpu, Result};

/// Copies of up to so many bytes are as fast through pinned memory of ours as straight from the host array's, were
/// that pinned, too: measured on an H200. So nobody asks whether it is, which takes a microsecond.
const UNASKED_TO_DEVICE: usize = 128 << 10;
/// To the host, where the bytes are waited for either way.
const UNASKED_TO_HOST: usize = 4 << 10;

/// Copies a small array that is one run of bytes on both sides, in the same order. On return the host array was
/// read, and what is queued on the array's stream next runs behind the copy; where another object owns the memory,
/// the copy is complete. Returns false where this way does not serve.
///
/// # Safety
/// `bytes` bytes from `source` on can be read, and are as many as the device array's.
pub(super) unsafe fn upload_run(
    operation: &'static str,
    source: *const u8,
    bytes: usize,
    device: &CudaView,
) -> Result<bool> {
    let (gpu, workers) = (device.gpu(), device.gpu().copy_workers());
    if workers.way(bytes, true, false) != Way::Stage
        || (bytes > UNASKED_TO_DEVICE && gpu.context().is_pinned(operation, source)?)
    {
        return Ok(false);
    }
    let (stage, stream) = gpu.staging();
    let copied = workers.with_stage(operation, stage, |stage| {
        let way = (&**gpu.context(), stream);
        // SAFETY: the caller vouches for the host's side; the device array is within its memory, which is freed
        // behind the copy or waits for it below; the stage is the stream's.
        unsafe { stage.upload_run(operation, (source, device.pointer()), bytes, way) }
    });
    wait_for_foreign(operation, copied, device)
}

/// Copies a small array to the host, as [`upload_run`] the other way. It is there on return.
///
/// # Safety
/// `bytes` bytes from `target` on can be written, and are as many as the device array's.
pub(super) unsafe fn download_run(
    operation: &'static str,
    device: &CudaView,
    target: *mut u8,
    bytes: usize,
) -> Result<bool> {
    let (gpu, workers) = (device.gpu(), device.gpu().copy_workers());
    if bytes > Stage::LONGEST_DOWNLOAD
        || workers.way(bytes, false, false) != Way::Stage
        || (bytes > UNASKED_TO_HOST && gpu.context().is_pinned(operation, target)?)
    {
        return Ok(false);
    }
    let (stage, stream) = gpu.staging();
    workers.with_stage(operation, stage, |stage| {
        let way = (&**gpu.context(), stream);
        // SAFETY: the caller vouches for the host's side; the device array is within its memory; the stage is the
        // stream's.
        unsafe { stage.download_run(operation, (device.pointer(), target), bytes, way) }
    })
}

/// Copies a host array to a device array of the same shape, as [`upload_run`] says; by the threads it is complete
/// on return.
///
/// # Safety
/// All elements that `layout` reaches from `first` can be read.
pub(super) unsafe fn upload(
    operation: &'static str,
    way: Way,
    first: *const u8,
    layout: &StridedLayout,
    device: &CudaView,
) -> Result<bool> {
    let copied = detour::to_device(operation, device, |target, strides| {
        let sides = sides(Direction::ToDevice { source: first, target }, layout, strides);
        // SAFETY: the caller vouches for the host's side; the detour gives room for all elements.
        unsafe { copy(operation, way, sides, device.gpu()) }
    });
    if way == Way::Stage { wait_for_foreign(operation, copied, device) } else { copied }
}

/// Copies a device array to a host array that it fits, as [`upload`] the other way. It is there on return.
///
/// # Safety
/// All elements that `layout` reaches from the view's first can be written.
pub(super) unsafe fn download(
    operation: &'static str,
    way: Way,
    device: &CudaView,
    host: &mut HostViewMut<'_>,
    layout: &StridedLayout,
) -> Result<bool> {
    let (target, is_fresh) = (host.first(), host.is_fresh());
    detour::to_host(operation, device, |source, strides| {
        let sides = sides(Direction::ToHost { source, target, is_fresh }, layout, strides);
        // SAFETY: the caller vouches for the host's side; the detour gives the address of all elements.
        unsafe { copy(operation, way, sides, device.gpu()) }
    })
}

/// Waits for a copy that was only queued, where another object may give the memory back at any time: also after an
/// error, before which some of it was.
fn wait_for_foreign(operation: &'static str, copied: Result<bool>, device: &CudaView) -> Result<bool> {
    if device.shared_memory().is_freed_in_order() {
        return copied;
    }
    let done = device.gpu().queue().synchronize(operation);
    copied.and_then(|copied| done.map(|()| copied))
}

fn sides<'a>(direction: Direction, layout: &'a StridedLayout, device: &'a [isize]) -> Sides<'a> {
    Sides { direction, shape: layout.shape(), host: layout.strides(), device, itemsize: layout.itemsize() }
}

/// # Safety
/// All elements on both sides can be read or written, on the device until the stream of `gpu` has passed.
unsafe fn copy(operation: &'static str, way: Way, sides: Sides<'_>, gpu: &Gpu) -> Result<bool> {
    match way {
        Way::Driver => Ok(false),
        // SAFETY: the caller's promise.
        Way::Stage => unsafe { gpu.copy_workers().copy_small(operation, sides, gpu.staging()) },
        // SAFETY: the caller's promise.
        Way::Threads => unsafe { gpu.copy_workers().copy(operation, sides, gpu.queue()) },
    }
}
