//! [`Ring`]: pinned blocks that are used one after the other, and the stream to and from them.

use std::sync::{Arc, OnceLock};

use crate::Result;
use crate::driver::{Context, Event, HostAllocation, Stream};

/// What copies in one direction go through, one copy at a time.
pub(super) struct Ring {
    context: Arc<Context>,
    stream: Stream,
    slots: Vec<Slot>,
    /// Bytes of pinned memory in each slot.
    block: usize,
}

/// A pinned block.
struct Slot {
    /// None until a copy needs it.
    memory: OnceLock<HostAllocation>,
    /// Behind the last copy from or to the memory.
    passed: Event,
}

impl Ring {
    pub fn new(
        context: &Arc<Context>,
        operation: &'static str,
        (slots, block): (usize, usize),
    ) -> Result<Self> {
        let slot = || Ok(Slot { memory: OnceLock::new(), passed: Event::new(context.clone(), operation)? });
        Ok(Self {
            context: context.clone(),
            stream: Stream::non_blocking(operation, context.clone())?,
            slots: (0..slots).map(|_| slot()).collect::<Result<_>>()?,
            block,
        })
    }

    /// Bytes of pinned memory in each slot.
    pub fn block(&self) -> usize {
        self.block
    }

    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    pub fn way(&self) -> (&Context, &Stream) {
        (&self.context, &self.stream)
    }

    /// Pins what so many blocks need that is not pinned yet.
    pub fn reserve(&self, operation: &'static str, blocks: usize) -> Result<()> {
        for slot in self.slots.iter().take(blocks).filter(|slot| slot.memory.get().is_none()) {
            let memory = HostAllocation::new(self.context.clone(), operation, self.block)?;
            // One copy at a time uses the ring: nobody was quicker.
            let _ = slot.memory.set(memory);
        }
        Ok(())
    }

    /// The pinned memory for a block; null where none was reserved.
    pub fn memory(&self, block: usize) -> *mut u8 {
        let memory = self.slots[block % self.slots.len()].memory.get();
        memory.map_or(std::ptr::null_mut(), |memory| memory.start().as_ptr())
    }

    /// Marks the end of what is queued for a block.
    pub fn mark(&self, operation: &'static str, block: usize) -> Result<()> {
        self.slots[block % self.slots.len()].passed.record(operation, &self.stream)
    }

    /// Whether the device has passed the mark that was set last in the block's slot.
    pub fn has_passed(&self, operation: &'static str, block: usize) -> Result<bool> {
        self.slots[block % self.slots.len()].passed.is_reached(operation)
    }

    /// Waits for all that was queued.
    pub fn synchronize(&self, operation: &'static str) -> Result<()> {
        self.stream.synchronize(operation)
    }
}
