//! A program that is asked something short: its answer, or none. One that hangs holds us up for a few seconds only.

use std::process::Command;
use std::time::Duration;

use super::process::{End, Output, run};
use crate::files;

const LIMIT: Duration = Duration::from_secs(10);

/// What a program prints; none where it does not start, fails, or is not done in time.
pub fn answer(command: Command) -> Option<Vec<u8>> {
    answer_within(command, LIMIT)
}

fn answer_within(command: Command, limit: Duration) -> Option<Vec<u8>> {
    let scratch = tempfile::tempdir().ok()?;
    let (stdout, stderr) = (scratch.path().join("out"), scratch.path().join("err"));
    match run(command, &Output::Apart { stdout: &stdout, stderr: &stderr }, limit) {
        Ok((End::Exit(0), _)) => files::read(&stdout).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_fails_or_hangs_has_no_answer() {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            answer_within(command, Duration::from_secs(1))
        };
        assert_eq!(shell("echo a; echo b >&2").as_deref(), Some(&b"a\n"[..]));
        assert_eq!((shell("echo a; exit 1"), shell("echo a; sleep 60")), (None, None));
    }
}
