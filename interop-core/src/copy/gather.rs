//! Copies within host memory, of any strides: what the copy threads do between an array and a pinned block.

use super::rows::copy_rows;
use super::streaming::{Stores, fence};
use super::tiles::copy_tiles;
use crate::layout::{Axes, Axis, offsets};

/// Runs shorter than this are worth a walk through both sides in tiles where they nest differently, in bytes.
const NARROW: usize = 64;

/// Copies all elements of an array to another of the same shape, within host memory.
///
/// # Safety
/// All elements that `shape` and the strides reach from `source` can be read, those from `target` written, and
/// the two sets share no byte.
pub(super) unsafe fn copy_on_host(
    (source, source_strides): (*const u8, &[isize]),
    (target, target_strides): (*mut u8, &[isize]),
    shape: &[usize],
    itemsize: usize,
    stores: Stores,
) {
    let mut all = Axes::new(shape, source_strides, target_strides);
    let width = all.take_run(itemsize);
    let start = (all.source_start, all.target_start);
    // The target's elements lie closest together along the last.
    let inner = all.axes.pop().unwrap_or(Axis::ONE);
    let across = fastest_in_source(&all.axes, inner, width).map(|index| all.axes.remove(index));
    for (from, to) in offsets(&all.axes, start) {
        let (source, target) = (source.wrapping_offset(from), target.wrapping_offset(to));
        match across {
            // SAFETY: the offsets and axes reach elements of the arrays, which the caller vouches for.
            Some(across) => unsafe { copy_tiles(source, target, (across, inner), width, stores) },
            // SAFETY: as above.
            None => unsafe { copy_rows(source, target, inner, width, stores) },
        }
    }
    // No element is written twice or read, so none is accessed before this.
    fence(stores);
}

/// The axis along which the source's elements lie closer together than along `inner`, the target's closest:
/// reading along `inner` alone would fetch a cache line for every element.
fn fastest_in_source(axes: &[Axis], inner: Axis, width: usize) -> Option<usize> {
    let closest = |axis: &Axis| axis.source.unsigned_abs();
    let candidates = axes.iter().enumerate().filter(|(_, axis)| axis.source != 0);
    let (index, axis) = candidates.min_by_key(|(_, axis)| closest(axis))?;
    (width < NARROW && closest(axis) < closest(&inner)).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies `shape` elements from a numbered buffer with these strides into a packed one.
    fn gathered<const WIDTH: usize>(shape: &[usize], strides: &[isize], first: usize) -> Vec<u8> {
        let source: Vec<u8> = (0..4096u32).map(|index| (index * 31 % 251) as u8).collect();
        let mut packed = vec![0; shape.len()];
        let mut next = WIDTH as isize;
        for (axis, len) in shape.iter().enumerate().rev() {
            packed[axis] = next;
            next *= *len as isize;
        }
        let mut target = vec![0u8; next as usize];
        let from = source[first..].as_ptr();
        // SAFETY: the tests' strides stay within 4096 bytes, and the target is packed.
        unsafe {
            copy_on_host((from, strides), (target.as_mut_ptr(), &packed), shape, WIDTH, Stores::Cached)
        };
        let mut expected = Vec::new();
        for flat in 0..shape.iter().product::<usize>() {
            let (mut rest, mut offset) = (flat, first as isize);
            for (len, stride) in shape.iter().zip(strides).rev() {
                offset += (rest % len) as isize * stride;
                rest /= len;
            }
            expected.extend_from_slice(&source[offset as usize..][..WIDTH]);
        }
        assert_eq!(target, expected, "{shape:?} {strides:?} of {WIDTH}");
        target
    }

    #[test]
    fn transposed_reversed_stepped_and_broadcast() {
        gathered::<4>(&[20, 37], &[4, 80], 0);
        gathered::<1>(&[33, 70], &[1, 33], 5);
        gathered::<2>(&[33, 17], &[-2, 66], 64);
        gathered::<8>(&[9, 11], &[8, -72], 10 * 72);
        gathered::<16>(&[5, 3, 4], &[16, 320, 80], 0);
        gathered::<3>(&[7, 5], &[3, 21], 0);
        gathered::<4>(&[6, 50], &[0, 8], 0);
        gathered::<4>(&[6, 50], &[4, 0], 0);
        gathered::<4>(&[], &[], 8);
    }
}
