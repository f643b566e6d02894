//! [`Turn`]: one thread's part in a job.

use super::blocks::Direction;
use super::job::{Job, Part};
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

    /// Copies parts of the job until none is left to take. The context is current.
    pub fn serve(job: &'a Job) {
        let mut turn = Self::new(job);
        turn.outcome = turn.copy();
    }

    /// As [`Turn::serve`], for the first thread: it begins the job, and says so to the others by `call`.
    pub fn lead(job: &'a Job, call: impl FnOnce()) {
        let mut turn = Self::new(job);
        turn.outcome = turn.begin(call).and_then(|()| turn.copy());
    }

    /// To the host, queues what the ring has room for: the first block before the threads are called, which takes as
    /// long as some blocks are on their way.
    fn begin(&self, call: impl FnOnce()) -> Result<()> {
        let job = self.job;
        let at_once = match job.blocks().direction() {
            Direction::ToDevice { .. } => 0,
            Direction::ToHost { .. } => job.blocks().cut().blocks().len().min(job.ring().slots()),
        };
        // SAFETY: nothing is queued yet, nor is any pinned memory used; the context is current.
        (0..at_once.min(1)).try_for_each(|block| unsafe { job.queue(block) })?;
        call();
        // SAFETY: as above, of the other blocks and slots.
        (1..at_once).try_for_each(|block| unsafe { job.queue(block) })
    }

    fn copy(&mut self) -> Result<()> {
        while let Some(part) = self.take() {
            let is_copied = match self.job.blocks().direction() {
                Direction::ToDevice { source, .. } => self.upload(source, part)?,
                Direction::ToHost { target, is_fresh, .. } => self.download((target, is_fresh), part)?,
            };
            if !is_copied {
                break;
            }
        }
        Ok(())
    }

    /// Gathers a part; with the block's last, it goes on its way. Returns false where the job was stopped.
    fn upload(&self, source: *const u8, part: Part) -> Result<bool> {
        let job = self.job;
        if let Some(before) = part.block.checked_sub(job.ring().slots())
            && !job.wait_for(before)?
        {
            return Ok(false);
        }
        let (piece, pinned) = job.place(part);
        // SAFETY: the part was taken by this thread, and its slot has room for the block and is free.
        unsafe { job.blocks().gather(source, &piece, pinned) };
        job.blocks().arrived(&piece);
        if job.is_last(part) {
            // SAFETY: all parts were gathered, and this is the only thread that was told so; the context is current.
            unsafe { job.queue(part.block) }?;
        }
        Ok(true)
    }

    /// Scatters a part once it is here; with the block's last, the next block of its slot goes on its way. Returns
    /// false where the job was stopped.
    fn download(&self, (target, is_fresh): (*mut u8, bool), part: Part) -> Result<bool> {
        let job = self.job;
        let (piece, pinned) = job.place(part);
        if is_fresh && let Some(bytes) = job.blocks().run_on_host(&piece) {
            // SAFETY: the part was taken by this thread, and nobody reads what is not copied yet.
            unsafe { touch(target.wrapping_offset(piece.host), bytes) };
        }
        if !job.wait_for(part.block)? {
            return Ok(false);
        }
        // SAFETY: the part was taken by this thread, and its slot holds the block.
        unsafe { job.blocks().scatter(target, &piece, pinned) };
        job.blocks().arrived(&piece);
        let next = part.block + job.ring().slots();
        if job.is_last(part) && next < job.blocks().cut().blocks().len() {
            // SAFETY: all parts of the slot's block were scattered, and this is the only thread that was told so; the
            // context is current.
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
    for offset in (0..bytes).step_by(PAGE) {
        // SAFETY: the caller vouches for the bytes. Volatile: it is the page that matters, not the value.
        unsafe { start.wrapping_add(offset).write_volatile(0) };
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    use super::*;
    use crate::copy::workers::blocks::{Blocks, Sides};
    use crate::copy::workers::ring::Ring;
    use crate::copy::workers::tuning::{Parts, Tuning};
    use crate::{CudaBuffer, DType, Gpu};

    /// Has `work` run with a job of 64 parts in 4 blocks, to the device, for which 2 slots are pinned.
    fn with_job(work: impl FnOnce(&Job)) {
        const BYTES: usize = 2 << 20;
        let gpu = Gpu::open(0).unwrap();
        let (device, host) = (CudaBuffer::new(&gpu, &[BYTES], DType::U8).unwrap(), vec![1u8; BYTES]);
        let direction = Direction::ToDevice { source: host.as_ptr(), target: device.pointer() };
        let sides = Sides { direction, shape: &[BYTES], host: &[1], device: &[1], itemsize: 1, meter: None };
        // SAFETY: both arrays hold so many bytes, and outlive the job.
        let blocks = unsafe { Blocks::new("test", sides, &Tuning::manner_of_small(BYTES, true)) };
        let ring = Arc::new(Ring::new(gpu.context(), "test", (2, BYTES / 4)).unwrap());
        ring.reserve("test", 4).unwrap();
        let _current = gpu.context().enter("test").unwrap();
        // SAFETY: as above; the stream is waited for below, and the ring is this test's.
        let job = unsafe { Job::new(blocks, ring.clone(), Parts { smallest: 1, most: 16 }) };
        assert_eq!(job.parts(), 64);
        work(&job);
        job.wait(); // for ever, if a part were left
        ring.synchronize("test").unwrap();
        assert!(!job.has_more());
    }

    #[test]
    fn a_thread_that_panics_gives_account_of_its_parts_and_stops_the_copy() {
        with_job(|job| {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                let mut turn = Turn::new(job);
                turn.take().unwrap();
                panic!("in the midst of a copy");
            }));
            assert!(panicked.is_err());
            assert!(job.is_stopped());
            job.wait();
            assert_eq!(job.outcome(), Err(Error::CopyPanicked { operation: "test" }));
        });
    }

    #[test]
    fn threads_that_wait_for_a_block_leave_when_the_job_is_stopped() {
        with_job(|job| {
            std::thread::scope(|threads| {
                let mut turn = Turn::new(job);
                turn.take().unwrap();
                threads.spawn(|| {
                    let _current = job.ring().way().0.enter("test").unwrap();
                    Turn::serve(job);
                });
                // The other thread waits for the block of that part, in whose slot its next one would lie: 2 blocks
                // of 16 parts each are before it.
                while job.taken() <= 32 {
                    std::thread::yield_now();
                }
                turn.outcome = Err(Error::InvalidBool { operation: "test", position: 0, found: 2 });
                drop(turn);
            });
            assert_eq!(job.outcome(), Err(Error::InvalidBool { operation: "test", position: 0, found: 2 }));
        });
    }
}
