//! The ways in which the device is opened for the copies.

use interop_core::{Gpu, GpuOptions, Result};

/// Device 0, opened in every way that makes copies go another route; a seed picks one.
///
/// # Errors
/// As [`Gpu::open`].
pub fn gpus() -> Result<Vec<Gpu>> {
    let options = [
        GpuOptions::new(),
        GpuOptions::new().copy_threads(0),
        // Every copy by the threads, in many blocks.
        GpuOptions::new().copy_threads(2).threads_from(1).block_bytes(256),
        GpuOptions::new().copy_threads(4).threads_from(64).block_bytes(4096),
        // In blocks that whole tiles fit.
        GpuOptions::new().copy_threads(2).threads_from(1).block_bytes(64 << 10),
    ];
    options.iter().map(|options| options.open(0)).collect()
}
