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
    memory: OnceLock<Arc<HostAllocation>>,
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

    pub fn way(&self) -> (&Context, &Stream) {
        (&self.context, &self.stream)
    }

    /// The pinned memory for so many blocks: that of the first slots, or of all where there are more blocks.
    pub fn reserve(&self, operation: &'static str, blocks: usize) -> Result<Vec<Arc<HostAllocation>>> {
        let memory = |slot: &Slot| {
            if let Some(memory) = slot.memory.get() {
                return Ok(memory.clone());
            }
            let memory = Arc::new(HostAllocation::new(self.context.clone(), operation, self.block)?);
            Ok(slot.memory.get_or_init(|| memory).clone())
        };
        self.slots.iter().take(blocks).map(memory).collect()
    }

    /// Marks the end of what is queued for a slot.
    pub fn mark(&self, operation: &'static str, slot: usize) -> Result<()> {
        self.slots[slot].passed.record(operation, &self.stream)
    }

    /// Whether the device has passed the mark that was set last for a slot.
    pub fn has_passed(&self, operation: &'static str, slot: usize) -> Result<bool> {
        self.slots[slot].passed.is_reached(operation)
    }

    /// Waits for all that was queued.
    pub fn synchronize(&self, operation: &'static str) -> Result<()> {
        self.stream.synchronize(operation)
    }
}
