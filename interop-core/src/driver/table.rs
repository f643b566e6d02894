//! The driver's functions, resolved once.
//!
//! cudarc's own bindings panic where a function is missing and return a Rust enum, which a newer driver's
//! codes would break. Taking the addresses from cudarc's library gives a typed error and an `i32` instead.

use std::ffi::{CStr, c_char, c_float, c_int, c_uint, c_void};

use cudarc::driver::sys;

use crate::{Error, Result};

macro_rules! driver_functions {
    ($($(#[$condition:meta])? $name:ident($($arg:ident: $type:ty),*);)*) => {
        /// The functions of the driver that this crate calls.
        #[allow(non_snake_case, reason = "the driver's own names, so that a reader finds them again")]
        pub(crate) struct Driver {
            /// Whether this is the simulated driver.
            pub simulated: bool,
            cuGetErrorName: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int,
            cuGetErrorString: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int,
            $($(#[$condition])? $name: unsafe extern "C" fn($($type),*) -> c_int,)*
        }

        impl Driver {
            /// Looks up every function in the loaded driver.
            pub fn resolve(simulated: bool) -> Result<Self> {
                Ok(Self {
                    simulated,
                    cuGetErrorName: symbol("cuGetErrorName")?,
                    cuGetErrorString: symbol("cuGetErrorString")?,
                    $($(#[$condition])? $name: symbol(stringify!($name))?,)*
                })
            }

            $(
                $(#[$condition])?
                /// The driver's function of this name.
                ///
                /// # Safety
                /// What the CUDA driver API reference, version 12.0, asks of its arguments.
                #[allow(non_snake_case, reason = "the driver's own name")]
                #[allow(clippy::too_many_arguments, reason = "the driver's own signature")]
                pub unsafe fn $name(&self, operation: &'static str, $($arg: $type),*) -> Result<()> {
                    // SAFETY: the address was resolved by this name, whose C signature is the declared one;
                    // the caller vouches for the arguments.
                    let code = unsafe { (self.$name)($($arg),*) };
                    self.check(operation, stringify!($name), code)
                }
            )*
        }
    };
}

driver_functions! {
    cuInit(flags: c_uint);
    cuDriverGetVersion(version: *mut c_int);
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGet(device: *mut c_int, ordinal: c_int);
    cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
    cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
    cuDeviceGetPCIBusId(id: *mut c_char, len: c_int, device: c_int);
    cuDevicePrimaryCtxRetain(context: *mut sys::CUcontext, device: c_int);
    cuDevicePrimaryCtxRelease_v2(device: c_int);
    cuCtxGetCurrent(context: *mut sys::CUcontext);
    cuCtxPushCurrent_v2(context: sys::CUcontext);
    cuCtxPopCurrent_v2(context: *mut sys::CUcontext);
    cuStreamCreate(stream: *mut sys::CUstream, flags: c_uint);
    cuStreamDestroy_v2(stream: sys::CUstream);
    cuStreamSynchronize(stream: sys::CUstream);
    cuStreamQuery(stream: sys::CUstream);
    cuStreamWaitEvent(stream: sys::CUstream, event: sys::CUevent, flags: c_uint);
    cuEventCreate(event: *mut sys::CUevent, flags: c_uint);
    cuEventRecord(event: sys::CUevent, stream: sys::CUstream);
    cuEventSynchronize(event: sys::CUevent);
    cuEventDestroy_v2(event: sys::CUevent);
    cuEventQuery(event: sys::CUevent);
    cuEventElapsedTime(milliseconds: *mut c_float, start: sys::CUevent, end: sys::CUevent);
    #[cfg(feature = "cvcuda")]
    cuStreamBeginCapture_v2(stream: sys::CUstream, mode: c_int);
    #[cfg(feature = "cvcuda")]
    cuStreamEndCapture(stream: sys::CUstream, graph: *mut sys::CUgraph);
    #[cfg(feature = "cvcuda")]
    cuGraphGetNodes(graph: sys::CUgraph, nodes: *mut sys::CUgraphNode, count: *mut usize);
    #[cfg(feature = "cvcuda")]
    cuGraphNodeGetType(node: sys::CUgraphNode, kind: *mut c_int);
    #[cfg(feature = "cvcuda")]
    cuGraphMemcpyNodeGetParams(node: sys::CUgraphNode, copy: *mut sys::CUDA_MEMCPY3D);
    #[cfg(feature = "cvcuda")]
    cuGraphInstantiateWithFlags(graph: *mut sys::CUgraphExec, of: sys::CUgraph, flags: u64);
    #[cfg(feature = "cvcuda")]
    cuGraphLaunch(graph: sys::CUgraphExec, stream: sys::CUstream);
    #[cfg(feature = "cvcuda")]
    cuGraphExecDestroy(graph: sys::CUgraphExec);
    #[cfg(feature = "cvcuda")]
    cuGraphDestroy(graph: sys::CUgraph);
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemAlloc_v2(address: *mut u64, bytes: usize);
    cuMemFree_v2(address: u64);
    cuMemPoolCreate(pool: *mut sys::CUmemoryPool, properties: *const sys::CUmemPoolProps);
    cuMemPoolDestroy(pool: sys::CUmemoryPool);
    cuMemPoolTrimTo(pool: sys::CUmemoryPool, kept: usize);
    cuMemPoolSetAttribute(pool: sys::CUmemoryPool, attribute: c_int, value: *mut c_void);
    cuMemPoolGetAttribute(pool: sys::CUmemoryPool, attribute: c_int, value: *mut c_void);
    cuMemAllocFromPoolAsync(address: *mut u64, bytes: usize, pool: sys::CUmemoryPool, stream: sys::CUstream);
    cuMemFreeAsync(address: u64, stream: sys::CUstream);
    cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint);
    cuMemFreeHost(address: *mut c_void);
    cuMemHostRegister_v2(address: *mut c_void, bytes: usize, flags: c_uint);
    cuMemHostUnregister(address: *mut c_void);
    cuPointerGetAttributes(count: c_uint, names: *mut c_int, values: *mut *mut c_void, address: u64);
    cuMemsetD8Async(address: u64, value: u8, count: usize, stream: sys::CUstream);
    cuMemsetD16Async(address: u64, value: u16, count: usize, stream: sys::CUstream);
    cuMemsetD32Async(address: u64, value: u32, count: usize, stream: sys::CUstream);
    cuMemsetD2D8Async(address: u64, pitch: usize, value: u8, width: usize, height: usize, stream: sys::CUstream);
    cuMemsetD2D16Async(address: u64, pitch: usize, value: u16, width: usize, height: usize, stream: sys::CUstream);
    cuMemsetD2D32Async(address: u64, pitch: usize, value: u32, width: usize, height: usize, stream: sys::CUstream);
    cuMemcpyHtoDAsync_v2(target: u64, source: *const c_void, bytes: usize, stream: sys::CUstream);
    cuMemcpyDtoHAsync_v2(target: *mut c_void, source: u64, bytes: usize, stream: sys::CUstream);
    cuMemcpyDtoDAsync_v2(target: u64, source: u64, bytes: usize, stream: sys::CUstream);
    cuMemcpy2DAsync_v2(copy: *const sys::CUDA_MEMCPY2D, stream: sys::CUstream);
    cuMemcpy3DAsync_v2(copy: *const sys::CUDA_MEMCPY3D, stream: sys::CUstream);
}

impl Driver {
    /// The CUDA version that the driver supports, 12.4 as 12040. Needs no initialisation.
    pub fn version(&self) -> Result<i32> {
        let mut version: c_int = 0;
        // SAFETY: the pointer is valid for the write.
        unsafe { self.cuDriverGetVersion("Gpu::open", &mut version) }?;
        Ok(version)
    }

    fn check(&self, operation: &'static str, function: &'static str, code: c_int) -> Result<()> {
        if code == sys::CUresult::CUDA_SUCCESS as c_int {
            return Ok(());
        }
        let name = text(self.cuGetErrorName, code);
        let description = text(self.cuGetErrorString, code);
        Err(Error::Driver { operation, function, code, name, description })
    }
}

/// The code of an error that the driver reported.
pub(crate) fn code_of(error: &Error) -> Option<i32> {
    match error {
        Error::Driver { code, .. } => Some(*code),
        _ => None,
    }
}

/// Whether an error says that nothing runs on the device any more: a fault on it, or the driver's end.
#[cfg(feature = "cvcuda")]
pub(crate) fn is_end_of_device(error: &Error) -> bool {
    use sys::CUresult::*;
    const ENDS: [sys::CUresult; 14] = [
        CUDA_ERROR_DEINITIALIZED,
        CUDA_ERROR_DEVICE_UNAVAILABLE,
        CUDA_ERROR_ECC_UNCORRECTABLE,
        CUDA_ERROR_NVLINK_UNCORRECTABLE,
        CUDA_ERROR_ILLEGAL_ADDRESS,
        CUDA_ERROR_LAUNCH_TIMEOUT,
        CUDA_ERROR_CONTEXT_IS_DESTROYED,
        CUDA_ERROR_ASSERT,
        CUDA_ERROR_HARDWARE_STACK_ERROR,
        CUDA_ERROR_ILLEGAL_INSTRUCTION,
        CUDA_ERROR_MISALIGNED_ADDRESS,
        CUDA_ERROR_INVALID_ADDRESS_SPACE,
        CUDA_ERROR_INVALID_PC,
        CUDA_ERROR_LAUNCH_FAILED,
    ];
    code_of(error).is_some_and(|code| ENDS.iter().any(|end| *end as i32 == code))
}

/// What a query of a stream or an event answered: that it is over, that it is not, or an error.
pub(super) fn is_over(answer: Result<()>) -> Result<bool> {
    const NOT_READY: i32 = sys::CUresult::CUDA_ERROR_NOT_READY as i32;
    match answer {
        Ok(()) => Ok(true),
        Err(error) if code_of(&error) == Some(NOT_READY) => Ok(false),
        Err(error) => Err(error),
    }
}

fn symbol<F: Copy>(name: &'static str) -> Result<F> {
    // SAFETY: called after `load` found a driver, so that this returns the loaded library.
    let library = unsafe { sys::culib() };
    // SAFETY: F is the C signature of the driver function of this name (CUDA driver API 12.0).
    let found = unsafe { library.get::<F>(name.as_bytes()) };
    found.map(|address| *address).map_err(|_| Error::MissingSymbol { symbol: name })
}

fn text(lookup: unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int, code: c_int) -> String {
    let mut found: *const c_char = std::ptr::null();
    // SAFETY: `found` is valid for the write of a pointer.
    let status = unsafe { lookup(code, &mut found) };
    if status != 0 || found.is_null() {
        return format!("CUresult {code}");
    }
    // SAFETY: the driver returns a static, zero-terminated string.
    unsafe { CStr::from_ptr(found) }.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    // Case 72.
    #[test]
    fn a_missing_function_is_an_error_that_names_it() {
        let driver = super::super::load(0).unwrap();
        let missing = symbol::<unsafe extern "C" fn() -> c_int>("cuNoSuchFunction");
        assert_eq!(missing.unwrap_err(), Error::MissingSymbol { symbol: "cuNoSuchFunction" });
        assert_eq!(driver.check("test", "cuInit", 0), Ok(()));
    }

    #[test]
    fn an_unknown_code_is_an_error_with_its_number() {
        let driver = super::super::load(0).unwrap();
        let error = driver.check("test", "cuInit", 123_456).unwrap_err();
        assert_eq!(code_of(&error), Some(123_456));
        assert!(error.to_string().contains("123456"), "{error}");
    }
}
