//! What the tests share.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::ffi::c_void;
use std::io::Write;
use std::panic::Location;
use std::process::{Command, Stdio};

use cudarc::driver::{CudaContext, sys};
use interop_core::{
    CopyPath, CudaArray, CudaArrayInterface, CudaBuffer, Gpu, Memory, StreamHandle, StridedLayout,
};

/// Device 0: the GPU where there is one, else the simulated device.
pub fn gpu() -> Gpu {
    Gpu::open(0).expect("device 0")
}

/// Whether copies are made by threads. Where they are not, as on one core, it says on standard error, past what the
/// test harness keeps to itself, that the caller checks less: a test that did not check must not look like one that
/// did.
#[track_caller]
pub fn copies_by_threads(gpu: &Gpu) -> bool {
    let CopyPath::Driver { reason } = gpu.copy_path() else { return true };
    // Nobody may be there to be told.
    let _ = writeln!(std::io::stderr(), "waived: {}: {reason}", Location::caller());
    false
}

/// Runs the tests of this program again, in a process with this variable, which the simulated driver reads once: one at
/// a time, since what one of them holds, another cannot have.
pub fn run_again_with(name: &str, value: &str) {
    let mut tests = Command::new(std::env::current_exe().expect("this program"));
    tests.arg("--test-threads=1").env(name, value).env("INTEROP_SIMULATE", "1").env("CUDA_SIM_LOG", "0");
    // On standard error it says what it does not check.
    let output = tests.stderr(Stdio::inherit()).output().expect("it starts");
    assert!(output.status.success(), "{name}={value}: {}", String::from_utf8_lossy(&output.stdout));
}

/// Has `stream` call a function, with nothing, before what is queued on it next.
pub fn hold(stream: StreamHandle, function: unsafe extern "C" fn(*mut c_void)) {
    CudaContext::new(0).expect("device 0").bind_to_thread().expect("a context");
    let stream = stream.to_raw() as sys::CUstream;
    // SAFETY: the stream is live, and the function needs no data.
    let status = unsafe { sys::cuLaunchHostFunc(stream, Some(function), std::ptr::null_mut()) };
    assert_eq!(status, sys::CUresult::CUDA_SUCCESS);
}

/// For [`hold`]: takes a tenth of a second.
pub unsafe extern "C" fn nap(_: *mut c_void) {
    std::thread::sleep(std::time::Duration::from_millis(100));
}

/// An array that describes a part of a buffer's memory, as any other library might.
pub struct Part {
    pub buffer: CudaBuffer,
    pub interface: CudaArrayInterface,
}

impl Part {
    /// `offset` and strides in bytes from the buffer's first.
    pub fn of(
        buffer: CudaBuffer,
        offset: usize,
        shape: &[usize],
        strides: &[isize],
        dtype: interop_core::DType,
    ) -> Self {
        let layout = StridedLayout::strided(shape, strides, dtype.size()).expect("a layout");
        let pointer = buffer.pointer() + offset as u64;
        let interface = CudaArrayInterface::new(dtype, layout, pointer, false, None).expect("an interface");
        Self { buffer, interface }
    }

    pub fn read_only(self) -> Self {
        let (pointer, stream) = (self.interface.pointer(), self.interface.stream());
        let (dtype, layout) = (self.interface.dtype(), self.interface.layout().clone());
        let interface = CudaArrayInterface::new(dtype, layout, pointer, true, stream).expect("an interface");
        Self { interface, ..self }
    }
}

impl CudaArray for Part {
    fn cuda_array_interface(&self) -> CudaArrayInterface {
        self.interface.clone()
    }

    fn memory(&self) -> Memory {
        self.buffer.memory()
    }
}

/// A description together with any memory.
pub struct Described {
    pub memory: Memory,
    pub interface: CudaArrayInterface,
}

impl CudaArray for Described {
    fn cuda_array_interface(&self) -> CudaArrayInterface {
        self.interface.clone()
    }

    fn memory(&self) -> Memory {
        self.memory.clone()
    }
}

/// A small generator of numbers that are the same on every run.
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        // Knuth's MMIX multiplier; the high bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    pub fn chance(&mut self) -> bool {
        self.below(2) == 0
    }
}
