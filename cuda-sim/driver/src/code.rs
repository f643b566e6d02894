//! Result codes: the ones the simulator returns, and the names and texts of all that a driver of CUDA 12 may
//! return.

use std::ffi::CStr;

/// What an entry point returns where it cannot do as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// An argument is out of range, or names memory that is not there.
    InvalidValue = 1,
    /// No room left, on the device or on the host.
    OutOfMemory = 2,
    /// `cuInit` was not called in this process.
    NotInitialized = 3,
    /// There is no device.
    NoDevice = 100,
    /// No device has this ordinal.
    InvalidDevice = 101,
    /// No context is current, or the handle names none.
    InvalidContext = 201,
    /// The operating system refused something, a thread for example.
    OperatingSystem = 304,
    /// A stream, event or pool handle names nothing.
    InvalidHandle = 400,
    /// What it is called on is not in the state that the call needs.
    IllegalState = 401,
    /// The symbol or range is unknown.
    NotFound = 500,
    /// Work is still pending: not an error.
    NotReady = 600,
    /// Queued work met memory that was no longer there. The context keeps this.
    IllegalAddress = 700,
    /// The primary context is in use, so its flags cannot change.
    PrimaryContextActive = 708,
    /// The current context was destroyed.
    ContextIsDestroyed = 709,
    /// Part of this host memory is registered.
    HostMemoryAlreadyRegistered = 712,
    /// This host memory is not registered.
    HostMemoryNotRegistered = 713,
    /// Called from a host function, where CUDA may not be called.
    NotPermitted = 800,
    /// Not simulated.
    NotSupported = 801,
    /// Not permitted on a stream that is capturing, or on the legacy stream ever.
    CaptureUnsupported = 900,
    /// Something that was not permitted ended the capture.
    CaptureInvalidated = 901,
    /// A defect of the simulator.
    Unknown = 999,
}

/// The result of everything inside the driver.
pub type Result<T> = std::result::Result<T, Code>;

/// A code, its symbol and its text.
type Entry = (i32, &'static CStr, &'static CStr);

/// The symbol of a code.
pub fn name(code: i32) -> Option<&'static CStr> {
    entry(code).map(|&(_, name, _)| name)
}

/// What a code means.
pub fn text(code: i32) -> Option<&'static CStr> {
    entry(code).map(|&(_, _, text)| text)
}

fn entry(code: i32) -> Option<&'static Entry> {
    CODES.iter().find(|&&(value, _, _)| value == code)
}

