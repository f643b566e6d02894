//! Copies of small elements whose axes nest differently on both sides, tile by tile.

use std::mem::MaybeUninit;

use super::rows::{at, copy_rows, copy_rows_of};
use super::streaming::{LINE, Stores, copy_line};
use crate::layout::Axis;

/// Copies along two axes: the source's elements lie close together along the first, the target's along the second.
///
/// # Safety
/// All runs of `width` bytes along both axes can be read and written, and share no byte. After streaming stores, a
/// fence comes before any other access to the target.
pub(super) unsafe fn copy_tiles(
    source: *const u8,
    target: *mut u8,
    (across, inner): (Axis, Axis),
    width: usize,
    stores: Stores,
) {
    match width {
        // SAFETY: the caller's promise, with the width as a constant that makes each copy one move.
        1 => unsafe { copy_tiles_of::<1>(source, target, across, inner, stores) },
        // SAFETY: as above.
        2 => unsafe { copy_tiles_of::<2>(source, target, across, inner, stores) },
        // SAFETY: as above.
        4 => unsafe { copy_tiles_of::<4>(source, target, across, inner, stores) },
        // SAFETY: as above.
        8 => unsafe { copy_tiles_of::<8>(source, target, across, inner, stores) },
        // SAFETY: as above.
        16 => unsafe { copy_tiles_of::<16>(source, target, across, inner, stores) },
        _ => {
            for step in 0..across.len {
                let (source, target) = at(source, target, across, step);
                // SAFETY: the caller vouches for the runs along `inner` at every step along `across`. These widths
                // fill no line, so none is streamed.
                unsafe { copy_rows(source, target, inner, width, Stores::Cached) };
            }
        }
    }
}

/// Strips along `inner`, a cache line of the target wide, so that every line is written once; and each strip in tiles
/// along `across`, a cache line of the source wide, so that every line is read once.
///
/// # Safety
/// As [`copy_tiles`].
unsafe fn copy_tiles_of<const WIDTH: usize>(
    source: *const u8,
    target: *mut u8,
    across: Axis,
    inner: Axis,
    stores: Stores,
) {
    const { assert!(LINE.is_multiple_of(WIDTH)) };
    let edge = LINE / WIDTH;
    let are_lines = across.source == WIDTH as isize && inner.target == WIDTH as isize;
    let head = if are_lines { target.align_offset(LINE) / WIDTH % edge } else { 0 };
    let (mut first, mut len) = (0, if head > 0 { head } else { edge });
    while first < inner.len {
        let strip = Axis { len: len.min(inner.len - first), ..inner };
        let (source, target) = at(source, target, inner, first);
        let whole = if are_lines && strip.len == edge { across.len / edge * edge } else { 0 };
        for step in (0..whole).step_by(edge) {
            let (source, target) = at(source, target, across, step);
            // SAFETY: a part of what the caller vouches for: `edge` steps along both axes, along which the elements are
            // contiguous: in the source along `across`, in the target along `inner`.
            unsafe { copy_tile::<WIDTH>((source, strip.source), (target, across.target), stores) };
        }
        for step in whole..across.len {
            let (source, target) = at(source, target, across, step);
            // SAFETY: a part of what the caller vouches for.
            unsafe { copy_rows_of::<WIDTH>(source, target, strip) };
        }
        first += strip.len;
        len = edge;
    }
}

/// A copy of some lines that lie far apart: where they lie, they would push each other out of the cache.
#[repr(align(64))]
struct Near<const BYTES: usize>([MaybeUninit<u8>; BYTES]);

