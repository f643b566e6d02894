//! [`InFlight`]: the copies that run beside the caller on a piece of memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::lock::lock;

/// Which copies of helper threads read or write a piece of memory. Whoever is about to queue work on it waits
/// for them first, since what a helper queues has no place in the caller's order.
///
/// This orders; that no memory is used after it is gone, ownership and scopes see to.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    /// All of them, to be read without the lock: almost always there are none.
    all: AtomicUsize,
    counts: Mutex<Counts>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Counts {
    readers: usize,
    writers: usize,
}

/// What a copy does to the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

impl Counts {
    fn allow(&self, access: Access) -> bool {
        self.writers == 0 && (access == Access::Read || self.readers == 0)
    }

    fn of(&mut self, access: Access) -> &mut usize {
        match access {
            Access::Read => &mut self.readers,
            Access::Write => &mut self.writers,
        }
    }
}

impl InFlight {
    /// Waits until a copy of this kind may begin.
    pub fn settle(&self, access: Access) {
        if self.all.load(Ordering::Acquire) > 0 {
            drop(self.allowed(access));
        }
    }

    /// Waits until a copy of this kind may begin, and counts it.
    pub fn begin(&self, access: Access) {
        let mut counts = self.allowed(access);
        *counts.of(access) += 1;
        self.all.fetch_add(1, Ordering::AcqRel);
    }

    /// Ends one that was begun.
    pub fn end(&self, access: Access) {
        let mut counts = self.lock();
        *counts.of(access) -= 1;
        self.all.fetch_sub(1, Ordering::AcqRel);
        drop(counts);
        self.ended.notify_all();
    }

    fn allowed(&self, access: Access) -> MutexGuard<'_, Counts> {
        let allowed = self.ended.wait_while(self.lock(), |counts| !counts.allow(access));
        allowed.unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        lock(&self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_share_and_writers_do_not() {
        let counts = |readers, writers| Counts { readers, writers };
        assert!(counts(2, 0).allow(Access::Read) && !counts(2, 0).allow(Access::Write));
        assert!(!counts(0, 1).allow(Access::Read) && !counts(0, 1).allow(Access::Write));
        assert!(counts(0, 0).allow(Access::Write));
    }

    #[test]
    fn what_settles_waits_for_the_end() {
        let memory = InFlight::default();
        memory.begin(Access::Write);
        std::thread::scope(|threads| {
            let (said, heard) = std::sync::mpsc::channel();
            let memory = &memory;
            threads.spawn(move || {
                said.send("begins").unwrap();
                memory.settle(Access::Read);
                said.send("settled").unwrap();
            });
            assert_eq!(heard.recv(), Ok("begins"));
            let early = heard.recv_timeout(std::time::Duration::from_millis(50));
            memory.end(Access::Write);
            assert!(early.is_err(), "{early:?} while a copy writes");
            assert_eq!(heard.recv(), Ok("settled"));
        });
        memory.settle(Access::Write);
    }
}
