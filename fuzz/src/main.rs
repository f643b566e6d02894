//! The program `copy-fuzz`: see `cargo run --release -p copy-fuzz -- --help`.

mod progress;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use copy_fuzz::{Event, Outcome, Plan, gpus, run};

use crate::progress::Progress;

/// The copies of a run that does not say how many.
const COPIES: u64 = 10_000_000;

/// Make random copies and compare each with a reference
///
/// Each seed is one copy: direction, shape, element type, and strides on both sides. Every byte on both sides
/// must be what plain index arithmetic makes of it, those around the elements included. Runs on the GPU where
/// there is one, else (or with INTEROP_SIMULATE=1) on the simulated device.
///
/// Exit codes: 0 all right, 1 a copy was wrong or could not be tried, 2 wrong usage.
#[derive(Debug, Parser)]
#[command(name = "copy-fuzz", max_term_width = 80)]
struct Options {
    /// How many copies to make; 10000000 unless there is a time
    #[arg(long, value_name = "N")]
    copies: Option<u64>,
    /// The first seed
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    from: u64,
    /// Stop after so many seconds
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,
    /// How many threads copy at once; half as many again as there are cores, as each waits now and then
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print each case before it is tried
    #[arg(long)]
    describe: bool,
}

impl Options {
    fn plan(&self) -> Plan {
        let copies = self.copies.unwrap_or(if self.seconds.is_some() { u64::MAX } else { COPIES });
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Plan {
            from: self.from,
            copies: copies.min(u64::MAX - self.from),
            time: self.seconds.map(Duration::from_secs),
            threads: self.threads.unwrap_or_else(|| cores() * 3 / 2),
            describe: self.describe,
        }
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    match fuzz(&options.plan()) {
        Ok(outcome) if outcome.failures.is_empty() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("copy-fuzz: {error}");
            ExitCode::FAILURE
        }
    }
}

fn fuzz(plan: &Plan) -> copy_fuzz::Result<Outcome> {
    let gpus = gpus()?;
    if let Some(gpu) = gpus.first() {
        eprintln!("on {}", gpu.info());
    }
    let progress = Progress::new(plan);
    let outcome = run(&gpus, plan, |event| match event {
        Event::Begins(case) => progress.line(&case.to_string()),
        Event::Done(copies) => progress.done(copies),
        Event::Failed(failure) => progress.line(&failure.line),
    })?;
    progress.clear();
    println!("{}", summary(plan, &outcome));
    Ok(outcome)
}

fn summary(plan: &Plan, outcome: &Outcome) -> String {
    let verdict = match outcome.failures.len() {
        0 => "all right".to_owned(),
        wrong => format!("{wrong} wrong"),
    };
    format!("{} copies from seed {}: {verdict}, {:.0} copies/s", outcome.copies, plan.from, outcome.rate())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }
}
