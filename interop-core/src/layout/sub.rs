//! Layouts of parts of an array, and of the same elements with other axes: arithmetic only, nothing moves.

use std::ops::Range;

use super::StridedLayout;
use crate::{Error, Result};

/// A layout within another, and how many bytes its first element is from the other's first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sub {
    pub layout: StridedLayout,
    pub offset: isize,
}

impl StridedLayout {
    /// The elements `range` of an axis.
    pub(crate) fn slice(&self, operation: &'static str, axis: usize, range: Range<usize>) -> Result<Sub> {
        let len = self.check_axis(operation, axis)?;
        if range.start > range.end || range.end > len {
            return Err(Error::InvalidView {
                operation,
                expected: format!("a range within 0..{len} of axis {axis}"),
                found: format!("{range:?}"),
                remedy: "check it against the shape",
            });
        }
        Ok(self.with_axis(axis, range.len(), range.start, 1))
    }

    /// Every `step`-th element of an axis from the first, or from the last backward where it is negative.
    pub(crate) fn step(&self, operation: &'static str, axis: usize, step: isize) -> Result<Sub> {
        let len = self.check_axis(operation, axis)?;
        if step == 0 {
            return Err(Error::InvalidView {
                operation,
                expected: format!("a step along axis {axis} that is not 0"),
                found: "0".into(),
                remedy: "use 1 for every element, -1 for all in reverse",
            });
        }
        let first = if step < 0 { len.saturating_sub(1) } else { 0 };
        Ok(self.with_axis(axis, len.div_ceil(step.unsigned_abs()), first, step))
    }

    /// The axes in another order: axis i of the result is axis `axes[i]` of this.
    pub(crate) fn permute(&self, operation: &'static str, axes: &[usize]) -> Result<StridedLayout> {
        let mut sorted = axes.to_vec();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..self.rank()) {
            return Err(Error::InvalidView {
                operation,
                expected: format!("each of the {} axes once, counted from 0", self.rank()),
                found: format!("{axes:?}"),
                remedy: "name every axis of the array",
            });
        }
        let shape: Vec<usize> = axes.iter().map(|&axis| self.shape()[axis]).collect();
        let strides: Vec<isize> = axes.iter().map(|&axis| self.strides()[axis]).collect();
        Ok(Self::in_memory(&shape, &strides, self.itemsize()))
    }

    /// The same elements in the same order with other axes.
    pub(crate) fn reshape(&self, operation: &'static str, shape: &[usize]) -> Result<StridedLayout> {
        let packed = Self::packed(shape, self.itemsize()).map_err(|error| error.during(operation))?;
        if packed.len() != self.len() {
            return Err(Error::InvalidView {
                operation,
                expected: format!("a shape of {} elements, as {:?} has", self.len(), self.shape()),
                found: format!("{shape:?}, which has {}", packed.len()),
                remedy: "take a part first, or correct the shape",
            });
        }
        if packed.is_empty() || self.is_c_contiguous() {
            return Ok(packed);
        }
        let mut strides = packed.strides().to_vec();
        for (old, new) in factors(self.shape(), shape) {
            self.regroup(operation, old, &shape[new.clone()], &mut strides[new])?;
        }
        Ok(Self::in_memory(shape, &strides, self.itemsize()))
    }

    /// Strides for the axes `shape`, which hold the same elements as the axes `old`.
    fn regroup(
        &self,
        operation: &'static str,
        old: Range<usize>,
        shape: &[usize],
        strides: &mut [isize],
    ) -> Result<()> {
        let stepped = || old.clone().filter(|&axis| self.shape()[axis] > 1);
        for (outer, inner) in stepped().zip(stepped().skip(1)) {
            let (len, stride) = (self.shape()[inner], self.strides()[inner]);
            // Does not wrap: one step further than the elements reach, which is less than twice as far.
            let continued = len as i128 * stride as i128;
            if self.strides()[outer] as i128 != continued {
                return Err(Error::InvalidView {
                    operation,
                    expected: format!("axis {outer} to step {continued} bytes, on from axis {inner}"),
                    found: format!("strides {:?} of shape {:?}", self.strides(), self.shape()),
                    remedy: "copy it with to_contiguous first, then reshape that",
                });
            }
        }
        let mut next = stepped().next_back().map_or(self.itemsize() as isize, |axis| self.strides()[axis]);
        for (stride, &len) in strides.iter_mut().zip(shape).rev() {
            *stride = next;
            // Wraps at most behind the outermost axis, where it is not used.
            next = next.wrapping_mul(len as isize);
        }
        Ok(())
    }

    fn check_axis(&self, operation: &'static str, axis: usize) -> Result<usize> {
        self.shape().get(axis).copied().ok_or_else(|| Error::InvalidView {
            operation,
            expected: format!("an axis below {}", self.rank()),
            found: axis.to_string(),
            remedy: "axes count from 0, the outermost first",
        })
    }

    /// `len` elements of an axis from `first` on, `step` apart, all of which exist.
    fn with_axis(&self, axis: usize, len: usize, first: usize, step: isize) -> Sub {
        let (mut shape, mut strides) = (self.shape().to_vec(), self.strides().to_vec());
        // Neither wraps where there are elements, as all offsets between them fit; else it does not matter.
        let offset = strides[axis].wrapping_mul(first as isize);
        shape[axis] = len;
        if len > 1 {
            strides[axis] = strides[axis].wrapping_mul(step);
        }
        let layout = Self::in_memory(&shape, &strides, self.itemsize());
        let offset = if layout.is_empty() { 0 } else { offset };
        Sub { layout, offset }
    }
}

