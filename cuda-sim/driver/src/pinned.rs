//! Host memory that the device can reach: pinned, registered and managed. Its device address is its host
//! address.

use std::alloc::Layout;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::allocation::POISON;
use crate::code::{Code, Result};
use crate::log::report;
use crate::sync::lock;

/// How a block came to be reachable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `cuMemHostAlloc`, `cuMemAllocHost`.
    Pinned,
    /// `cuMemHostRegister`: the program's own memory.
    Registered,
    /// `cuMemAllocManaged`.
    Managed,
}

/// One block of it.
#[derive(Debug)]
pub struct HostBlock {
    /// Counts up from 1 apart from device memory: its number in messages.
    pub id: u64,
    /// Where it begins.
    pub address: u64,
    /// Bytes.
    pub size: usize,
    /// The flags it was made with.
    pub flags: u32,
    /// How it came to be reachable.
    pub kind: Kind,
    /// The context that made it.
    pub context: usize,
    gone: AtomicBool,
}

/// `CU_MEMHOSTREGISTER_READ_ONLY`.
pub const READ_ONLY: u32 = 8;

/// Pages, as the driver pins.
const PAGE: usize = 4096;

/// All of it, by address.
pub struct HostMemory {
    inner: Mutex<Inner>,
    /// The most bytes that are locked at once.
    limit: Option<u64>,
}

#[derive(Default)]
struct Inner {
    blocks: BTreeMap<u64, Arc<HostBlock>>,
    last_id: u64,
    /// Bytes of what is pinned or registered, or about to be.
    locked: u64,
}

impl HostMemory {
    /// No memory yet, and at most `limit` bytes pinned or registered at once.
    pub fn new(limit: Option<u64>) -> Self {
        Self { inner: Mutex::default(), limit }
    }

    /// Allocates memory: poisoned where it is pinned, zeroed where it is managed.
    pub fn allocate(&self, kind: Kind, size: usize, flags: u32, context: usize) -> Result<Arc<HostBlock>> {
        if size == 0 {
            return Err(Code::InvalidValue);
        }
        let layout = Layout::from_size_align(size, PAGE).map_err(|_| Code::OutOfMemory)?;
        if kind.is_locked() {
            self.lock_bytes(size)?;
        }
        // SAFETY: the layout's size is not zero.
        let start = unsafe { std::alloc::alloc_zeroed(layout) };
        if start.is_null() {
            lock(&self.inner).unlock_bytes(kind, size);
            report!("the host has no {size} bytes of pinned memory");
            return Err(Code::OutOfMemory);
        }
        if kind == Kind::Pinned {
            // SAFETY: `size` bytes were just allocated there, and nobody else knows them yet.
            unsafe { start.write_bytes(POISON, size) };
        }
        Ok(self.insert(kind, start.expose_provenance() as u64, size, flags, context))
    }

    /// Registers memory of the program.
    pub fn register(&self, address: usize, size: usize, flags: u32, context: usize) -> Result<()> {
        let end =
            address.checked_add(size).filter(|_| address != 0 && size != 0).ok_or(Code::InvalidValue)?;
        let overlap = lock(&self.inner).blocks.range(..end as u64).next_back().map(|(_, block)| block.end());
        if overlap.is_some_and(|other| other > address as u64) {
            return Err(Code::HostMemoryAlreadyRegistered);
        }
        self.lock_bytes(size)?;
        self.insert(Kind::Registered, address as u64, size, flags, context);
        Ok(())
    }

    /// Counts bytes that are about to be locked, if so many may be.
    fn lock_bytes(&self, size: usize) -> Result<()> {
        let mut inner = lock(&self.inner);
        let locked = inner.locked.saturating_add(size as u64);
        if let Some(limit) = self.limit.filter(|&limit| locked > limit) {
            let free = limit - inner.locked;
            report!("{size} bytes of host memory are to be pinned, but {free} of {limit} are free");
            return Err(Code::OutOfMemory);
        }
        inner.locked = locked;
        Ok(())
    }

    fn insert(&self, kind: Kind, address: u64, size: usize, flags: u32, context: usize) -> Arc<HostBlock> {
        let mut inner = lock(&self.inner);
        inner.last_id += 1;
        let (id, gone) = (inner.last_id, AtomicBool::new(false));
        let block = Arc::new(HostBlock { id, address, size, flags, kind, context, gone });
        inner.blocks.insert(address, Arc::clone(&block));
        block
    }

    /// The block that an address lies in.
    pub fn at(&self, address: u64) -> Option<Arc<HostBlock>> {
        let inner = lock(&self.inner);
        let block = inner.blocks.range(..=address).next_back().map(|(_, block)| block);
        block.filter(|block| address < block.end()).cloned()
    }

    /// The block of this kind that begins at an address.
    pub fn starting_at(&self, kind: Kind, address: u64) -> Option<Arc<HostBlock>> {
        lock(&self.inner).blocks.get(&address).filter(|block| block.kind == kind).cloned()
    }

