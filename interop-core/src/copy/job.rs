//! [`Job`]: a copy that another thread makes, and what it gives back.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::meter::Meter;
use super::queued::Progress;
use crate::lock::lock;
use crate::{Error, Result};

/// How a copy ended. What went wrong is told once.
#[derive(Default)]
pub(super) struct Outcome {
    ending: Mutex<Ending>,
    ended: Condvar,
}

#[derive(Default)]
enum Ending {
    #[default]
    None,
    Fine,
    Failed(Error),
    Panicked(Box<dyn Any + Send>),
}

impl Outcome {
    fn end(&self, ending: Ending) {
        *self.lock() = ending;
        self.ended.notify_all();
    }

    /// Waits for the end, and returns the error unless someone else got it.
    pub fn wait(&self) -> Result<()> {
        let running = |ending: &mut Ending| matches!(ending, Ending::None);
        let waited = self.ended.wait_while(self.lock(), running);
        let ending = std::mem::replace(&mut *waited.unwrap_or_else(PoisonError::into_inner), Ending::Fine);
        match ending {
            Ending::None | Ending::Fine => Ok(()),
            Ending::Failed(error) => Err(error),
            // The copy itself does not panic; a host array's own code may.
            Ending::Panicked(panic) => resume_unwind(panic),
        }
    }

    fn is_over(&self) -> bool {
        !matches!(*self.lock(), Ending::None)
    }

    fn lock(&self) -> MutexGuard<'_, Ending> {
        lock(&self.ending)
    }
}

/// The caller's side of a copy: forgotten or dropped, the copy goes on.
pub(super) struct Job<T> {
    operation: &'static str,
    outcome: Arc<Outcome>,
    back: Arc<Mutex<Option<T>>>,
    total: usize,
    meter: Meter,
}

/// The side of whoever makes the copy.
pub(super) struct Runner<T> {
    outcome: Arc<Outcome>,
    back: Arc<Mutex<Option<T>>>,
}

impl<T> Job<T> {
    /// A copy of `total` bytes that nobody makes yet.
    pub fn new(operation: &'static str, total: usize) -> Self {
        Self {
            operation,
            outcome: Arc::default(),
            back: Arc::new(Mutex::new(None)),
            total,
            meter: Meter::default(),
        }
    }

    pub fn runner(&self) -> Runner<T> {
        Runner { outcome: self.outcome.clone(), back: self.back.clone() }
    }

    /// What the copy counts its bytes with.
    pub fn meter(&self) -> Meter {
        self.meter.clone()
    }

    pub fn outcome(&self) -> &Arc<Outcome> {
        &self.outcome
    }

    /// Waits for the end of the copy, and returns what it gives back.
    pub fn wait(self) -> Result<T> {
        self.outcome.wait()?;
        let back = lock(&self.back).take();
        let nothing = || Error::NoThread { operation: self.operation, reason: "one that ended early".into() };
        back.ok_or_else(nothing)
    }

    pub fn is_done(&self) -> bool {
        self.outcome.is_over()
    }

    pub fn progress(&self) -> Progress {
        let done = if self.is_done() { self.total } else { self.meter.read().min(self.total) };
        Progress { done, total: self.total }
    }
}

impl<T> Runner<T> {
    /// Makes the copy; a panic in it is kept for whoever waits.
    pub fn run(self, copy: impl FnOnce() -> (Result<()>, T)) {
        // What a panic leaves half done is the host array's, whose own code it came from.
        match catch_unwind(AssertUnwindSafe(copy)) {
            Ok((result, back)) => {
                *lock(&self.back) = Some(back);
                self.outcome.end(result.map_or_else(Ending::Failed, |()| Ending::Fine));
            }
            Err(panic) => self.outcome.end(Ending::Panicked(panic)),
        }
    }
}
