//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands::{bundle, cvcuda, doctor, plot, samples, test};
use crate::error::Result;
use crate::home::{Home, bundle_of_this_program};

/// Everything a person runs in this workspace.
///
/// Exit codes: 0 success, 1 failure, 2 wrong usage.
#[derive(Debug, Parser)]
#[command(name = "xtask", max_term_width = 80, disable_help_subcommand = true)]
pub struct Cli {
    /// Act as the bundle that is unpacked in this folder
    #[arg(long, hide = true, global = true, value_name = "DIR")]
    bundle_root: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Samples(samples::Options),
    Test(test::Options),
    Doctor(doctor::Options),
    Cvcuda(cvcuda::Options),
    Plot(plot::Options),
    Bundle(bundle::Options),
}

impl Cli {
    /// Reads the command line; ends the program where it is wrong or asks for help.
    pub fn from_command_line() -> Self {
        let called = if bundle_of_this_program().is_some() { "./run" } else { "cargo xtask" };
        let matches = Self::command().bin_name(called).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }

    /// Runs the command that was given.
    pub fn run(self) -> Result<ExitCode> {
        let home = || Home::find(self.bundle_root.as_deref());
        match self.command {
            Command::Samples(options) => samples::run(&home()?, &options),
            Command::Test(options) => test::run(&home()?, &options),
            Command::Doctor(options) => doctor::run(&home()?, &options),
            Command::Cvcuda(options) => cvcuda::run(&home()?, &options),
            Command::Plot(options) => plot::run(&options),
            Command::Bundle(options) => bundle::run(&home()?, &options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
