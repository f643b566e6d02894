//! What an address is.

use std::ffi::c_int;
use std::sync::atomic::Ordering;

use super::argument::{In, OutAny};
use super::call::{Call, entry_points};
use crate::code::{Code, Result};
use crate::pinned::Kind;

const CONTEXT: u32 = 1;
const MEMORY_TYPE: u32 = 2;
const DEVICE_POINTER: u32 = 3;
const HOST_POINTER: u32 = 4;
const SYNC_MEMOPS: u32 = 6;
const BUFFER_ID: u32 = 7;
const IS_MANAGED: u32 = 8;
const DEVICE_ORDINAL: u32 = 9;
const IS_IPC_CAPABLE: u32 = 10;
const RANGE_START: u32 = 11;
const RANGE_SIZE: u32 = 12;
const MAPPED: u32 = 13;
const ALLOWED_HANDLE_TYPES: u32 = 14;
const IS_RDMA_CAPABLE: u32 = 15;
const ACCESS_FLAGS: u32 = 16;
const POOL: u32 = 17;

/// `CU_MEMORYTYPE_HOST` and `CU_MEMORYTYPE_DEVICE`.
const HOST: u32 = 1;
const DEVICE: u32 = 2;

entry_points! {
    fn cuPointerGetAttribute(value: OutAny, attribute: u32, address: u64) -> in_context |call| {
        known(attribute)?;
        let pointer = Pointer::find(call, address).ok_or(Code::InvalidValue)?;
        pointer.answer(attribute, value)
    }

    /// An address that CUDA does not know is no error here: its attributes are zero.
    fn cuPointerGetAttributes(
        count: u32,
        attributes: In<u32>,
        values: In<OutAny>,
        address: u64,
    ) -> in_context |call| {
        let pointer = Pointer::find(call, address).unwrap_or(Pointer::UNKNOWN);
        for index in 0..count as usize {
            let (attribute, value) = (attributes.element(index).get()?, values.element(index).get()?);
            known(attribute)?;
            // An attribute that does not apply to this memory is an error of the single call only.
            pointer.answer(attribute, value).or_else(|_| zero(attribute, value))?;
        }
        Ok(())
    }

    fn cuPointerSetAttribute(value: In<u32>, attribute: u32, address: u64) -> in_context |call| {
        if attribute != SYNC_MEMOPS {
            return Err(Code::InvalidValue);
        }
        let allocation = call.state.device_memory.at(address).ok_or(Code::InvalidValue)?;
        allocation.sync_memops.store(value.get()? != 0, Ordering::Relaxed);
        Ok(())
    }
}

/// All that is known of the memory behind an address.
#[derive(Clone, Copy)]
struct Pointer {
    address: u64,
    start: u64,
    size: usize,
    id: u64,
    context: usize,
    device: c_int,
    memory_type: u32,
    on_host: bool,
    managed: bool,
    sync_memops: bool,
    pool: usize,
}

impl Pointer {
    /// `CU_DEVICE_INVALID` is the one attribute of unknown memory that is not zero.
    const UNKNOWN: Self = Self {
        address: 0,
        start: 0,
        size: 0,
        id: 0,
        context: 0,
        device: -2,
        memory_type: 0,
        on_host: false,
        managed: false,
        sync_memops: false,
        pool: 0,
    };

    fn find(call: &Call, address: u64) -> Option<Self> {
        Self::on_device(call, address).or_else(|| Self::on_host(call, address))
    }

    fn on_device(call: &Call, address: u64) -> Option<Self> {
        let allocation = call.state.device_memory.at(address)?;
        let request = &allocation.request;
        Some(Self {
            address,
            start: allocation.address,
            size: request.size,
            id: allocation.id,
            context: request.context,
            device: request.device,
            memory_type: DEVICE,
            sync_memops: allocation.sync_memops.load(Ordering::Relaxed),
            pool: request.pool.as_ref().map_or(0, |pool| pool.handle),
            ..Self::UNKNOWN
        })
    }

    fn on_host(call: &Call, address: u64) -> Option<Self> {
        let block = call.state.host_memory.at(address)?;
        let managed = block.kind == Kind::Managed;
        Some(Self {
            address,
            start: block.address,
            size: block.size,
            id: block.id | HOST_IDS,
            context: block.context,
            device: call.context.device,
            memory_type: if managed { DEVICE } else { HOST },
            on_host: true,
            managed,
            ..Self::UNKNOWN
        })
    }

    fn answer(&self, attribute: u32, value: OutAny) -> Result<()> {
        match attribute {
            CONTEXT => value.of().set(self.context),
            MEMORY_TYPE => value.of().set(self.memory_type),
            DEVICE_POINTER => value.of().set(self.address),
            HOST_POINTER if self.on_host => value.of().set(self.address),
            SYNC_MEMOPS => value.of().set(c_int::from(self.sync_memops)),
            BUFFER_ID => value.of().set(self.id),
            IS_MANAGED => value.of().set(c_int::from(self.managed)),
            DEVICE_ORDINAL => value.of().set(self.device),
            RANGE_START => value.of().set(self.start),
            RANGE_SIZE => value.of().set(self.size),
            MAPPED => value.of().set(c_int::from(self.size != 0)),
            IS_IPC_CAPABLE | IS_RDMA_CAPABLE => value.of().set(0 as c_int),
            ALLOWED_HANDLE_TYPES => value.of().set(0_u64),
            ACCESS_FLAGS if self.pool != 0 => value.of().set(READ_WRITE),
            POOL => value.of().set(self.pool),
            _ => Err(Code::InvalidValue),
        }
    }
}

/// Numbers of host blocks are counted apart from those of device memory; this keeps them different.
const HOST_IDS: u64 = 1 << 32;

/// `CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE`
const READ_WRITE: u64 = 3;

/// Peer-to-peer tokens (5) are the one attribute of CUDA 12.0 that is not simulated.
fn known(attribute: u32) -> Result<()> {
    match attribute {
        CONTEXT..=HOST_POINTER | SYNC_MEMOPS..=POOL => Ok(()),
        5 => Err(Code::NotSupported),
        _ => Err(Code::InvalidValue),
    }
}

fn zero(attribute: u32, value: OutAny) -> Result<()> {
    match attribute {
        HOST_POINTER | ACCESS_FLAGS => value.of().set(0_u64),
        _ => Err(Code::InvalidValue),
    }
}
