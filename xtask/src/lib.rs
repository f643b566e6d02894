//! `cargo xtask ...`: everything a person runs in this workspace. Each command has a file in `commands`.
//!
//! All of it lies in a library, so that its unit tests run without those of every program of the workspace.

mod bundle;
mod cargo;
mod cli;
mod commands;
mod contract;
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
mod tally;

use std::process::ExitCode;

/// Runs the command that was given on the command line, and says what went wrong.
pub fn run() -> ExitCode {
    match cli::Cli::from_command_line().run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{}", lines::fitted("error: ", &error.to_string(), lines::columns(std::io::stderr())));
            ExitCode::from(error.exit_code())
        }
    }
}