    /// Ends a block. The caller has waited for all work that may use it.
    pub fn remove(&self, kind: Kind, address: u64) -> Option<Arc<HostBlock>> {
        let mut inner = lock(&self.inner);
        inner.blocks.get(&address).filter(|block| block.kind == kind)?;
        let block = inner.blocks.remove(&address)?;
        inner.unlock_bytes(kind, block.size);
        block.release();
        Some(block)
    }

    /// Ends what a context that ends still owns: how many blocks and bytes.
    pub fn reclaim(&self, context: usize) -> (u64, u64) {
        let mut inner = lock(&self.inner);
        let owned = |block: &&Arc<HostBlock>| block.context == context;
        let taken: Vec<_> = inner.blocks.values().filter(owned).cloned().collect();
        for block in &taken {
            inner.blocks.remove(&block.address);
            inner.unlock_bytes(block.kind, block.size);
            block.release();
        }
        (taken.len() as u64, taken.iter().map(|block| block.size as u64).sum())
    }

    /// All blocks, by address.
    pub fn all(&self) -> Vec<Arc<HostBlock>> {
        lock(&self.inner).blocks.values().cloned().collect()
    }
}

impl Inner {
    fn unlock_bytes(&mut self, kind: Kind, size: usize) {
        if kind.is_locked() {
            self.locked -= size as u64;
        }
    }
}

impl Kind {
    fn is_locked(self) -> bool {
        self != Self::Managed
    }
}

impl HostBlock {
    /// The first address after it.
    pub fn end(&self) -> u64 {
        self.address + self.size as u64
    }

    /// Whether it has ended, also for kernels that hold it.
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// Whether the program registered it for reading only.
    pub fn is_read_only(&self) -> bool {
        self.kind == Kind::Registered && self.flags & READ_ONLY != 0
    }

    /// Why a kernel's access that begins here cannot be: what goes on after the access.
    pub fn explain(&self, address: u64, len: usize) -> String {
        let past = address.saturating_add(len as u64).saturating_sub(self.end());
        let Self { size, address, kind, .. } = self;
        if past == 0 && self.is_read_only() {
            return format!(
                ": the {size} bytes of host memory at {address:#x} are registered for reading only"
            );
        }
        format!(": {past} bytes past the end of {size} bytes of {kind:?} host memory at {address:#x}")
    }

    /// Ends it, once it is out of the map.
    fn release(&self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}

impl Drop for HostBlock {
    /// Frees what we allocated, and not before the last kernel that holds it has ended.
    fn drop(&mut self) {
        let layout = Layout::from_size_align(self.size, PAGE);
        let (false, Ok(layout)) = (self.kind == Kind::Registered, layout) else { return };
        let start = std::ptr::with_exposed_provenance_mut(self.address as usize);
        // SAFETY: `allocate` made every block that is not registered with this layout and exposed its
        // address, and nobody but the block, of which this is the end, frees it.
        unsafe { std::alloc::dealloc(start, layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_found_by_any_address_in_it() {
        let memory = HostMemory::new(None);
        let block = memory.allocate(Kind::Pinned, 100, 0, 1).unwrap();
        assert_eq!(memory.at(block.address + 99).unwrap().id, block.id);
        assert!(memory.at(block.end()).is_none());
        assert!(memory.remove(Kind::Managed, block.address).is_none());
        assert!(memory.remove(Kind::Pinned, block.address).is_some());
        assert!(memory.remove(Kind::Pinned, block.address).is_none());
    }

    #[test]
    fn registering_twice_is_refused_wherever_the_ranges_meet() {
        let memory = HostMemory::new(None);
        assert_eq!(memory.register(1000, 100, 0, 1), Ok(()));
        for (address, size) in [(1000, 100), (950, 51), (1099, 1), (900, 900)] {
            let again = memory.register(address, size, 0, 1);
            assert_eq!(again, Err(Code::HostMemoryAlreadyRegistered), "{address} {size}");
        }
        assert_eq!(memory.register(1100, 10, 0, 1), Ok(()));
        assert_eq!(memory.reclaim(1), (2, 110));
    }

    #[test]
    fn what_is_locked_is_bounded_and_counted_until_it_is_not() {
        let memory = HostMemory::new(Some(1000));
        let pinned = memory.allocate(Kind::Pinned, 600, 0, 1).unwrap();
        assert_eq!(memory.allocate(Kind::Pinned, 401, 0, 1).unwrap_err(), Code::OutOfMemory);
        assert_eq!(memory.register(64, 401, 0, 1), Err(Code::OutOfMemory));
        assert_eq!(memory.register(64, 400, 0, 1), Ok(()));
        assert!(memory.allocate(Kind::Managed, 5000, 0, 1).is_ok());
        assert!(memory.remove(Kind::Pinned, pinned.address).is_some());
        assert!(memory.allocate(Kind::Pinned, 600, 0, 1).is_ok());
        memory.reclaim(1);
        assert!(memory.allocate(Kind::Pinned, 1000, 0, 1).is_ok());
    }
}
