//! `cargo xtask ...`: everything a person runs in this workspace. Each command has a file in `commands`.

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
mod plot;
mod progress;
mod python;
mod report;
mod run;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::Cli::from_command_line().run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
