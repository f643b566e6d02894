//! `test`: every test of the workspace, step by step.

use std::io::{BufRead, BufReader, Read};
use std::process::{ExitCode, Stdio};
use std::time::Instant;

use clap::Args;

use crate::error::{Error, Result};
use crate::home::Home;
use crate::tally::Tally;
use crate::{cargo, say};

/// Run every test of the workspace; needs no GPU
///
/// Runs on the simulated driver (INTEROP_SIMULATE=1), even if there is a GPU.
/// The last line is the sum over all test programs. Where tests were skipped, the lines before it say why.
#[derive(Debug, Args)]
pub struct Options {}

/// One call of cargo.
struct Step {
    name: &'static str,
    environment: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
}

const SIMULATE: (&str, &str) = ("INTEROP_SIMULATE", "1");

/// Compares the error codes of examples that must not compile, too. Relative to the root, where cargo runs.
const RUSTDOC: (&str, &str) = ("RUSTDOC", "xtask/rustdoc.sh");

const STEPS: [Step; 2] = [
    // Neither `--bins` nor `--tests`, which would build each program as an empty test harness, too.
    Step {
        name: "unit and integration tests",
        environment: &[SIMULATE],
        arguments: &[
            "test",
            "--workspace",
            "--all-features",
            "--no-fail-fast",
            "--lib",
            "--test",
            "*",
            "--examples",
        ],
    },
    Step {
        name: "doctests",
        environment: &[SIMULATE, RUSTDOC],
        arguments: &["test", "--workspace", "--all-features", "--no-fail-fast", "--doc"],
    },
];

/// Runs the command.
pub fn run(home: &Home, _options: &Options) -> Result<ExitCode> {
    if home.is_bundle() {
        return Err(Error::usage("`test` in a bundle")
            .expected("a checkout of the workspace")
            .remedy("a bundle has no sources; `./run` runs its samples"));
    }
    say("lines that begin with `cuda-sim:` tell of misuse that tests provoke")?;
    let start = Instant::now();
    let mut tally = Tally::default();
    let outcome = all(home, &mut tally).and_then(|()| match tally.ran() {
        0 => Err(Error::new("running the tests").expected("at least one test").got("none")),
        _ => say(&format!("all tests passed in {:.1} s", seconds(start))),
    });
    tally.skipped().iter().try_for_each(|line| say(line))?;
    say(&tally.to_string())?;
    outcome.map(|()| ExitCode::SUCCESS)
}

/// Runs every step, also after one that failed, so that the sums are over all; then fails with the first failure.
fn all(home: &Home, tally: &mut Tally) -> Result<()> {
    let mut first = None;
    for (number, step) in STEPS.iter().enumerate() {
        let title = format!("step {} of {}: {}", number + 1, STEPS.len(), step.name);
        say(&format!("{title} (`{}`)", step.command_line()))?;
        let start = Instant::now();
        let failed = step.run(home, tally)?;
        let word = if failed.is_some() { "failed" } else { "passed" };
        say(&format!("{title} {word} in {:.1} s", seconds(start)))?;
        first = first.or(failed);
    }
    first.map_or(Ok(()), Err)
}

impl Step {
    /// The error is that the step could not be followed to its end; the value, that its tests failed.
    fn run(&self, home: &Home, tally: &mut Tally) -> Result<Option<Error>> {
        let failed = || Error::new(format!("the step `{}`", self.name));
        let mut command = cargo::command(home.root());
        command.args(self.arguments).envs(self.environment.iter().copied()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|e| failed().got(e))?;
        let passed_on = child.stdout.take().map_or(Ok(()), |output| pass_on(output, tally));
        if passed_on.is_err() {
            // Nobody hears the rest. An error says that it has ended already.
            let _ = child.kill();
        }
        let status = child.wait().map_err(|e| failed().got(e))?;
        passed_on?;
        if status.success() {
            return Ok(None);
        }
        let variables = self.environment.iter().map(|(name, value)| format!("{name}={value} "));
        let repeat = format!(
            "repeat it in the workspace's root: {}{}",
            variables.collect::<String>(),
            self.command_line()
        );
        Ok(Some(failed().got(status).remedy(repeat)))
    }

    /// As a person types it.
    fn command_line(&self) -> String {
        format!("cargo {}", self.arguments.join(" ").replace('*', "'*'"))
    }
}

/// Passes the output on as it comes, line by line, and counts what its lines tell.
fn pass_on(output: impl Read, tally: &mut Tally) -> Result<()> {
    let mut reader = BufReader::new(output);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(|e| Error::new("reading the tests' output").got(e))? > 0
    {
        say::print(&line)?;
        tally.take(String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
    Ok(())
}

fn say(line: &str) -> Result<()> {
    say::print(format!("{line}\n").as_bytes())
}

fn seconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64()
}
