//! Pinned memory as ndarray's views, and ndarray's arrays pinned for a while.

use ndarray::{ArrayBase, ArrayView, ArrayViewMut, DataMut, Dimension, IntoDimension, RawData};

use super::ndarray::{layout, uncountable};
use crate::copy::pin;
use crate::{Element, Error, Gpu, PinnedBuffer, Result, StridedLayout};

/// As ndarray's arrays.
impl<T: Element> PinnedBuffer<T> {
    /// The elements as an array of this shape, in C order.
    ///
    /// ```
    /// use interop_core::{Gpu, PinnedBuffer};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let mut image = PinnedBuffer::<u8>::zeros(&gpu, 4 * 6 * 3)?;
    /// image.view_mut((4, 6, 3))?[[1, 2, 0]] = 255;
    /// assert_eq!(image.view((4, 6, 3))?[[1, 2, 0]], 255);
    /// assert_eq!(image[(1 * 6 + 2) * 3], 255);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidView`] unless the shape has as many elements as the buffer, [`Error::SizeOverflow`],
    /// or [`Error::RankTooLarge`].
    pub fn view<I: IntoDimension>(&self, shape: I) -> Result<ArrayView<'_, T, I::Dim>> {
        const OPERATION: &str = "PinnedBuffer::view";
        let shape = shape.into_dimension();
        check_shape::<T>(OPERATION, shape.slice(), self.len())?;
        ArrayView::from_shape(shape.clone(), &self[..]).map_err(|_| uncountable(OPERATION, shape.slice()))
    }

    /// The elements as an array of this shape, in C order, to be written. See [`PinnedBuffer::view`].
    ///
    /// # Errors
    /// As [`PinnedBuffer::view`].
    pub fn view_mut<I: IntoDimension>(&mut self, shape: I) -> Result<ArrayViewMut<'_, T, I::Dim>> {
        const OPERATION: &str = "PinnedBuffer::view_mut";
        let shape = shape.into_dimension();
        check_shape::<T>(OPERATION, shape.slice(), self.len())?;
        ArrayViewMut::from_shape(shape.clone(), &mut self[..])
            .map_err(|_| uncountable(OPERATION, shape.slice()))
    }
}

/// Fails unless `len` elements fill the shape.
fn check_shape<T: Element>(operation: &'static str, shape: &[usize], len: usize) -> Result<()> {
    let wanted = StridedLayout::packed(shape, size_of::<T>()).map_err(|error| error.during(operation))?;
    if wanted.len() == len {
        return Ok(());
    }
    Err(Error::InvalidView {
        operation,
        expected: format!("a shape of the buffer's {len} elements"),
        found: format!("{shape:?} with {} elements", wanted.len()),
        remedy: "give a shape that all elements fill, or take a part of the buffer first",
    })
}

impl Gpu {
    /// As [`Gpu::pinned`], for an array of ndarray's, of any strides. What is locked reaches from its first
    /// element in memory to its last; `work` gets a view of it.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Gpu, cuda_memcpy_d2h};
    /// use ndarray::Array2;
    ///
    /// let gpu = Gpu::open(0)?;
    /// let buffer = CudaBuffer::from_host(&gpu, &Array2::<f32>::ones((30, 40)))?;
    /// let mut back = Array2::<f32>::zeros((30, 40));
    /// gpu.pinned_array(&mut back, |mut back| cuda_memcpy_d2h(&buffer, &mut back))??;
    /// assert_eq!(back.sum(), 1200.0);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Gpu::pinned`].
    pub fn pinned_array<S, D, R>(
        &self,
        array: &mut ArrayBase<S, D>,
        work: impl FnOnce(ArrayViewMut<'_, S::Elem, D>) -> R,
    ) -> Result<R>
    where
        S: DataMut,
        S::Elem: Element,
        D: Dimension,
    {
        // First: it makes shared storage unique, which may move the elements.
        let view = array.view_mut();
        let extent = extent(&view);
        let start = view.as_ptr().cast::<u8>().cast_mut().wrapping_offset(extent.start);
        let bytes = (extent.end - extent.start) as usize;
        // SAFETY: the array is borrowed for the whole call, and `work` gets a view of it only. What lies
        // between its elements is of the same allocation.
        unsafe { pin("Gpu::pinned_array", self, start, bytes, || work(view)) }
    }
}

/// The bytes between which all elements lie, from the first one.
fn extent<S, D>(array: &ArrayBase<S, D>) -> std::ops::Range<isize>
where
    S: RawData,
    S::Elem: Element,
    D: Dimension,
{
    layout(array).extent()
}
