//! [`Team`]: the threads, and the jobs that they make together with whoever hands them in.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::{Builder, JoinHandle};

use super::job::Job;
use super::lane::Lane;
use super::tuning::Tuning;
use crate::driver::Context;
use crate::{Error, Result};

pub(super) const START: &str = "start of the copy threads";

pub(super) struct Team {
    shared: Arc<Shared>,
    /// Until they were dismissed, as is the next.
    threads: Mutex<Vec<JoinHandle<()>>>,
    /// For the caller of a copy, who is one of the threads; a second one at the same time only waits.
    callers: Mutex<Option<Lane>>,
    /// Threads, without the caller's.
    size: usize,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Where threads sleep while there is nothing to do.
    work: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: Vec<Entry>,
    is_closed: bool,
}

/// A job that has blocks left to take.
struct Entry {
    job: Arc<Job>,
    /// How many threads serve it.
    threads: usize,
}

impl Team {
    pub fn start(context: &Arc<Context>, tuning: &Tuning) -> Result<Self> {
        let team = Self {
            shared: Arc::default(),
            threads: Mutex::default(),
            callers: Mutex::new(Some(Lane::new(context)?)),
            size: tuning.threads - 1,
        };
        for index in 0..team.size {
            let lane = Lane::new(context)?;
            let (shared, context) = (team.shared.clone(), context.clone());
            let thread = Builder::new().name(format!("interop-copy-{index}"));
            let started = thread.spawn(move || shared.serve(&context, lane)).map_err(no_thread)?;
            team.threads().push(started);
        }
        Ok(team)
    }

    /// Makes a copy, of which the caller does a part, and waits until it is complete; None where the threads were
    /// dismissed.
    pub fn copy(&self, job: &Arc<Job>) -> Option<Result<()>> {
        let handed_in = self.submit(job)?;
        if let Some(mut callers) = self.callers_lane()
            && let Some(lane) = &mut *callers
        {
            lane.serve(job);
        }
        drop(handed_in);
        Some(job.outcome())
    }

    /// Unless another caller uses it.
    fn callers_lane(&self) -> Option<MutexGuard<'_, Option<Lane>>> {
        match self.callers.try_lock() {
            Ok(lane) => Some(lane),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn submit<'a>(&self, job: &'a Arc<Job>) -> Option<HandedIn<'a>> {
        {
            let mut queue = self.shared.lock();
            if queue.is_closed {
                return None;
            }
            queue.jobs.push(Entry { job: job.clone(), threads: 0 });
        }
        if job.blocks() > self.size {
            self.shared.work.notify_all();
        } else {
            (0..job.blocks()).for_each(|_| self.shared.work.notify_one());
        }
        Some(HandedIn(job))
    }

    /// Has the threads finish the jobs that they have, and waits until they are gone with all they held.
    pub fn dismiss(&self) {
        self.shared.lock().is_closed = true;
        self.shared.work.notify_all();
        for thread in self.threads().drain(..) {
            // It does not panic: `serve` catches that.
            let _ = thread.join();
        }
        *self.callers.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A job that threads work on. Its drop waits for them, also where the caller's own part panics: they use the
/// caller's arrays.
struct HandedIn<'a>(&'a Job);

impl Drop for HandedIn<'_> {
    fn drop(&mut self) {
        self.0.wait();
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.dismiss();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does all its life.
    fn serve(&self, context: &Context, mut lane: Lane) {
        // Where this fails, what the lane does fails, too, and tells of it.
        let _current = context.enter(START);
        while let Some(job) = self.next() {
            // The lane has given account of the blocks that it had; the thread goes on with other jobs.
            let _ = catch_unwind(AssertUnwindSafe(|| lane.serve(&job)));
            self.left(&job);
        }
    }

    /// Waits for a job: the one that the fewest threads serve, so that two copies at once share them.
    fn next(&self) -> Option<Arc<Job>> {
        let mut queue = self.lock();
        loop {
            queue.jobs.retain(|entry| entry.job.has_more());
            if let Some(entry) = queue.jobs.iter_mut().min_by_key(|entry| entry.threads) {
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
        if let Some(entry) = self.lock().jobs.iter_mut().find(|entry| Arc::ptr_eq(&entry.job, job)) {
            entry.threads -= 1;
        }
    }
}

fn no_thread(error: std::io::Error) -> Error {
    Error::NoThread { operation: START, reason: error.to_string() }
}
