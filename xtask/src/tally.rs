//! How many tests passed, failed and were skipped, summed over what test programs print.

use std::fmt;

/// The sums so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Tally {
    /// Adds the counts of a line that closes a test program, such as `test result: ok. 3 passed; 0 failed; ...`.
    /// Every other line counts nothing.
    pub fn take(&mut self, line: &str) {
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
running 3 tests
test date::tests::writes_utc ... ok
test slow ... ignored
test test result: ok. 7 passed ... ok

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.00s


running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s


running 2 tests
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
        assert_eq!(tally.to_string(), "12 passed, 2 failed, 4 skipped");
        assert_eq!(tally.ran(), 14);
    }

    #[test]
    fn a_line_that_is_no_result_counts_nothing() {
        for line in
            ["", "test result: ", "test result: ok", "  test result: ok. 1 passed", "1 passed; 1 failed"]
        {
            assert_eq!(sum(line), Tally::default(), "{line}");
        }
        assert_eq!(
            sum("test result: ok. x passed; 1 failed; passed").to_string(),
            "0 passed, 1 failed, 0 skipped"
        );
    }
}
