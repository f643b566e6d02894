//! Device and pinned memory: taken, given back, looked up.

use std::ffi::{c_int, c_uint, c_void};
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use cudarc::driver::sys;

use super::{Context, code_of};
use crate::{Error, Result};

/// What the driver knows about an address that the GPU can reach.
pub(crate) struct PointerInfo {
    pub device: i32,
    /// The allocation that the address lies in.
    pub allocation: Range<u64>,
}

impl Context {
    /// `bytes` (not zero) of memory where the device has no pool.
    pub fn allocate_plain(&self, operation: &'static str, bytes: usize) -> Result<u64> {
        let _current = self.enter(operation)?;
        let mut address = 0;
        // SAFETY: the pointer is valid for the write.
        unsafe { self.driver().cuMemAlloc_v2(operation, &mut address, bytes) }?;
        Ok(address)
    }

    /// # Safety
    /// `address` came from `allocate_plain` and is given back once.
    pub unsafe fn free_plain(&self, operation: &'static str, address: u64) -> Result<()> {
        let _current = self.enter(operation)?;
        // SAFETY: the caller vouches for the address.
        unsafe { self.driver().cuMemFree_v2(operation, address) }
    }

    /// Whether an address is in host memory that is page-locked, so that the driver copies straight from and to it.
    pub fn is_pinned(&self, operation: &'static str, address: *const u8) -> Result<bool> {
        const HOST: c_uint = sys::CUmemorytype::CU_MEMORYTYPE_HOST as c_uint;
        let _current = self.enter(operation)?;
        let mut kind: c_uint = 0;
        let mut attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE as c_int;
        let mut value: *mut c_void = ptr::from_mut(&mut kind).cast();
        let address = address as u64;
        // SAFETY: one name and one value, an unsigned int as the CUDA driver API 12.0 documents for it.
        unsafe { self.driver().cuPointerGetAttributes(operation, 1, &mut attribute, &mut value, address) }?;
        Ok(kind == HOST)
    }

    /// What the driver knows about an address; `None` where it is no memory of CUDA's.
    ///
    /// Asks for all attributes at once: unlike the call for one, that is no error for a host address, which
    /// compute-sanitizer would report.
    pub fn pointer_info(&self, operation: &'static str, address: u64) -> Result<Option<PointerInfo>> {
        type Attribute = sys::CUpointer_attribute;
        let _current = self.enter(operation)?;
        let (mut kind, mut device, mut base, mut size): (c_uint, c_int, u64, usize) = (0, 0, 0, 0);
        let mut attributes = [
            Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE as c_int,
            Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL as c_int,
            Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR as c_int,
            Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE as c_int,
        ];
        let mut values: [*mut c_void; 4] = [
            ptr::from_mut(&mut kind).cast(),
            ptr::from_mut(&mut device).cast(),
            ptr::from_mut(&mut base).cast(),
            ptr::from_mut(&mut size).cast(),
        ];
        let count = attributes.len() as c_uint;
        let (names, targets) = (attributes.as_mut_ptr(), values.as_mut_ptr());
        // SAFETY: both arrays have `count` entries, and each value is of the type that the CUDA driver API 12.0
        // documents for its attribute: unsigned int, int, CUdeviceptr, size_t.
        unsafe { self.driver().cuPointerGetAttributes(operation, count, names, targets, address) }?;
        // The kinds of memory count from 1.
        let found = PointerInfo { device, allocation: base..base.saturating_add(size as u64) };
        Ok((kind != 0).then_some(found))
    }
}

/// Turns the driver's out of memory into ours, which says how much was asked for and how much was free.
pub(crate) fn explain_exhaustion(
    error: Error,
    operation: &'static str,
    requested: usize,
    free: impl FnOnce() -> Option<usize>,
) -> Error {
    match is_exhaustion(&error) {
        true => Error::OutOfMemory { operation, requested, free: free() },
        false => error,
    }
}

/// Whether this is the driver's out of memory.
pub(crate) fn is_exhaustion(error: &Error) -> bool {
    const OUT_OF_MEMORY: i32 = sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY as i32;
    code_of(error) == Some(OUT_OF_MEMORY)
}

/// Page-locked host memory.
pub(crate) struct HostAllocation {
    context: Arc<Context>,
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: plain memory, which any thread may use; `HostAllocation` hands out its address only.
unsafe impl Send for HostAllocation {}
// SAFETY: as above.
unsafe impl Sync for HostAllocation {}

impl HostAllocation {
    /// `bytes` (not zero) of pinned memory that every context may use. Its content is undefined.
    pub fn new(context: Arc<Context>, operation: &'static str, bytes: usize) -> Result<Self> {
        let mut start = ptr::null_mut();
        {
            let _current = context.enter(operation)?;
            let flags = sys::CU_MEMHOSTALLOC_PORTABLE;
            // SAFETY: the pointer is valid for the write.
            let allocated = unsafe { context.driver().cuMemHostAlloc(operation, &mut start, bytes, flags) };
            allocated.map_err(|error| explain_exhaustion(error, operation, bytes, || None))?;
        }
        let nothing = Error::OutOfMemory { operation, requested: bytes, free: None };
        let start = NonNull::new(start.cast()).ok_or(nothing)?;
        context.count_pinned(bytes);
        Ok(Self { context, start, bytes })
    }

    pub fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for HostAllocation {
    fn drop(&mut self) {
        self.context.discount_pinned(self.bytes);
        let Ok(_current) = self.context.enter("drop of PinnedBuffer") else { return };
        let start = self.start.as_ptr().cast();
        // SAFETY: allocated in `new`, freed once here.
        let _ = unsafe { self.context.driver().cuMemFreeHost("drop of PinnedBuffer", start) };
    }
}
