//! What a kernel can access.

use std::sync::Arc;

use crate::allocation::{Allocation, DeviceMemory};
use crate::block::Block;
use crate::list::List;
use crate::pinned::{HostBlock, HostMemory};

/// The memory that a device can access, as a kernel meets it that begins now.
///
/// Threads of the kernel share it. One that keeps the index of what it accessed last finds the next access
/// there without a search.
pub struct Reach<'a> {
    device: i32,
    device_memory: &'a DeviceMemory,
    host_memory: &'a HostMemory,
    /// What was there at the beginning, by address.
    early: Vec<Entry>,
    /// What accesses came across that is not among it. Their indices go on from there.
    late: List<Entry>,
}

/// One allocation or block of host memory, whose bytes it keeps while the kernel runs.
pub struct Entry {
    start: u64,
    end: u64,
    memory: Memory,
}

enum Memory {
    Device(Arc<Allocation>, Arc<Block>),
    Host(Arc<HostBlock>),
}

/// Where an access goes: memory, and the offset of the address there.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// Device memory.
    Device(&'a Block, usize),
    /// Host memory that the device can reach.
    Host(&'a HostBlock, usize),
}

impl<'a> Reach<'a> {
    /// What a kernel of a context on this device can access.
    pub fn new(device_memory: &'a DeviceMemory, host_memory: &'a HostMemory, device: i32) -> Self {
        let on_device = device_memory.all().into_iter().filter(|found| found.request.device == device);
        let mut early: Vec<Entry> = on_device.filter_map(Entry::on_device).collect();
        early.extend(host_memory.all().into_iter().map(Entry::on_host));
        early.sort_unstable_by_key(|entry| entry.start);
        Self { device, device_memory, host_memory, early, late: List::default() }
    }

    /// Where an access goes. None where that is nowhere, past an end or gone: [`Reach::explain`] says why.
    pub fn find(&self, address: u64, size: usize) -> Option<Target<'_>> {
        self.entry(self.index(address, size)?)?.target(address, size)
    }

    /// The index of the entry that an access lies in.
    pub fn index(&self, address: u64, size: usize) -> Option<usize> {
        let early = || self.early_index(address, size);
        let late = || Some(self.early.len() + self.late.iter().position(|entry| entry.has(address, size))?);
        early().or_else(late).or_else(|| self.late_index(address, size))
    }

    /// The entry with an index.
    pub fn entry(&self, index: usize) -> Option<&Entry> {
        let late = || self.late.iter().nth(index.checked_sub(self.early.len())?);
        self.early.get(index).or_else(late)
    }

    /// Why an aligned access, which `reads` or `writes`, cannot be. It begins with that verb.
    pub fn explain(&self, address: u64, size: usize, verb: &str) -> String {
        let why = if self.device_memory.contains(address) {
            self.explain_device(address, size)
        } else {
            self.explain_host(address, size)
        };
        format!("{verb} {size} bytes at {address:#x}{why}")
    }

    fn early_index(&self, address: u64, size: usize) -> Option<usize> {
        let index = self.early.partition_point(|entry| entry.start <= address).checked_sub(1)?;
        self.early.get(index)?.has(address, size).then_some(index)
    }

    /// Asks for memory that was not there before, and keeps it.
    fn late_index(&self, address: u64, size: usize) -> Option<usize> {
        let entry = if self.device_memory.contains(address) {
            let allocation = self.device_memory.at_for_work(address)?;
            Entry::on_device(allocation).filter(|entry| entry.is_on(self.device))?
        } else {
            Entry::on_host(self.host_memory.at(address)?)
        };
        entry.has(address, size).then(|| self.early.len() + self.late.push(entry))
    }

    fn explain_device(&self, address: u64, size: usize) -> String {
        match self.device_memory.at_for_work(address).map(|found| found.request.device) {
            Some(device) if device != self.device => format!(", which is memory of device {device}"),
            _ => self.device_memory.explain_for_work(address, size),
        }
    }

    fn explain_host(&self, address: u64, size: usize) -> String {
        match self.host_memory.at(address) {
            Some(block) => block.explain(address, size),
            None if address == 0 => ", a null pointer".to_owned(),
            None => ", which is no device address: is it a pointer to ordinary host memory?".to_owned(),
        }
    }
}

impl Entry {
    /// None where it is gone already.
    fn on_device(allocation: Arc<Allocation>) -> Option<Self> {
        let block = allocation.block()?;
        let (start, end) = (allocation.address, allocation.end());
        Some(Self { start, end, memory: Memory::Device(allocation, block) })
    }

    fn on_host(block: Arc<HostBlock>) -> Self {
        Self { start: block.address, end: block.end(), memory: Memory::Host(block) }
    }

