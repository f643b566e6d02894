//! What all tests of the simulator share. They call the driver through cudarc's bindings, as users do.
#![allow(
    dead_code,
    unused_macros,
    unused_imports,
    reason = "each test file is a program and uses some of this"
)]

pub mod child;

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::mpsc::{Receiver, Sender, channel};

pub use cudarc::driver::sys::{self, CUcontext, CUevent, CUresult, CUstream};

pub const OK: CUresult = CUresult::CUDA_SUCCESS;
pub const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_VALUE;
pub const NOT_READY: CUresult = CUresult::CUDA_ERROR_NOT_READY;

/// Calls a function of the driver and evaluates to its result code.
macro_rules! cu {
    ($name:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: the simulator checks all device addresses and handles; all host pointers in these tests are
        // to memory that lives until the call, or the work that it queues, is finished.
        unsafe { $crate::support::sys::$name($($argument),*) }
    };
}

/// Calls a function of the driver that must succeed.
macro_rules! ok {
    ($name:ident($($argument:expr),* $(,)?)) => {
        assert_eq!(cu!($name($($argument),*)), $crate::support::OK, stringify!($name))
    };
}
pub(crate) use {cu, ok};

/// Installs the simulator, retains the primary context and makes it current for this thread.
pub fn ready() -> CUcontext {
    cuda_sim::install().unwrap();
    let mut context = null_mut();
    ok!(cuInit(0));
    ok!(cuDevicePrimaryCtxRetain(&mut context, 0));
    ok!(cuCtxSetCurrent(context));
    context
}

pub fn alloc(bytes: usize) -> u64 {
    let mut address = 0;
    ok!(cuMemAlloc_v2(&mut address, bytes));
    address
}

pub fn upload(bytes: &[u8]) -> u64 {
    let address = alloc(bytes.len());
    ok!(cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()));
    address
}

pub fn download(address: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    ok!(cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, len));
    bytes
}

/// The bytes 0, 1, 2 and so on, never two equal ones within 251.
pub fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|index| (index % 251) as u8).collect()
}

pub fn stream(flags: u32) -> CUstream {
    let mut stream = null_mut();
    ok!(cuStreamCreate(&mut stream, flags));
    stream
}

pub fn event() -> CUevent {
    let mut event = null_mut();
    ok!(cuEventCreate(&mut event, 0));
    event
}

/// Pinned memory of the driver.
pub fn pinned(bytes: usize) -> *mut u8 {
    let mut memory = null_mut();
    ok!(cuMemHostAlloc(&mut memory, bytes, 0));
    memory.cast()
}

/// Pinned memory as bytes. Nothing on the device may use it meanwhile.
pub fn bytes_of<'a>(memory: *mut u8, len: usize) -> &'a mut [u8] {
    // SAFETY: the tests pass pinned memory of this length that they free at their end, and wait for streams
    // first.
    unsafe { std::slice::from_raw_parts_mut(memory, len) }
}

/// Holds a stream up until [`Stall::release`].
pub struct Stall {
    release: Sender<()>,
    reached: Receiver<()>,
}

struct Gate {
    release: Receiver<()>,
    reached: Sender<()>,
}

impl Stall {
    pub fn new(stream: CUstream) -> Self {
        let (release, gate) = channel();
        let (reaches, reached) = channel();
        let data = Box::new(Gate { release: gate, reached: reaches });
        ok!(cuLaunchHostFunc(stream, Some(wait_at), Box::into_raw(data).cast()));
        Self { release, reached }
    }

    /// Blocks until the stream is held up.
    pub fn reached(&self) {
        self.reached.recv().unwrap();
    }

    pub fn release(self) {
        self.release.send(()).unwrap();
    }
}

extern "C" fn wait_at(gate: *mut c_void) {
    // SAFETY: `Stall::new` made the pointer from a box, and each is passed once.
    let gate = unsafe { Box::from_raw(gate.cast::<Gate>()) };
    let _ = gate.reached.send(());
    let _ = gate.release.recv();
}
