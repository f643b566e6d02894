//! [`StridedLayout`]: where the elements of an array lie, relative to its first one.

use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use crate::{Error, Result};

/// One value for each axis. Arrays of up to four axes take no memory of the heap: an upload of a few bytes takes
/// about a microsecond, and asking for memory four times a tenth of that.
type PerAxis<T> = SmallVec<[T; 4]>;

/// The most axes an array may have; NumPy 2 has the same limit.
const MAX_RANK: usize = 64;

const OPERATION: &str = "StridedLayout";

/// Shape and byte strides of an array, with every size checked for overflow.
///
/// ```
/// use interop_core::StridedLayout;
///
/// let image = StridedLayout::packed(&[10, 10, 3], 1)?; // shape in elements, one byte each
/// assert_eq!(image.strides(), [30, 3, 1]); // bytes
/// assert_eq!(image.size_bytes(), 300);
///
/// let padded = StridedLayout::strided(&[10, 10, 3], &[32, 3, 1], 1)?;
/// assert!(!padded.is_c_contiguous());
/// assert_eq!(padded.extent(), 0..318); // 9 rows of 32 bytes, and the 30 bytes of the last
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct StridedLayout {
    shape: PerAxis<usize>,
    strides: PerAxis<isize>,
    itemsize: usize,
}

impl StridedLayout {
    /// The layout in C order without gaps: `shape` in elements of `itemsize` bytes.
    ///
    /// # Errors
    /// [`Error::SizeOverflow`] from 2^63 bytes, or steps along an axis, on, [`Error::RankTooLarge`] above 64 axes,
    /// [`Error::InvalidStrides`] for elements of no bytes.
    pub fn packed(shape: &[usize], itemsize: usize) -> Result<Self> {
        Self::with_row_alignment(shape, itemsize, 0, 1)
    }

    /// The layout in C order where the stride of `axis` is rounded up to a multiple of `alignment` bytes.
    pub(crate) fn with_row_alignment(
        shape: &[usize],
        itemsize: usize,
        axis: usize,
        alignment: usize,
    ) -> Result<Self> {
        let overflow = || Error::SizeOverflow { operation: OPERATION, shape: shape.to_vec(), itemsize };
        check_rank_and_itemsize(shape.len(), itemsize)?;
        if shape.contains(&0) {
            if shape.iter().any(|len| isize::try_from(*len).is_err()) {
                return Err(overflow());
            }
            // The strides of no elements mean nothing, and any other lengths beside the zero will do.
            return Ok(Self {
                shape: PerAxis::from_slice(shape),
                strides: smallvec![itemsize as isize; shape.len()],
                itemsize,
            });
        }
        let mut strides: PerAxis<isize> = smallvec![0; shape.len()];
        let mut next = itemsize;
        for (index, &len) in shape.iter().enumerate().rev() {
            if index == axis {
                next = next.checked_next_multiple_of(alignment.max(1)).ok_or_else(overflow)?;
            }
            strides[index] = isize::try_from(next).map_err(|_| overflow())?;
            next = next.checked_mul(len).ok_or_else(overflow)?;
        }
        isize::try_from(next).map_err(|_| overflow())?;
        Ok(Self { shape: PerAxis::from_slice(shape), strides, itemsize })
    }

    /// A layout with given strides, in bytes; they may be negative or zero.
    ///
    /// # Errors
    /// [`Error::InvalidStrides`] where there is not one stride for each axis, where a stride reaches out of an
    /// address space of 2^63 bytes, or for elements of no bytes; [`Error::SizeOverflow`] and
    /// [`Error::RankTooLarge`] as [`StridedLayout::packed`].
    pub fn strided(shape: &[usize], strides: &[isize], itemsize: usize) -> Result<Self> {
        let packed = Self::packed(shape, itemsize)?;
        let invalid = |reason| Error::InvalidStrides { operation: OPERATION, reason };
        if strides.len() != shape.len() {
            return Err(invalid(format!("{} strides for {} axes", strides.len(), shape.len())));
        }
        let layout = Self { strides: PerAxis::from_slice(strides), ..packed };
        let wide = layout.wide_extent();
        if wide.start < isize::MIN as i128 || wide.end > isize::MAX as i128 {
            return Err(invalid(format!("strides {strides:?} for shape {shape:?}")));
        }
        Ok(layout)
    }

