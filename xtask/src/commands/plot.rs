//! `plot`: redraws the plots of a recorded run, a sweep or a timeline.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::contract::bandwidth::Bandwidth;
use crate::contract::timeline::Timeline;
use crate::error::{Error, Result};
use crate::{files, plot, say};

/// Redraw the plots of a recorded run; needs no GPU
///
/// Writes bandwidth, bandwidth-shapes (fresh and strided host arrays, where they were measured) and copy-time,
/// each as .svg and .png; of a timeline.json, timeline.svg and timeline.png.
#[derive(Debug, Args)]
pub struct Options {
    /// A bandwidth.json, as the sample `bandwidth` writes it, or a timeline.json, as `overlap` does
    file: PathBuf,
    /// Folder for the plots [default: beside FILE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(options: &Options) -> Result<ExitCode> {
    let beside = options.file.parent().map(PathBuf::from).unwrap_or_default();
    let out = options.out.clone().unwrap_or(beside);
    for plot in draw(&options.file, &out)? {
        for extension in ["svg", "png"] {
            say::line(out.join(format!("{}.{extension}", plot.name)).display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws what the file holds.
fn draw(file: &Path, out: &Path) -> Result<Vec<plot::Drawn>> {
    let held: serde_json::Value = files::read_json(file)?;
    if held.get("spans").is_some() {
        return Ok(vec![plot::write_timeline(&Timeline::read(file)?, out)?]);
    }
    if held.get("series").is_none() {
        return Err(Error::new(format!("plotting {}", file.display()))
            .expected("a sweep (`series`) or a timeline (`spans`)")
            .got("neither")
            .remedy("give a bandwidth.json or a timeline.json"));
    }
    plot::write(&Bandwidth::read(file)?, out)
}
