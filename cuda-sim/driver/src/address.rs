//! Addresses that name device memory but hold none.
//!
//! They come from a reserved range without access rights, so that host code which follows one crashes at a
//! telling address, and are never handed out twice, so that a stale one is recognised.

use std::ffi::{c_int, c_void};

use crate::code::{Code, Result};
use crate::log::report;

/// Where the range begins if nothing else is there: an address that reads as "the device".
const PREFERRED: usize = 0x6dec_0000_0000;

/// Tried in turn: a limit on the address space of the process may leave room for a smaller range only.
const SIZES: [usize; 3] = [8 << 40, 1 << 40, 64 << 30];

/// What CUDA guarantees, and no more.
pub const ALIGNMENT: u64 = 256;

/// No address between two allocations is valid, so that an overrun never lands in a neighbour.
const GUARD: u64 = 4096;

const PROT_NONE: c_int = 0;
const MAP_PRIVATE: c_int = 0x02;
const MAP_ANONYMOUS: c_int = 0x20;
const MAP_NORESERVE: c_int = 0x4000;

unsafe extern "C" {
    fn mmap(
        address: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        fd: c_int,
        offset: i64,
    ) -> *mut c_void;
}

/// The range of device addresses and how much of it was given out.
#[derive(Debug)]
pub struct AddressSpace {
    base: u64,
    end: u64,
    next: u64,
    odd: bool,
}

impl AddressSpace {
    /// Reserves the range.
    pub fn reserve() -> Result<Self> {
        let found = SIZES.iter().find_map(|&size| Some(Self::over(map_nothing(size)?, size as u64)));
        found.ok_or_else(|| {
            report!("the system leaves no room for device addresses (see `ulimit -v`)");
            Code::OutOfMemory
        })
    }

    /// A space over a range that is known to be free.
    fn over(base: u64, size: u64) -> Self {
        Self { base, end: base + size, next: base, odd: false }
    }

    /// A fresh address for `bytes` bytes, aligned to [`ALIGNMENT`].
    ///
    /// Every other one is on purpose not aligned to more: code that relies on more works on one GPU and fails
    /// on the next.
    pub fn take(&mut self, bytes: u64) -> Result<u64> {
        let skew = if self.odd { ALIGNMENT } else { 0 };
        let address = self.take_at(bytes, skew)?;
        self.odd = !self.odd;
        Ok(address)
    }

    /// A fresh address aligned to `2 * ALIGNMENT`, as rows of pitched memory are.
    pub fn take_aligned(&mut self, bytes: u64) -> Result<u64> {
        self.take_at(bytes, 0)
    }

    fn take_at(&mut self, bytes: u64, skew: u64) -> Result<u64> {
        let address =
            self.next.checked_next_multiple_of(2 * ALIGNMENT).and_then(|start| start.checked_add(skew));
        let address = address.ok_or(Code::OutOfMemory)?;
        let next =
            address.checked_add(bytes).and_then(|end| end.checked_add(GUARD)).ok_or(Code::OutOfMemory)?;
        if next > self.end {
            report!(
                "device addresses are used up: they are never reused, and {} are left",
                self.end - self.next
            );
            return Err(Code::OutOfMemory);
        }
        self.next = next;
        Ok(address)
    }

    /// Whether an address lies in the range, allocated or not.
    pub fn contains(&self, address: u64) -> bool {
        (self.base..self.end).contains(&address)
    }
}

/// Reserves `size` bytes of addresses at the preferred place or, where that is taken, at any other.
fn map_nothing(size: usize) -> Option<u64> {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    let hint = std::ptr::without_provenance_mut(PREFERRED);
    // SAFETY: without MAP_FIXED the address is a hint, so no existing mapping is touched; the pages have no
    // access rights and nothing behind them, and stay reserved for good.
    let start = unsafe { mmap(hint, size, PROT_NONE, flags, -1, 0) };
    // MAP_FAILED is the address -1.
    (start.addr() != usize::MAX).then_some(start.addr() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_aligned_to_256_and_every_other_one_to_no_more() {
        let mut space = AddressSpace::over(0x1_0000, 1 << 20);
        let taken: Vec<u64> = (0..4).map(|_| space.take(100).unwrap()).collect();
        assert!(taken.iter().all(|address| address % 256 == 0));
        let remainders: Vec<u64> = taken.iter().map(|address| address % 512).collect();
        assert_eq!(remainders, [0, 256, 0, 256]);
    }

    #[test]
    fn a_guard_follows_each() {
        let mut space = AddressSpace::over(0x1_0000, 1 << 20);
        let first = space.take(1000).unwrap();
        let second = space.take(1).unwrap();
        assert!(second >= first + 1000 + GUARD);
    }

    #[test]
    fn used_up_is_an_error() {
        let mut space = AddressSpace::over(0x1_0000, 1 << 14);
        assert!(space.take(1 << 13).is_ok());
        assert_eq!(space.take(1 << 13), Err(Code::OutOfMemory));
        assert_eq!(space.take(u64::MAX - 5), Err(Code::OutOfMemory));
    }

    #[test]
    fn the_real_range_is_reserved_and_telling() {
        let space = AddressSpace::reserve().unwrap();
        assert!(space.contains(space.base));
        assert!(!space.contains(space.end));
    }
}
