//! [`Staging`]: packed host memory between an array of any strides and the driver.

use crate::{Error, Result};

/// Uninitialised host memory for one copy.
pub(super) struct Staging {
    /// Only its capacity is used.
    bytes: Vec<u8>,
}

impl Staging {
    pub fn new(operation: &'static str, len: usize) -> Result<Self> {
        Ok(Self { bytes: reserve(operation, len)? })
    }

    /// The first byte.
    pub fn start(&mut self) -> *mut u8 {
        self.bytes.as_mut_ptr()
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
