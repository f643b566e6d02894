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
        GpuOptions::new().copy_threads(2).pinned_bytes(16 << 20),
    ];
    options.iter().map(|options| options.open(0)).collect()
}
