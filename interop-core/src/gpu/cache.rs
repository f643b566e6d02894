//! [`Cache`]: freed blocks of device memory, by size, for the next allocation of that size.

use std::collections::VecDeque;

/// Every block begins at a multiple of this, which is what CV-CUDA asks of a tensor's base; in bytes. Those that
/// may be kept are a multiple of it long.
pub(super) const GRAIN: usize = 512;

/// Sizes from one power of two to the next: so a block is at most an eighth larger than what was asked for.
const STEPS: usize = 8;

/// Up to this many bytes, a step would be shorter than the grain.
const FINE: usize = GRAIN * STEPS;

/// A piece of device memory as the driver gave it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// What the driver wants back.
    pub allocation: u64,
    /// The first byte to use, a multiple of 512.
    pub start: u64,
    /// Bytes from there on.
    pub bytes: usize,
}

/// The sizes that are kept: multiples of 512 bytes up to 4096, then eight to each power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SizeClass {
    index: usize,
    /// Bytes of a block of this class.
    pub bytes: usize,
}

impl SizeClass {
    /// The smallest that holds `bytes`, which are not zero; None where it would leave the address space.
    pub fn holding(bytes: usize) -> Option<Self> {
        if bytes <= FINE {
            let index = (bytes - 1) / GRAIN;
            return Some(Self { index, bytes: (index + 1) * GRAIN });
        }
        // Of the power of two below the last byte: its exponent, and the step in which that byte lies.
        let exponent = (bytes - 1).ilog2();
        let step = 1usize << (exponent - STEPS.ilog2());
        let rounded = bytes.checked_next_multiple_of(step).filter(|size| isize::try_from(*size).is_ok())?;
        let within = rounded / step - STEPS - 1;
        let index = STEPS * (1 + (exponent - FINE.ilog2()) as usize) + within;
        Some(Self { index, bytes: rounded })
    }
}

/// Freed blocks that were not given back to the driver. Reusing one takes no driver call: what is queued on the
/// stream next runs behind what used the block before.
#[derive(Debug, Default)]
pub(super) struct Cache {
    /// By the index of the class; in each the oldest first. They keep their room, so that a warm cache
    /// allocates nothing on the heap.
    classes: Vec<VecDeque<Aged>>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Aged {
    block: Block,
    /// When it was freed, counted in frees.
    freed: u64,
}

impl Cache {
    /// The block of this class that was freed last, which the device's own caches may still hold.
    pub fn take(&mut self, class: SizeClass) -> Option<Block> {
        let block = self.classes.get_mut(class.index)?.pop_back()?.block;
        self.bytes -= block.bytes;
        Some(block)
    }

    /// Keeps a block of exactly this class.
    pub fn put(&mut self, class: SizeClass, block: Block) {
        if self.classes.len() <= class.index {
            self.classes.resize_with(class.index + 1, VecDeque::new);
        }
        self.clock += 1;
        self.bytes += block.bytes;
        self.classes[class.index].push_back(Aged { block, freed: self.clock });
    }

    /// The block that was freed first, as long as there are more than `limit` bytes.
    pub fn evict(&mut self, limit: usize) -> Option<Block> {
        if self.bytes <= limit {
            return None;
        }
        let age = |class: &VecDeque<Aged>| class.front().map(|aged| aged.freed);
        let oldest =
            self.classes.iter_mut().filter(|class| !class.is_empty()).min_by_key(|class| age(class))?;
        let block = oldest.pop_front()?.block;
        self.bytes -= block.bytes;
        Some(block)
    }

    /// Bytes of all blocks in it.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(bytes: usize) -> SizeClass {
        SizeClass::holding(bytes).unwrap()
    }

    fn block(start: u64, bytes: usize) -> Block {
        Block { allocation: start, start, bytes }
    }

    #[test]
    fn sizes_are_rounded_up_by_at_most_an_eighth() {
        for (asked, held) in [(1, 512), (512, 512), (513, 1024), (4096, 4096), (4097, 4608), (9000, 9216)] {
            assert_eq!(class(asked).bytes, held, "{asked}");
        }
        for asked in (1..200_000).chain([(1 << 24) - 1, 1 << 24, (1 << 24) + 1, 5 << 30]) {
            let held = class(asked).bytes;
            assert!(held >= asked && held.is_multiple_of(GRAIN), "{asked}: {held}");
            assert!(held - asked < GRAIN || (held - asked) * STEPS <= asked, "{asked}: {held}");
            assert_eq!(class(held).bytes, held, "{asked}: a class holds its own size");
        }
        assert_eq!(class(16 << 20).bytes, 16 << 20);
        assert_eq!(SizeClass::holding(usize::MAX), None);
        assert_eq!(SizeClass::holding(isize::MAX as usize), None);
    }

    #[test]
    fn classes_are_numbered_in_order_without_gaps() {
        let (mut bytes, mut expected) = (1, 0);
        while let Some(found) = SizeClass::holding(bytes) {
            assert_eq!(found.index, expected, "{bytes}");
            (bytes, expected) = (found.bytes + 1, expected + 1);
        }
        assert!(expected > 400);
    }

    #[test]
    fn the_newest_is_taken_and_the_oldest_given_back() {
        let mut cache = Cache::default();
        cache.put(class(512), block(512, 512));
        cache.put(class(1024), block(1024, 1024));
        cache.put(class(512), block(2048, 512));
        assert_eq!(cache.bytes(), 2048);
        assert_eq!(cache.take(class(512)), Some(block(2048, 512)));
        assert_eq!(cache.take(class(4096)), None);
        assert_eq!(cache.evict(1536), None);
        assert_eq!(cache.evict(1535), Some(block(512, 512)));
        assert_eq!(cache.evict(0), Some(block(1024, 1024)));
        assert_eq!((cache.evict(0), cache.bytes()), (None, 0));
    }
}
