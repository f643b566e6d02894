//! [`Staging`]: packed host memory between an array of any strides and the driver.

use crate::layout::{Axis, CopyPlan};
use crate::{Error, Result};

/// Host memory for one copy.
pub(super) struct Staging {
    bytes: Vec<u8>,
}

impl Staging {
    /// `len` bytes, all 0 (which costs nothing: fresh pages are).
    pub fn new(operation: &'static str, len: usize) -> Result<Self> {
        let mut bytes = Vec::new();
        let exhausted = |_| Error::OutOfMemory { operation, requested: len, free: None };
        bytes.try_reserve_exact(len).map_err(exhausted)?;
        bytes.resize(len, 0);
        Ok(Self { bytes })
    }

    /// The first byte.
    pub fn start(&mut self) -> *mut u8 {
        self.bytes.as_mut_ptr()
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
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
