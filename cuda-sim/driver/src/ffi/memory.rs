//! Device and managed memory that is allocated at once.

use super::argument::Out;
use super::call::{Call, entry_points};
use crate::allocation::{Allocation, Request};
use crate::code::{Code, Result};
use crate::device::TEXTURE_ALIGNMENT;
use crate::log::report;
use crate::pinned::Kind;
use std::sync::Arc;

entry_points! {
    fn cuMemAlloc_v2(address: Out<u64>, bytes: usize) -> in_context |call| {
        address.check()?;
        address.set(allocate(call, bytes, false)?.address)
    }

    fn cuMemAllocPitch_v2(
        address: Out<u64>,
        pitch: Out<usize>,
        width: usize,
        height: usize,
        element: u32,
    ) -> in_context |call| {
        address.check()?;
        pitch.check()?;
        if !matches!(element, 4 | 8 | 16) {
            return Err(Code::InvalidValue);
        }
        let row = width.checked_next_multiple_of(TEXTURE_ALIGNMENT).ok_or(Code::InvalidValue)?;
        let bytes = row.checked_mul(height).ok_or(Code::InvalidValue)?;
        address.set(allocate(call, bytes, true)?.address)?;
        pitch.set(row)
    }

    fn cuMemAllocManaged(address: Out<u64>, bytes: usize, flags: u32) -> in_context |call| {
        address.check()?;
        if !matches!(flags, 1 | 2) {
            return Err(Code::InvalidValue);
        }
        let (free, _) = call.state.device_memory.info();
        if bytes as u64 > free {
            return Err(Code::OutOfMemory);
        }
        let block = call.state.host_memory.allocate(Kind::Managed, bytes, flags, call.context.handle)?;
        address.set(block.address)
    }

    /// Waits for the device, except for memory of a pool, as the real call does.
    fn cuMemFree_v2(address: u64) -> in_context |call| {
        if call.state.host_memory.starting_at(Kind::Managed, address).is_some() {
            call.state.synchronize();
            return call.state.host_memory.remove(Kind::Managed, address).map(drop).ok_or(Code::InvalidValue);
        }
        let found = call.state.device_memory.at(address);
        if found.is_some_and(|allocation| allocation.request.pool.is_none()) {
            call.state.synchronize();
        }
        call.state.device_memory.free(call.op, address)?.release();
        Ok(())
    }

    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) -> in_context |call| {
        let (free_bytes, total_bytes) = call.state.device_memory.info();
        free.set(free_bytes as usize)?;
        total.set(total_bytes as usize)
    }

    fn cuMemGetAddressRange_v2(base: Out<u64>, size: Out<usize>, address: u64) -> in_context |call| {
        let device = call.state.device_memory.at(address).map(|found| (found.address, found.request.size));
        let host = || call.state.host_memory.at(address).map(|found| (found.address, found.size));
        let (start, bytes) = device.or_else(host).ok_or(Code::NotFound)?;
        base.set_if_wanted(start);
        size.set_if_wanted(bytes);
        Ok(())
    }

    /// Managed memory is reachable from everywhere at all times here, so attaching it changes nothing.
    fn cuStreamAttachMemAsync(stream: usize, address: u64, length: usize, flags: u32) -> in_context |call| {
        call.stream(stream)?;
        let block = call.state.host_memory.starting_at(Kind::Managed, address).ok_or_else(|| {
            report!("{} of {address:#x}, which is not the start of managed memory", call.op);
            Code::InvalidValue
        })?;
        let whole = length == 0 || length == block.size;
        if whole && matches!(flags, 1 | 2 | 4) { Ok(()) } else { Err(Code::InvalidValue) }
    }
}

fn allocate(call: &Call, size: usize, rows: bool) -> Result<Arc<Allocation>> {
    let (context, device) = (call.context.handle, call.context.device);
    call.state.device_memory.allocate(Request { op: call.op, size, context, device, pool: None, rows })
}