    /// The layout of elements that lie in memory already, so that their extent is known to fit.
    pub(crate) fn in_memory(shape: &[usize], strides: &[isize], itemsize: usize) -> Self {
        Self { shape: PerAxis::from_slice(shape), strides: PerAxis::from_slice(strides), itemsize }
    }

    /// Elements along each axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Bytes from one element to the next along each axis.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Bytes an element.
    pub fn itemsize(&self) -> usize {
        self.itemsize
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements: 1 for a zero-dimensional array.
    pub fn len(&self) -> usize {
        // Does not wrap for arrays with elements: they fit the address space.
        if self.shape.contains(&0) { 0 } else { self.shape.iter().product() }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the elements hold, gaps not counted.
    pub fn size_bytes(&self) -> usize {
        self.len() * self.itemsize
    }

    /// The byte offsets, from the first element, between which all elements lie.
    pub fn extent(&self) -> Range<isize> {
        let wide = self.wide_extent();
        // Fits: the constructors refuse what does not.
        wide.start as isize..wide.end as isize
    }

    fn wide_extent(&self) -> Range<i128> {
        if self.is_empty() {
            return 0..0;
        }
        let mut extent = 0..self.itemsize as i128;
        for (&len, &stride) in self.shape.iter().zip(&self.strides) {
            let reach = (len as i128 - 1) * stride as i128;
            if reach < 0 { extent.start += reach } else { extent.end += reach }
        }
        extent
    }

    /// Whether the elements lie in C order without gaps. The strides of axes of length 1 do not matter.
    pub fn is_c_contiguous(&self) -> bool {
        let mut next = self.itemsize as isize;
        self.is_empty()
            || self.shape.iter().zip(&self.strides).rev().all(|(&len, &stride)| {
                let fits = len == 1 || stride == next;
                // Not beyond the elements that lie in memory, as long as all axes fit; it may wrap at the first that
                // does not, where this ends, and behind the outermost.
                next = next.wrapping_mul(len as isize);
                fits
            })
    }

    /// Whether two elements may share a byte. Exact for axes that nest (all that slicing, permuting and
    /// broadcasting make); layouts whose axes interleave otherwise count as overlapping.
    pub fn may_overlap(&self) -> bool {
        if self.is_c_contiguous() {
            return false;
        }
        let mut axes: Vec<_> = self.shape.iter().zip(&self.strides).filter(|(len, _)| **len > 1).collect();
        axes.sort_by_key(|(_, stride)| stride.unsigned_abs());
        let mut covered = self.itemsize as u128;
        axes.into_iter().any(|(&len, &stride)| {
            let step = stride.unsigned_abs() as u128;
            let overlaps = step < covered;
            covered += step * (len as u128 - 1);
            overlaps
        })
    }
}

impl Clone for StridedLayout {
    fn clone(&self) -> Self {
        // At once; the vectors' own clone goes element by element.
        Self::in_memory(&self.shape, &self.strides, self.itemsize)
    }
}

fn check_rank_and_itemsize(rank: usize, itemsize: usize) -> Result<()> {
    if rank > MAX_RANK {
        return Err(Error::RankTooLarge { operation: OPERATION, max: MAX_RANK, found: rank });
    }
    if itemsize == 0 {
        let reason = "elements of 0 bytes".to_owned();
        return Err(Error::InvalidStrides { operation: OPERATION, reason });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_strides_are_in_c_order() {
        let layout = StridedLayout::packed(&[2, 3, 4], 8).unwrap();
        assert_eq!(layout.strides(), [96, 32, 8]);
        assert_eq!(layout.extent(), 0..192);
        assert!(layout.is_c_contiguous() && !layout.may_overlap());
    }

    #[test]
    fn zero_dimensional_and_empty_arrays_are_arrays() {
        let scalar = StridedLayout::packed(&[], 4).unwrap();
        assert_eq!((scalar.len(), scalar.size_bytes(), scalar.extent()), (1, 4, 0..4));
        let empty = StridedLayout::strided(&[3, 0, 2], &[-7, 0, 1 << 40], 4).unwrap();
        assert_eq!((empty.len(), empty.extent()), (0, 0..0));
        assert!(empty.is_c_contiguous() && !empty.may_overlap());
        let wide = StridedLayout::packed(&[0, isize::MAX as usize, isize::MAX as usize], 8).unwrap();
        assert_eq!((wide.len(), wide.extent()), (0, 0..0));
    }

    // Case 11.
    #[test]
    fn sizes_are_checked_for_overflow() {
        assert_eq!(StridedLayout::packed(&[500_000_000], 8).unwrap().size_bytes(), 4_000_000_000);
        for shape in [&[1 << 33, 1 << 33][..], &[usize::MAX, 2], &[usize::MAX], &[0, 1 << 63]] {
            let result = StridedLayout::packed(shape, 8);
            assert!(matches!(result, Err(Error::SizeOverflow { .. })), "{shape:?}: {result:?}");
        }
        let reach = StridedLayout::strided(&[3, 2], &[isize::MAX, 1], 1);
        assert!(matches!(reach, Err(Error::InvalidStrides { .. })));
        let low = StridedLayout::strided(&[3], &[isize::MIN], 1);
        assert!(matches!(low, Err(Error::InvalidStrides { .. })));
        for shape in [&[3][..], &[usize::MAX, 3]] {
            assert!(matches!(StridedLayout::packed(shape, 0), Err(Error::InvalidStrides { .. })));
        }
    }

    #[test]
    fn one_stride_for_each_axis() {
        let result = StridedLayout::strided(&[3, 2], &[2], 1);
        assert!(matches!(result, Err(Error::InvalidStrides { .. })));
        assert!(matches!(StridedLayout::packed(&[1; 65], 1), Err(Error::RankTooLarge { found: 65, .. })));
    }

    #[test]
    fn negative_strides_reach_below_the_first_element() {
        let layout = StridedLayout::strided(&[4, 3], &[-10, 2], 2).unwrap();
        assert_eq!(layout.extent(), -30..6);
        assert!(!layout.is_c_contiguous() && !layout.may_overlap());
    }

    #[test]
    fn broadcast_and_sliding_windows_overlap() {
        for (shape, strides) in [([4, 3], [0, 1]), ([4, 3], [1, 1]), ([4, 3], [2, 1])] {
            assert!(StridedLayout::strided(&shape, &strides, 1).unwrap().may_overlap(), "{strides:?}");
        }
        assert!(!StridedLayout::strided(&[1, 3], &[0, 1], 1).unwrap().may_overlap());
        assert!(!StridedLayout::strided(&[3, 4], &[1, 3], 1).unwrap().may_overlap());
    }

    #[test]
    fn broadcast_axes_of_any_length_are_no_run() {
        // Their products are more than an integer holds.
        assert!(!StridedLayout::in_memory(&[1 << 31, 1 << 30, 2], &[0, 0, 8], 8).is_c_contiguous());
        assert!(!StridedLayout::in_memory(&[2, 1 << 62], &[0, 0], 4).is_c_contiguous());
    }

    #[test]
    fn strides_of_single_axes_do_not_matter() {
        assert!(StridedLayout::strided(&[1, 5], &[999, 1], 1).unwrap().is_c_contiguous());
        assert!(!StridedLayout::strided(&[2, 5], &[6, 1], 1).unwrap().is_c_contiguous());
    }
}
