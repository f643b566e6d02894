//! Views of a part of an array, or of the same elements with other axes, that share its memory.

use std::ops::{Bound, Range, RangeBounds};

use super::{CudaArrayInterface, CudaView};
use crate::layout::StridedLayout;
use crate::{Error, Result};

/// Each returns a view that shares the memory and keeps it alive; nothing is copied. What is written to the
/// view is written to the array.
impl CudaView {
    /// The part of the array within a range of one axis, in elements.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, Gpu, cuda_memcpy_h2d};
    /// use ndarray::array;
    ///
    /// let gpu = Gpu::open(0)?;
    /// let image = CudaBuffer::from_host(&gpu, &array![[1u8, 2, 3], [4, 5, 6]])?;
    /// let mut right = image.slice(1, 1..)?;
    /// assert_eq!((right.shape(), right.strides()), (&[2, 2][..], &[3, 1][..])); // elements, bytes
    /// cuda_memcpy_h2d(&[20u8, 30, 50, 60], &mut right)?;
    /// assert_eq!(image.to_vec::<u8>()?, [1, 20, 30, 4, 50, 60]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidView`] for an axis that does not exist, or a range that reaches out of it.
    pub fn slice(&self, axis: usize, range: impl RangeBounds<usize>) -> Result<Self> {
        const OPERATION: &str = "slice";
        let layout = self.interface().layout();
        let len = layout.shape().get(axis).copied().unwrap_or(0);
        let sub = layout.slice(OPERATION, axis, resolve(OPERATION, &range, len)?)?;
        self.part(OPERATION, sub.layout, sub.offset)
    }

    /// Every `step`-th element along one axis; a negative step begins with the last and goes backward.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, Gpu};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let buffer = CudaBuffer::from_host(&gpu, &[0u8, 1, 2, 3, 4])?;
    /// assert_eq!(buffer.step(0, 2)?.to_vec::<u8>()?, [0, 2, 4]);
    /// assert_eq!(buffer.step(0, -1)?.to_vec::<u8>()?, [4, 3, 2, 1, 0]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidView`] for an axis that does not exist, or a step of 0.
    pub fn step(&self, axis: usize, step: isize) -> Result<Self> {
        let sub = self.interface().layout().step("step", axis, step)?;
        self.part("step", sub.layout, sub.offset)
    }

    /// The array with its axes in another order: axis i of the view is axis `axes[i]` of the array.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Gpu};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let pixels = CudaBuffer::new(&gpu, &[480, 640, 3], DType::U8)?;
    /// let planes = pixels.permute(&[2, 0, 1])?;
    /// assert_eq!(planes.shape(), [3, 480, 640]);
    /// assert_eq!(planes.strides(), [1, 1920, 3]); // bytes
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidView`] unless each axis is named once.
    pub fn permute(&self, axes: &[usize]) -> Result<Self> {
        let layout = self.interface().layout().permute("permute", axes)?;
        self.part("permute", layout, 0)
    }

    /// The same elements in the same (C) order with another shape.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Error, Gpu};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let buffer = CudaBuffer::new(&gpu, &[4, 6], DType::F32)?;
    /// assert_eq!(buffer.reshape(&[2, 12])?.shape(), [2, 12]);
    ///
    /// let left = buffer.slice(1, ..3)?; // its rows lie apart
    /// assert_eq!(left.reshape(&[2, 2, 3])?.strides(), [48, 24, 4]); // bytes
    /// assert!(matches!(left.reshape(&[12]), Err(Error::InvalidView { .. })));
    /// assert_eq!(left.to_contiguous()?.reshape(&[12])?.shape(), [12]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidView`] for a shape of another number of elements, or where no strides reach the
    /// elements in that shape: it names the axis, and a copy by [`CudaView::to_contiguous`] can be reshaped.
    /// [`Error::RankTooLarge`] or [`Error::SizeOverflow`] for a shape that no array has.
    pub fn reshape(&self, shape: &[usize]) -> Result<Self> {
        let layout = self.interface().layout().reshape("reshape", shape)?;
        self.part("reshape", layout, 0)
    }

    /// Elements of this array, the first of them `offset` bytes from its first.
    fn part(&self, operation: &'static str, layout: StridedLayout, offset: isize) -> Result<Self> {
        let interface = self.interface();
        let (pointer, read_only) = interface.data();
        let pointer = pointer.wrapping_add_signed(offset as i64);
        let part = CudaArrayInterface::new(self.dtype(), layout, pointer, read_only, interface.stream());
        // Checked once more: that costs little, and what `unsafe` code relies on does not hang on arithmetic.
        let part = part.map_err(|error| error.during(operation))?;
        Self::within(operation, self.shared_memory().clone(), part)
    }
}

/// The range in elements; whether it lies within `len` is not checked.
fn resolve(operation: &'static str, range: &impl RangeBounds<usize>, len: usize) -> Result<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    start.zip(end).map(|(start, end)| start..end).ok_or_else(|| Error::InvalidView {
        operation,
        expected: format!("a range within 0..{len}"),
        found: format!("{:?} to {:?}", range.start_bound(), range.end_bound()),
        remedy: "check it against the shape",
    })
}
