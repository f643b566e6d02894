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
        End::Exit(code) => (Status::Fail, Some(with_last_line(format!("exit code {code}"), output))),
        End::Signal(number) => (Status::Error, Some(format!("crashed: {}", signal_in_words(number)))),
        End::Timeout => (Status::Timeout, Some(format!("not done after {} s", limit.as_secs_f64()))),
    }
}

fn waived(output: &str) -> (Status, Option<String>) {
    let reason = output.lines().rev().find_map(|line| line.trim().strip_prefix("waived:")).map(str::trim);
    match reason.filter(|reason| !reason.is_empty()) {
        Some(reason) => (Status::Waived, Some(shortened(reason, LONGEST))),
        None => (Status::Fail, Some("exit code 2 (waived) without a line `waived: <reason>`".to_owned())),
    }
}

fn with_last_line(text: String, output: &str) -> String {
    match output.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        Some(line) => format!("{text}: {}", shortened(line, 160)),
        None => text,
    }
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
        let (status, reason) = of(End::Exit(101), "panicked\n\n");
        assert_eq!((status, reason.as_deref()), (Status::Fail, Some("exit code 101: panicked")));
    }

    #[test]
    fn a_signal_is_a_crash() {
        let (status, reason) = of(End::Signal(11), "");
        assert_eq!(status, Status::Error);
        assert!(reason.is_some_and(|r| r.contains("SIGSEGV")));
    }
}
