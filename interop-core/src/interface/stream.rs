//! [`StreamHandle`]: a stream as the CUDA Array Interface writes it.

/// A stream of a device, as the CUDA Array Interface (version 3) writes it: 1 for the legacy default stream,
/// 2 for the per-thread default stream, any other number for the handle itself; never 0.
///
/// It does not keep the stream alive.
///
/// ```
/// use interop_core::{Gpu, StreamHandle};
///
/// assert_eq!(StreamHandle::LEGACY.to_raw(), 1);
/// let gpu = Gpu::open(0)?;
/// assert_ne!(gpu.stream(), StreamHandle::LEGACY);
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamHandle(u64);

impl StreamHandle {
    /// The legacy default stream, which waits for all blocking streams of its context.
    pub const LEGACY: Self = Self(1);
    /// The default stream of the calling thread.
    pub const PER_THREAD: Self = Self(2);

    /// The number that the interface writes, which is also a `CUstream` of the driver.
    pub fn to_raw(self) -> u64 {
        self.0
    }

    /// A `CUstream` of the driver; its null handle is the legacy default stream.
    pub fn from_raw(raw: u64) -> Self {
        if raw == 0 { Self::LEGACY } else { Self(raw) }
    }
}
