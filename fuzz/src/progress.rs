//! [`Progress`]: how far a run is, on a terminal.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use copy_fuzz::Plan;

const INTERVAL: Duration = Duration::from_millis(200);

/// One line on a terminal that tells how far the run is; nothing elsewhere.
pub struct Progress {
    of: String,
    start: Instant,
    is_shown: bool,
    told: Mutex<Instant>,
}

impl Progress {
    /// Starts now.
    pub fn new(plan: &Plan) -> Self {
        let of = if plan.time.is_some() { String::new() } else { format!(" of {}", plan.copies) };
        let start = Instant::now();
        Self { of, start, is_shown: std::io::stderr().is_terminal(), told: Mutex::new(start) }
    }

    /// So many copies were made.
    pub fn done(&self, copies: u64) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_shown || told.elapsed() < INTERVAL {
            return;
        }
        *told = Instant::now();
        let rate = copies as f64 / self.start.elapsed().as_secs_f64();
        eprint!("\r\x1b[K{copies}{} copies, {rate:.0} copies/s", self.of);
    }

    /// Prints a line of its own.
    pub fn line(&self, line: &str) {
        let _told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        self.clear();
        println!("{line}");
    }

    /// Takes the line away.
    pub fn clear(&self) {
        if self.is_shown {
            eprint!("\r\x1b[K");
        }
    }
}
