//! What a kernel does to host memory: the same as to a [`Block`](crate::block::Block).

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::pinned::HostBlock;

/// One aligned value, which the host and the device may change.
enum Cell<'a> {
    One(&'a AtomicU8),
    Two(&'a AtomicU16),
    Four(&'a AtomicU32),
    Eight(&'a AtomicU64),
}

impl HostBlock {
    /// Reads 1, 2, 4 or 8 bytes at an address that is a multiple of their number. None for any other access.
    pub fn load(&self, offset: usize, size: usize) -> Option<u64> {
        Some(match self.cell(offset, size)? {
            Cell::One(cell) => cell.load(Relaxed).into(),
            Cell::Two(cell) => u16::from_le(cell.load(Relaxed)).into(),
            Cell::Four(cell) => u32::from_le(cell.load(Relaxed)).into(),
            Cell::Eight(cell) => u64::from_le(cell.load(Relaxed)),
        })
    }

    /// Writes 1, 2, 4 or 8 bytes at an address that is a multiple of their number. None for any other access,
    /// and where the memory is for reading only.
    pub fn store(&self, offset: usize, size: usize, value: u64) -> Option<()> {
        match self.writable_cell(offset, size)? {
            Cell::One(cell) => cell.store(value as u8, Relaxed),
            Cell::Two(cell) => cell.store((value as u16).to_le(), Relaxed),
            Cell::Four(cell) => cell.store((value as u32).to_le(), Relaxed),
            Cell::Eight(cell) => cell.store(value.to_le(), Relaxed),
        }
        Some(())
    }

    /// Replaces 1, 2, 4 or 8 bytes by what `change`, which may be called several times, makes of them: the
    /// bytes before. No access of another thread comes in between.
    pub fn update(&self, offset: usize, size: usize, mut change: impl FnMut(u64) -> u64) -> Option<u64> {
        let cell = self.writable_cell(offset, size)?;
        let mut old = self.load(offset, size)?;
        while let Err(newer) = cell.replace(old, change(old)) {
            old = newer;
        }
        Some(old)
    }

    fn writable_cell(&self, offset: usize, size: usize) -> Option<Cell<'_>> {
        self.cell(offset, size).filter(|_| !self.is_read_only())
    }

    /// The value at an offset. None where it is not all here, or not aligned.
    ///
    /// What all four cases rely on. The pointer is aligned and its bytes are in this block, which is
    /// checked. They stay as long as the block, which the result borrows: its drop frees what the driver
    /// allocated, and what is registered the program promises to keep until it unregisters it, which waits
    /// for kernels. Memory that is registered for reading only is only read, by relaxed loads of at most 8
    /// bytes, which `std::sync::atomic` allows there. And who accesses the same bytes meanwhile without an
    /// order, or as values of other sizes, races with the kernel on a device too, which the program must
    /// not let happen.
    fn cell(&self, offset: usize, size: usize) -> Option<Cell<'_>> {
        let end = offset.checked_add(size)?;
        let address = usize::try_from(self.address).ok()?.checked_add(offset)?;
        if !matches!(size, 1 | 2 | 4 | 8) || end > self.size || !address.is_multiple_of(size) {
            return None;
        }
        Some(match size {
            // SAFETY: in bounds, and valid as long as the block: see above.
            1 => Cell::One(unsafe { AtomicU8::from_ptr(std::ptr::with_exposed_provenance_mut(address)) }),
            // SAFETY: aligned, in bounds, and valid as long as the block: see above.
            2 => Cell::Two(unsafe { AtomicU16::from_ptr(std::ptr::with_exposed_provenance_mut(address)) }),
            // SAFETY: aligned, in bounds, and valid as long as the block: see above.
            4 => Cell::Four(unsafe { AtomicU32::from_ptr(std::ptr::with_exposed_provenance_mut(address)) }),
            // SAFETY: aligned, in bounds, and valid as long as the block: see above.
            _ => Cell::Eight(unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut(address)) }),
        })
    }
}

