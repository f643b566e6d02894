//! [`Job`]: one copy that threads make together, block by block through a [`Ring`].

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::yield_now;
use std::time::{Duration, Instant};

use super::blocks::Blocks;
use super::cut::Piece;
use super::ring::Ring;
use super::tuning::Parts;
use crate::{Error, Result};

/// So long whoever waits for a job stays awake: threads end within less of each other, and to be woken takes some
/// tens of microseconds.
const AWAKE: Duration = Duration::from_micros(200);
/// So many looks at a block that is on its way are made before the processor is offered to others.
const LOOKS: usize = 64;

/// A copy in progress. Whoever made it keeps both arrays until [`Job::wait`] has returned.
pub(super) struct Job {
    blocks: Blocks,
    ring: Arc<Ring>,
    progress: Vec<Progress>,
    parts: Vec<Part>,
    /// The next part that no thread has taken.
    next: AtomicUsize,
    /// Parts that are not complete, taken or not.
    open: AtomicUsize,
    is_stopped: AtomicBool,
    error: Mutex<Option<Error>>,
    done: Condvar,
}

/// A part of a block, which one thread gathers or scatters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub block: usize,
    index: usize,
    /// How many the block has.
    of: usize,
}

/// How far a block has come.
struct Progress {
    /// Parts that are still to be gathered or scattered.
    parts_left: AtomicUsize,
    stage: AtomicU8,
    /// Whether a thread is asking the driver about the block. The others look at `stage` meanwhile: they would only
    /// wait for each other in the driver.
    is_asked: AtomicBool,
}

/// What [`Progress::stage`] says: not queued between pinned memory and the device yet,
const OPEN: u8 = 0;
/// queued,
const QUEUED: u8 = 1;
/// and there.
const PASSED: u8 = 2;

// SAFETY: the addresses in `blocks` are used by threads until the job is over, and so long its maker vouches for
// them.
unsafe impl Send for Job {}
// SAFETY: as above; each part is taken by one thread, and no two parts share a byte that is written.
unsafe impl Sync for Job {}

impl Job {
    /// # Safety
    /// The maker of `blocks` vouches for both arrays until [`Job::wait`] has returned and the ring's stream has passed
    /// what the job queued; nobody else uses the ring so long, which has room for the blocks.
    pub unsafe fn new(blocks: Blocks, ring: Arc<Ring>, parts: Parts) -> Self {
        let all = blocks.cut().blocks();
        let mut of_all = Vec::new();
        let mut progress = Vec::with_capacity(all.len());
        for (position, block) in all.iter().enumerate() {
            let of = blocks.cut().parts(block, parts.smallest, parts.most);
            of_all.extend((0..of).map(|index| Part { block: position, index, of }));
            progress.push(Progress {
                parts_left: AtomicUsize::new(of),
                stage: AtomicU8::new(OPEN),
                is_asked: AtomicBool::new(false),
            });
        }
        Self {
            blocks,
            ring,
            progress,
            open: AtomicUsize::new(of_all.len()),
            parts: of_all,
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

    /// How many parts there are, taken or not.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The next part that no thread has taken; each that is taken must be finished.
    pub fn take(&self) -> Option<Part> {
        self.parts.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()
    }

    /// How many parts were taken.
    #[cfg(test)]
    pub fn taken(&self) -> usize {
        self.next.load(Ordering::Relaxed)
    }

    /// What a part is, and the pinned memory of its block.
    pub fn place(&self, part: Part) -> (Piece, *mut u8) {
        let block = &self.blocks.cut().blocks()[part.block];
        (self.blocks.cut().part(block, part.index, part.of), self.ring.memory(part.block))
    }

    /// Whether parts are left to take.
    pub fn has_more(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.parts.len()
    }

    /// Whether an error makes further copying pointless.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Says that a part was gathered or scattered; whether that was the block's last.
    pub fn is_last(&self, part: Part) -> bool {
        self.progress[part.block].parts_left.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Queues a block between its pinned memory and the device.
    ///
    /// # Safety
    /// The block is not queued yet. Its pinned memory holds it, where it goes to the device, and else nothing that
    /// is still needed. The ring's context is current.
    pub unsafe fn queue(&self, block: usize) -> Result<()> {
        let whole = &self.blocks.cut().blocks()[block];
        // SAFETY: the block is the job's, whose maker vouches for the device's side and the room in the ring; the
        // caller vouches for the rest.
        unsafe { self.blocks.queue(whole, self.ring.memory(block), self.ring.way()) }?;
        self.ring.mark(self.operation(), block)?;
        self.progress[block].stage.store(QUEUED, Ordering::Release);
        Ok(())
    }

    /// Waits until a block is through between pinned memory and the device. Returns false where the job was stopped
    /// before.
    pub fn wait_for(&self, block: usize) -> Result<bool> {
        for look in 0.. {
            if self.has_passed(block)? {
                return Ok(true);
            }
            if self.is_stopped() {
                return Ok(false);
            }
            if look % LOOKS == LOOKS - 1 { yield_now() } else { spin_loop() }
        }
        Ok(false)
    }

    fn has_passed(&self, block: usize) -> Result<bool> {
        let progress = &self.progress[block];
        let stage = progress.stage.load(Ordering::Acquire);
        if stage != QUEUED || progress.is_asked.swap(true, Ordering::Acquire) {
            return Ok(stage == PASSED);
        }
        // The mark is the block's: the next one in its slot is set when this one has passed.
        let stage = progress.stage.load(Ordering::Acquire);
        let has_passed = stage == PASSED || self.ring.has_passed(self.operation(), block)?;
        if has_passed && stage != PASSED {
            progress.stage.store(PASSED, Ordering::Release);
        }
        progress.is_asked.store(false, Ordering::Release);
        Ok(has_passed)
    }

    /// Says that so many taken parts are complete, or failed.
    pub fn finish(&self, parts: usize, outcome: Result<()>) {
        if let Err(error) = outcome {
            self.fail(error);
        }
        if self.open.fetch_sub(parts, Ordering::AcqRel) == parts {
            // Locked, so that nobody falls asleep between a look at `open` and the call.
            let _error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
            self.done.notify_all();
        }
    }

    /// Stops the job.
    pub fn fail(&self, error: Error) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Waits until every part is finished: then no thread uses the arrays any more.
    pub fn wait(&self) {
        let start = Instant::now();
        while self.is_open() && start.elapsed() < AWAKE {
            spin_loop();
        }
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.done.wait_while(error, |_| self.is_open()));
    }

    /// How a job that was waited for ended; what went wrong is told once.
    pub fn outcome(&self) -> Result<()> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire) > 0
    }
}
