//! [`Turn`]: one thread's part in a job.

use super::blocks::Ends;
use super::job::{Job, Part};
use crate::copy::direction::Direction;
use crate::{Error, Result};

/// The bytes of a page, at which new memory is touched; larger pages are touched more often than needed.
const PAGE: usize = 4096;

/// What one thread does for a job. Its end, also by a panic, gives account of the parts that it took.
pub(super) struct Turn<'a> {
    job: &'a Job,
    taken: usize,
    outcome: Result<()>,
}

impl<'a> Turn<'a> {
    fn new(job: &'a Job) -> Self {
        Self { job, taken: 0, outcome: Err(Error::CopyPanicked { operation: job.operation() }) }
    }

    /// Copies parts of the job until none is left to take.
    pub fn serve(job: &'a Job) {
        let mut turn = Self::new(job);
        turn.outcome = turn.within_the_context(Self::copy);
    }

    /// As [`Turn::serve`], for the first thread: it begins the job, and has `call` tell the others. Nobody else works
    /// on the job before.
    pub fn lead(job: &'a Job, call: impl FnOnce()) {
        let mut turn = Self::new(job);
        turn.outcome = turn.within_the_context(|turn| {
            turn.begin(call)?;
            turn.copy()
        });
    }

    /// With the ring's context current, as what is queued needs it.
    fn within_the_context(&mut self, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let job = self.job;
        let _current = job.ring().way().0.enter(job.operation())?;
        work(self)
    }

    /// To the host, queues what there are slots for: the first block before the threads are called, which takes as long
    /// as some blocks are on their way.
    fn begin(&self, call: impl FnOnce()) -> Result<()> {
        let job = self.job;
        if job.blocks().direction() == Direction::ToDevice {
            call();
            return Ok(());
        }
        // SAFETY: it is the first block of its slot, as are those below; all others are queued by threads that were
        // called, after a block of their slot. The context is current.
        unsafe { job.queue(0) }?;
        call();
        // SAFETY: as above.
        (1..job.slots()).try_for_each(|block| unsafe { job.queue(block) })
    }

    fn copy(&mut self) -> Result<()> {
        while let Some(part) = self.take() {
            let is_copied = match self.job.blocks().ends() {
                Ends::ToDevice { source, .. } => self.upload(source, part)?,
                Ends::ToHost { target, is_fresh, .. } => self.download((target, is_fresh), part)?,
            };
            if !is_copied {
                break;
            }
        }
        Ok(())
    }

    /// Gathers a part of a copy from `source`; with the block's last, it goes on its way. Returns false where the job
    /// was stopped.
    fn upload(&self, source: *const u8, part: Part) -> Result<bool> {
        let (job, block) = (self.job, part.block());
        if let Some(before) = block.checked_sub(job.slots())
            && !job.wait_for(before)?
        {
            return Ok(false);
        }
        let piece = job.piece(&part);
        // SAFETY: the job copies from this source; the piece is the part's, which this thread alone has. The slot has
        // room for the block, and what it held before is on the device.
        unsafe { job.blocks().gather(source, &piece, job.pinned(block)) };
        job.blocks().count(&piece);
        let is_gathered = job.complete(part);
        if is_gathered {
            // SAFETY: one thread for each block comes here, when all its parts were gathered; the block before it in
            // the slot was waited for; the next one is gathered when this one was. The context is current.
            unsafe { job.queue(block) }?;
        }
        Ok(true)
    }

    /// Scatters a part of a copy to `target` once it is here; with the block's last, the next block of its slot goes on
    /// its way. Returns false where the job was stopped.
    fn download(&self, (target, is_fresh): (*mut u8, bool), part: Part) -> Result<bool> {
        let (job, block) = (self.job, part.block());
        let piece = job.piece(&part);
        if is_fresh && let Some(bytes) = job.blocks().run_on_host(&piece) {
            // SAFETY: the piece is the part's, which this thread alone has, and nobody reads what is not copied yet.
            unsafe { touch(target.wrapping_offset(piece.host), bytes) };
        }
        if !job.wait_for(block)? {
            return Ok(false);
        }
        // SAFETY: the job copies to this target; the piece is the part's, which this thread alone has. The slot holds
        // the block, until all its parts are complete.
        unsafe { job.blocks().scatter(target, &piece, job.pinned(block)) };
        job.blocks().count(&piece);
        let (is_scattered, next) = (job.complete(part), block + job.slots());
        if is_scattered && next < job.block_count() {
            // SAFETY: one thread for each block comes here, when all its parts were scattered; the slot is waited for
            // before the next block is. The context is current.
            unsafe { job.queue(next) }?;
        }
        Ok(true)
    }

