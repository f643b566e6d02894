//! Copies of ordinary host memory through pinned memory of ours: small ones by the caller alone, others by the copy
//! threads; straight to the device array, or through packed device memory.

use super::detour;
use super::host::HostViewMut;
use super::workers::{Direction, Sides, Stage, Way};
use crate::driver::Route;
use crate::interface::CudaView;
use crate::layout::{CopyPlan, StridedLayout};
use crate::{Gpu, Result};

/// Copies a host array to a device array of the same shape, which `plan` says how to reach directly. On return the
/// host array was read, and what is queued on the array's stream next runs behind the copy; where another object
/// owns the memory, the copy is complete. Returns false where this way cannot serve.
///
/// # Safety
/// All elements that `layout` reaches from `first` can be read.
pub(super) unsafe fn upload(
    operation: &'static str,
    (way, plan): (Way, &CopyPlan),
    first: *const u8,
    layout: &StridedLayout,
    device: &CudaView,
) -> Result<bool> {
    let gpu = device.gpu();
    let route = Route::HostToDevice { source: first, target: device.pointer() };
    let copied = match small_run(way, plan, route) {
        // SAFETY: the caller vouches for the host's side; the device array is within its memory.
        Some(run) => unsafe { gpu.copy_workers().copy_small_run(operation, run, gpu.staging()) }?,
        None => detour::to_device(operation, device, |target, strides| {
            let sides = sides(Direction::ToDevice { source: first, target }, layout, strides);
            // SAFETY: as above; the detour gives room for all elements.
            unsafe { copy(operation, way, sides, gpu) }
        })?,
    };
    if way == Way::Stage && copied && !device.shared_memory().is_freed_in_order() {
        gpu.queue().synchronize(operation)?;
    }
    Ok(copied)
}

/// Copies a device array to a host array that it fits, as [`upload`] the other way. It is there on return.
///
/// # Safety
/// All elements that `layout` reaches from the view's first can be written.
pub(super) unsafe fn download(
    operation: &'static str,
    (way, plan): (Way, &CopyPlan),
    device: &CudaView,
    host: &mut HostViewMut<'_>,
    layout: &StridedLayout,
) -> Result<bool> {
    let (gpu, target, is_fresh) = (device.gpu(), host.first(), host.is_fresh());
    let route = Route::DeviceToHost { source: device.pointer(), target };
    match small_run(way, plan, route) {
        // SAFETY: the caller vouches for the host's side; the device array is within its memory.
        Some(run) => unsafe { gpu.copy_workers().copy_small_run(operation, run, gpu.staging()) },
        None => detour::to_host(operation, device, |source, strides| {
            let sides = sides(Direction::ToHost { source, target, is_fresh }, layout, strides);
            // SAFETY: as above; the detour gives the address of all elements.
            unsafe { copy(operation, way, sides, gpu) }
        }),
    }
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

/// A small copy of one run of bytes, and how many.
fn small_run(way: Way, plan: &CopyPlan, route: Route) -> Option<(Route, usize)> {
    if way != Way::Stage || plan.runs() != 1 || plan.width > Stage::LONGEST_RUN {
        return None;
    }
    let (source, target) = plan.offsets().next()?;
    Some((route.offset(source, target), plan.width))
}
