//! `cargo xtask ...`: everything a person runs in this workspace. Each command has a file in `commands`.
//!
//! All of it lies in a library, so that its unit tests run without those of every program of the workspace.

// They panic where nobody reads; `say` does not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod bundle;
mod cargo;
mod cli;
mod commands;
mod contract;
mod cvcuda;
mod date;
mod device;
mod doctor;
mod error;
mod files;
mod home;
mod lines;
mod plot;
mod progress;
mod python;
mod report;
mod run;
mod say;
mod tally;

use std::process::ExitCode;

/// Runs the command that was given on the command line, and says what went wrong.
pub fn run() -> ExitCode {
    let ended = cli::Cli::from_command_line().run();
    // A helper that was stopped looks like one that is missing.
    let ended = ended
        .and_then(|code| if run::signals::asked() { Err(error::Error::interrupted()) } else { Ok(code) });
    let ended = ended.and_then(|code| say::lost().map_or(Ok(code), Err));
    ended.unwrap_or_else(|error| {
        say::aside(lines::fitted("error: ", &error.to_string(), lines::columns(std::io::stderr())));
        ExitCode::from(error.exit_code())
    })
}
