//! Bytes that any number of threads read and write at once, as on a device.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::allocation::POISON;

/// Bytes of a word.
const WORD: usize = size_of::<u64>();

/// Device memory without locks: a kernel that waits for what a copy writes must not keep the copy out.
///
/// All accesses are relaxed. Threads that race see one value or the other of each aligned 1, 2, 4 or 8 bytes,
/// and [`std::sync::atomic::fence`] orders accesses as a fence of the device does. Values lie in memory with
/// their lowest byte first, as on a device.
pub struct Block {
    /// The bytes of the last word that are past the end are never accessed.
    words: Box<[AtomicU64]>,
    len: usize,
}

/// Some bytes of one word.
#[derive(Clone, Copy)]
struct Part {
    word: usize,
    /// Bits of the word before them.
    shift: usize,
    /// How many bytes.
    len: usize,
}

/// A range of bytes, cut where words begin.
struct Cut {
    /// The end of a word, maybe empty.
    head: Part,
    /// Whole words.
    body: Range<usize>,
    /// The beginning of a word, maybe empty.
    tail: Part,
}

impl Block {
    /// Fresh memory, all of it [`POISON`]. None where the host has not so much.
    pub fn poisoned(len: usize) -> Option<Self> {
        let count = len.div_ceil(WORD);
        let mut words = Vec::new();
        words.try_reserve_exact(count).ok()?;
        words.resize_with(count, || AtomicU64::new(u64::from_le_bytes([POISON; WORD])));
        Some(Self { words: words.into_boxed_slice(), len })
    }

    /// Reads 1, 2, 4 or 8 bytes at a multiple of their number. None for any other access.
    pub fn load(&self, offset: usize, size: usize) -> Option<u64> {
        let part = self.aligned(offset, size)?;
        Some(part.extract(self.words.get(part.word)?.load(Relaxed)))
    }

    /// Writes 1, 2, 4 or 8 bytes at a multiple of their number. None for any other access.
    pub fn store(&self, offset: usize, size: usize, value: u64) -> Option<()> {
        self.insert(self.aligned(offset, size)?, value)
    }

    /// Replaces 1, 2, 4 or 8 bytes by what `change`, which may be called several times, makes of them: the
    /// bytes before. No access of another thread comes in between.
    pub fn update(&self, offset: usize, size: usize, mut change: impl FnMut(u64) -> u64) -> Option<u64> {
        let part = self.aligned(offset, size)?;
        let word = self.words.get(part.word)?;
        let new = |old| part.replace(old, change(part.extract(old)));
        Some(part.extract(update(word, new)))
    }

    /// Copies bytes from here.
    pub fn read(&self, offset: usize, into: &mut [u8]) -> Option<()> {
        let Cut { head, body, tail } = self.cut(offset, into.len())?;
        let (first, rest) = into.split_at_mut_checked(head.len)?;
        let (whole, last) = rest.as_chunks_mut();
        self.extract(head, first)?;
        for (bytes, word) in whole.iter_mut().zip(self.words.get(body)?) {
            *bytes = word.load(Relaxed).to_le_bytes();
        }
        self.extract(tail, last)
    }

    /// Copies bytes to here.
    pub fn write(&self, offset: usize, from: &[u8]) -> Option<()> {
        let Cut { head, body, tail } = self.cut(offset, from.len())?;
        let (first, rest) = from.split_at_checked(head.len)?;
        let (whole, last) = rest.as_chunks();
        self.insert(head, value(first))?;
        for (bytes, word) in whole.iter().zip(self.words.get(body)?) {
            word.store(u64::from_le_bytes(*bytes), Relaxed);
        }
        self.insert(tail, value(last))
    }