const CODES: &[Entry] = &[
    (0, c"CUDA_SUCCESS", c"no error"),
    (1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (3, c"CUDA_ERROR_NOT_INITIALIZED", c"the driver was not initialized: call cuInit first, in this process"),
    (4, c"CUDA_ERROR_DEINITIALIZED", c"the driver is shutting down"),
    (5, c"CUDA_ERROR_PROFILER_DISABLED", c"the profiler is disabled"),
    (6, c"CUDA_ERROR_PROFILER_NOT_INITIALIZED", c"the profiler was not initialized"),
    (7, c"CUDA_ERROR_PROFILER_ALREADY_STARTED", c"the profiler already runs"),
    (8, c"CUDA_ERROR_PROFILER_ALREADY_STOPPED", c"the profiler is already stopped"),
    (34, c"CUDA_ERROR_STUB_LIBRARY", c"this is a stub library, not a driver"),
    (46, c"CUDA_ERROR_DEVICE_UNAVAILABLE", c"the device is busy or unavailable"),
    (100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA device was found"),
    (101, c"CUDA_ERROR_INVALID_DEVICE", c"no device has this ordinal"),
    (102, c"CUDA_ERROR_DEVICE_NOT_LICENSED", c"the device has no licence"),
    (200, c"CUDA_ERROR_INVALID_IMAGE", c"the device code is invalid"),
    (201, c"CUDA_ERROR_INVALID_CONTEXT", c"no valid context is current"),
    (202, c"CUDA_ERROR_CONTEXT_ALREADY_CURRENT", c"the context is already current"),
    (205, c"CUDA_ERROR_MAP_FAILED", c"mapping failed"),
    (206, c"CUDA_ERROR_UNMAP_FAILED", c"unmapping failed"),
    (207, c"CUDA_ERROR_ARRAY_IS_MAPPED", c"the array is mapped"),
    (208, c"CUDA_ERROR_ALREADY_MAPPED", c"the resource is already mapped"),
    (209, c"CUDA_ERROR_NO_BINARY_FOR_GPU", c"no device code for this device"),
    (210, c"CUDA_ERROR_ALREADY_ACQUIRED", c"the resource is already acquired"),
    (211, c"CUDA_ERROR_NOT_MAPPED", c"the resource is not mapped"),
    (212, c"CUDA_ERROR_NOT_MAPPED_AS_ARRAY", c"the resource is not mapped as an array"),
    (213, c"CUDA_ERROR_NOT_MAPPED_AS_POINTER", c"the resource is not mapped as a pointer"),
    (214, c"CUDA_ERROR_ECC_UNCORRECTABLE", c"an ECC error could not be corrected"),
    (215, c"CUDA_ERROR_UNSUPPORTED_LIMIT", c"the device does not support this limit"),
    (216, c"CUDA_ERROR_CONTEXT_ALREADY_IN_USE", c"the context is in use by another thread"),
    (217, c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", c"these devices cannot access each other"),
    (218, c"CUDA_ERROR_INVALID_PTX", c"the PTX does not compile"),
    (219, c"CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", c"the graphics context is invalid"),
    (220, c"CUDA_ERROR_NVLINK_UNCORRECTABLE", c"an NVLink error could not be corrected"),
    (221, c"CUDA_ERROR_JIT_COMPILER_NOT_FOUND", c"the PTX compiler was not found"),
    (222, c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", c"the PTX is newer than this driver"),
    (223, c"CUDA_ERROR_JIT_COMPILATION_DISABLED", c"compiling PTX is disabled"),
    (224, c"CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", c"this execution affinity is not supported"),
    (225, c"CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", c"device code may not synchronize this way"),
    (300, c"CUDA_ERROR_INVALID_SOURCE", c"the device code source is invalid"),
    (301, c"CUDA_ERROR_FILE_NOT_FOUND", c"file not found"),
    (302, c"CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", c"a symbol of a shared object was not found"),
    (303, c"CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", c"a shared object failed to initialize"),
    (304, c"CUDA_ERROR_OPERATING_SYSTEM", c"the operating system refused a request"),
    (400, c"CUDA_ERROR_INVALID_HANDLE", c"the handle names nothing that is live"),
    (401, c"CUDA_ERROR_ILLEGAL_STATE", c"not possible in the present state"),
    (500, c"CUDA_ERROR_NOT_FOUND", c"not found"),
    (600, c"CUDA_ERROR_NOT_READY", c"work is still pending"),
    (700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"the device met an illegal address"),
    (701, c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"the launch asks for too many resources"),
    (702, c"CUDA_ERROR_LAUNCH_TIMEOUT", c"the kernel ran for too long"),
    (703, c"CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", c"the launch uses an incompatible texturing mode"),
    (704, c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", c"peer access is already enabled"),
    (705, c"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", c"peer access is not enabled"),
    (708, c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", c"the primary context is active"),
    (709, c"CUDA_ERROR_CONTEXT_IS_DESTROYED", c"the context was destroyed"),
    (710, c"CUDA_ERROR_ASSERT", c"a device assertion failed"),
    (711, c"CUDA_ERROR_TOO_MANY_PEERS", c"too many peers"),
    (712, c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", c"part of this host memory is already registered"),
    (713, c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", c"this host memory is not registered"),
    (714, c"CUDA_ERROR_HARDWARE_STACK_ERROR", c"the device stack is corrupt or too small"),
    (715, c"CUDA_ERROR_ILLEGAL_INSTRUCTION", c"the device met an illegal instruction"),
    (716, c"CUDA_ERROR_MISALIGNED_ADDRESS", c"the device met a misaligned address"),
    (717, c"CUDA_ERROR_INVALID_ADDRESS_SPACE", c"the device used an address of the wrong space"),
    (718, c"CUDA_ERROR_INVALID_PC", c"the device jumped to an invalid address"),
    (719, c"CUDA_ERROR_LAUNCH_FAILED", c"the kernel failed"),
    (720, c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", c"too many blocks for a cooperative launch"),
    (800, c"CUDA_ERROR_NOT_PERMITTED", c"not permitted here"),
    (801, c"CUDA_ERROR_NOT_SUPPORTED", c"not supported"),
    (802, c"CUDA_ERROR_SYSTEM_NOT_READY", c"the system is not ready for CUDA"),
    (803, c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", c"driver and library versions do not fit"),
    (
        804,
        c"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        c"forward compatibility is not supported on this device",
    ),
    (805, c"CUDA_ERROR_MPS_CONNECTION_FAILED", c"no connection to the MPS server"),
    (806, c"CUDA_ERROR_MPS_RPC_FAILURE", c"the MPS server did not answer"),
    (807, c"CUDA_ERROR_MPS_SERVER_NOT_READY", c"the MPS server is not ready"),
    (808, c"CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", c"too many MPS clients"),
    (809, c"CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", c"too many MPS connections"),
    (810, c"CUDA_ERROR_MPS_CLIENT_TERMINATED", c"the MPS server ended this client"),
    (811, c"CUDA_ERROR_CDP_NOT_SUPPORTED", c"dynamic parallelism is not supported"),
    (812, c"CUDA_ERROR_CDP_VERSION_MISMATCH", c"dynamic parallelism versions do not fit"),
    (900, c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", c"not permitted while the stream is capturing"),
    (901, c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", c"an earlier error ended the capture"),
    (902, c"CUDA_ERROR_STREAM_CAPTURE_MERGE", c"this would merge two captures"),
    (903, c"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", c"the capture began on another stream"),
    (904, c"CUDA_ERROR_STREAM_CAPTURE_UNJOINED", c"a forked stream was not joined to the capture"),
    (905, c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION", c"a dependency would leave the capture"),
    (906, c"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", c"not permitted on the legacy stream while capturing"),
    (907, c"CUDA_ERROR_CAPTURED_EVENT", c"the event was recorded in a capture"),
    (908, c"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", c"the capture began on another thread"),
    (909, c"CUDA_ERROR_TIMEOUT", c"timed out"),
    (910, c"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", c"the graph cannot be updated this way"),
    (911, c"CUDA_ERROR_EXTERNAL_DEVICE", c"an external device failed"),
    (912, c"CUDA_ERROR_INVALID_CLUSTER_SIZE", c"the cluster size is invalid"),
    (999, c"CUDA_ERROR_UNKNOWN", c"unknown error"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_returned_code_has_a_name_and_a_text() {
        for code in [Code::InvalidValue, Code::IllegalAddress, Code::NotSupported, Code::Unknown] {
            assert!(name(code as i32).is_some(), "{code:?}");
            assert!(text(code as i32).is_some(), "{code:?}");
        }
        assert_eq!(name(700), Some(c"CUDA_ERROR_ILLEGAL_ADDRESS"));
    }

    #[test]
    fn an_unknown_code_has_neither() {
        assert_eq!(name(-1), None);
        assert_eq!(text(12345), None);
    }
}
