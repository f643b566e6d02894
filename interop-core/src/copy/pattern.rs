//! [`Pattern`]: a value as the words that the driver's fills repeat.

use crate::driver::Word;
use crate::layout::{CopyPlan, StridedLayout};
use crate::{DType, Element};

/// The largest element.
const MOST_BYTES: usize = 16;
/// The widest word that the driver repeats.
const WIDEST: usize = 4;

/// The bytes of a value, cut down to what it repeats: 8 or 16 of them only where no 4 do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    bytes: [u8; MOST_BYTES],
    /// How many of the bytes count: 1, 2, 4, 8 or 16.
    unit: usize,
}

impl Pattern {
    pub fn of<T: Element>(value: T) -> Self {
        let (start, len) = ((&raw const value).cast::<u8>(), size_of::<T>());
        // SAFETY: `value` lives until the end of this function, and an element has no padding bytes.
        Self::repeated(unsafe { std::slice::from_raw_parts(start, len) })
    }

    /// Every byte 0.
    pub fn zero(dtype: DType) -> Self {
        Self::repeated(&[0; MOST_BYTES][..dtype.size()])
    }

    fn repeated(value: &[u8]) -> Self {
        let mut unit = value.len();
        while unit > WIDEST && value[..unit / 2] == value[unit / 2..unit] {
            unit /= 2;
        }
        let mut bytes = [0; MOST_BYTES];
        bytes[..unit].copy_from_slice(&value[..unit]);
        Self { bytes, unit }
    }

    /// Bytes after which it begins anew.
    pub fn unit(&self) -> usize {
        self.unit
    }

    /// Its words, of as many bytes each as an element's alignment allows, with their places in it.
    pub fn words(&self) -> impl ExactSizeIterator<Item = (usize, Word)> + '_ {
        let size = self.unit.min(WIDEST);
        self.bytes[..self.unit]
            .chunks(size)
            .enumerate()
            .map(move |(index, bytes)| (index * size, word(bytes)))
    }

    /// The blocks of patterns that make up all elements of a non-empty array.
    pub fn plan(&self, layout: &StridedLayout) -> CopyPlan {
        let shape = [layout.shape(), &[layout.itemsize() / self.unit]].concat();
        let strides = [layout.strides(), &[self.unit as isize]].concat();
        CopyPlan::new(&shape, &strides, &strides, self.unit)
    }
}

fn word(bytes: &[u8]) -> Word {
    match *bytes {
        [byte] => Word::D8(byte),
        [first, second] => Word::D16(u16::from_ne_bytes([first, second])),
        _ => Word::D32(u32::from_ne_bytes(std::array::from_fn(|index| bytes[index]))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Axis;

    fn words_of<T: Element>(value: T) -> Vec<(usize, Word)> {
        Pattern::of(value).words().collect()
    }

    #[test]
    fn a_value_is_as_few_words_as_it_can() {
        assert_eq!(words_of(true), [(0, Word::D8(1))]);
        assert_eq!(words_of(-2i16), [(0, Word::D16(0xfffe))]);
        assert_eq!(words_of(1f32), [(0, Word::D32(0x3f80_0000))]);
        assert_eq!(words_of(-1i64), [(0, Word::D32(u32::MAX))]);
        assert_eq!(words_of(1u64), [(0, Word::D32(1)), (4, Word::D32(0))]);
    }

    #[test]
    fn halves_that_are_equal_count_once() {
        let unit = |value: [u8; 16]| Pattern::repeated(&value).unit();
        assert_eq!(unit([7; 16]), 4);
        assert_eq!(unit([1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8]), 8);
        assert_eq!(unit([1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 5]), 16);
        assert_eq!(Pattern::zero(DType::C128), Pattern::of(0u32));
    }

    #[test]
    fn gaps_are_left_out_of_the_plan() {
        let rows = StridedLayout::strided(&[10, 3], &[32, 8], 8).unwrap();
        let plan = Pattern::of(1.5f64).plan(&rows);
        assert_eq!((plan.width, plan.rows), (24, Axis { len: 10, source: 32, target: 32 }));
        let apart = StridedLayout::strided(&[10], &[32], 16).unwrap();
        let plan = Pattern::zero(DType::C128).plan(&apart);
        assert_eq!((plan.width, plan.rows), (16, Axis { len: 10, source: 32, target: 32 }));
    }
}
