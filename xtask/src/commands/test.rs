//! `test`: every test of the workspace, step by step.

use std::process::ExitCode;
use std::time::Instant;

use clap::Args;

use crate::cargo;
use crate::error::{Error, Result};
use crate::home::Home;

/// Run every test of the workspace; needs no GPU
///
/// Runs on the simulated driver (INTEROP_SIMULATE=1), even if there is a GPU.
#[derive(Debug, Args)]
pub struct Options {}

/// One call of cargo.
struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
}

const STEPS: [Step; 2] = [
    Step {
        name: "unit and integration tests",
        arguments: &["test", "--workspace", "--all-features", "--lib", "--bins", "--tests", "--examples"],
    },
    Step { name: "doctests", arguments: &["test", "--workspace", "--all-features", "--doc"] },
];

/// Runs the command.
pub fn run(home: &Home, _options: &Options) -> Result<ExitCode> {
    if home.is_bundle() {
        return Err(Error::usage("`test` in a bundle")
            .expected("a checkout of the workspace")
            .remedy("a bundle has no sources; `./run` runs its samples"));
    }
    let start = Instant::now();
    for (number, step) in STEPS.iter().enumerate() {
        println!("step {} of {}: {} (`{}`)", number + 1, STEPS.len(), step.name, step.command_line());
        let started = Instant::now();
        step.run(home)?;
        println!("step {} of {}: {} passed in {:.1} s", number + 1, STEPS.len(), step.name, seconds(started));
    }
    println!("all tests passed in {:.1} s", seconds(start));
    Ok(ExitCode::SUCCESS)
}

impl Step {
    fn run(&self, home: &Home) -> Result<()> {
        let mut command = cargo::command(home.root());
        command.args(self.arguments).env("INTEROP_SIMULATE", "1");
        let failed = || Error::new(format!("the step `{}`", self.name));
        let status = command.status().map_err(|e| failed().got(e))?;
        if status.success() {
            return Ok(());
        }
        Err(failed().got(status).remedy(format!("repeat it: INTEROP_SIMULATE=1 {}", self.command_line())))
    }

    fn command_line(&self) -> String {
        format!("cargo {}", self.arguments.join(" "))
    }
}

fn seconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64()
}
