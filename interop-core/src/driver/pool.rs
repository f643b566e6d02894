//! [`Pool`]: a pool of device memory of our own, from which allocation and free are ordered in a stream.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys;

use super::{Context, Stream};
use crate::Result;

/// A pool that only this crate allocates from, so that what it keeps back does not depend on how other
/// libraries set the device's default pool, nor theirs on ours.
pub(crate) struct Pool {
    context: Arc<Context>,
    raw: sys::CUmemoryPool,
}

// SAFETY: a CUmemoryPool may be used from every thread (CUDA driver API 12.0, stream ordered allocator).
unsafe impl Send for Pool {}
// SAFETY: as above; the driver locks internally.
unsafe impl Sync for Pool {}

impl Pool {
    /// A pool on the context's device that gives memory back to the system, when a stream is waited for, as
    /// long as it holds more than `kept` bytes.
    pub fn new(context: Arc<Context>, operation: &'static str, kept: usize) -> Result<Self> {
        let properties = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: context.device(),
            },
            win32SecurityAttributes: ptr::null_mut(),
            // Newer drivers have fields here: 0 is their default.
            reserved: [0; 64],
        };
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is valid for the write; the driver reads the properties during the call.
        unsafe { context.driver().cuMemPoolCreate(operation, &mut raw, &properties) }?;
        let pool = Self { context, raw };
        pool.keep(operation, kept)?;
        Ok(pool)
    }

    fn keep(&self, operation: &'static str, bytes: usize) -> Result<()> {
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD as c_int;
        let mut bytes = bytes as u64;
        let value: *mut c_void = ptr::from_mut(&mut bytes).cast();
        // SAFETY: the pool is live; the attribute is a cuuint64_t, which the driver reads during the call.
        unsafe { self.context.driver().cuMemPoolSetAttribute(operation, self.raw, threshold, value) }
    }

    /// `bytes` (not zero), usable from now on in the order of `stream`.
    pub fn allocate(&self, operation: &'static str, bytes: usize, stream: &Stream) -> Result<u64> {
        let _current = self.context.enter(operation)?;
        let (driver, mut address) = (self.context.driver(), 0);
        // SAFETY: the pointer is valid for the write; pool and stream are live and of this context.
        unsafe { driver.cuMemAllocFromPoolAsync(operation, &mut address, bytes, self.raw, stream.raw()) }?;
        Ok(address)
    }

    /// # Safety
    /// `address` came from [`Pool::allocate`] of this pool and is given back once.
    pub unsafe fn free(&self, operation: &'static str, address: u64, stream: &Stream) -> Result<()> {
        let _current = self.context.enter(operation)?;
        // SAFETY: the caller vouches for the address; the stream is live and of this context.
        unsafe { self.context.driver().cuMemFreeAsync(operation, address, stream.raw()) }
    }

    /// Gives what is not in use back to the system.
    pub fn trim(&self, operation: &'static str) -> Result<()> {
        // SAFETY: the pool is live.
        unsafe { self.context.driver().cuMemPoolTrimTo(operation, self.raw, 0) }
    }

    /// Bytes that the pool holds and nobody uses.
    pub fn unused(&self, operation: &'static str) -> Result<usize> {
        type Attribute = sys::CUmemPool_attribute;
        let reserved = self.count(operation, Attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
        let used = self.count(operation, Attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?;
        // Others may allocate between the two calls.
        Ok(reserved.saturating_sub(used) as usize)
    }

    fn count(&self, operation: &'static str, attribute: sys::CUmemPool_attribute) -> Result<u64> {
        let (driver, mut bytes) = (self.context.driver(), 0u64);
        let value: *mut c_void = ptr::from_mut(&mut bytes).cast();
        // SAFETY: the pool is live; both attributes that are asked for are a cuuint64_t.
        unsafe { driver.cuMemPoolGetAttribute(operation, self.raw, attribute as c_int, value) }?;
        Ok(bytes)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: created in `new`, destroyed once here; the driver keeps what is still in use until it is freed.
        let _ = unsafe { self.context.driver().cuMemPoolDestroy("drop of Gpu", self.raw) };
    }
}
