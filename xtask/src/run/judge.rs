//! From the way a sample ended to its status and the reason for it.

use std::time::Duration;

use super::process::End;
use crate::contract::report::Status;
use crate::lines::{LONGEST, shortened};

/// The status, and the reason for everything but a pass.
pub fn judge(end: End, output: &str, limit: Duration) -> (Status, Option<String>) {
    match end {
        End::Exit(0) => (Status::Pass, None),
        End::Exit(2) => waived(output),
        End::Exit(code) => (Status::Fail, Some(with_last_words(format!("exit code {code}"), output))),
        End::Signal(number) => (Status::Error, Some(format!("crashed: {}", signal_in_words(number)))),
        End::Timeout => (Status::Timeout, Some(format!("not done after {} s", limit.as_secs_f64()))),
    }
}

/// What stands between a thread and the place of its panic, as Rust writes it.
const PANICKED: &str = " panicked at ";

fn waived(output: &str) -> (Status, Option<String>) {
    let reason = output.lines().rev().find_map(|line| line.trim().strip_prefix("waived:")).map(str::trim);
    match reason.filter(|reason| !reason.is_empty()) {
        Some(reason) => (Status::Waived, Some(shortened(reason, LONGEST))),
        None => (Status::Fail, Some("exit code 2 (waived) without a line `waived: <reason>`".to_owned())),
    }
}

fn with_last_words(text: String, output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match panic_in(&lines).or_else(|| lines.last().map(|line| (*line).to_owned())) {
        Some(words) => format!("{text}: {}", shortened(words.trim_end(), 160)),
        None => text,
    }
}

/// Where a panic was, and the first line of its message. What Rust writes below says how to get a backtrace.
fn panic_in(lines: &[&str]) -> Option<String> {
    let at = lines.iter().rposition(|line| line.contains(PANICKED))?;
    let (_, place) = lines[at].split_once(PANICKED)?;
    let message = lines.get(at + 1).copied().unwrap_or_default();
    Some(format!("{}{place} {message}", PANICKED.trim_start()))
}

fn signal_in_words(number: i32) -> String {
    let name = match number {
        4 => "SIGILL, an illegal instruction",
        6 => "SIGABRT, the process gave up",
        7 => "SIGBUS, a bad memory access",
        8 => "SIGFPE, a bad calculation",
        9 => "SIGKILL, killed from outside or out of memory",
        11 => "SIGSEGV, a bad memory access",
        13 => "SIGPIPE, a closed pipe",
        15 => "SIGTERM, ended from outside",
        _ => return format!("signal {number}"),
    };
    format!("signal {number} ({name})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(end: End, output: &str) -> (Status, Option<String>) {
        judge(end, output, Duration::from_secs(3))
    }

    #[test]
    fn a_waiver_needs_a_reason() {
        assert_eq!(of(End::Exit(2), "a\nwaived: no CV-CUDA\n"), (Status::Waived, Some("no CV-CUDA".into())));
        assert_eq!(of(End::Exit(2), "waived:  \n").0, Status::Fail);
        assert_eq!(of(End::Exit(2), "").0, Status::Fail);
    }

    #[test]
    fn a_failure_shows_its_last_line() {
        let (status, reason) = of(End::Exit(101), "a\nwrong bytes\n\n");
        assert_eq!((status, reason.as_deref()), (Status::Fail, Some("exit code 101: wrong bytes")));
        assert_eq!(of(End::Exit(1), "").1.as_deref(), Some("exit code 1"));
    }

    #[test]
    fn a_panic_shows_its_place_and_message() {
        let output = "thread 'main' (7) panicked at samples/src/bin/copies.rs:20:5:\nwrong row 3\n\
                      note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        let expected = "exit code 101: panicked at samples/src/bin/copies.rs:20:5: wrong row 3";
        assert_eq!(of(End::Exit(101), output).1.as_deref(), Some(expected));
        assert_eq!(
            of(End::Exit(101), "it panicked at a:1:2:").1.as_deref(),
            Some("exit code 101: panicked at a:1:2:")
        );
    }

    #[test]
    fn a_signal_is_a_crash() {
        let (status, reason) = of(End::Signal(11), "");
        assert_eq!(status, Status::Error);
        assert!(reason.is_some_and(|r| r.contains("SIGSEGV")));
    }
}