/// Cuts the axes of two shapes of as many elements (not none) into the shortest runs that hold as many each.
fn factors(old: &[usize], new: &[usize]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let (mut from, mut to) = (0..0, 0..0);
    let (mut held, mut wanted) = (1usize, 1usize);
    while from.end < old.len() || to.end < new.len() {
        // Neither product wraps: it divides the number of elements.
        if (held <= wanted && from.end < old.len()) || to.end == new.len() {
            held *= old[from.end];
            from.end += 1;
        } else {
            wanted *= new[to.end];
            to.end += 1;
        }
        if held == wanted {
            found.push((from.clone(), to.clone()));
            (from, to) = (from.end..from.end, to.end..to.end);
            (held, wanted) = (1, 1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(shape: &[usize], strides: &[isize]) -> StridedLayout {
        StridedLayout::strided(shape, strides, 4).unwrap()
    }

    #[test]
    fn parts_begin_where_they_should() {
        let image = layout(&[4, 5], &[32, 4]);
        let part = image.slice("test", 0, 1..3).unwrap();
        assert_eq!((part.layout, part.offset), (layout(&[2, 5], &[32, 4]), 32));
        let part = image.step("test", 1, -2).unwrap();
        assert_eq!((part.layout, part.offset), (layout(&[4, 3], &[32, -8]), 16));
        let part = image.step("test", 1, 2).unwrap();
        assert_eq!((part.layout, part.offset), (layout(&[4, 3], &[32, 8]), 0));
        for step in [isize::MIN, isize::MAX, 5, -5] {
            let part = image.step("test", 1, step).unwrap();
            assert_eq!(part.layout.shape(), [4, 1], "{step}");
            assert_eq!(part.offset, if step < 0 { 16 } else { 0 }, "{step}");
        }
    }

    #[test]
    fn no_elements_stay_where_they_are() {
        let image = layout(&[4, 5], &[32, 4]);
        assert_eq!(image.slice("test", 0, 4..4).unwrap().offset, 0);
        let empty = layout(&[0, 5], &[isize::MIN, isize::MAX]);
        assert_eq!(empty.step("test", 1, -3).unwrap().layout.shape(), [0, 2]);
        assert_eq!(empty.step("test", 0, isize::MIN).unwrap().layout.shape(), [0, 5]);
        assert_eq!(empty.slice("test", 1, 3..5).unwrap().layout.shape(), [0, 2]);
        assert_eq!(empty.reshape("test", &[7, 0, 2]).unwrap().shape(), [7, 0, 2]);
    }

    #[test]
    fn shapes_are_cut_where_they_hold_as_many() {
        assert_eq!(factors(&[2, 3, 4], &[6, 4]), [(0..2, 0..1), (2..3, 1..2)]);
        assert_eq!(factors(&[6, 4], &[2, 3, 4]), [(0..1, 0..2), (1..2, 2..3)]);
        assert_eq!(factors(&[4, 3], &[3, 4]), [(0..2, 0..2)]);
        assert_eq!(factors(&[], &[1, 1]), [(0..0, 0..1), (0..0, 1..2)]);
    }

    #[test]
    fn axes_are_split_and_merged_where_the_strides_allow_it() {
        let padded = layout(&[4, 6], &[32, 4]);
        assert_eq!(padded.reshape("test", &[2, 2, 3, 2]).unwrap(), layout(&[2, 2, 3, 2], &[64, 32, 8, 4]));
        assert_eq!(padded.reshape("test", &[1, 4, 1, 6, 1]).unwrap().strides()[1], 32);
        let error = padded.reshape("test", &[24]).unwrap_err().to_string();
        assert!(error.contains("axis 0 to step 24 bytes, on from axis 1"), "{error}");
        assert!(error.contains("to_contiguous"), "{error}");
        let backward = layout(&[2, 3], &[-12, -4]);
        assert_eq!(backward.reshape("test", &[6]).unwrap().strides(), [-4]);
        let broadcast = layout(&[2, 3], &[0, 0]);
        assert_eq!(broadcast.reshape("test", &[3, 2]).unwrap().strides(), [0, 0]);
    }
}
