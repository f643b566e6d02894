//! What every picture begins with: what it shows, and where its numbers come from.

use plotters::prelude::DrawingBackend;

use super::canvas::{Canvas, Lettering};
use super::encode::Picture;
use super::style::{QUIET, SMALL, TEXT};
use crate::contract::device::Device;
use crate::error::Result;
use crate::lines::wrap;

const LEFT: f64 = 20.0;
const FIRST: f64 = 52.0;
const ROW: f64 = 18.0;
/// What fits beside each other in the width of a picture.
const COLUMNS: usize = 106;

/// The height that it needs.
pub fn height(picture: &impl Picture) -> f64 {
    FIRST + rows(picture).len() as f64 * ROW - 4.0
}

/// Draws it at the top of the card.
pub fn draw<B: DrawingBackend>(canvas: &Canvas<B>, picture: &impl Picture) -> Result<()> {
    canvas.text(picture.title(), (LEFT, 26.0), Lettering { bold: true, ..Lettering::plain(20.0, TEXT) })?;
    let rows = rows(picture);
    rows.iter().enumerate().try_for_each(|(row, words)| {
        canvas.text(words, (LEFT, FIRST + ROW * row as f64), Lettering::plain(SMALL, QUIET))
    })
}

fn rows(picture: &impl Picture) -> Vec<String> {
    picture.subtitles().iter().flat_map(|subtitle| wrap("", subtitle, COLUMNS)).collect()
}

/// The GPU, its kernel module's version where it is known, the link, date and commit.
pub fn source(device: &Device, module: Option<&str>, date: &str, commit: &str) -> String {
    let mut machine = device.name.clone();
    if let Some(module) = module {
        machine += &format!(", driver {module}");
    }
    machine += &format!(", CUDA {}", device.driver);
    if let Some(link) = device.link_in_words() {
        machine += &format!(", {link}");
    }
    let day = date.split('T').next().unwrap_or_default();
    format!("{machine}; {day}, commit {commit}")
}
