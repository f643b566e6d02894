//! [`GpuOptions`]: what a device may take of the machine, said before it is opened.

use super::Gpu;
use crate::Result;

/// The most pinned memory that the copy workers take unless told otherwise, in bytes.
const PINNED_BYTES: usize = 96 << 20;

/// Of the device's memory, one part in so many is kept after it was freed, unless told otherwise.
const CACHED_PART: usize = 16;

/// How a [`Gpu`] is opened: how many threads it copies with, and how much memory it may keep.
///
/// ```
/// use interop_core::GpuOptions;
///
/// let gpu = GpuOptions::new().copy_threads(4).pinned_bytes(32 << 20).open(0)?;
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuOptions {
    copy_threads: Option<usize>,
    pinned_bytes: usize,
    cached_bytes: Option<usize>,
    block_bytes: Option<usize>,
    threads_from: Option<usize>,
}

impl GpuOptions {
    /// What [`Gpu::open`] takes.
    pub fn new() -> Self {
        Self {
            copy_threads: None,
            pinned_bytes: PINNED_BYTES,
            cached_bytes: None,
            block_bytes: None,
            threads_from: None,
        }
    }

    /// The most threads that copy ordinary memory, the caller's among them, and keep a core busy for as long as a copy
    /// takes; 0 or 1 leaves all copies to the driver. There are never more than the cores that this process may use; by
    /// default as many, up to 12. Each copy of a [`Gpu::scope`] has a caller of its own, which comes on top.
    pub fn copy_threads(mut self, threads: usize) -> Self {
        self.copy_threads = Some(threads);
        self
    }

    /// The most pinned host memory that the copy threads may hold, in bytes: one half for copies to the device, the
    /// other for those to the host, each taken when it is first needed; 96 MiB by default. Too little leaves all copies
    /// to the driver. Besides, each stream ([`Gpu::with_new_stream`] makes another) holds 2 MiB for small copies from
    /// the first of them on.
    pub fn pinned_bytes(mut self, bytes: usize) -> Self {
        self.pinned_bytes = bytes;
        self
    }

    /// The most device memory that is kept after it was freed, for the next allocation, in bytes. By default
    /// a sixteenth of the device's memory; 0 gives everything back at once.
    ///
    /// What may be kept is rounded up when it is allocated, so that the next allocation of about its size can
    /// take it: to a multiple of 512 bytes, above 4096 bytes to an eighth of a power of two, which is at most
    /// an eighth more than was asked for. Larger memory than may be kept, and all with 0, is not rounded. The
    /// oldest is given back first. Each [`Gpu::open`] keeps its own, and each of its lanes
    /// ([`Gpu::with_new_stream`]) as much again; where one of them is short of memory, all give back what they keep.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, GpuOptions};
    ///
    /// let gpu = GpuOptions::new().cached_bytes(0).open(0)?;
    /// drop(CudaBuffer::new(&gpu, &[1000], DType::U8)?);
    /// gpu.synchronize()?; // the memory is free once the device gets there
    /// assert_eq!(gpu.memory_figures().cached_bytes, 0);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    pub fn cached_bytes(mut self, bytes: usize) -> Self {
        self.cached_bytes = Some(bytes);
        self
    }

    /// The most bytes that the copy threads send over the link at once, at least 4 KiB; 4 MiB by default, or an
    /// eighth of [`GpuOptions::pinned_bytes`] where that is less.
    pub fn block_bytes(mut self, bytes: usize) -> Self {
        self.block_bytes = Some(bytes);
        self
    }

    /// From how many bytes on the copy threads serve; by default where they were measured to be faster than one
    /// thread: from 2 MiB on to the device, 1 MiB to the host and where the elements lie in many small pieces. Below,
    /// the caller copies alone up to 2 MiB; what is left the driver's own call does.
    pub fn threads_from(mut self, bytes: usize) -> Self {
        self.threads_from = Some(bytes);
        self
    }

    pub(crate) fn threads(&self) -> Option<usize> {
        self.copy_threads
    }

    pub(crate) fn pinned(&self) -> usize {
        self.pinned_bytes
    }

    pub(crate) fn block(&self) -> Option<usize> {
        self.block_bytes
    }

    pub(crate) fn threads_from_bytes(&self) -> Option<usize> {
        self.threads_from
    }

    /// What to keep on a device with so much memory.
    pub(super) fn cached_bytes_of(&self, memory_bytes: usize) -> usize {
        self.cached_bytes.unwrap_or(memory_bytes / CACHED_PART)
    }

    /// Opens the device with this ordinal.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn open(&self, ordinal: usize) -> Result<Gpu> {
        Gpu::open_with(ordinal, self)
    }
}

impl Default for GpuOptions {
    fn default() -> Self {
        Self::new()
    }
}
