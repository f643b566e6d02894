//! Filling memory with a repeated value.

use crate::code::{Code, Result};
use crate::copy::{End, bytes, moved};
use crate::place::{Claim, Place};
use crate::shape::{Extent, Pitch};
use crate::state::State;

/// A value of 1, 2 or 4 bytes.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// `cuMemsetD8`
    D8(u8),
    /// `cuMemsetD16`
    D16(u16),
    /// `cuMemsetD32`
    D32(u32),
}

/// A fill whose every byte was found to be there.
pub struct Fill {
    op: &'static str,
    target: Place,
    extent: Extent,
    pitch: Pitch,
    value: Value,
}

impl Value {
    fn size(self) -> usize {
        match self {
            Self::D8(_) => 1,
            Self::D16(_) => 2,
            Self::D32(_) => 4,
        }
    }

    fn bits(self) -> u64 {
        match self {
            Self::D8(value) => value.into(),
            Self::D16(value) => value.into(),
            Self::D32(value) => value.into(),
        }
    }

    fn fill(self, bytes: &mut [u8]) {
        match self {
            Self::D8(value) => bytes.fill(value),
            Self::D16(value) => repeat(bytes, value.to_ne_bytes()),
            Self::D32(value) => repeat(bytes, value.to_ne_bytes()),
        }
    }
}

fn repeat<const N: usize>(bytes: &mut [u8], value: [u8; N]) {
    bytes.as_chunks_mut().0.fill(value);
}

impl Fill {
    /// Checks a fill of `height` rows of `width` values. The pitch counts for more than one row only.
    pub fn new(
        state: &State,
        op: &'static str,
        address: u64,
        value: Value,
        [pitch, width, height]: [usize; 3],
    ) -> Result<Self> {
        let size = value.size();
        let width = width.checked_mul(size).ok_or(Code::InvalidValue)?;
        let rows = height > 1;
        if !address.is_multiple_of(size as u64) || rows && (pitch < width || !pitch.is_multiple_of(size)) {
            return Err(Code::InvalidValue);
        }
        let pitch = Pitch { row: pitch, slice: 0 };
        let extent = Extent { width, height, depth: 1 };
        let target = End { claim: Claim::Device, address, pitch }.find(state, op, "writes", extent)?;
        Ok(Self { op, target, extent: extent.merged(pitch, pitch), pitch, value })
    }

    /// Fills. Fails if the memory was freed since the fill was checked.
    pub fn run(&self) -> Result<()> {
        match &self.target {
            Place::Device(allocation, start) => {
                let (block, width) = (bytes(self.op, allocation)?, self.extent.width);
                let (size, value) = (self.value.size(), self.value.bits());
                self.each_row(|row| moved(block.fill(start + row, width, size, value)))
            }
            Place::Pinned(span) | Place::Pageable(span) => {
                let mut line = vec![0; self.extent.width];
                self.value.fill(&mut line);
                self.each_row(|row| span.write(row, &line))
            }
            Place::Staged(_) => Err(Code::Unknown),
        }
    }

    fn each_row(&self, mut row: impl FnMut(usize) -> Result<()>) -> Result<()> {
        self.extent.rows(self.pitch, self.pitch).try_for_each(|(start, _)| row(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_repeat() {
        let mut bytes = [0; 8];
        Value::D16(0x0201).fill(&mut bytes);
        assert_eq!(bytes, [1, 2, 1, 2, 1, 2, 1, 2]);
        Value::D32(0x0403_0201).fill(&mut bytes[4..]);
        assert_eq!(bytes, [1, 2, 1, 2, 1, 2, 3, 4]);
    }
}
