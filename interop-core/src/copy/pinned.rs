//! [`PinnedBuffer`]: page-locked host memory, which copies reach at the full speed of the link.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use super::gather::copy_on_host;
use super::host::{HostArray, HostArrayMut, HostView, HostViewMut};
use super::streaming::Stores;
use crate::driver::HostAllocation;
use crate::layout::StridedLayout;
use crate::{Element, Error, Gpu, Result};

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
    /// [`Error::SizeOverflow`],
    /// [`Error::OutOfMemory`] where the system has too little memory that can be
    /// locked, or [`Error::Driver`].
    pub fn zeros(gpu: &Gpu, len: usize) -> Result<Self> {
        const OPERATION: &str = "PinnedBuffer::zeros";
        let layout =
            StridedLayout::packed(&[len], size_of::<T>()).map_err(|error| error.during(OPERATION))?;
        let bytes = layout.size_bytes();
        let allocation = match bytes {
            0 => None,
            _ => Some(HostAllocation::new(gpu.context().clone(), OPERATION, bytes)?),
        };
        let mut pinned = Self { allocation, len, element: PhantomData };
        pinned.write_zeros();
        Ok(pinned)
    }

    /// No elements.
    pub(super) fn empty() -> Self {
        Self { allocation: None, len: 0, element: PhantomData }
    }

    /// A copy of a slice.
    ///
    /// ```
    /// # use interop_core::{Gpu, PinnedBuffer};
    /// let gpu = Gpu::open(0)?;
    /// assert_eq!(PinnedBuffer::from_slice(&gpu, &[1u8, 2, 3])?[..], [1, 2, 3]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`PinnedBuffer::zeros`].
    pub fn from_slice(gpu: &Gpu, slice: &[T]) -> Result<Self> {
        let mut pinned =
            Self::zeros(gpu, slice.len()).map_err(|error| error.during("PinnedBuffer::from_slice"))?;
        pinned.copy_from_slice(slice);
        Ok(pinned)
    }

    /// The elements of any host array, packed in C order. The buffer has no shape: a copy from it checks how many
    /// elements there are, and [`PinnedBuffer::view`] gives it one.
    ///
    /// ```
    /// use interop_core::{Gpu, PinnedBuffer};
    /// use ndarray::arr2;
    ///
    /// let gpu = Gpu::open(0)?;
    /// let pinned = PinnedBuffer::<i32>::from_host(&gpu, &arr2(&[[1, 2], [3, 4]]).t())?;
    /// assert_eq!(pinned[..], [1, 3, 2, 4]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DTypeMismatch`], [`Error::RankTooLarge`], and as [`PinnedBuffer::zeros`].
    pub fn from_host(gpu: &Gpu, host: &(impl HostArray + ?Sized)) -> Result<Self> {
        const OPERATION: &str = "PinnedBuffer::from_host";
        let view = host.host_view();
        if view.dtype() != T::DTYPE {
            let (expected, found) = (T::DTYPE, view.dtype());
            return Err(Error::DTypeMismatch { operation: OPERATION, expected, found });
        }
        let layout = view.layout();
        let packed = StridedLayout::packed(layout.shape(), layout.itemsize());
        let packed = packed.map_err(|error| error.during(OPERATION))?;
        let pinned = Self::zeros(gpu, layout.len()).map_err(|error| error.during(OPERATION))?;
        if !layout.is_empty() {
            let from = (view.first(), layout.strides());
            let to = (pinned.start().as_ptr().cast(), packed.strides());
            // SAFETY: the view's elements can be read, are values of T, and fit the new memory exactly, of
            // which nobody else knows.
            unsafe { copy_on_host(from, to, layout.shape(), layout.itemsize(), Stores::Cached) };
        }
        Ok(pinned)
    }

    /// Makes every byte 0, whatever they were: a value of every element type.
    pub(super) fn write_zeros(&mut self) {
        // SAFETY: the allocation holds `len` elements, which are borrowed for the write.
        unsafe { self.start().write_bytes(0, self.len) };
    }

    /// All bytes, whatever they are.
    pub(super) fn bytes(&self) -> &[u8] {
        let start = self.start().as_ptr().cast();
        // SAFETY: the allocation holds `len` elements, all of whose bytes were written, and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(start, self.len * size_of::<T>()) }
    }

    /// The first element.
    pub(super) fn start(&self) -> NonNull<T> {
        // CUDA aligns pinned memory to pages.
        self.allocation.as_ref().map_or(NonNull::dangling(), |allocation| allocation.start().cast())
    }
}

impl<T: Element> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the allocation holds `len` elements that `zeros` initialised (zero bytes are a value of
        // every element type), and lives as long as `self`; a copy that runs on past a call owns the buffer
        // meanwhile, so that nobody can borrow it.
        unsafe { std::slice::from_raw_parts(self.start().as_ptr(), self.len) }
    }
}

impl<T: Element> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start().as_ptr(), self.len) }
    }
}

impl<T: Element> HostArray for PinnedBuffer<T> {
    fn host_view(&self) -> HostView<'_> {
        HostView::from_slice(&self[..]).pinned()
    }
}

impl<T: Element> HostArrayMut for PinnedBuffer<T> {
    fn host_view_mut(&mut self) -> HostViewMut<'_> {
        HostViewMut::from_slice(&mut self[..]).pinned()
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
