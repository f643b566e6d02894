//! Timing a copy.

use std::time::{Duration, Instant};

/// How often a copy is repeated.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Copies that are made first and not timed.
    pub warm_up: usize,
    /// The fewest timed copies.
    pub at_least: usize,
    /// The most timed copies.
    pub at_most: usize,
    /// No more copies are started after this time.
    pub budget: Duration,
}

impl Timing {
    /// For a result that is reported.
    pub const FULL: Self = Self { warm_up: 3, at_least: 9, at_most: 100, budget: Duration::from_millis(300) };
}

/// Seconds of each timed copy, in the order they ran. The copy must be complete when it returns.
///
/// # Errors
/// The first error of the copy.
pub fn timed<E>(timing: Timing, mut copy: impl FnMut() -> Result<(), E>) -> Result<Vec<f64>, E> {
    for _ in 0..timing.warm_up {
        copy()?;
    }
    let (mut seconds, start) = (Vec::new(), Instant::now());
    while seconds.len() < timing.at_least
        || (seconds.len() < timing.at_most && start.elapsed() < timing.budget)
    {
        let before = Instant::now();
        copy()?;
        seconds.push(before.elapsed().as_secs_f64());
    }
    Ok(seconds)
}
