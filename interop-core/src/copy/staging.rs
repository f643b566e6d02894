//! [`Staging`]: packed host memory between an array of any strides and the driver.

use crate::layout::{Axis, CopyPlan};
use crate::{Error, Result};

/// Uninitialised host memory for one copy, which fills all of it.
pub(super) struct Staging {
    /// Only its capacity is used.
    bytes: Vec<u8>,
    len: usize,
}

impl Staging {
    pub fn new(operation: &'static str, len: usize) -> Result<Self> {
        Ok(Self { bytes: reserve(operation, len)?, len })
    }

    /// The first byte.
    pub fn start(&mut self) -> *mut u8 {
        self.bytes.as_mut_ptr()
    }

    /// # Safety
    /// All bytes were written.
    pub unsafe fn bytes(&self) -> &[u8] {
        // SAFETY: the vector has this capacity, and the caller vouches that it was written.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr(), self.len) }
    }
}

/// An empty vector with room for `len` elements.
pub(super) fn reserve<T>(operation: &'static str, len: usize) -> Result<Vec<T>> {
    let mut elements = Vec::new();
    let requested = len.saturating_mul(size_of::<T>());
    let exhausted = |_| Error::OutOfMemory { operation, requested, free: None };
    elements.try_reserve_exact(len).map_err(exhausted)?;
    Ok(elements)
}

/// Copies by a plan within host memory.
///
/// # Safety
/// All elements that the plan reaches from `source` can be read, those from `target` written, and the two sets
/// share no byte.
pub(super) unsafe fn copy_on_host(source: *const u8, target: *mut u8, plan: &CopyPlan) {
    for (from, to) in plan.offsets() {
        for slice in 0..plan.slices.len {
            let (from, to) = step((from, to), plan.slices, slice);
            let (source, target) = (source.wrapping_offset(from), target.wrapping_offset(to));
            // SAFETY: the plan reaches these rows, and the caller vouches for all that it reaches.
            unsafe { copy_rows(source, target, plan.rows, plan.width) };
        }
    }
}

fn step((source, target): (isize, isize), axis: Axis, index: usize) -> (isize, isize) {
    let index = index as isize;
    (source + axis.source * index, target + axis.target * index)
}

/// # Safety
/// `rows.len` rows of `width` bytes can be read and written, and share no byte.
unsafe fn copy_rows(source: *const u8, target: *mut u8, rows: Axis, width: usize) {
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
                let (from, to) = step((0, 0), rows, row);
                let (source, target) = (source.wrapping_offset(from), target.wrapping_offset(to));
                // SAFETY: the caller vouches for `width` bytes of every row.
                unsafe { target.copy_from_nonoverlapping(source, width) };
            }
        }
    }
}

/// # Safety
/// `rows.len` rows of `WIDTH` bytes can be read and written, and share no byte.
unsafe fn copy_rows_of<const WIDTH: usize>(source: *const u8, target: *mut u8, rows: Axis) {
    for row in 0..rows.len {
        let (from, to) = step((0, 0), rows, row);
        let (source, target) = (source.wrapping_offset(from), target.wrapping_offset(to));
        // SAFETY: the caller vouches for `WIDTH` bytes of every row.
        unsafe { target.copy_from_nonoverlapping(source, WIDTH) };
    }
}
