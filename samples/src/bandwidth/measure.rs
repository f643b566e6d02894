//! Timing copies in turns.

use std::error::Error;
use std::time::{Duration, Instant};

use super::content::{Content, Extent, SPREAD_FROM};
use super::series::Implementation;

/// How often a copy is repeated. A pair is one copy of each contender, or one where there is a single contender.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Pairs that are made first and not timed.
    pub warm_up: usize,
    /// The fewest timed pairs.
    pub at_least: usize,
    /// The fewest where pairs are so slow that `patience` runs out.
    pub at_least_of_slow: usize,
    /// The most timed pairs.
    pub at_most: usize,
    /// No more pairs than `at_least` are started after this time.
    pub budget: Duration,
    /// No more pairs than `at_least_of_slow` are started after this time.
    pub patience: Duration,
}

impl Timing {
    /// For a result that is reported.
    pub const FULL: Self = Self {
        warm_up: 3,
        at_least: 9,
        at_least_of_slow: 3,
        at_most: 200,
        budget: Duration::from_millis(250),
        patience: Duration::from_secs(2),
    };

    /// For a look at the data alone.
    pub const ONCE: Self = Self {
        warm_up: 0,
        at_least: 2,
        at_least_of_slow: 2,
        at_most: 2,
        budget: Duration::ZERO,
        patience: Duration::from_secs(600),
    };

    fn is_last(&self, done: usize, elapsed: Duration) -> bool {
        let with_this = done + 1;
        let enough = with_this >= self.at_least && (with_this >= self.at_most || elapsed >= self.budget);
        enough || (with_this >= self.at_least_of_slow && elapsed >= self.patience)
    }
}

/// What is expected around one copy.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// What is copied.
    pub content: Content,
    /// How much of it is prepared and compared.
    pub extent: Extent,
}

/// A copy that several implementations can make on the same arrays.
pub trait Bench {
    /// Bytes that are copied.
    fn bytes(&self) -> usize;
    /// Gets source and target ready; not timed.
    fn prepare(&mut self, turn: Turn) -> Result<(), Box<dyn Error>>;
    /// Warms the stream on which that implementation copies; not timed.
    fn warm(&mut self, by: Implementation) -> Result<(), Box<dyn Error>>;
    /// The copy. When it returns it is complete, or, to the device, the host array was read and whatever comes next
    /// on the stream runs behind it: from pageable memory the driver's own call promises no more ("API synchronization
    /// behavior" of the CUDA driver API 12.0).
    fn copy(&mut self, by: Implementation) -> Result<(), Box<dyn Error>>;
    /// Compares what arrived; not timed.
    fn check(&mut self, turn: Turn) -> Result<(), Box<dyn Error>>;
}

/// Seconds of each timed copy of each contender, in the order they ran: A, B, A, B. Every copy is checked.
///
/// # Errors
/// The first error of a copy, or wrong data.
pub fn in_turns(
    bench: &mut impl Bench,
    contenders: &[Implementation],
    timing: Timing,
) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let extent = if bench.bytes() < SPREAD_FROM { Extent::Whole } else { Extent::Spread };
    let mut seconds = vec![Vec::new(); contenders.len()];
    // Slow copies need no more than one.
    let mut start = Instant::now();
    for turn in 0..timing.warm_up {
        if turn > 0 && start.elapsed() >= timing.budget {
            break;
        }
        let turn = Turn { content: Content::of_turn(turn), extent };
        contenders.iter().try_for_each(|by| one(bench, *by, turn).map(drop))?;
    }
    start = Instant::now();
    loop {
        let done = seconds.first().map_or(0, Vec::len);
        let last = timing.is_last(done, start.elapsed());
        let turn =
            Turn { content: Content::of_turn(done), extent: if last { Extent::Whole } else { extent } };
        for (by, seconds) in contenders.iter().zip(&mut seconds) {
            seconds.push(one(bench, *by, turn)?);
        }
        if last {
            return Ok(seconds);
        }
    }
}