    /// Copies bytes from a block, which may be this one, to here. The ranges may overlap.
    pub fn copy_from(&self, at: usize, source: &Self, from: usize, len: usize) -> Option<()> {
        let Cut { head, body, tail } = self.cut(at, len)?;
        source.cut(from, len)?;
        let body_from = from + head.len;
        let tail_from = body_from + WORD * body.len();
        // Towards the end of the source, so that what is still to be read is not overwritten.
        if std::ptr::eq(self, source) && at > from {
            self.insert(tail, source.gather(tail_from, tail.len)?)?;
            self.copy_words(body, source, body_from, true)?;
            self.insert(head, source.gather(from, head.len)?)
        } else {
            self.insert(head, source.gather(from, head.len)?)?;
            self.copy_words(body, source, body_from, false)?;
            self.insert(tail, source.gather(tail_from, tail.len)?)
        }
    }

    /// Repeats the lowest 1, 2, 4 or 8 bytes of a value over `len` bytes.
    pub fn fill(&self, offset: usize, len: usize, size: usize, value: u64) -> Option<()> {
        let Cut { head, body, tail } = self.cut(offset, len)?;
        let value = repeated(size, value)?;
        self.insert(head, value)?;
        // The first whole word begins as many bytes later as the head has.
        let value = value.rotate_right(8 * head.len as u32);
        self.words.get(body)?.iter().for_each(|word| word.store(value, Relaxed));
        self.insert(tail, value)
    }

    /// A value's bytes. None where they are not all here, or not aligned.
    fn aligned(&self, offset: usize, size: usize) -> Option<Part> {
        let end = offset.checked_add(size)?;
        let fits = matches!(size, 1 | 2 | 4 | 8) && offset.is_multiple_of(size) && end <= self.len;
        fits.then(|| Part::new(offset, size))
    }

    /// Any range. None where it is not all here.
    fn cut(&self, offset: usize, len: usize) -> Option<Cut> {
        let end = offset.checked_add(len).filter(|&end| end <= self.len)?;
        let head = Part::new(offset, len.min(offset.wrapping_neg() % WORD));
        let rest = len - head.len;
        let start = (offset + head.len) / WORD;
        let tail = Part::new(end - rest % WORD, rest % WORD);
        Some(Cut { head, body: start..start + rest / WORD, tail })
    }

    fn extract(&self, part: Part, into: &mut [u8]) -> Option<()> {
        if part.len > 0 {
            let bytes = part.extract(self.words.get(part.word)?.load(Relaxed)).to_le_bytes();
            into.iter_mut().zip(bytes).for_each(|(byte, value)| *byte = value);
        }
        Some(())
    }

    /// Writes the lowest bytes of a value over a part of a word, and keeps what others write to the rest.
    fn insert(&self, part: Part, value: u64) -> Option<()> {
        match part.len {
            0 => {}
            WORD => self.words.get(part.word)?.store(value, Relaxed),
            _ => {
                update(self.words.get(part.word)?, |old| part.replace(old, value));
            }
        }
        Some(())
    }

    /// At most 8 bytes at any offset, as the lowest of a value.
    fn gather(&self, offset: usize, len: usize) -> Option<u64> {
        if len == 0 {
            return Some(0);
        }
        let Part { word, shift, .. } = Part::new(offset, len);
        let low = self.words.get(word)?.load(Relaxed) >> shift;
        if shift + 8 * len <= 64 {
            return Some(low);
        }
        Some(low | self.words.get(word + 1)?.load(Relaxed) << (64 - shift))
    }

    fn copy_words(&self, target: Range<usize>, source: &Self, from: usize, backward: bool) -> Option<()> {
        let (first, shift, count) = (from / WORD, 8 * (from % WORD), target.len());
        let target = self.words.get(target)?.iter();
        if shift == 0 {
            let source = source.words.get(first..first + count)?;
            each(target.zip(source), backward, |(to, from)| to.store(from.load(Relaxed), Relaxed));
        } else if count > 0 {
            let source = source.words.get(first..=first + count)?.array_windows();
            each(target.zip(source), backward, |(to, [low, high])| {
                to.store(low.load(Relaxed) >> shift | high.load(Relaxed) << (64 - shift), Relaxed);
            });
        }
        Some(())
    }
}

impl Part {
    fn new(offset: usize, len: usize) -> Self {
        Self { word: offset / WORD, shift: 8 * (offset % WORD), len }
    }

