//! The device memory of tensors that CV-CUDA manages: asked for by it, taken from the pool of a [`Gpu`].
//!
//! CV-CUDA's own allocator calls `cudaMalloc` and `cudaFree`, which take hundreds of microseconds and wait for nobody in
//! particular. From the pool it takes a fraction of one, and what is freed is freed in the order of the stream.

use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex};

use super::library::{AllocatorHandle, Library, RESOURCE_CUDA, ResourceAllocator};
use crate::gpu::Block;
use crate::lock::lock;
use crate::{Error, Gpu, Result};

const OPERATION: &str = "CvCuda::tensor";

/// The most that blocks of the pool are aligned to, in bytes.
const ALIGNMENT: i32 = 512;

/// One counted reference to an `NVCVAllocatorHandle`. Tensors made with it keep others.
pub(super) struct Allocator {
    library: Arc<Library>,
    handle: AllocatorHandle,
    pool: Arc<Pool>,
    /// Held while something is made of it, so that an error is the maker's own.
    making: Mutex<()>,
}

/// What the callbacks work on.
struct Pool {
    gpu: Gpu,
    /// What was given out, by address: the block, and the bytes that were asked for.
    given: Mutex<HashMap<u64, (Block, usize)>>,
    /// Why the last allocation that failed did.
    error: Mutex<Option<Error>>,
}

impl Allocator {
    pub fn new(operation: &'static str, library: &Arc<Library>, gpu: &Gpu) -> Result<Self> {
        let pool = Arc::new(Pool { gpu: gpu.clone(), given: Mutex::default(), error: Mutex::default() });
        let context = Arc::into_raw(pool.clone());
        let custom = ResourceAllocator {
            context: context.cast_mut().cast(),
            resource: RESOURCE_CUDA,
            allocate,
            free,
            cleanup: Some(cleanup),
        };
        let mut handle = AllocatorHandle::NULL;
        // SAFETY: both pointers are valid for the call; the callbacks take the context, which lives until `cleanup`.
        let status = unsafe { (library.types.nvcvAllocatorConstructCustom)(&custom, 1, &mut handle) };
        let made = library.check(operation, "nvcvAllocatorConstructCustom", status);
        if made.is_err() {
            // SAFETY: it came from there, and the library keeps nothing of what it refused.
            drop(unsafe { Arc::from_raw(context) });
        }
        made.map(|()| Self { library: library.clone(), handle, pool, making: Mutex::default() })
    }

    /// Has `make` make an object of this memory. Where there was none, that is the error, of which the library does not
    /// always tell.
    pub fn supply<T>(
        &self,
        operation: &'static str,
        make: impl FnOnce(AllocatorHandle) -> Result<T>,
    ) -> Result<T> {
        let _making = lock(&self.making);
        let made = make(self.handle);
        match lock(&self.pool.error).take() {
            Some(error) => Err(error.during(operation)),
            None => made,
        }
    }
}

impl Drop for Allocator {
    fn drop(&mut self) {
        // SAFETY: this reference is given back once; tensors that still use the allocator keep their own.
        let _ = unsafe { (self.library.types.nvcvAllocatorDecRef)(self.handle, ptr::null_mut()) };
    }
}

/// NULL where there is no memory, or none so aligned.
unsafe extern "C" fn allocate(context: *mut c_void, bytes: i64, alignment: i32) -> *mut c_void {
    // SAFETY: the context is the pool, until `cleanup`.
    let pool = unsafe { &*context.cast::<Pool>() };
    let Some(bytes) = usize::try_from(bytes).ok().filter(|bytes| *bytes > 0 && alignment <= ALIGNMENT) else {
        return ptr::null_mut();
    };
    match pool.gpu.allocate(OPERATION, bytes) {
        Ok(block) => {
            let address = block.start;
            lock(&pool.given).insert(address, (block, bytes));
            address as *mut c_void
        }
        Err(error) => {
            *lock(&pool.error) = Some(error);
            ptr::null_mut()
        }
    }
}

unsafe extern "C" fn free(context: *mut c_void, address: *mut c_void, _bytes: i64, _alignment: i32) {
    // SAFETY: the context is the pool, until `cleanup`.
    let pool = unsafe { &*context.cast::<Pool>() };
    let Some((block, bytes)) = lock(&pool.given).remove(&(address as u64)) else { return };
    // SAFETY: it came from there with as many bytes, and is out of the table now.
    if let Err(error) = unsafe { pool.gpu.free(OPERATION, block, bytes) } {
        pool.gpu.record_drop_error(error);
    }
}

/// Called once, when the last reference to the allocator goes.
unsafe extern "C" fn cleanup(context: *mut c_void, _allocator: *mut ResourceAllocator) {
    // SAFETY: the context is the reference that `Allocator::new` gave.
    drop(unsafe { Arc::from_raw(context.cast::<Pool>()) });
}
