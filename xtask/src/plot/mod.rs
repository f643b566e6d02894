//! Draws a recorded sweep: the bandwidth of flat copies, that of fresh and strided host arrays, and the time of a
//! copy, each by size; and a recorded timeline. Each as SVG and as PNG.

mod canvas;
mod encode;
mod figure;
mod figures;
mod groups;
mod header;
mod label;
mod panel;
mod scale;
mod style;
mod timeline;

use std::path::Path;

use self::encode::Picture;
pub use self::scale::three_digits;
use crate::contract::bandwidth::Bandwidth;
use crate::contract::timeline::Timeline;
use crate::error::Result;
use crate::files;

/// The files that `write` may write; a figure without any line is left out.
pub const FILES: [&str; 6] = [
    "bandwidth.svg",
    "bandwidth.png",
    "bandwidth-shapes.svg",
    "bandwidth-shapes.png",
    "copy-time.svg",
    "copy-time.png",
];

/// The files that `write_timeline` writes.
pub const TIMELINE_FILES: [&str; 2] = ["timeline.svg", "timeline.png"];

/// A finished plot.
pub struct Drawn {
    /// The name of its files.
    pub name: &'static str,
    /// What it shows, for those who cannot see it.
    pub title: String,
    /// The picture, complete in itself.
    pub svg: String,
}

/// Draws every plot for a page.
pub fn draw(sweep: &Bandwidth) -> Result<Vec<Drawn>> {
    figures::all(sweep).iter().map(drawn).collect()
}

/// Draws every plot and writes each as SVG and PNG.
pub fn write(sweep: &Bandwidth, folder: &Path) -> Result<Vec<Drawn>> {
    figures::all(sweep).iter().map(|figure| written(figure, folder)).collect()
}

/// Draws a timeline and writes it as SVG and PNG.
pub fn write_timeline(timeline: &Timeline, folder: &Path) -> Result<Drawn> {
    written(timeline, folder)
}

fn written(picture: &impl Picture, folder: &Path) -> Result<Drawn> {
    let drawn = drawn(picture)?;
    files::write(&folder.join(format!("{}.svg", drawn.name)), &drawn.svg)?;
    files::write(&folder.join(format!("{}.png", drawn.name)), encode::png(picture)?)?;
    Ok(drawn)
}

fn drawn(picture: &impl Picture) -> Result<Drawn> {
    Ok(Drawn { name: picture.name(), title: picture.title().to_owned(), svg: encode::svg(picture)? })
}
