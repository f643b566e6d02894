//! Copies of rows of bytes, any strides apart.

use super::streaming::{Stores, copy_run};
use crate::layout::Axis;

/// # Safety
/// `rows.len` rows of `width` bytes can be read and written, and share no byte. After streaming stores, a fence comes
/// before any other access to what was written.
pub(super) unsafe fn copy_rows(source: *const u8, target: *mut u8, rows: Axis, width: usize, stores: Stores) {
    match width {
        // SAFETY: the caller's promise, with the width as a constant that makes each copy one move.
        1 => unsafe { copy_rows_of::<1>(source, target, rows) },
        // SAFETY: as above.
        2 => unsafe { copy_rows_of::<2>(source, target, rows) },
        // SAFETY: as above.
        3 => unsafe { copy_rows_of::<3>(source, target, rows) },
        // SAFETY: as above.
        4 => unsafe { copy_rows_of::<4>(source, target, rows) },
        // SAFETY: as above.
        8 => unsafe { copy_rows_of::<8>(source, target, rows) },
        // SAFETY: as above.
        16 => unsafe { copy_rows_of::<16>(source, target, rows) },
        _ => {
            for row in 0..rows.len {
                let (source, target) = at(source, target, rows, row);
                // SAFETY: the caller vouches for `width` bytes of every row, and for the fence.
                unsafe { copy_run(stores, source, target, width) };
            }
        }
    }
}

/// # Safety
/// `rows.len` rows of `WIDTH` bytes can be read and written, and share no byte.
pub(super) unsafe fn copy_rows_of<const WIDTH: usize>(source: *const u8, target: *mut u8, rows: Axis) {
    for row in 0..rows.len {
        let (source, target) = at(source, target, rows, row);
        // SAFETY: the caller vouches for `WIDTH` bytes of every row.
        unsafe { target.copy_from_nonoverlapping(source, WIDTH) };
    }
}

pub(super) fn at(source: *const u8, target: *mut u8, axis: Axis, step: usize) -> (*const u8, *mut u8) {
    let step = step as isize;
    (source.wrapping_offset(axis.source * step), target.wrapping_offset(axis.target * step))
}
