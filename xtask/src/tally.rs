//! How many tests passed, failed and were skipped, and why, summed over what test programs print.

use std::collections::BTreeMap;
use std::fmt;

/// The sums so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
    skipped: u64,
    /// How many were skipped for each reason that was given.
    reasons: BTreeMap<String, u64>,
}

impl Tally {
    /// Adds the counts of a line that closes a test program, such as `test result: ok. 3 passed; 0 failed; ...`, or
    /// the reason of one such as `test name ... ignored, reason`. Every other line counts nothing.
    pub fn take(&mut self, line: &str) {
        if let Some(reason) = reason_in(line) {
            *self.reasons.entry(reason.to_owned()).or_default() += 1;
        }
        let Some((_verdict, counts)) =
            line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for (count, word) in counts.split("; ").filter_map(|part| part.split_once(' ')) {
            let Ok(count) = count.parse::<u64>() else { continue };
            match word {
                "passed" => self.passed += count,
                "failed" => self.failed += count,
                "ignored" => self.skipped += count,
                _ => {}
            }
        }
    }

    /// How many tests ran to an end.
    pub fn ran(&self) -> u64 {
        self.passed + self.failed
    }

    /// Why tests were skipped: a line for each reason, and one for those that gave none.
    pub fn skipped(&self) -> Vec<String> {
        let without = self.skipped.saturating_sub(self.reasons.values().sum());
        let reasons = self.reasons.iter().map(|(reason, count)| (reason.as_str(), *count));
        let all = reasons.chain((without > 0).then_some(("no reason given", without)));
        all.map(|(reason, count)| format!("{count} skipped: {reason}")).collect()
    }
}

/// The reason in a line such as `test name ... ignored, reason`, in colour or not.
fn reason_in(line: &str) -> Option<&str> {
    let (_name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let (colour, reason) = outcome.split_once("ignored, ")?;
    let reason = reason.split('\u{1b}').next()?.trim();
    ((colour.is_empty() || colour.starts_with('\u{1b}')) && !reason.is_empty()).then_some(reason)
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from `cargo test`, shortened.
    const RECORDED: &str = "
running 4 tests
test date::tests::writes_utc ... ok
test slow ... ignored
test child ... ignored, run by others
test test result: ok. 7 passed ... ok

test result: ok. 2 passed; 0 failed; 2 ignored; 0 measured; 4 filtered out; finished in 0.00s


running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s


running 5 tests
test other child ... \u{1b}[33mignored, run by others\u{1b}(B\u{1b}[m
test elsewhere ... ignored, needs Linux
..
test result: \u{1b}[31mFAILED\u{1b}[m. 10 passed; 2 failed; 3 ignored; 5 measured; 0 filtered out; finished in 1.25s

all doctests ran in 0.71s; merged doctests compilation took 0.31s
";

    fn sum(text: &str) -> Tally {
        let mut tally = Tally::default();
        text.lines().for_each(|line| tally.take(line));
        tally
    }

    #[test]
    fn sums_over_all_test_programs() {
        let tally = sum(RECORDED);
        assert_eq!(tally.to_string(), "12 passed, 2 failed, 5 skipped");
        assert_eq!(tally.ran(), 14);
    }

    #[test]
    fn names_each_reason_once_and_how_many_gave_none() {
        let expected = ["1 skipped: needs Linux", "2 skipped: run by others", "2 skipped: no reason given"];
        assert_eq!(sum(RECORDED).skipped(), expected);
        assert!(sum("test result: ok. 3 passed; 0 failed; 0 ignored").skipped().is_empty());
    }

    #[test]
    fn a_line_that_is_no_result_counts_nothing() {
        for line in [
            "",
            "test result: ",
            "test result: ok",
            "  test result: ok. 1 passed",
            "1 passed; 1 failed",
            "test a ... ok, ignored, b",
            "test a ... ignored",
            "test a ... ignored, ",
            "a ... ignored, b",
        ] {
            assert_eq!(sum(line), Tally::default(), "{line}");
        }
        assert_eq!(
            sum("test result: ok. x passed; 1 failed; passed").to_string(),
            "0 passed, 1 failed, 0 skipped"
        );
    }
}
