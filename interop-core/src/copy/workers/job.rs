//! [`Job`]: one copy that threads make together, block by block through a [`Ring`].

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

use super::blocks::Blocks;
use super::cut::Piece;
use super::ring::Ring;
use super::tuning::Parts;
use crate::driver::HostAllocation;
use crate::lock::lock;
use crate::{Error, Result};

/// So long whoever waits for a job stays awake: threads end within less of each other, and to be woken takes some
/// tens of microseconds.
const AWAKE: Duration = Duration::from_micros(200);
/// So many looks at a block that is on its way are made before the processor is offered to others.
const LOOKS: usize = 64;
/// After so long the link is slower than it can be, or waits for other work: then the threads leave the processor.
const PATIENCE: Duration = Duration::from_millis(2);
/// For so long.
const NAP: Duration = Duration::from_micros(50);

/// A copy in progress.
pub(super) struct Job {
    blocks: Blocks,
    ring: Arc<Ring>,
    /// Of the slots that the job uses.
    memory: Vec<Arc<HostAllocation>>,
    states: Vec<BlockState>,
    /// Of each part, its block and its place among those of the block.
    parts: Vec<(usize, usize)>,
    /// The next part that no thread has taken.
    next: AtomicUsize,
    /// Parts that are not complete, taken or not.
    open: AtomicUsize,
    is_stopped: AtomicBool,
    error: Mutex<Option<Error>>,
    done: Condvar,
}

/// A part of a block that a thread has taken, to gather or scatter it.
#[derive(Debug)]
pub(super) struct Part {
    block: usize,
    index: usize,
}

impl Part {
    /// The number of its block.
    pub fn block(&self) -> usize {
        self.block
    }
}

/// How far a block has come.
struct BlockState {
    /// How many parts it has, and how many are still to be gathered or scattered.
    parts: usize,
    parts_left: AtomicUsize,
    way: AtomicU8,
    /// Whether a thread is asking the driver about the block. The others look at `way` meanwhile: they would only wait
    /// for each other in the driver.
    is_asked: AtomicBool,
}

/// [`BlockState::way`] where the block is not queued between pinned memory and the device yet.
const OPEN: u8 = 0;
/// Where it is queued.
const QUEUED: u8 = 1;
/// Where it is there.
const PASSED: u8 = 2;

impl Job {
    /// A copy through these pieces of pinned memory of the ring: of all its slots, or of as many as there are blocks.
    ///
    /// # Safety
    /// Until [`Job::wait`] has returned and the ring's stream has passed what the job queued, the maker of `blocks`
    /// vouches for both arrays, nobody else uses the ring, and each piece of `memory` has room for every block.
    pub unsafe fn new(
        blocks: Blocks,
        (ring, memory): (Arc<Ring>, Vec<Arc<HostAllocation>>),
        parts: Parts,
    ) -> Self {
        let state = |block| {
            let parts = blocks.cut().parts(block, parts.smallest, parts.most);
            BlockState {
                parts,
                parts_left: AtomicUsize::new(parts),
                way: AtomicU8::new(OPEN),
                is_asked: AtomicBool::new(false),
            }
        };
        let states: Vec<_> = blocks.cut().blocks().iter().map(state).collect();
        let of_block =
            |(block, state): (usize, &BlockState)| (0..state.parts).map(move |index| (block, index));
        let parts: Vec<_> = states.iter().enumerate().flat_map(of_block).collect();
        Self {
            blocks,
            ring,
            memory,
            states,
            open: AtomicUsize::new(parts.len()),
            parts,
            next: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
            error: Mutex::default(),
            done: Condvar::new(),
        }
    }