    fn take(&mut self) -> Option<Part> {
        if self.job.is_stopped() {
            return None;
        }
        let part = self.job.take()?;
        self.taken += 1;
        Some(part)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.job.finish(self.taken, std::mem::replace(&mut self.outcome, Ok(())));
        // What is left of a job that was stopped.
        while self.job.is_stopped() && self.job.take().is_some() {
            self.job.finish(1, Ok(()));
        }
    }
}

/// Has the system give every page of new memory, while the copy to it is still on its way.
///
/// # Safety
/// The bytes can be written, and hold nothing yet.
unsafe fn touch(start: *mut u8, bytes: usize) {
    let first = start.align_offset(PAGE).min(bytes);
    for offset in std::iter::once(0).chain((first..bytes).step_by(PAGE)).filter(|offset| *offset < bytes) {
        // SAFETY: the caller vouches for the bytes. Volatile: it is the page that matters, not the value.
        unsafe { start.wrapping_add(offset).write_volatile(0) };
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::copy::streaming::Stores;
    use crate::copy::workers::blocks::{Blocks, Sides};
    use crate::copy::workers::cut::Sizes;
    use crate::copy::workers::ring::Ring;
    use crate::copy::workers::tuning::{Manner, Parts};
    use crate::{CudaBuffer, DType, Gpu};

    const BLOCK: usize = 64 << 10;
    const PARTS: Parts = Parts { smallest: 1, most: 16 };

    /// Has `work` run with a job of 64 parts in 4 blocks, to the device, that has 2 slots.
    fn with_job(work: impl FnOnce(&Job)) {
        let gpu = Gpu::open(0).unwrap();
        let (bytes, host) = (4 * BLOCK, vec![1u8; 4 * BLOCK]);
        let device = CudaBuffer::new(&gpu, &[bytes], DType::U8).unwrap();
        let ends = Ends::ToDevice { source: host.as_ptr(), target: device.pointer() };
        let sides = Sides { ends, shape: &[bytes], host: &[1], device: &[1], itemsize: 1, meter: None };
        let sizes = Sizes { smallest: BLOCK, largest: BLOCK, eases_out: false, alignment: None };
        let manner = Manner { sizes, stores: Stores::Cached };
        // SAFETY: both arrays hold so many bytes, and outlive the job.
        let blocks = unsafe { Blocks::new("test", sides, &manner) };
        let ring = Arc::new(Ring::new(gpu.context(), "test", (2, BLOCK)).unwrap());
        let memory = ring.reserve("test", 4).unwrap();
        // SAFETY: as above; the ring is this test's, and is waited for below, also when `work` panics.
        let job = unsafe { Job::new(blocks, (ring.clone(), memory), PARTS) };
        assert_eq!((job.slots(), job.block_count(), job.part_count()), (2, 4, 64));
        let worked = catch_unwind(AssertUnwindSafe(|| work(&job)));
        ring.synchronize("test").unwrap();
        assert!(worked.is_ok());
        assert!(!job.has_more() && job.is_over(), "a part was left");
    }

    #[test]
    fn a_thread_that_panics_gives_account_of_its_parts_and_stops_the_copy() {
        with_job(|job| {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                let mut turn = Turn::new(job);
                turn.take().unwrap();
                panic!("in the midst of a copy");
            }));
            assert!(panicked.is_err() && job.is_stopped());
            assert_eq!(job.outcome(), Err(Error::CopyPanicked { operation: "test" }));
        });
    }

    #[test]
    fn threads_that_wait_for_a_block_leave_when_the_job_is_stopped() {
        with_job(|job| {
            let stopped = || Error::InvalidBool { operation: "test", position: 0, found: 2 };
            std::thread::scope(|threads| {
                let mut turn = Turn::new(job);
                turn.take().unwrap();
                threads.spawn(|| Turn::serve(job));
                // The other thread waits for the block of that part, in whose slot its next one would lie: 2 blocks
                // of 16 parts each are before it.
                let start = Instant::now();
                while job.taken() <= 32 && start.elapsed() < Duration::from_secs(10) {
                    std::thread::yield_now();
                }
                assert_eq!(job.taken(), 33);
                turn.outcome = Err(stopped());
                drop(turn);
            });
            assert_eq!(job.outcome(), Err(stopped()));
        });
    }
}
