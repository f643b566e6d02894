//! [`Team`]: the threads, and the jobs that wait for them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use super::job::Job;
use super::lane::Lane;
use super::tuning::Tuning;
use crate::driver::Context;
use crate::{Error, Result};

pub(super) struct Team {
    shared: Arc<Shared>,
    size: usize,
    /// Until they were dismissed.
    threads: Mutex<Vec<JoinHandle<()>>>,
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
        let team = Self { shared: Arc::default(), size: tuning.threads, threads: Mutex::default() };
        for index in 0..tuning.threads {
            let lane = Lane::new(context)?;
            let shared = team.shared.clone();
            let thread = Builder::new().name(format!("interop-copy-{index}"));
            let started = thread.spawn(move || shared.serve(lane)).map_err(|error| Error::Driver {
                operation: "start of the copy threads",
                function: "std::thread::spawn",
                code: error.raw_os_error().unwrap_or(0),
                name: "no thread".to_owned(),
                description: error.to_string(),
            })?;
            team.threads().push(started);
        }
        Ok(team)
    }

    /// Hands a job to the threads, and whoever does so waits for it; false where they were dismissed.
    pub fn submit(&self, job: Arc<Job>) -> bool {
        let wanted = job.blocks();
        {
            let mut queue = self.shared.lock();
            if queue.is_closed {
                return false;
            }
            queue.jobs.push(Entry { job, threads: 0 });
        }
        if wanted >= self.size {
            self.shared.work.notify_all();
        } else {
            (0..wanted).for_each(|_| self.shared.work.notify_one());
        }
        true
    }

    /// Has the threads finish the jobs that they have, and waits until they are gone with all they held.
    pub fn dismiss(&self) {
        self.shared.lock().is_closed = true;
        self.shared.work.notify_all();
        for thread in self.threads().drain(..) {
            // A thread that panicked has nothing left to tell.
            let _ = thread.join();
        }
    }

    fn threads(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        self.threads.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn serve(&self, mut lane: Lane) {
        while let Some(job) = self.next() {
            lane.serve(&job);
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