    /// For parts that are not empty.
    fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.len)
    }

    fn extract(self, word: u64) -> u64 {
        word >> self.shift & self.mask()
    }

    fn replace(self, word: u64, value: u64) -> u64 {
        let mask = self.mask();
        word & !(mask << self.shift) | (value & mask) << self.shift
    }
}

/// At most 8 bytes as the lowest of a value.
fn value(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// A word of equal values.
fn repeated(size: usize, value: u64) -> Option<u64> {
    match size {
        1 => Some(u64::from(value as u8) * 0x0101_0101_0101_0101),
        2 => Some(u64::from(value as u16) * 0x0001_0001_0001_0001),
        4 => Some(u64::from(value as u32) * 0x0000_0001_0000_0001),
        8 => Some(value),
        _ => None,
    }
}

/// Changes a word as one step: the word before.
fn update(word: &AtomicU64, mut change: impl FnMut(u64) -> u64) -> u64 {
    let mut old = word.load(Relaxed);
    while let Err(newer) = word.compare_exchange_weak(old, change(old), Relaxed, Relaxed) {
        old = newer;
    }
    old
}

fn each<I: DoubleEndedIterator>(items: I, backward: bool, action: impl FnMut(I::Item)) {
    if backward { items.rev().for_each(action) } else { items.for_each(action) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that are all different, in a block of as many.
    fn counted(len: usize) -> (Block, Vec<u8>) {
        let bytes: Vec<u8> = (1..).take(len).collect();
        let block = Block::poisoned(len).unwrap();
        block.write(0, &bytes).unwrap();
        (block, bytes)
    }

    fn all(block: &Block) -> Vec<u8> {
        let mut bytes = vec![0; block.len];
        block.read(0, &mut bytes).unwrap();
        bytes
    }

    /// Starts and lengths within 30 bytes: every alignment, with and without whole words.
    fn ranges() -> impl Iterator<Item = (usize, usize)> {
        (0..=30).flat_map(|start| (0..=30 - start).map(move |len| (start, len)))
    }

    #[test]
    fn fresh_memory_is_poisoned() {
        for len in [0, 1, 8, 13] {
            assert_eq!(all(&Block::poisoned(len).unwrap()), vec![POISON; len]);
        }
    }

    #[test]
    fn more_than_the_host_has_is_refused() {
        assert!(Block::poisoned(usize::MAX).is_none());
        assert!(Block::poisoned(isize::MAX as usize).is_none());
    }

    #[test]
    fn values_lie_with_their_lowest_byte_first() {
        let (block, _) = counted(24);
        assert_eq!(block.load(8, 8), Some(0x100f_0e0d_0c0b_0a09));
        assert_eq!(block.load(12, 4), Some(0x100f_0e0d));
        assert_eq!(block.load(22, 2), Some(0x1817));
        assert_eq!(block.load(23, 1), Some(0x18));
    }

    #[test]
    fn a_store_touches_its_own_bytes_only() {
        for size in [1, 2, 4, 8] {
            for offset in (0..16).step_by(size) {
                let (block, mut bytes) = counted(16);
                block.store(offset, size, 0xfffe_fdfc_fbfa_f9f8).unwrap();
                bytes[offset..offset + size]
                    .copy_from_slice(&0xfffe_fdfc_fbfa_f9f8_u64.to_le_bytes()[..size]);
                assert_eq!(all(&block), bytes, "{size} bytes at {offset}");
            }
        }
    }

    #[test]
    fn an_update_gives_what_was_there() {
        let (block, mut bytes) = counted(16);
        assert_eq!(block.update(6, 2, |old| old + 0xfffe_0000 + 1), Some(0x0807));
        bytes[6] = 8;
        assert_eq!(all(&block), bytes);
    }

    #[test]
    fn what_is_not_aligned_or_not_all_there_is_refused() {
        let (block, bytes) = counted(21);
        for (offset, size) in [
            (1, 2),
            (2, 4),
            (4, 8),
            (0, 0),
            (0, 3),
            (0, 16),
            (21, 1),
            (20, 2),
            (20, 4),
            (16, 8),
            (usize::MAX, 1),
        ] {
            assert_eq!(block.load(offset, size), None, "{size} bytes at {offset}");
            assert_eq!(block.store(offset, size, 0), None, "{size} bytes at {offset}");
            assert_eq!(block.update(offset, size, |_| 0), None, "{size} bytes at {offset}");
        }
        for (offset, len) in [(0, 22), (21, 1), (22, 0), (usize::MAX, 2)] {
            assert_eq!(block.read(offset, &mut vec![0; len]), None);
            assert_eq!(block.write(offset, &vec![0; len]), None);
            assert_eq!(block.fill(offset, len, 1, 0), None);
            assert_eq!(block.copy_from(offset, &block, 0, len), None);
            assert_eq!(block.copy_from(0, &block, offset, len), None);
        }
        assert_eq!(block.fill(0, 21, 3, 0), None, "no such value");
        assert_eq!(all(&block), bytes);
        assert_eq!(block.read(21, &mut []), Some(()));
    }

    #[test]
    fn any_range_is_read_and_written() {
        for (start, len) in ranges() {
            let (block, mut bytes) = counted(30);
            let mut part = vec![0; len];
            block.read(start, &mut part).unwrap();
            assert_eq!(part, bytes[start..start + len], "{start} {len}");
            part.reverse();
            block.write(start, &part).unwrap();
            bytes[start..start + len].reverse();
            assert_eq!(all(&block), bytes, "{start} {len}");
        }
    }

    #[test]
    fn any_range_is_copied_to_anywhere() {
        let (source, bytes) = counted(30);
        for (from, len) in ranges() {
            for at in 0..=30 - len {
                let target = Block::poisoned(30).unwrap();
                target.copy_from(at, &source, from, len).unwrap();
                let mut expected = [POISON; 30];
                expected[at..at + len].copy_from_slice(&bytes[from..from + len]);
                assert_eq!(all(&target), expected, "{len} from {from} to {at}");
            }
        }
    }

    #[test]
    fn overlapping_ranges_arrive_whole() {
        for (from, len) in ranges() {
            for at in 0..=30 - len {
                let (block, mut bytes) = counted(30);
                block.copy_from(at, &block, from, len).unwrap();
                bytes.copy_within(from..from + len, at);
                assert_eq!(all(&block), bytes, "{len} from {from} to {at}");
            }
        }
    }

    #[test]
    fn fills_repeat_their_value_from_where_they_begin() {
        const VALUE: u64 = 0xf8f7_f6f5_f4f3_f2f1;
        for ((start, len), size) in ranges().flat_map(|range| [1, 2, 4, 8].map(|size| (range, size))) {
            let (block, mut bytes) = counted(30);
            block.fill(start, len, size, VALUE).unwrap();
            let value = VALUE.to_le_bytes().into_iter().take(size).cycle();
            bytes[start..start + len].iter_mut().zip(value).for_each(|(byte, value)| *byte = value);
            assert_eq!(all(&block), bytes, "{size} bytes over {len} from {start}");
        }
    }

    #[test]
    fn stores_of_neighbours_are_not_lost() {
        let block = Block::poisoned(8).unwrap();
        std::thread::scope(|scope| {
            for offset in 0..8 {
                let block = &block;
                scope.spawn(move || {
                    for value in (0..20_000).map(|value| value % 251) {
                        block.store(offset, 1, value).unwrap();
                        assert_eq!(block.load(offset, 1), Some(value));
                    }
                });
            }
        });
    }

    #[test]
    fn updates_by_several_threads_add_up() {
        for (offset, size) in [(3, 1), (2, 2), (4, 4), (0, 8)] {
            let block = Block::poisoned(8).unwrap();
            block.fill(0, 8, 8, 0).unwrap();
            let add = || {
                (0..50).for_each(|_| assert!(block.update(offset, size, |old| old + 1).is_some()));
            };
            std::thread::scope(|scope| {
                (0..4).for_each(|_| {
                    scope.spawn(add);
                });
            });
            assert_eq!(block.load(0, 8), Some(200 << (8 * offset)), "{size} bytes");
        }
    }
}
