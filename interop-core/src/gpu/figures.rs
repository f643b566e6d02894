//! [`MemoryFigures`]: how much memory a device's handle holds, and for what.

/// How much memory one [`Gpu`](super::Gpu) (with all its clones) holds, in bytes, at one moment. Each lane
/// ([`Gpu::with_new_stream`](super::Gpu::with_new_stream)) has device memory of its own; what is pinned on the host is
/// counted for all of them together.
///
/// ```
/// use interop_core::{CudaBuffer, DType, Gpu};
///
/// let gpu = Gpu::open(0)?;
/// let before = gpu.memory_figures();
/// let buffer = CudaBuffer::new(&gpu, &[1000], DType::F32)?;
/// assert_eq!(gpu.memory_figures().live_bytes, before.live_bytes + 4000);
/// drop(buffer);
/// assert_eq!(gpu.memory_figures().live_bytes, before.live_bytes);
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryFigures {
    /// Device memory of buffers and tensors that are alive, as it was asked for. What it takes on the device
    /// is rounded up: see [`GpuOptions::cached_bytes`](super::GpuOptions::cached_bytes).
    pub live_bytes: usize,
    /// Device memory that was freed and is kept for the next allocation;
    /// [`Gpu::release_cached`](super::Gpu::release_cached) gives it back.
    pub cached_bytes: usize,
    /// Host memory that is locked in place for copies: by the copy threads and for small copies, as
    /// [`PinnedBuffer`](crate::PinnedBuffer)s, and the caller's own while [`Gpu::pinned`](super::Gpu::pinned) runs.
    pub pinned_bytes: usize,
}
