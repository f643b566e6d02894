//! Device memory: one heap block behind each allocation, found by its fake address.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use crate::address::AddressSpace;
use crate::block::Block;
use crate::code::{Code, Result};
use crate::log::report;
use crate::place::Access;
use crate::pool::Pool;
use crate::sync::lock;

/// What fresh memory holds, so that reading it before writing shows: 0xCD bytes.
pub const POISON: u8 = 0xcd;

/// How many freed allocations are remembered to explain a use after free.
const GRAVES: usize = 4096;

/// What to allocate.
pub struct Request {
    /// The entry point, for messages.
    pub op: &'static str,
    /// Bytes.
    pub size: usize,
    /// The owning context.
    pub context: usize,
    /// The ordinal of the device.
    pub device: i32,
    /// The pool that it is charged to.
    pub pool: Option<Arc<Pool>>,
    /// Whether it holds pitched rows, which begin at a multiple of the texture alignment.
    pub rows: bool,
}

/// One allocation of device memory.
pub struct Allocation {
    /// Counts up from 1: `CU_POINTER_ATTRIBUTE_BUFFER_ID` and the number in messages.
    pub id: u64,
    /// Its fake address.
    pub address: u64,
    /// What was asked for.
    pub request: Request,
    /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`, kept because it can be asked for; it has no effect.
    pub sync_memops: AtomicBool,
    /// None once the memory is gone.
    block: Mutex<Option<Arc<Block>>>,
    /// The same without a lock, for kernels, which ask before every access.
    gone: AtomicBool,
}

impl Allocation {
    /// The bytes, which stay for whoever holds them; None once the memory is gone.
    pub fn block(&self) -> Option<Arc<Block>> {
        lock(&self.block).clone()
    }

    /// Whether the memory is gone, also for who holds its bytes.
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// Ends the memory, whose bytes go back to the heap once nobody accesses them. Work that still refers to
    /// them fails.
    pub fn release(&self) {
        self.gone.store(true, Ordering::Relaxed);
        let block = lock(&self.block).take();
        drop(block);
    }

    /// The first address after it.
    pub fn end(&self) -> u64 {
        self.address + self.request.size as u64
    }
}

impl fmt::Display for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, address, request: Request { size, op, .. }, .. } = self;
        write!(f, "allocation #{id} ({size} bytes at {address:#x}, from {op})")
    }
}

/// All device memory.
pub struct DeviceMemory {
    limit: u64,
    inner: Mutex<Inner>,
}

struct Inner {
    space: AddressSpace,
    live: BTreeMap<u64, Arc<Allocation>>,
    graves: BTreeMap<u64, Grave>,
    used: u64,
    next_id: u64,
}

struct Grave {
    end: u64,
    text: String,
    /// Memory that is freed in stream order is there for queued work until the stream gets to the free.
    allocation: Weak<Allocation>,
}

impl DeviceMemory {
    /// Reserves addresses for a device with `limit` bytes.
    pub fn new(limit: u64) -> Result<Self> {
        let space = AddressSpace::reserve()?;
        let inner = Inner { space, live: BTreeMap::new(), graves: BTreeMap::new(), used: 0, next_id: 1 };
        Ok(Self { limit, inner: Mutex::new(inner) })
    }

    /// Allocates poisoned memory.
    pub fn allocate(&self, request: Request) -> Result<Arc<Allocation>> {
        if request.size == 0 {
            report!("{} asks for 0 bytes, which CUDA refuses", request.op);
            return Err(Code::InvalidValue);
        }
        let size = request.size;
        let (id, address) = self.charge(&request)?;
        let Some(block) = Block::poisoned(size) else {
            lock(&self.inner).used -= size as u64;
            report!("{}: the host has no {size} bytes to stand in for device memory", request.op);
            return Err(Code::OutOfMemory);
        };
        if let Some(pool) = &request.pool {
            pool.charge(size as u64);
        }
        let allocation = Arc::new(Allocation {
            id,
            address,
            request,
            sync_memops: AtomicBool::new(false),
            block: Mutex::new(Some(Arc::new(block))),
            gone: AtomicBool::new(false),
        });
        lock(&self.inner).live.insert(address, Arc::clone(&allocation));
        Ok(allocation)
    }

    /// Takes the size from what the device and the pool have, and an address for it.
    fn charge(&self, request: &Request) -> Result<(u64, u64)> {
        let size = request.size as u64;
        let mut inner = lock(&self.inner);
        let free = self.limit - inner.used;
        let room = request.pool.as_ref().map_or(free, |pool| pool.room().min(free));
        if size > room {
            report!("{} asks for {size} bytes, but {room} of {} are free", request.op, self.limit);
            return Err(Code::OutOfMemory);
        }
        let address = if request.rows { inner.space.take_aligned(size)? } else { inner.space.take(size)? };
        inner.used += size;
        inner.next_id += 1;
        Ok((inner.next_id - 1, address))
    }

    /// Whether an address is a device address, valid or not.
    pub fn contains(&self, address: u64) -> bool {
        lock(&self.inner).space.contains(address)
    }

    /// The live allocation that an address lies in.
    pub fn at(&self, address: u64) -> Option<Arc<Allocation>> {
        let inner = lock(&self.inner);
        inner.below(address).filter(|allocation| address < allocation.end()).cloned()
    }

    /// The allocation that an address lies in, for work that began before now: not all that is freed is gone
    /// for it.
    pub fn at_for_work(&self, address: u64) -> Option<Arc<Allocation>> {
        self.at(address).or_else(|| lock(&self.inner).grave(address)?.allocation())
    }

    /// Why an access of such work cannot be: what goes on after the access.
    pub fn explain_for_work(&self, address: u64, len: usize) -> String {
        let inner = lock(&self.inner);
        match inner.grave(address).and_then(Grave::allocation) {
            Some(allocation) => past_the_end(&allocation, address, len),
            None => inner.explain(address, len),
        }
    }

    /// The allocation that an access lies in, and where it begins there. What does not fit is explained.
    pub fn find(&self, access: &Access) -> Result<(Arc<Allocation>, usize)> {
        let inner = lock(&self.inner);
        let found = inner.below(access.address).and_then(|allocation| {
            let offset = access.address - allocation.address;
            let end = offset.checked_add(access.len as u64)?;
            (end <= allocation.request.size as u64).then(|| (Arc::clone(allocation), offset as usize))
        });
        found.ok_or_else(|| {
            report!("{access}{}", inner.explain(access.address, access.len));
            Code::InvalidValue
        })
    }

    /// Ends an allocation for all later calls; [`Allocation::release`] frees the bytes, now or in stream
    /// order.
    pub fn free(&self, op: &'static str, address: u64) -> Result<Arc<Allocation>> {
        let mut inner = lock(&self.inner);
        let Some(allocation) = inner.live.remove(&address) else {
            inner.explain_free(op, address);
            return Err(Code::InvalidValue);
        };
        inner.bury(&allocation, op);
        Ok(allocation)
    }

    /// Frees what a context that ends still owns: how many allocations and bytes.
    pub fn reclaim(&self, context: usize) -> (u64, u64) {
        let mut inner = lock(&self.inner);
        let owned = |allocation: &&Arc<Allocation>| allocation.request.context == context;
        let taken: Vec<_> = inner.live.values().filter(owned).cloned().collect();
        for allocation in &taken {
            inner.live.remove(&allocation.address);
            inner.bury(allocation, "the end of its context");
            allocation.release();
        }
        (taken.len() as u64, taken.iter().map(|allocation| allocation.request.size as u64).sum())
    }

    /// All live allocations, by address.
    pub fn all(&self) -> Vec<Arc<Allocation>> {
        lock(&self.inner).live.values().cloned().collect()
    }

    /// Bytes free and in total.
    pub fn info(&self) -> (u64, u64) {
        (self.limit - lock(&self.inner).used, self.limit)
    }
}

impl Inner {
    fn below(&self, address: u64) -> Option<&Arc<Allocation>> {
        self.live.range(..=address).next_back().map(|(_, allocation)| allocation)
    }

    fn grave(&self, address: u64) -> Option<&Grave> {
        self.graves.range(..=address).next_back().map(|(_, grave)| grave).filter(|grave| address < grave.end)
    }

    fn bury(&mut self, allocation: &Arc<Allocation>, op: &str) {
        self.used -= allocation.request.size as u64;
        if let Some(pool) = &allocation.request.pool {
            pool.refund(allocation.request.size as u64);
        }
        let text = format!("{allocation}, freed by {op}");
        let grave = Grave { end: allocation.end(), text, allocation: Arc::downgrade(allocation) };
        self.graves.insert(allocation.address, grave);
        let is_over = |grave: &Grave| grave.allocation().is_none();
        while self.graves.len() > GRAVES && self.graves.values().next().is_some_and(is_over) {
            self.graves.pop_first();
        }
    }

    /// Why an access to the device's range of addresses cannot be: what goes on after the access.
    fn explain(&self, address: u64, len: usize) -> String {
        if let Some(grave) = self.grave(address) {
            return format!(": use after free of {}", grave.text);
        }
        match self.below(address) {
            None => ", where nothing is allocated".to_owned(),
            Some(allocation) if address < allocation.end() => past_the_end(allocation, address, len),
            Some(allocation) => {
                let gap = address - allocation.end();
                format!(", where nothing is allocated: {gap} bytes after the end of {allocation}")
            }
        }
    }

    fn explain_free(&self, op: &str, address: u64) {
        if let Some(grave) = self.grave(address) {
            return report!("{op} of {address:#x}: double free of {}", grave.text);
        }
        match self.below(address).filter(|allocation| address < allocation.end()) {
            Some(allocation) => {
                let offset = address - allocation.address;
                report!(
                    "{op} of {address:#x}: {offset} bytes into {allocation}; free takes its first address"
                );
            }
            None => report!("{op} of {address:#x}, which is no address of device memory"),
        }
    }
}

impl Grave {
    /// What is freed for later calls and not yet for queued work.
    fn allocation(&self) -> Option<Arc<Allocation>> {
        self.allocation.upgrade().filter(|allocation| !allocation.is_gone())
    }
}

fn past_the_end(allocation: &Allocation, address: u64, len: usize) -> String {
    let past = address.saturating_add(len as u64).saturating_sub(allocation.end());
    format!(": {past} bytes past the end of {allocation}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(size: usize) -> Request {
        Request { op: "test", size, context: 1, device: 0, pool: None, rows: false }
    }

    fn access(address: u64, len: usize) -> Access {
        Access { op: "test", verb: "reads", address, len }
    }

    #[test]
    fn bounds_are_exact() {
        let memory = DeviceMemory::new(1 << 20).unwrap();
        let address = memory.allocate(request(1000)).unwrap().address;
        assert_eq!(memory.find(&access(address + 900, 100)).unwrap().1, 900);
        for (start, len) in [(900, 101), (1000, 1), (5000, 1), (0, usize::MAX)] {
            assert_eq!(
                memory.find(&access(address + start, len)).err(),
                Some(Code::InvalidValue),
                "{start} {len}"
            );
        }
    }

    #[test]
    fn freed_memory_is_gone_and_its_bytes_are_free_again() {
        let memory = DeviceMemory::new(1000).unwrap();
        let address = memory.allocate(request(800)).unwrap().address;
        assert_eq!(memory.allocate(request(300)).err(), Some(Code::OutOfMemory));
        memory.free("test", address).unwrap().release();
        assert_eq!(memory.free("test", address).err(), Some(Code::InvalidValue));
        assert_eq!(memory.find(&access(address, 1)).err(), Some(Code::InvalidValue));
        assert_ne!(memory.allocate(request(800)).unwrap().address, address);
        assert_eq!(memory.info(), (200, 1000));
    }

    #[test]
    fn fresh_memory_is_poisoned() {
        let memory = DeviceMemory::new(1000).unwrap();
        let allocation = memory.allocate(request(16)).unwrap();
        let mut bytes = [0; 16];
        allocation.block().unwrap().read(0, &mut bytes).unwrap();
        assert_eq!(bytes, [POISON; 16]);
    }

    #[test]
    fn released_memory_stays_for_who_holds_it_and_for_nobody_else() {
        let memory = DeviceMemory::new(1000).unwrap();
        let allocation = memory.allocate(request(16)).unwrap();
        let block = allocation.block().unwrap();
        allocation.release();
        assert!(allocation.is_gone() && allocation.block().is_none());
        assert_eq!(block.load(15, 1), Some(POISON.into()));
        assert_eq!(Arc::strong_count(&block), 1);
    }

    #[test]
    fn work_finds_what_is_freed_until_it_is_released() {
        let memory = DeviceMemory::new(1 << 20).unwrap();
        let address = memory.allocate(request(16)).unwrap().address;
        let freed = memory.free("test", address).unwrap();
        for _ in 0..GRAVES + 10 {
            let other = memory.allocate(request(1)).unwrap().address;
            memory.free("test", other).unwrap().release();
        }
        assert!(memory.at(address).is_none());
        assert_eq!(memory.at_for_work(address + 15).unwrap().id, freed.id);
        assert!(
            memory.explain_for_work(address + 15, 4).starts_with(": 3 bytes past the end of allocation #1")
        );
        freed.release();
        assert!(memory.at_for_work(address).is_none());
        assert!(memory.explain_for_work(address, 4).starts_with(": use after free of allocation #1"));
    }

    #[test]
    fn only_so_many_graves_are_kept() {
        let memory = DeviceMemory::new(1 << 20).unwrap();
        for _ in 0..GRAVES + 10 {
            let address = memory.allocate(request(1)).unwrap().address;
            memory.free("test", address).unwrap().release();
        }
        assert_eq!(lock(&memory.inner).graves.len(), GRAVES);
    }

    #[test]
    fn a_context_takes_its_memory_along() {
        let memory = DeviceMemory::new(1000).unwrap();
        memory.allocate(request(16)).unwrap();
        memory.allocate(Request { context: 2, ..request(32) }).unwrap();
        assert_eq!(memory.reclaim(1), (1, 16));
        assert_eq!(memory.all().len(), 1);
    }
}
