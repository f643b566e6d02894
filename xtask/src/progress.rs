//! Progress: a bar or a spinner on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::say;

/// Shows how far a list of steps is, and for how long the present one has run.
pub struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Starts for so many steps.
    pub fn new(steps: usize) -> Self {
        let bar = || ticking(ProgressBar::new(steps as u64), "{bar:24} {pos}/{len} {elapsed:>4} {wide_msg}");
        Self { bar: on_terminal(bar) }
    }

    /// Shows that something runs whose steps are unknown.
    pub fn of_one(what: &str) -> Self {
        let bar = on_terminal(|| ticking(ProgressBar::new_spinner(), "{spinner} {elapsed:>4} {wide_msg}"));
        let progress = Self { bar };
        progress.begin(what, "");
        progress
    }

    /// Names the step that runs now.
    pub fn step(&self, what: &str) {
        self.begin(what, "running ");
    }

    fn begin(&self, what: &str, verb: &str) {
        match &self.bar {
            Some(bar) => {
                bar.reset_elapsed();
                bar.set_message(what.to_owned());
            }
            None => say::aside(format_args!("{verb}{what}")),
        }
    }

    /// Prints a line above the bar.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| say::line(text)),
            None => say::line(text),
        }
    }

    /// Counts a finished step.
    pub fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn on_terminal(bar: impl FnOnce() -> ProgressBar) -> Option<ProgressBar> {
    std::io::stderr().is_terminal().then(bar)
}

fn ticking(bar: ProgressBar, template: &str) -> ProgressBar {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