fn one(bench: &mut impl Bench, by: Implementation, turn: Turn) -> Result<f64, Box<dyn Error>> {
    bench.prepare(turn)?;
    bench.warm(by)?;
    let before = Instant::now();
    bench.copy(by)?;
    let seconds = before.elapsed().as_secs_f64();
    bench.check(turn).map_err(|error| format!("{} of {} bytes: {error}", by.name(), bench.bytes()))?;
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies nothing, and notes who was asked to copy and what came of each check.
    #[derive(Default)]
    struct Fake {
        /// Whose copies arrive wrong.
        wrong: Option<Implementation>,
        /// Whose copies they were.
        copies: Vec<Implementation>,
        /// What was compared, and after how many copies.
        checks: Vec<(usize, Extent)>,
        /// What the target holds: none after `prepare`, as a real bench zeroes it.
        target: Option<Content>,
        /// What the source holds.
        source: Option<Content>,
    }

    impl Bench for Fake {
        fn bytes(&self) -> usize {
            SPREAD_FROM
        }

        fn prepare(&mut self, turn: Turn) -> Result<(), Box<dyn Error>> {
            (self.source, self.target) = (Some(turn.content), None);
            Ok(())
        }

        fn warm(&mut self, _by: Implementation) -> Result<(), Box<dyn Error>> {
            Ok(())
        }

        fn copy(&mut self, by: Implementation) -> Result<(), Box<dyn Error>> {
            self.copies.push(by);
            self.target = if self.wrong == Some(by) { None } else { self.source };
            Ok(())
        }

        fn check(&mut self, turn: Turn) -> Result<(), Box<dyn Error>> {
            self.checks.push((self.copies.len(), turn.extent));
            if self.target == Some(turn.content) { Ok(()) } else { Err("wrong bytes arrived".into()) }
        }
    }

    const BOTH: [Implementation; 2] = [Implementation::InteropCore, Implementation::Driver];

    /// Without waiting, so that the counts are always the same.
    const FEW: Timing = Timing { warm_up: 1, ..Timing::ONCE };

    #[test]
    fn a_wrong_copy_fails_and_names_who_made_it_and_its_bytes() {
        // Either of a pair; nothing warms up, so that it is a timed copy that fails.
        for wrong in BOTH {
            let mut bench = Fake { wrong: Some(wrong), ..Fake::default() };
            let error = in_turns(&mut bench, &BOTH, Timing::ONCE).expect_err("a wrong copy").to_string();
            assert_eq!(error, format!("{} of {SPREAD_FROM} bytes: wrong bytes arrived", wrong.name()));
        }
    }

    #[test]
    fn every_copy_is_checked_and_the_last_of_each_contender_whole() {
        let mut bench = Fake::default();
        let seconds = in_turns(&mut bench, &BOTH, FEW).expect("right copies");
        assert_eq!(seconds.iter().map(Vec::len).collect::<Vec<_>>(), [FEW.at_most; 2]);
        let pairs = FEW.warm_up + FEW.at_most;
        assert_eq!(bench.copies, BOTH.repeat(pairs), "in turns");
        let after: Vec<_> = bench.checks.iter().map(|(copies, _)| *copies).collect();
        assert_eq!(after, (1..=2 * pairs).collect::<Vec<_>>(), "one check behind each copy");
        let whole = bench.checks.iter().map(|(_, extent)| *extent == Extent::Whole);
        assert_eq!(whole.collect::<Vec<_>>(), [false, false, false, false, true, true]);
    }

    #[test]
    fn a_point_ends_when_it_has_enough_or_takes_too_long() {
        let last = |done, millis| Timing::FULL.is_last(done, Duration::from_millis(millis));
        assert!(!last(0, 0) && !last(7, 1000) && last(8, 1000));
        assert!(!last(100, 200) && last(100, 251) && last(199, 0));
        assert!(!last(1, 60_000) && last(2, 2000));
    }
}
