//! `plot`: redraws the plots of a recorded run.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::contract::bandwidth::Bandwidth;
use crate::error::Result;
use crate::{plot, say};

/// Redraw the plots of a recorded run; needs no GPU
///
/// Writes bandwidth, bandwidth-shapes (fresh and strided host arrays, where they were measured) and copy-time,
/// each as .svg and .png.
#[derive(Debug, Args)]
pub struct Options {
    /// A bandwidth.json, as the sample `bandwidth` writes it
    file: PathBuf,
    /// Folder for the plots [default: beside FILE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<ExitCode> {
    let sweep = Bandwidth::read(&options.file)?;
    let beside = options.file.parent().map(PathBuf::from).unwrap_or_default();
    let out = options.out.clone().unwrap_or(beside);
    for plot in plot::write(&sweep, &out)? {
        for extension in ["svg", "png"] {
            say::line(out.join(format!("{}.{extension}", plot.name)).display());
        }
    }
    Ok(ExitCode::SUCCESS)
}
