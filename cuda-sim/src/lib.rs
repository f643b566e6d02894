//! A simulated CUDA driver for machines without a GPU.
//!
//! [`install`] loads a shared object that has the C interface of the CUDA driver and calls itself
//! `libcuda.so`. Whatever asks the loader for that library afterwards, cudarc for one, gets the simulator, so
//! that everything above the driver is the real thing. Device memory is host memory, a stream is a thread,
//! and what a GPU would let pass or crash on much later is refused at once, with a line on stderr that says
//! why.
//!
//! ```
//! # #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use cudarc::driver::CudaContext;
//!
//! cuda_sim::install()?; // before the first use of CUDA
//!
//! let context = CudaContext::new(0)?;
//! assert_eq!(context.name()?, cuda_sim::DEVICE_NAME);
//!
//! let stream = context.default_stream();
//! let on_device = stream.clone_htod(&[1.0_f32, 2.0, 3.0])?;
//! assert_eq!(stream.clone_dtoh(&on_device)?, [1.0, 2.0, 3.0]);
//!
//! drop(on_device);
//! stream.synchronize()?;
//! assert_eq!(cuda_sim::stats().map(|stats| stats.device_bytes), Some(0));
//! # Ok(())
//! # }
//! # #[cfg(not(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64")))]
//! # fn main() {}
//! ```
//!
//! # What is simulated
//!
//! | part of the driver | simulated | not |
//! |---|---|---|
//! | Device | one, compute capability 9.0, 4 GiB, CUDA 12.0 | several; textures, peers, sharing between processes |
//! | Device memory | exact bounds, use after free, double free, out of memory; fresh memory holds `0xCD` bytes | caching, virtual memory management |
//! | Addresses | in a range without access rights, aligned to 256 and no more, never reused | |
//! | Pools | allocation and free in stream order, attributes, limits | keeping freed memory back |
//! | Host memory | pinned (fresh memory holds `0xCD` bytes), registered, managed; reached by the device under its own address | prefetching, advice |
//! | Copies, fills | 1-D, 2-D, 3-D, any pitch, plain and asynchronous | CUDA arrays |
//! | Streams | one thread each; legacy and per-thread default streams, blocking and non-blocking, host functions | priorities have no effect |
//! | Graphs | captured from a stream, launched, destroyed; fills only | what else a stream does, other ways to make or change a graph |
//! | Blocking | pageable copies block (small ones to the device are taken aside first), pinned ones do not | |
//! | Events | record, wait across streams, query, elapsed host time | sharing between processes |
//! | Contexts | primary and created, a stack for each thread that outlives its thread-locals, the end of a context frees what it owns | limits, affinity |
//! | Faults | queued work on memory that was freed makes the context fail with `CUDA_ERROR_ILLEGAL_ADDRESS` | faults on request |
//! | Kernels | | modules, launches, occupancy |
//!
//! What is not simulated returns `CUDA_ERROR_NOT_SUPPORTED`. A time measured here says nothing about a GPU.
//!
//! # Environment variables
//!
//! They are read by the first call that needs them, `cuInit` at the latest. A value that makes no sense is
//! reported, and `cuInit` returns `CUDA_ERROR_INVALID_VALUE`.
//!
//! | variable | default | |
//! |---|---|---|
//! | `CUDA_SIM_MEMORY_BYTES` | 4294967296 | memory of the device |
//! | `CUDA_SIM_PINNED_BYTES` | | the most host memory that is pinned or registered at once: more is refused with `CUDA_ERROR_OUT_OF_MEMORY`; no bound unless set |
//! | `CUDA_SIM_DRIVER_VERSION` | 12000 | what `cuDriverGetVersion` answers |
//! | `CUDA_SIM_DEVICES` | 1 | with 0, `cuInit` returns `CUDA_ERROR_NO_DEVICE` |
//! | `CUDA_SIM_MEMORY_POOLS` | 1 | with 0, there are no pools and no `cuMemAllocAsync` |
//! | `CUDA_SIM_LOG` | 1 | with 0, nothing is written to stderr |
//! | `CUDA_SIM_LEAK_CHECK` | 0 | with 1, what was not freed, or only by the end of its context, is reported at exit; with `exitcode:N` the process then ends with N too |
//! | `CUDA_SIM_STREAM_DELAY_US` | 0 | microseconds that a stream waits before each piece of work queued on it: a program that does not wait for what it needs then finds it missing |
//!
//! Streams are otherwise so quick that a program without a synchronisation often gets away with it.
//! `CUDA_SIM_STREAM_DELAY_US=1000` lets it read what is not written yet, which fresh memory shows by its `0xCD`
//! bytes. Whatever waits for a stream takes longer, blocking copies included.
//!
//! # Where it runs
//!
//! On 64-bit Linux with the GNU C library. Elsewhere this crate builds, and [`install`] returns
//! [`InstallError::Unsupported`].

mod error;
#[cfg(simulated)]
mod library;
mod stats;

pub use error::InstallError;
pub use stats::Stats;

/// The name of the simulated device, by which any report can tell it from a real one.
pub const DEVICE_NAME: &str = "Simulated GPU (cuda-sim)";

/// Makes the simulator this process's `libcuda.so`.
///
/// Call it before anything loads a CUDA driver. Calling it again, from any thread, changes nothing. It does
/// not look for a real driver on the machine: whether to simulate is the caller's decision.
///
/// # Errors
///
/// [`InstallError::RealDriver`] where the process already loaded another driver, and other variants where the
/// system does not let a library be loaded from memory.
pub fn install() -> Result<(), InstallError> {
    #[cfg(simulated)]
    return library::install();
    #[cfg(not(simulated))]
    Err(InstallError::Unsupported)
}

/// Whether this process's `libcuda.so` is the simulator.
pub fn is_installed() -> bool {
    #[cfg(simulated)]
    return library::is_installed();
    #[cfg(not(simulated))]
    false
}

/// What is live in the simulator now: all zero before `cuInit`, None where it is not installed.
pub fn stats() -> Option<Stats> {
    #[cfg(simulated)]
    return library::stats();
    #[cfg(not(simulated))]
    None
}

/// The driver as a shared object, for programs that install it some other way. Empty where it is not
/// supported.
pub fn embedded_driver() -> &'static [u8] {
    #[cfg(simulated)]
    return include_bytes!(env!("CUDA_SIM_DRIVER"));
    #[cfg(not(simulated))]
    &[]
}