    pub fn operation(&self) -> &'static str {
        self.blocks.operation()
    }

    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    pub fn block_count(&self) -> usize {
        self.states.len()
    }

    /// How many pinned blocks the job uses in turn.
    pub fn slots(&self) -> usize {
        self.memory.len()
    }

    /// How many parts there are, taken or not.
    pub fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// The next part that no thread has taken; each that is taken must be finished.
    pub fn take(&self) -> Option<Part> {
        let (block, index) = *self.parts.get(self.next.fetch_add(1, Ordering::Relaxed))?;
        Some(Part { block, index })
    }

    /// How many parts were taken.
    #[cfg(test)]
    pub fn taken(&self) -> usize {
        self.next.load(Ordering::Relaxed)
    }

    /// What a part is.
    pub fn piece(&self, part: &Part) -> Piece {
        let block = &self.blocks.cut().blocks()[part.block];
        self.blocks.cut().part(block, part.index, self.states[part.block].parts)
    }

    /// The pinned memory of a block, and of those that come before and after it in the same slot.
    pub fn pinned(&self, block: usize) -> *mut u8 {
        self.memory[self.slot(block)].start().as_ptr()
    }

    fn slot(&self, block: usize) -> usize {
        block % self.memory.len()
    }

    /// Whether parts are left to take.
    pub fn has_more(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.parts.len()
    }

    /// Whether an error makes further copying pointless.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Says that a part was gathered or scattered. Returns whether it was the last of its block, which is so for one
    /// part of each block, when the others are done.
    pub fn complete(&self, part: Part) -> bool {
        self.states[part.block].parts_left.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Queues a block between its pinned memory and the device.
    ///
    /// # Safety
    /// The block was not queued yet, and the one before it in its slot is through, to the device and from there to the
    /// host. The slot holds the block where it goes to the device. Nobody else uses the slot before
    /// [`Job::wait_for`] has returned true. The ring's context is current.
    pub unsafe fn queue(&self, block: usize) -> Result<()> {
        let whole = &self.blocks.cut().blocks()[block];
        // SAFETY: the block is the job's, whose maker vouches for the device's side and for the room in the slot. The
        // caller vouches for what the slot holds, for as long as the copy is on its way, and for the context.
        unsafe { self.blocks.queue(whole, self.pinned(block), self.ring.way()) }?;
        self.ring.mark(self.operation(), self.slot(block))?;
        self.states[block].way.store(QUEUED, Ordering::Release);
        Ok(())
    }

    /// Waits until a block is through between pinned memory and the device. Returns false where the job was stopped
    /// before.
    pub fn wait_for(&self, block: usize) -> Result<bool> {
        let (start, mut looks) = (Instant::now(), 0);
        while !self.has_passed(block)? {
            if self.is_stopped() {
                return Ok(false);
            }
            looks += 1;
            match looks % LOOKS {
                0 if start.elapsed() > PATIENCE => sleep(NAP),
                0 => yield_now(),
                _ => spin_loop(),
            }
        }
        Ok(true)
    }

    fn has_passed(&self, block: usize) -> Result<bool> {
        let state = &self.states[block];
        let way = state.way.load(Ordering::Acquire);
        if way != QUEUED || state.is_asked.swap(true, Ordering::Acquire) {
            return Ok(way == PASSED);
        }
        // The slot's mark is the block's: the next one is set when all who wait for this one are through.
        let has_passed = self.ring.has_passed(self.operation(), self.slot(block))?;
        if has_passed {
            state.way.store(PASSED, Ordering::Release);
        }
        state.is_asked.store(false, Ordering::Release);
        Ok(has_passed)
    }

    /// Says that so many taken parts are complete, or failed.
    pub fn finish(&self, parts: usize, outcome: Result<()>) {
        if let Err(error) = outcome {
            self.fail(error);
        }
        if self.open.fetch_sub(parts, Ordering::AcqRel) == parts {
            // Locked, so that nobody falls asleep between a look at `open` and the call.
            let _error = lock(&self.error);
            self.done.notify_all();
        }
    }

    /// Stops the job.
    pub fn fail(&self, error: Error) {
        lock(&self.error).get_or_insert(error);
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Waits until every part is finished: then no thread uses the arrays any more.
    pub fn wait(&self) {
        let start = Instant::now();
        while self.is_open() && start.elapsed() < AWAKE {
            spin_loop();
        }
        let error = lock(&self.error);
        drop(self.done.wait_while(error, |_| self.is_open()));
    }

    /// How a job that was waited for ended; what went wrong is told once.
    pub fn outcome(&self) -> Result<()> {
        lock(&self.error).take().map_or(Ok(()), Err)
    }

    #[cfg(test)]
    pub fn is_over(&self) -> bool {
        !self.is_open()
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire) > 0
    }
}
