//! Pinned and registered host memory.

use std::ffi::c_void;

use super::argument::Out;
use super::call::{Call, entry_points};
use crate::code::{Code, Result};
use crate::log::report;
use crate::pinned::{Kind, READ_ONLY};

/// `CU_MEMHOSTALLOC_*`: portable, device map, write combined.
const ALLOCATE_FLAGS: u32 = 7;

/// `CU_MEMHOSTREGISTER_*`: portable, device map, and read only. I/O memory is not simulated.
const REGISTER_FLAGS: u32 = 1 | 2 | READ_ONLY;

entry_points! {
    fn cuMemHostAlloc(memory: Out<*mut c_void>, bytes: usize, flags: u32) -> in_context |call| {
        if flags & !ALLOCATE_FLAGS != 0 {
            return Err(Code::InvalidValue);
        }
        allocate(call, memory, bytes, flags)
    }

    fn cuMemAllocHost_v2(memory: Out<*mut c_void>, bytes: usize) -> in_context |call| {
        allocate(call, memory, bytes, 0)
    }

    /// Waits for the device, which may still use the memory.
    fn cuMemFreeHost(memory: usize) -> in_context |call| {
        call.state.synchronize();
        call.state.host_memory.remove(Kind::Pinned, memory as u64).map(drop).ok_or_else(|| {
            let op = call.op;
            report!("{op} of {memory:#x}, which is not the start of live pinned memory (freed before?)");
            Code::InvalidValue
        })
    }

    fn cuMemHostRegister_v2(memory: usize, bytes: usize, flags: u32) -> in_context |call| {
        if flags & !REGISTER_FLAGS != 0 || call.state.device_memory.contains(memory as u64) {
            return Err(Code::InvalidValue);
        }
        call.state.host_memory.register(memory, bytes, flags, call.context.handle)
    }

    fn cuMemHostUnregister(memory: usize) -> in_context |call| {
        call.state.synchronize();
        let removed = call.state.host_memory.remove(Kind::Registered, memory as u64);
        removed.map(drop).ok_or(Code::HostMemoryNotRegistered)
    }

    /// With unified addressing the device address is the host address.
    fn cuMemHostGetDevicePointer_v2(address: Out<u64>, memory: usize, flags: u32) -> in_context |call| {
        if flags != 0 {
            return Err(Code::InvalidValue);
        }
        call.state.host_memory.at(memory as u64).ok_or(Code::InvalidValue)?;
        address.set(memory as u64)
    }

    fn cuMemHostGetFlags(flags: Out<u32>, memory: usize) -> in_context |call| {
        let block = call.state.host_memory.at(memory as u64).filter(|block| block.kind == Kind::Pinned);
        flags.set(block.ok_or(Code::InvalidValue)?.flags)
    }
}

fn allocate(call: &Call, memory: Out<*mut c_void>, bytes: usize, flags: u32) -> Result<()> {
    memory.check()?;
    let block = call.state.host_memory.allocate(Kind::Pinned, bytes, flags, call.context.handle)?;
    memory.set(std::ptr::with_exposed_provenance_mut(block.address as usize))
}
