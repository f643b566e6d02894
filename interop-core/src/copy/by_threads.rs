//! Copies by the copy threads: straight to the device array, or through packed device memory where that would
//! take many small pieces.

use super::execute::{is_slow, run};
use super::host::HostViewMut;
use super::workers::{Direction, Sides};
use crate::driver::Route;
use crate::interface::CudaView;
use crate::layout::{CopyPlan, Dense, StridedLayout};
use crate::{Memory, Result};

/// Copies a host array to a device array of the same shape. Returns false where the threads cannot serve.
///
/// # Safety
/// All elements that `layout` reaches from `first` can be read.
pub(super) unsafe fn upload(
    operation: &'static str,
    first: *const u8,
    layout: &StridedLayout,
    device: &CudaView,
) -> Result<bool> {
    let (workers, queue) = (device.gpu().copy_workers(), device.gpu().queue());
    let sides = |target: u64, strides| Sides {
        direction: Direction::ToDevice { source: first, target },
        shape: layout.shape(),
        host: layout.strides(),
        device: strides,
        itemsize: layout.itemsize(),
    };
    let dense = Dense::like(device.interface().layout());
    let unpack = CopyPlan::new(&dense.shape, &dense.strides, device.strides(), layout.itemsize());
    if !is_slow(&unpack) {
        // SAFETY: the caller vouches for the host's side; the device array is within its memory.
        return unsafe { workers.copy(operation, sides(device.pointer(), device.strides()), queue) };
    }
    let packed = Memory::allocate(operation, device.gpu(), dense.bytes)?;
    let source = packed.range().start + dense.first as u64;
    // SAFETY: the caller vouches for the host's side; the packed memory has room for all elements.
    if !unsafe { workers.copy(operation, sides(source, &dense.strides), queue) }? {
        return Ok(false);
    }
    let across = Route::DeviceToDevice { source, target: device.pointer() };
    // SAFETY: the packed memory holds all elements; the device array is within its memory.
    unsafe { run(operation, device, &unpack, across) }?;
    Ok(true)
}

/// Copies a device array to a host array that it fits, as [`upload`] the other way.
///
/// # Safety
/// All elements that `layout` reaches from the view's first can be written.
pub(super) unsafe fn download(
    operation: &'static str,
    device: &CudaView,
    host: &mut HostViewMut<'_>,
    layout: &StridedLayout,
) -> Result<bool> {
    let (workers, queue) = (device.gpu().copy_workers(), device.gpu().queue());
    let (target, is_fresh) = (host.first(), host.is_fresh());
    let sides = |source: u64, strides| Sides {
        direction: Direction::ToHost { source, target, is_fresh },
        shape: layout.shape(),
        host: layout.strides(),
        device: strides,
        itemsize: layout.itemsize(),
    };
    let dense = Dense::like(device.interface().layout());
    let pack = CopyPlan::new(&dense.shape, device.strides(), &dense.strides, layout.itemsize());
    if !is_slow(&pack) {
        // SAFETY: the caller vouches for the host's side; the device array is within its memory.
        return unsafe { workers.copy(operation, sides(device.pointer(), device.strides()), queue) };
    }
    let packed = Memory::allocate(operation, device.gpu(), dense.bytes)?;
    let source = packed.range().start + dense.first as u64;
    let across = Route::DeviceToDevice { source: device.pointer(), target: source };
    // SAFETY: the device array is within its memory; the packed memory has room for all elements.
    unsafe { run(operation, device, &pack, across) }?;
    // SAFETY: the packed memory holds all elements; the caller vouches for the host's side.
    unsafe { workers.copy(operation, sides(source, &dense.strides), queue) }
}
