//! [`run`]: many seeds on several threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use interop_core::Gpu;

use crate::{Bench, Case, Noise, Result};

/// How many seeds a thread takes at a time.
const CHUNK: u64 = 64;

/// Which seeds to try.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The first seed.
    pub from: u64,
    /// How many copies: one for each seed.
    pub copies: u64,
    /// Stops after this time though seeds are left.
    pub time: Option<Duration>,
    /// How many threads copy at once.
    pub threads: usize,
    /// Tells of each case before it is tried, for what ends the process.
    pub describe: bool,
}

/// What happens meanwhile.
pub enum Event<'a> {
    /// A case is about to be tried.
    Begins(&'a Case),
    /// So many copies were made.
    Done(u64),
    /// One of them was wrong.
    Failed(&'a Failure),
}

/// A copy that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The seed of its case.
    pub seed: u64,
    /// The case and what is wrong, on one line.
    pub line: String,
}

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    /// Copies made.
    pub copies: u64,
    /// Those that were wrong, by their seeds.
    pub failures: Vec<Failure>,
    /// From the start, allocations included, to the last copy.
    pub elapsed: Duration,
}

impl Outcome {
    /// Copies in a second.
    pub fn rate(&self) -> f64 {
        self.copies as f64 / self.elapsed.as_secs_f64().max(f64::EPSILON)
    }
}

/// What the threads of a run share.
struct Shared<'a, F> {
    plan: &'a Plan,
    start: Instant,
    next: AtomicU64,
    done: AtomicU64,
    /// A thread could not go on; the others need not either.
    is_broken: AtomicBool,
    failures: Mutex<Vec<Failure>>,
    tell: F,
}

/// Tries the seeds of a plan; each picks one of the devices, which are all device 0, opened in different ways.
///
/// # Errors
/// The device or the host has too little memory. A copy that is wrong is no error but a part of the outcome.
pub fn run(gpus: &[Gpu], plan: &Plan, tell: impl Fn(Event<'_>) + Sync) -> Result<Outcome> {
    let noise = Noise::new();
    let shared = Shared {
        plan,
        start: Instant::now(),
        next: AtomicU64::new(0),
        done: AtomicU64::new(0),
        is_broken: AtomicBool::new(false),
        failures: Mutex::default(),
        tell,
    };
    std::thread::scope(|scope| {
        let work =
            || Bench::new(gpus, &noise).map(|bench| shared.work(bench)).inspect_err(|_| shared.give_up());
        let threads: Vec<_> = (0..plan.threads.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?)
    })?;
    let elapsed = shared.start.elapsed();
    let mut failures = shared.failures.into_inner()?;
    failures.sort_by_key(|failure| failure.seed);
    Ok(Outcome { copies: shared.done.into_inner(), failures, elapsed })
}

impl<F: Fn(Event<'_>) + Sync> Shared<'_, F> {
    fn work(&self, mut bench: Bench) {
        while let Some(seeds) = self.take() {
            let count = seeds.end - seeds.start;
            for seed in seeds {
                self.attempt(&mut bench, &Case::from_seed(seed));
            }
            let done = self.done.fetch_add(count, Ordering::Relaxed) + count;
            (self.tell)(Event::Done(done));
        }
    }

    /// The next seeds, if there are any and there is time.
    fn take(&self) -> Option<std::ops::Range<u64>> {
        let is_late = self.plan.time.is_some_and(|time| self.start.elapsed() >= time);
        if is_late || self.is_broken.load(Ordering::Relaxed) {
            return None;
        }
        let first = self.next.fetch_add(CHUNK, Ordering::Relaxed);
        let end = first.saturating_add(CHUNK).min(self.plan.copies);
        (first < end).then(|| self.plan.from + first..self.plan.from + end)
    }

    fn attempt(&self, bench: &mut Bench, case: &Case) {
        if self.plan.describe {
            (self.tell)(Event::Begins(case));
        }
        let Some(wrong) = wrong_with(bench, case) else { return };
        let failure = Failure { seed: case.seed, line: format!("{case}: {wrong}") };
        (self.tell)(Event::Failed(&failure));
        self.failures.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(failure);
    }

    fn give_up(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }
}

/// What is wrong with a copy, be it that it panics.
fn wrong_with(bench: &mut Bench, case: &Case) -> Option<String> {
    // A panic leaves nothing behind but bytes, which the next case overwrites.
    match catch_unwind(AssertUnwindSafe(|| bench.check(case))) {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
            Some(format!("panicked: {text}"))
        }
    }
}
