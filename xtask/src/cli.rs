//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{bundle, doctor, plot, samples, test};
use crate::error::Result;
use crate::home::Home;

/// Everything a person runs in this workspace.
///
/// Exit codes: 0 success, 1 failure, 2 wrong usage.
#[derive(Debug, Parser)]
#[command(name = "xtask", bin_name = "cargo xtask", max_term_width = 80, disable_help_subcommand = true)]
pub struct Cli {
    /// Act as the bundle that is unpacked in this folder
    #[arg(long, hide = true, global = true, value_name = "DIR")]
    bundle_root: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the samples, measure the bandwidth, write a report
    Samples(samples::Options),
    /// Run every test of the workspace; needs no GPU
    Test(test::Options),
    /// Say what is here and what is missing, and how to get it
    Doctor(doctor::Options),
    /// Redraw the plots of a recorded run; needs no GPU
    Plot(plot::Options),
    /// Pack one archive for a GPU machine without network or Rust
    Bundle(bundle::Options),
}

impl Cli {
    /// Runs the command that was given.
    pub fn run(self) -> Result<ExitCode> {
        let home = || Home::find(self.bundle_root.as_deref());
        match self.command {
            Command::Samples(options) => samples::run(&home()?, &options),
            Command::Test(options) => test::run(&home()?, &options),
            Command::Doctor(options) => doctor::run(&home()?, &options),
            Command::Plot(options) => plot::run(&options),
            Command::Bundle(options) => bundle::run(&home()?, &options),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