    /// Where it begins.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The first address after it.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Where an access goes that lies in here. None for any other, and once the memory is gone.
    pub fn target(&self, address: u64, size: usize) -> Option<Target<'_>> {
        let offset = self.offset(address, size)?;
        match &self.memory {
            Memory::Device(allocation, block) => {
                (!allocation.is_gone()).then_some(Target::Device(block, offset))
            }
            Memory::Host(block) => (!block.is_gone()).then_some(Target::Host(block, offset)),
        }
    }

    fn has(&self, address: u64, size: usize) -> bool {
        self.target(address, size).is_some()
    }

    fn offset(&self, address: u64, size: usize) -> Option<usize> {
        let offset = address.checked_sub(self.start)?;
        let end = address.checked_add(size as u64)?;
        if end <= self.end { usize::try_from(offset).ok() } else { None }
    }

    fn is_on(&self, device: i32) -> bool {
        match &self.memory {
            Memory::Device(allocation, _) => allocation.request.device == device,
            Memory::Host(_) => true,
        }
    }
}

impl Target<'_> {
    /// Reads 1, 2, 4 or 8 bytes, `at` bytes after the address. None where it is not aligned.
    pub fn load(&self, at: usize, size: usize) -> Option<u64> {
        match self {
            Self::Device(block, offset) => block.load(offset.checked_add(at)?, size),
            Self::Host(block, offset) => block.load(offset.checked_add(at)?, size),
        }
    }

    /// Writes 1, 2, 4 or 8 bytes, `at` bytes after the address. None where it is not aligned, and where the
    /// memory is for reading only.
    pub fn store(&self, at: usize, size: usize, value: u64) -> Option<()> {
        match self {
            Self::Device(block, offset) => block.store(offset.checked_add(at)?, size, value),
            Self::Host(block, offset) => block.store(offset.checked_add(at)?, size, value),
        }
    }

    /// Replaces 1, 2, 4 or 8 bytes, `at` bytes after the address, as one step: the bytes before. None where a
    /// store is refused.
    pub fn update(&self, at: usize, size: usize, change: impl FnMut(u64) -> u64) -> Option<u64> {
        match self {
            Self::Device(block, offset) => block.update(offset.checked_add(at)?, size, change),
            Self::Host(block, offset) => block.update(offset.checked_add(at)?, size, change),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocation::Request;
    use crate::pinned::{Kind, READ_ONLY};

    struct Machine {
        device: DeviceMemory,
        host: HostMemory,
    }

    impl Machine {
        fn new() -> Self {
            Self { device: DeviceMemory::new(1 << 20).unwrap(), host: HostMemory::new(None) }
        }

        fn reach(&self) -> Reach<'_> {
            Reach::new(&self.device, &self.host, 0)
        }

        fn allocate(&self, size: usize, device: i32) -> Arc<Allocation> {
            let request = Request { op: "test", size, context: 1, device, pool: None, rows: false };
            self.device.allocate(request).unwrap()
        }

        fn pin(&self, size: usize) -> Arc<HostBlock> {
            self.host.allocate(Kind::Pinned, size, 0, 1).unwrap()
        }
    }

    #[test]
    fn all_that_was_there_is_reached() {
        let machine = Machine::new();
        let device: Vec<_> = (1..20).map(|size| machine.allocate(size * 8, 0)).collect();
        let host: Vec<_> = (1..20).map(|size| machine.pin(size * 8)).collect();
        let reach = machine.reach();
        for allocation in &device {
            let target = reach.find(allocation.end() - 8, 8).unwrap();
            assert!(matches!(target, Target::Device(..)));
            target.store(4, 4, allocation.id).unwrap();
            let block = allocation.block().unwrap();
            assert_eq!(block.load(allocation.request.size - 4, 4), Some(allocation.id));
        }
        for block in &host {
            let target = reach.find(block.end() - 8, 8).unwrap();
            assert!(matches!(target, Target::Host(..)));
            assert_eq!(target.update(0, 4, |old| old + block.id), Some(0xcdcd_cdcd));
            assert_eq!(block.load(block.size - 8, 4), Some(0xcdcd_cdcd + block.id));
        }
        assert_eq!(reach.late.iter().count(), 0);
    }

    #[test]
    fn bounds_are_exact_and_an_overrun_is_explained() {
        let machine = Machine::new();
        let (allocation, block) = (machine.allocate(100, 0), machine.pin(100));
        let reach = machine.reach();
        for start in [allocation.address, block.address] {
            assert!(reach.find(start, 100).is_some());
            assert!(reach.find(start + 96, 4).is_some());
            for (address, size) in [(start + 97, 4), (start + 100, 1), (start - 1, 1), (start, usize::MAX)] {
                assert!(reach.find(address, size).is_none(), "{size} bytes at {address:#x}");
            }
        }
        let (start, name) = (allocation.address, allocation.to_string());
        let expected = format!("reads 4 bytes at {:#x}: 1 bytes past the end of {name}", start + 97);
        assert_eq!(reach.explain(start + 97, 4, "reads"), expected);
        let expected = format!(
            "writes 8 bytes at {:#x}, where nothing is allocated: 7 bytes after the end of {name}",
            start + 107
        );
        assert_eq!(reach.explain(start + 107, 8, "writes"), expected);
        let start = block.address;
        let expected = format!(": 3 bytes past the end of 100 bytes of Pinned host memory at {start:#x}");
        assert!(reach.explain(start + 99, 4, "reads").ends_with(&expected));
    }

    #[test]
    fn what_is_no_address_of_the_device_is_explained() {
        let machine = Machine::new();
        let reach = machine.reach();
        assert_eq!(reach.explain(0, 4, "reads"), "reads 4 bytes at 0x0, a null pointer");
        assert!(reach.find(0x1000, 4).is_none());
        assert!(reach.explain(0x1000, 4, "writes").ends_with("ordinary host memory?"));
        let end = machine.allocate(1, 0).end();
        machine.device.free("test", end - 1).unwrap().release();
        assert_eq!(
            reach.explain(end, 1, "reads"),
            format!("reads 1 bytes at {end:#x}, where nothing is allocated")
        );
    }

    #[test]
    fn memory_allocated_after_the_kernel_began_is_reached() {
        let machine = Machine::new();
        let before = machine.allocate(8, 0);
        let reach = machine.reach();
        let (allocation, block) = (machine.allocate(8, 0), machine.pin(8));
        for (address, index) in [(before.address, 0), (allocation.address, 1), (block.address, 2)] {
            for _ in 0..2 {
                assert_eq!(reach.index(address, 8), Some(index));
                assert_eq!(reach.entry(index).unwrap().start(), address);
                assert_eq!(reach.entry(index).unwrap().end(), address + 8);
            }
        }
        assert!(reach.entry(3).is_none());
        assert!(reach.find(allocation.address, 9).is_none());
    }

    #[test]
    fn memory_that_goes_while_the_kernel_runs_is_not_accessed() {
        let machine = Machine::new();
        let address = machine.allocate(8, 0).address;
        let reach = machine.reach();
        let index = reach.index(address, 8).unwrap();
        machine.device.free("cuMemFree", address).unwrap().release();
        assert!(reach.entry(index).unwrap().target(address, 8).is_none());
        assert!(reach.find(address, 8).is_none());
        let text = reach.explain(address, 8, "reads");
        assert!(text.contains(": use after free of allocation #1 (8 bytes"), "{text}");
        assert!(text.ends_with("freed by cuMemFree"), "{text}");
    }

    #[test]
    fn memory_freed_in_stream_order_is_reached_until_the_stream_gets_there() {
        let machine = Machine::new();
        let address = machine.allocate(8, 0).address;
        let freed = machine.device.free("cuMemFreeAsync", address).unwrap();
        let reach = machine.reach();
        assert!(reach.find(address, 8).is_some());
        assert!(reach.explain(address + 7, 2, "reads").contains(": 1 bytes past the end of allocation #1"));
        freed.release();
        assert!(reach.find(address, 8).is_none());
        assert!(reach.explain(address, 8, "reads").contains("use after free"));
    }

    #[test]
    fn host_memory_that_goes_is_not_accessed_and_may_come_back() {
        let machine = Machine::new();
        let bytes = [const { std::sync::atomic::AtomicU64::new(5) }; 2];
        let start = (&raw const bytes).expose_provenance();
        machine.host.register(start, 16, 0, 1).unwrap();
        let reach = machine.reach();
        assert!(reach.find(start as u64, 16).is_some());
        machine.host.remove(Kind::Registered, start as u64).unwrap();
        assert!(reach.find(start as u64, 16).is_none());
        machine.host.register(start, 8, READ_ONLY, 1).unwrap();
        let target = reach.find(start as u64, 8).unwrap();
        assert_eq!((target.load(4, 4), target.store(0, 8, 1)), (Some(0), None));
        let text = reach.explain(start as u64, 8, "writes");
        assert!(text.ends_with(&format!(
            ": the 8 bytes of host memory at {start:#x} are registered for reading only"
        )));
        assert!(reach.find(start as u64, 16).is_none());
    }

    #[test]
    fn a_pinned_block_stays_for_a_kernel_that_holds_it() {
        let machine = Machine::new();
        let address = machine.pin(8).address;
        let reach = machine.reach();
        let target = reach.find(address, 8).unwrap();
        machine.host.remove(Kind::Pinned, address).unwrap();
        assert_eq!(target.load(0, 1), Some(0xcd), "the access that was under way");
        assert!(reach.find(address, 8).is_none());
    }

    #[test]
    fn memory_of_another_device_is_out_of_reach() {
        let machine = Machine::new();
        let early = machine.allocate(8, 1);
        let reach = machine.reach();
        let late = machine.allocate(8, 1);
        assert!(reach.find(early.address, 8).is_none() && reach.find(late.address, 8).is_none());
        let expected = format!("reads 8 bytes at {:#x}, which is memory of device 1", late.address);
        assert_eq!(reach.explain(late.address, 8, "reads"), expected);
    }
}
