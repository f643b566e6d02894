//! Copies of ordinary host memory through pinned memory of ours: small ones by the caller alone, others by the copy
//! threads; straight to the device array, or through packed device memory.

use super::detour;
use super::host::{HostView, HostViewMut};
use super::meter::Meter;
use super::workers::{Ends, Sides, Stage, Way};
use crate::driver::{Context, Stream};
use crate::interface::CudaView;
use crate::layout::{Axis, StridedLayout};
use crate::{Gpu, Result};

/// Copies a small array that is one run of bytes on both sides, in the same order. On return the host array was
/// read, and what is queued on the array's stream next runs behind the copy; where another object owns the memory,
/// the copy is complete. Returns false where no stage can be had.
///
/// # Safety
/// `bytes` bytes from `source` on can be read, and are as many as the device array's.
pub(super) unsafe fn upload_run(
    operation: &'static str,
    source: *const u8,
    bytes: usize,
    device: &CudaView,
) -> Result<bool> {
    // SAFETY: the caller vouches for the host's side; the device array is within its memory, which is freed behind the
    // copy or waited for; the stage is the stream's.
    stage_upload(operation, device, |stage, way| unsafe {
        stage.upload_run(operation, (source, device.pointer()), bytes, way)
    })
}

/// Copies a small array of rows that are one run on the device, as [`upload_run`].
///
/// # Safety
/// All rows of `width` bytes can be read from `source` on, and are as many bytes as the device array's.
pub(super) unsafe fn upload_rows(
    operation: &'static str,
    source: *const u8,
    (rows, width): (Axis, usize),
    device: &CudaView,
) -> Result<bool> {
    if !(1..=Stage::WIDEST_ROW).contains(&width) {
        return Ok(false);
    }
    // SAFETY: the caller vouches for the host's side; the device array is within its memory, which is freed behind the
    // copy or waited for; the stage is the stream's, and takes rows of this width.
    stage_upload(operation, device, |stage, way| unsafe {
        stage.upload_rows(operation, (source, device.pointer()), (rows, width), way)
    })
}

/// Has `copy` queue a copy to a device array through the stage of its stream.
fn stage_upload(
    operation: &'static str,
    device: &CudaView,
    copy: impl FnOnce(&mut Stage, (&Context, &Stream)) -> Result<()>,
) -> Result<bool> {
    let gpu = device.gpu();
    let (stage, stream) = gpu.staging();
    let foreign = ForeignWait::before_a_copy_to(device);
    let copied =
        gpu.copy_workers().with_stage(operation, stage, |stage| copy(stage, (&**gpu.context(), stream)));
    foreign.end(operation, copied)
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
    if bytes > Stage::LONGEST_DOWNLOAD {
        return Ok(false);
    }
    let gpu = device.gpu();
    let (stage, stream) = gpu.staging();
    gpu.copy_workers().with_stage(operation, stage, |stage| {
        let way = (&**gpu.context(), stream);
        // SAFETY: the caller vouches for the host's side; the device array is within its memory; the stage is the
        // stream's, and the bytes are not too many for it.
        unsafe { stage.download_run(operation, (device.pointer(), target), bytes, way) }
    })
}

/// Copies a host array to a device array of the same shape, as [`upload_run`] says; by the threads it is complete
/// on return.
///
/// # Safety
/// All elements that `layout` reaches from the view's first can be read.
pub(super) unsafe fn upload(
    operation: &'static str,
    way: Way,
    host: &HostView<'_>,
    layout: &StridedLayout,
    device: &CudaView,
) -> Result<bool> {
    let source = host.first();
    let foreign = ForeignWait::before_a_copy_to(device);
    let copied = detour::to_device(operation, device, |target, strides| {
        let sides = sides(Ends::ToDevice { source, target }, layout, strides, host.elements().meter());
        // SAFETY: the caller vouches for the host's side; the detour gives room for all elements, in memory that is
        // freed behind the copy, or is another object's and waited for below.
        unsafe { copy(operation, way, sides, device.gpu()) }
    });
    foreign.end(operation, copied)
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
        let sides =
            sides(Ends::ToHost { source, target, is_fresh }, layout, strides, host.elements().meter());
        // SAFETY: the caller vouches for the host's side; the detour gives the address of all elements, and the copy is
        // complete on return.
        unsafe { copy(operation, way, sides, device.gpu()) }
    })
}

/// Waits for a copy that may be queued only, where another object may give the memory back at any time: also after
/// an error, before which some of it was queued, and where the copy panics.
struct ForeignWait<'a>(Option<&'a Gpu>);

impl<'a> ForeignWait<'a> {
    fn before_a_copy_to(device: &'a CudaView) -> Self {
        Self((!device.shared_memory().is_freed_in_order()).then(|| device.gpu()))
    }

    fn end(mut self, operation: &'static str, copied: Result<bool>) -> Result<bool> {
        let done = self.wait(operation);
        copied.and_then(|copied| done.map(|()| copied))
    }

    fn wait(&mut self, operation: &'static str) -> Result<()> {
        self.0.take().map_or(Ok(()), |gpu| gpu.queue().wait_for_copies(operation))
    }
}

impl Drop for ForeignWait<'_> {
    fn drop(&mut self) {
        // The panic that brought it here is told instead.
        let _ = self.wait("end of a copy that panicked");
    }
}

fn sides<'a>(
    ends: Ends,
    layout: &'a StridedLayout,
    device: &'a [isize],
    meter: Option<&'a Meter>,
) -> Sides<'a> {
    let (shape, host, itemsize) = (layout.shape(), layout.strides(), layout.itemsize());
    Sides { ends, shape, host, device, itemsize, meter }
}

/// # Safety
/// All elements on both sides can be read or written, on the device until the stream of `gpu` has passed.
unsafe fn copy(operation: &'static str, way: Way, sides: Sides<'_>, gpu: &Gpu) -> Result<bool> {
    match way {
        // SAFETY: the caller's promise.
        Way::Stage => unsafe { gpu.copy_workers().copy_small(operation, sides, gpu.staging()) },
        // SAFETY: the caller's promise.
        Way::Threads => unsafe { gpu.copy_workers().copy(operation, sides, gpu.queue()) },
    }
}