impl Cell<'_> {
    /// Writes a value if the old one is still there; otherwise, or at random, tells what is.
    fn replace(&self, old: u64, new: u64) -> Result<u64, u64> {
        macro_rules! exchange {
            ($cell:ident, $int:ty) => {{
                let (old, new) = ((old as $int).to_le(), (new as $int).to_le());
                let value = |bits| u64::from(<$int>::from_le(bits));
                $cell.compare_exchange_weak(old, new, Relaxed, Relaxed).map(value).map_err(value)
            }};
        }
        match self {
            Self::One(cell) => exchange!(cell, u8),
            Self::Two(cell) => exchange!(cell, u16),
            Self::Four(cell) => exchange!(cell, u32),
            Self::Eight(cell) => exchange!(cell, u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::pinned::{HostMemory, Kind, READ_ONLY};

    fn managed(size: usize) -> Arc<HostBlock> {
        HostMemory::new(None).allocate(Kind::Managed, size, 1, 1).unwrap()
    }

    #[test]
    fn values_of_each_size_lie_with_their_lowest_byte_first() {
        let block = managed(16);
        for size in [1, 2, 4, 8] {
            block.store(8, 8, u64::MAX).unwrap();
            block.store(8, size, 0x0807_0605_0403_0201).unwrap();
            for byte in 0..8 {
                let expected = if byte < size { byte as u64 + 1 } else { 0xff };
                assert_eq!(block.load(8 + byte, 1), Some(expected), "byte {byte} of {size}");
            }
            assert_eq!(block.load(8, size), Some(0x0807_0605_0403_0201 & u64::MAX >> (64 - 8 * size)));
        }
        assert_eq!(block.load(0, 8), Some(0), "before them");
    }

    #[test]
    fn updates_by_several_threads_add_up() {
        let block = managed(8);
        for (offset, size) in [(3, 1), (2, 2), (4, 4), (0, 8)] {
            block.store(0, 8, 0).unwrap();
            let add = || {
                (0..50).for_each(|_| assert!(block.update(offset, size, |old| old + 1).is_some()));
            };
            std::thread::scope(|scope| {
                (0..4).for_each(|_| {
                    scope.spawn(add);
                });
            });
            assert_eq!(block.load(0, 8), Some(200 << (8 * offset)), "{size} bytes");
            assert_eq!(block.update(offset, size, |_| 7), Some(200));
        }
    }

    #[test]
    fn what_is_not_aligned_or_not_all_there_is_refused() {
        let block = managed(21);
        for (offset, size) in
            [(1, 2), (2, 4), (4, 8), (0, 0), (0, 3), (0, 16), (21, 1), (20, 2), (16, 8), (usize::MAX, 1)]
        {
            assert_eq!(block.load(offset, size), None, "{size} bytes at {offset}");
            assert_eq!(block.store(offset, size, 1), None, "{size} bytes at {offset}");
            assert_eq!(block.update(offset, size, |_| 1), None, "{size} bytes at {offset}");
        }
    }

    #[test]
    fn the_address_is_what_must_be_aligned() {
        let bytes = [const { AtomicU8::new(0) }; 16];
        let start = (&raw const bytes).expose_provenance().next_multiple_of(8);
        let memory = HostMemory::new(None);
        memory.register(start + 1, 7, 0, 1).unwrap();
        let block = memory.at(start as u64 + 1).unwrap();
        assert_eq!(block.store(0, 4, 1), None);
        assert_eq!(block.store(3, 4, 0x0403_0201), Some(()));
        let last = start + 7 - (&raw const bytes).addr();
        assert_eq!(bytes[last].load(Relaxed), 4);
    }

    #[test]
    fn memory_for_reading_only_is_not_written() {
        let bytes = [const { AtomicU8::new(5) }; 4];
        let memory = HostMemory::new(None);
        let address = (&raw const bytes).expose_provenance();
        memory.register(address, 4, READ_ONLY, 1).unwrap();
        let block = memory.at(address as u64).unwrap();
        assert_eq!(block.load(3, 1), Some(5));
        assert_eq!(block.store(3, 1, 6), None);
        assert_eq!(block.update(3, 1, |_| 6), None);
        assert_eq!(bytes[3].load(Relaxed), 5);
    }
}
