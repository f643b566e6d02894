//! Packed device memory between a copy and a device array that it would reach in too many small pieces.

use super::execute::{is_slow, run};
use crate::driver::Route;
use crate::interface::CudaView;
use crate::layout::{CopyPlan, Dense};
use crate::{Memory, Result};

/// Makes a copy to the device array: `copy` gets the address of the first element and the strides in bytes to
/// copy to, and says whether it could. Those are the array's own where packed elements fit it in few pieces.
pub(super) fn to_device(
    operation: &'static str,
    device: &CudaView,
    copy: impl FnOnce(u64, &[isize]) -> Result<bool>,
) -> Result<bool> {
    let dense = Dense::like(device.interface().layout());
    let unpack = CopyPlan::new(&dense.shape, &dense.strides, device.strides(), device.dtype().size());
    if !is_slow(&unpack) {
        return copy(device.pointer(), device.strides());
    }
    let packed = Memory::allocate(operation, device.gpu(), dense.bytes)?;
    let source = packed.range().start + dense.first as u64;
    if !copy(source, &dense.strides)? {
        return Ok(false);
    }
    let across = Route::DeviceToDevice { source, target: device.pointer() };
    // SAFETY: the packed memory has all elements, at least when the device gets there; the device array is within
    // its memory.
    unsafe { run(operation, device, &unpack, across) }?;
    Ok(true)
}

/// Makes a copy from the device array, as [`to_device`] the other way.
pub(super) fn to_host(
    operation: &'static str,
    device: &CudaView,
    copy: impl FnOnce(u64, &[isize]) -> Result<bool>,
) -> Result<bool> {
    let dense = Dense::like(device.interface().layout());
    let pack = CopyPlan::new(&dense.shape, device.strides(), &dense.strides, device.dtype().size());
    if !is_slow(&pack) {
        return copy(device.pointer(), device.strides());
    }
    let packed = Memory::allocate(operation, device.gpu(), dense.bytes)?;
    let target = packed.range().start + dense.first as u64;
    let across = Route::DeviceToDevice { source: device.pointer(), target };
    // SAFETY: the device array is within its memory; the packed memory has room for all elements.
    unsafe { run(operation, device, &pack, across) }?;
    copy(target, &dense.strides)
}