/// Copies a square of elements, of which each row is a cache line of the source, and each column one of the target.
/// Strides are from row to row of the source, and from column to column of the target.
///
/// # Safety
/// A cache line can be read from each row and written to each column, of which there are as many as a line has
/// elements, a whole number; they share no byte. After streaming stores, a fence comes before any other access to the
/// target.
unsafe fn copy_tile<const WIDTH: usize>(
    (source, source_stride): (*const u8, isize),
    (target, target_stride): (*mut u8, isize),
    stores: Stores,
) {
    let edge = LINE / WIDTH;
    let mut near = Near([MaybeUninit::uninit(); LINE * LINE]);
    let rows = near.0.as_mut_ptr().cast::<u8>();
    for row in 0..edge {
        let line = source.wrapping_offset(source_stride * row as isize);
        // SAFETY: the caller vouches for a line of every row; `rows` has room for as many as a line has elements.
        unsafe { rows.wrapping_add(row * LINE).copy_from_nonoverlapping(line, LINE) };
    }
    for column in 0..edge {
        let mut near = Near([MaybeUninit::uninit(); LINE]);
        let line = near.0.as_mut_ptr().cast::<u8>();
        for row in 0..edge {
            let element = rows.wrapping_add(row * LINE + column * WIDTH).cast_const();
            // SAFETY: the rows were copied, and hold one element for each column; the line holds one for each row.
            unsafe { line.wrapping_add(row * WIDTH).copy_from_nonoverlapping(element, WIDTH) };
        }
        // SAFETY: the caller vouches for a line of every column, and for the fence.
        unsafe { copy_line(stores, line, target.wrapping_offset(target_stride * column as isize)) };
    }
}

#[cfg(test)]
mod tests {
    use super::super::streaming::fence;
    use super::*;

    /// Transposes `rows` x `columns` elements, each side `first` bytes into its memory and with a gap after each row.
    fn transpose<const WIDTH: usize>((rows, columns): (usize, usize), first: [usize; 2], stores: Stores) {
        let (from, to) = (columns * WIDTH + WIDTH, rows * WIDTH + 2 * WIDTH);
        let source: Vec<u8> = (0..first[0] + rows * from).map(|index| (index * 7 % 251) as u8 + 1).collect();
        let mut target = vec![0u8; first[1] + columns * to];
        let across = Axis { len: columns, source: WIDTH as isize, target: to as isize };
        let inner = Axis { len: rows, source: from as isize, target: WIDTH as isize };
        let (start, end) = (source[first[0]..].as_ptr(), target[first[1]..].as_mut_ptr());
        // SAFETY: both vectors hold all elements that the axes reach.
        unsafe { copy_tiles(start, end, (across, inner), WIDTH, stores) };
        fence(stores);
        let mut expected = vec![0u8; target.len()];
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let (source_at, target_at) =
                (first[0] + row * from + column * WIDTH, first[1] + column * to + row * WIDTH);
            expected[target_at..][..WIDTH].copy_from_slice(&source[source_at..][..WIDTH]);
        }
        assert!(target == expected, "{rows} x {columns} of {WIDTH} from {first:?}, {stores:?}");
    }

    #[test]
    fn every_element_arrives_and_no_gap_is_written() {
        for stores in [Stores::Cached, Stores::Streaming] {
            for shape in [(1, 1), (64, 64), (65, 130), (130, 65), (200, 7), (7, 200), (128, 192)] {
                for first in [[0, 0], [3, 64], [16, 48], [5, 1]] {
                    transpose::<1>(shape, first, stores);
                    transpose::<2>(shape, first, stores);
                    transpose::<4>(shape, first, stores);
                    transpose::<8>(shape, first, stores);
                    transpose::<12>(shape, first, stores);
                    transpose::<16>(shape, first, stores);
                }
            }
        }
    }

    #[test]
    fn strided_and_reversed_axes_take_no_tiles() {
        let source: Vec<u16> = (0..4000).collect();
        let mut target = vec![0u16; 4000];
        let across = Axis { len: 40, source: -4, target: 100 };
        let inner = Axis { len: 25, source: 160, target: 4 };
        // SAFETY: element (a, i) is number 78 - 2a + 80i of 4000 on the one side and 50a + 2i on the other.
        unsafe {
            copy_tiles(
                source[78..].as_ptr().cast(),
                target.as_mut_ptr().cast(),
                (across, inner),
                2,
                Stores::Cached,
            )
        };
        for (a, i) in (0..40).flat_map(|a| (0..25).map(move |i| (a, i))) {
            assert_eq!(target[50 * a + 2 * i], source[78 - 2 * a + 80 * i]);
            assert_eq!(target[50 * a + 2 * i + 1], 0);
        }
    }
}
