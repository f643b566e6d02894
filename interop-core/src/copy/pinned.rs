//! [`PinnedBuffer`]: page-locked host memory, which copies reach at the full speed of the link.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use crate::driver::HostAllocation;
use crate::layout::StridedLayout;
use crate::{Element, Gpu, Result};

/// A slice of `T` in page-locked host memory.
///
/// ```
/// use interop_core::{CudaBuffer, Gpu, PinnedBuffer};
///
/// let gpu = Gpu::open(0)?;
/// let mut pinned = PinnedBuffer::<f32>::zeros(&gpu, 1000)?;
/// pinned[7] = 1.0;
/// let buffer = CudaBuffer::from_host(&gpu, &pinned)?;
/// assert_eq!(buffer.to_vec::<f32>()?, pinned[..]);
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct PinnedBuffer<T: Element> {
    /// None for no elements.
    allocation: Option<HostAllocation>,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Element> PinnedBuffer<T> {
    /// `len` elements, every byte 0.
    ///
    /// # Errors
    /// [`Error::SizeOverflow`](crate::Error::SizeOverflow),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) where the system has too little memory that can be
    /// locked, or [`Error::Driver`](crate::Error::Driver).
    pub fn zeros(gpu: &Gpu, len: usize) -> Result<Self> {
        const OPERATION: &str = "PinnedBuffer::zeros";
        let layout =
            StridedLayout::packed(&[len], size_of::<T>()).map_err(|error| error.during(OPERATION))?;
        let bytes = layout.size_bytes();
        let allocation = match bytes {
            0 => None,
            _ => Some(HostAllocation::new(gpu.context().clone(), OPERATION, bytes)?),
        };
        if let Some(allocation) = &allocation {
            // SAFETY: the allocation holds that many bytes, and nobody else knows it yet.
            unsafe { allocation.start().write_bytes(0, bytes) };
        }
        Ok(Self { allocation, len, element: PhantomData })
    }

    fn start(&self) -> NonNull<T> {
        // CUDA aligns pinned memory to pages.
        self.allocation.as_ref().map_or(NonNull::dangling(), |allocation| allocation.start().cast())
    }
}

impl<T: Element> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the allocation holds `len` elements that `zeros` initialised (zero bytes are a value of
        // every element type), and lives as long as `self`; no copy runs on it past a call.
        unsafe { std::slice::from_raw_parts(self.start().as_ptr(), self.len) }
    }
}

impl<T: Element> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start().as_ptr(), self.len) }
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
