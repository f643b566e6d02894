//! How far a stream has come.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::sync::lock;

/// How a stream stands to the legacy default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The legacy default stream: it waits for all blocking streams, and they wait for it.
    Legacy,
    /// Ordered with the legacy stream.
    Blocking,
    /// Not ordered with any other stream.
    NonBlocking,
}

/// The progress of one stream: pieces of work are numbered from 1 and finish in that order.
#[derive(Debug)]
pub struct Lane {
    /// How it stands to the legacy stream.
    pub kind: Kind,
    submitted: AtomicU64,
    done: Mutex<u64>,
    changed: Condvar,
}

/// A piece of work on a lane: something to wait for.
#[derive(Clone, Debug)]
pub struct Point {
    lane: Arc<Lane>,
    number: u64,
}

impl Lane {
    /// A lane on which nothing was submitted.
    pub fn new(kind: Kind) -> Self {
        Self { kind, submitted: AtomicU64::new(0), done: Mutex::new(0), changed: Condvar::new() }
    }

    /// Numbers the next piece of work. Only [`Order`](crate::order::Order) calls it, one call at a time.
    pub fn next(&self) -> u64 {
        self.submitted.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Says that a piece of work, and so all before it, is finished.
    pub fn finish(&self, number: u64) {
        *lock(&self.done) = number;
        self.changed.notify_all();
    }

    /// The last work that was submitted.
    pub fn last(self: &Arc<Self>) -> Point {
        Point { lane: Arc::clone(self), number: self.submitted.load(Ordering::Relaxed) }
    }
}

impl Point {
    /// The work with this number.
    pub fn new(lane: &Arc<Lane>, number: u64) -> Self {
        Self { lane: Arc::clone(lane), number }
    }

    /// Blocks until the work is finished.
    pub fn wait(&self) {
        let done = lock(&self.lane.done);
        let until = self.lane.changed.wait_while(done, |done| *done < self.number);
        drop(until.unwrap_or_else(PoisonError::into_inner));
    }

    /// Whether the work is finished.
    pub fn reached(&self) -> bool {
        *lock(&self.lane.done) >= self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_reached_when_its_work_is_finished() {
        let lane = Arc::new(Lane::new(Kind::Blocking));
        assert!(lane.last().reached(), "nothing submitted");
        let point = Point::new(&lane, lane.next());
        assert!(!point.reached());
        let waiter = std::thread::spawn({
            let point = point.clone();
            move || point.wait()
        });
        lane.finish(1);
        waiter.join().unwrap();
        assert!(point.reached());
    }
}
