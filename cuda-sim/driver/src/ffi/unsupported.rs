//! What a program may look up but the simulator does not do. Each says so, and returns
//! `CUDA_ERROR_NOT_SUPPORTED`.
//!
//! They are here because callers that load symbols one by one, such as cudarc, panic on a missing one. They
//! take no parameters: in the C ABI of 64-bit Linux the caller places arguments and removes them, so ignoring
//! all is sound.

use std::ffi::{c_int, c_void};

use crate::code::Code;
use crate::log::report;

/// Defines entry points that only refuse.
macro_rules! unsupported {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name() -> c_int {
                super::call::any_time(stringify!($name), || {
                    report!("{} is not simulated", stringify!($name));
                    Err(Code::NotSupported)
                })
            }
        )*

        /// The address of an entry point of this module.
        pub fn lookup(name: &str) -> Option<*const c_void> {
            match name {
                $(stringify!($name) => Some($name as *const c_void),)*
                _ => None,
            }
        }
    };
}

unsupported! {
    cuModuleLoad cuModuleLoadData cuModuleLoadDataEx cuModuleLoadFatBinary cuModuleUnload cuModuleGetFunction
    cuModuleGetGlobal_v2 cuModuleGetLoadingMode
    cuLibraryLoadData cuLibraryLoadFromFile cuLibraryUnload cuLibraryGetKernel cuLibraryGetModule
    cuKernelGetFunction
    cuFuncGetAttribute cuFuncSetAttribute cuFuncSetCacheConfig cuFuncSetSharedMemConfig cuFuncGetModule
    cuLaunchKernel cuLaunchKernelEx cuLaunchCooperativeKernel
    cuOccupancyMaxActiveBlocksPerMultiprocessor cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
    cuOccupancyMaxPotentialBlockSize cuOccupancyMaxPotentialBlockSizeWithFlags
    cuOccupancyAvailableDynamicSMemPerBlock cuOccupancyMaxPotentialClusterSize cuOccupancyMaxActiveClusters
    cuStreamGetCaptureInfo_v2 cuThreadExchangeStreamCaptureMode
    cuGraphCreate cuGraphInstantiateWithParams cuGraphUpload cuGraphMemcpyNodeGetParams
    cuMemcpyPeer cuMemcpyPeerAsync cuMemcpy3DPeer cuMemcpy3DPeerAsync cuDeviceCanAccessPeer
    cuCtxEnablePeerAccess cuCtxDisablePeerAccess
    cuMemPrefetchAsync cuMemPrefetchAsync_v2 cuMemAdvise cuMemAdvise_v2 cuMemRangeGetAttribute
    cuMemAddressReserve cuMemAddressFree cuMemCreate cuMemRelease cuMemMap cuMemUnmap cuMemSetAccess
    cuMemGetAllocationGranularity cuMemPoolSetAccess cuMemPoolGetAccess
    cuMemPoolExportToShareableHandle cuMemPoolImportFromShareableHandle
    cuIpcGetMemHandle cuIpcOpenMemHandle_v2 cuIpcCloseMemHandle cuIpcGetEventHandle cuIpcOpenEventHandle
    cuArrayCreate_v2 cuArrayDestroy cuArray3DCreate_v2 cuTexObjectCreate cuTexObjectDestroy
    cuImportExternalMemory cuExternalMemoryGetMappedBuffer cuDestroyExternalMemory
    cuStreamWaitValue32_v2 cuStreamWaitValue64_v2 cuStreamWriteValue32_v2 cuStreamWriteValue64_v2
    cuCtxSetLimit cuCtxGetLimit cuCtxSetFlags cuCtxSetCacheConfig cuCtxGetCacheConfig
    cuCtxResetPersistingL2Cache
    cuProfilerStart cuProfilerStop
}
