//! [`Team`]: the threads, and the jobs that they make together with whoever hands them in.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use parking_lot::{FairMutex, FairMutexGuard};

use super::blocks::Blocks;
use super::job::Job;
use super::ring::Ring;
use super::tuning::{Parts, Tuning};
use super::turn::Turn;
use crate::copy::direction::Direction;
use crate::driver::Context;
use crate::lock::lock;
use crate::{Error, Result};

const START: &str = "start of the copy threads";

pub(super) struct Team {
    shared: Arc<Shared>,
    /// Without the callers; empty once they were dismissed.
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// One for each direction, so that an upload and a download run at the same time; of two in the same direction
    /// the second waits, since the link serves one as fast as both. None once the threads were dismissed, or the
    /// driver could not say whether a copy was over.
    to_device: FairMutex<Option<Arc<Ring>>>,
    to_host: FairMutex<Option<Arc<Ring>>>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Where threads sleep while there is nothing to do.
    work: Condvar,
    /// How many threads there are, without the callers.
    size: usize,
}

#[derive(Default)]
struct Queue {
    jobs: Vec<Entry>,
    is_closed: bool,
}

/// A job that may have parts left to take.
struct Entry {
    job: Arc<Job>,
    /// How many threads serve it.
    threads: usize,
}

impl Team {
    pub fn start(context: &Arc<Context>, tuning: &Tuning) -> Result<Self> {
        let slots = (tuning.slots, tuning.block);
        let ring = || Ring::new(context, START, slots).map(|ring| FairMutex::new(Some(Arc::new(ring))));
        let shared = Arc::new(Shared { size: tuning.threads - 1, ..Shared::default() });
        let team = Self { shared, threads: Mutex::default(), to_device: ring()?, to_host: ring()? };
        for index in 1..tuning.threads {
            let (shared, context) = (team.shared.clone(), context.clone());
            let thread = Builder::new().name(format!("interop-copy-{index}"));
            let started = thread.spawn(move || shared.serve(&context)).map_err(no_thread)?;
            lock(&team.threads).push(started);
        }
        Ok(team)
    }

    /// Makes a copy, of which the caller does a part, and waits until it is complete; false where a block is larger
    /// than the ring's, when nothing was copied. None where there is no ring: the threads were dismissed, or nobody
    /// knows what the device still uses of it.
    ///
    /// # Safety
    /// The maker of `blocks` vouches for both arrays until this returns.
    pub unsafe fn copy(&self, blocks: Blocks, parts: Parts) -> Option<Result<bool>> {
        let place = if blocks.direction() == Direction::ToDevice { &self.to_device } else { &self.to_host };
        let place = place.lock();
        let ring = place.clone()?;
        if blocks.cut().largest() > ring.block() {
            return Some(Ok(false));
        }
        let memory = match ring.reserve(blocks.operation(), blocks.cut().blocks().len()) {
            Ok(memory) => memory,
            Err(error) => return Some(Err(error)),
        };
        // SAFETY: the caller's promise: `handed_in` waits for the job and for the stream, or keeps what the stream may
        // still use. The ring is locked, and the memory as large as its blocks, of which none of the job's is larger.
        let job = Arc::new(unsafe { Job::new(blocks, (ring, memory), parts) });
        let handed_in = HandedIn { shared: &self.shared, job: &job, place };
        Turn::lead(&job, || self.shared.submit(&job));
        drop(handed_in);
        Some(job.outcome().map(|()| true))
    }

    /// Has the threads finish the jobs that they have, and waits until they are gone. What was pinned goes with the
    /// last copy that uses it.
    pub fn dismiss(&self) {
        lock(&self.shared.queue).is_closed = true;
        self.shared.work.notify_all();
        for thread in lock(&self.threads).drain(..) {
            // It does not panic: `serve` catches that.
            let _ = thread.join();
        }
        *self.to_device.lock() = None;
        *self.to_host.lock() = None;
    }
}

/// A job that threads work on. Its drop waits for them and for the ring, also where the caller's own part panics: they
/// use the caller's arrays.
struct HandedIn<'a> {
    shared: &'a Shared,
    job: &'a Arc<Job>,
    place: FairMutexGuard<'a, Option<Arc<Ring>>>,
}

impl Drop for HandedIn<'_> {
    fn drop(&mut self) {
        self.job.wait();
        self.shared.withdraw(self.job);
        // Of a download that was not stopped, every block was waited for.
        if self.job.blocks().direction() == Direction::ToHost && !self.job.is_stopped() {
            return;
        }
        if let Err(error) = self.job.ring().synchronize(self.job.operation()) {
            self.job.fail(error);
            // Nobody can say whether the device still uses the pinned memory: it is never freed, nor used again. What
            // it may still write of its own memory is the device's, and goes with the context, which failed.
            std::mem::forget(self.place.take());
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.dismiss();
    }
}

impl Shared {
    /// What a thread does all its life.
    fn serve(&self, context: &Context) {
        // Once for all turns: each enters it again, and tells where that fails.
        let _current = context.enter(START);
        while let Some(job) = self.next() {
            // The turn has given account of the parts that it had; the thread goes on with other jobs.
            let _ = catch_unwind(AssertUnwindSafe(|| Turn::serve(&job)));
            self.left(&job);
        }
    }

    /// Calls the threads to a job. Where they were dismissed, the caller does it alone.
    fn submit(&self, job: &Arc<Job>) {
        {
            let mut queue = lock(&self.queue);
            if queue.is_closed {
                return;
            }
            queue.jobs.push(Entry { job: job.clone(), threads: 0 });
        }
        if job.part_count() > self.size {
            self.work.notify_all();
        } else {
            (1..job.part_count()).for_each(|_| self.work.notify_one());
        }
    }

    /// Waits for a job: the one that the fewest threads serve. A thread stays with it as long as it has parts to take.
    fn next(&self) -> Option<Arc<Job>> {
        let mut queue = lock(&self.queue);
        loop {
            let open = queue.jobs.iter_mut().filter(|entry| entry.job.has_more());
            if let Some(entry) = open.min_by_key(|entry| entry.threads) {
                entry.threads += 1;
                return Some(entry.job.clone());
            }
            if queue.is_closed {
                return None;
            }
            queue = self.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn left(&self, job: &Arc<Job>) {
        if let Some(entry) = lock(&self.queue).jobs.iter_mut().find(|entry| Arc::ptr_eq(&entry.job, job)) {
            entry.threads -= 1;
        }
    }

    /// Takes a job that is over off the queue.
    fn withdraw(&self, job: &Arc<Job>) {
        lock(&self.queue).jobs.retain(|entry| !Arc::ptr_eq(&entry.job, job));
    }
}

fn no_thread(error: std::io::Error) -> Error {
    Error::NoThread { operation: START, reason: error.to_string() }
}
