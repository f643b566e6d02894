//! Memory that is allocated and freed in stream order.

use std::ffi::c_int;
use std::sync::Arc;

use super::argument::{In, Out, OutAny};
use super::call::{Call, entry_points};
use crate::allocation::Request;
use crate::code::{Code, Result};
use crate::log::report;
use crate::pool::{Pool, Value};
use crate::state::State;
use crate::sync::lock;

/// The fields of `CUmemPoolProps` that count here. What follows them in C is reserved, or about sharing.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PoolProperties {
    allocation_type: c_int,
    handle_types: c_int,
    location_type: c_int,
    location: c_int,
    security: usize,
    max_size: usize,
}

entry_points! {
    fn cuMemAllocAsync(address: Out<u64>, bytes: usize, stream: usize) -> in_context |call| {
        supported(call.state)?;
        let device = call.state.device(call.context.device)?;
        let pool = Arc::clone(&lock(&device.pool));
        allocate(call, address, bytes, pool, stream)
    }

    fn cuMemAllocFromPoolAsync(
        address: Out<u64>,
        bytes: usize,
        pool: usize,
        stream: usize,
    ) -> in_context |call| {
        allocate(call, address, bytes, find(call.state, pool)?, stream)
    }

    /// The memory is gone for later calls at once, and for queued work when the stream gets here.
    fn cuMemFreeAsync(address: u64, stream: usize) -> in_context |call| {
        supported(call.state)?;
        let stream = call.stream(stream)?;
        let found = call.state.device_memory.at(address);
        if let Some(other) = found.filter(|allocation| allocation.request.pool.is_none()) {
            report!("{} of {address:#x}: {other} is not from a pool; cuMemFree frees it", call.op);
            return Err(Code::InvalidValue);
        }
        let allocation = call.state.device_memory.free(call.op, address)?;
        stream.submit(move || {
            allocation.release();
            Ok(())
        })?;
        Ok(())
    }

    fn cuDeviceGetDefaultMemPool(pool: Out<usize>, device: c_int) -> initialized |state| {
        supported(state)?;
        pool.set(state.device(device)?.default_pool.handle)
    }

    fn cuDeviceGetMemPool(pool: Out<usize>, device: c_int) -> initialized |state| {
        supported(state)?;
        pool.set(lock(&state.device(device)?.pool).handle)
    }

    fn cuDeviceSetMemPool(device: c_int, pool: usize) -> initialized |state| {
        let (device, pool) = (state.device(device)?, find(state, pool)?);
        if pool.device != device.ordinal {
            return Err(Code::InvalidValue);
        }
        *lock(&device.pool) = pool;
        Ok(())
    }

    fn cuMemPoolCreate(pool: Out<usize>, properties: In<PoolProperties>) -> initialized |state| {
        supported(state)?;
        pool.check()?;
        let properties = properties.get()?;
        let limit = check(state, &properties)?;
        let ordinal = properties.location;
        pool.set(state.pools.insert_with(|handle| Ok(Pool::new(handle, ordinal, false, limit)))?.handle)
    }

    /// What was allocated from the pool stays.
    fn cuMemPoolDestroy(pool: usize) -> initialized |state| {
        let pool = find(state, pool)?;
        if pool.default {
            return Err(Code::InvalidValue);
        }
        state.pools.remove(pool.handle);
        let device = state.device(pool.device)?;
        let mut current = lock(&device.pool);
        if current.handle == pool.handle {
            *current = Arc::clone(&device.default_pool);
        }
        Ok(())
    }

    /// Nothing is kept back, so there is nothing to trim.
    fn cuMemPoolTrimTo(pool: usize, _keep: usize) -> initialized |state| {
        find(state, pool).map(drop)
    }

    fn cuMemPoolGetAttribute(pool: usize, attribute: u32, value: OutAny) -> initialized |state| {
        match find(state, pool)?.get(attribute)? {
            Value::Int(number) => value.of().set(number),
            Value::Wide(number) => value.of().set(number),
        }
    }

    fn cuMemPoolSetAttribute(pool: usize, attribute: u32, value: OutAny) -> initialized |state| {
        let pool = find(state, pool)?;
        match attribute {
            1..=3 => pool.set_int(attribute, value.input().get()?),
            4 | 6 | 8 => pool.set_wide(attribute, value.input().get()?),
            // Before the value is read: its size depends on the attribute.
            _ => Err(Code::InvalidValue),
        }
    }
}

fn supported(state: &State) -> Result<()> {
    if state.config.memory_pools { Ok(()) } else { Err(Code::NotSupported) }
}

fn find(state: &State, pool: usize) -> Result<Arc<Pool>> {
    supported(state)?;
    state.pools.get(pool).ok_or(Code::InvalidValue)
}

fn allocate(call: &Call, address: Out<u64>, size: usize, pool: Arc<Pool>, stream: usize) -> Result<()> {
    address.check()?;
    call.stream(stream)?;
    let (context, device) = (call.context.handle, pool.device);
    let request = Request { op: call.op, size, context, device, pool: Some(pool), rows: false };
    address.set(call.state.device_memory.allocate(request)?.address)
}

/// Pinned device memory that is not shared with other processes: the limit of the pool.
fn check(state: &State, properties: &PoolProperties) -> Result<u64> {
    const PINNED: c_int = 1;
    const DEVICE: c_int = 1;
    if properties.handle_types != 0 || properties.location_type != DEVICE || properties.security != 0 {
        return Err(Code::NotSupported);
    }
    if properties.allocation_type != PINNED {
        return Err(Code::InvalidValue);
    }
    state.device(properties.location).map_err(|_| Code::InvalidValue)?;
    let all = state.config.memory_bytes;
    Ok(if properties.max_size == 0 { all } else { all.min(properties.max_size as u64) })
}
