//! A figure as SVG text and as PNG bytes.

use plotters::backend::{BitMapBackend, SVGBackend};
use plotters::prelude::DrawingBackend;
use plotters::style::{FontStyle, register_font};

use super::canvas::{Canvas, FINENESS};
use super::figure::Figure;
use super::header;
use super::panel::{self, WIDTH};
use crate::error::{Error, Result};

const FOOTER: f64 = 8.0;

/// What can be drawn: a card of the width that all have, with a header.
pub trait Picture {
    /// The name of its files.
    fn name(&self) -> &'static str;
    /// What it shows.
    fn title(&self) -> &str;
    /// Where the numbers come from, and how to read them.
    fn subtitles(&self) -> Vec<String>;
    /// Of what lies below the header, in pixels.
    fn height(&self) -> f64;
    /// Draws what lies below the header, which ends at `top`.
    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>, top: f64) -> Result<()>;
}

/// The picture as a file that needs nothing else and scales to its place.
pub fn svg(picture: &impl Picture) -> Result<String> {
    let (width, height) = size(picture);
    let mut text = String::new();
    render(SVGBackend::with_string(&mut text, (width, height)), 0.0, picture)?;
    let drawn = format!("<svg width=\"{width}\" height=\"{height}\"");
    let described = format!(
        "<svg role=\"img\" aria-label=\"{}\" width=\"{}\" height=\"{}\"",
        picture.title(),
        width / FINENESS,
        height / FINENESS
    );
    Ok(text.replacen(&drawn, &described, 1))
}

/// The picture as pixels.
pub fn png(picture: &impl Picture) -> Result<Vec<u8>> {
    let (width, height) = size(picture);
    let mut pixels = vec![0; width as usize * height as usize * 3];
    render(BitMapBackend::with_buffer(&mut pixels, (width, height)), 0.12, picture)?;
    let failed = |e| Error::new("writing a PNG").got(e);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

fn size(picture: &impl Picture) -> (u32, u32) {
    let height = header::height(picture) + picture.height() + FOOTER;
    (WIDTH as u32 * FINENESS, height as u32 * FINENESS)
}

fn render<B: DrawingBackend>(backend: B, drop: f64, picture: &impl Picture) -> Result<()> {
    fonts()?;
    let canvas = Canvas::new(backend, drop)?;
    header::draw(&canvas, picture)?;
    picture.draw(&canvas, header::height(picture))?;
    canvas.finish()
}

impl Picture for Figure {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn subtitles(&self) -> Vec<String> {
        self.subtitles.clone()
    }

    fn height(&self) -> f64 {
        self.panels.iter().map(panel::height).sum()
    }

    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>, mut top: f64) -> Result<()> {
        for part in &self.panels {
            panel::draw(canvas, part, top)?;
            top += panel::height(part);
        }
        Ok(())
    }
}

/// The letters of PNG files, and the widths of all texts. An SVG only names the generic family.
fn fonts() -> Result<()> {
    let faces = [(FontStyle::Normal, dejavu::sans::regular()), (FontStyle::Bold, dejavu::sans::bold())];
    faces.into_iter().try_for_each(|(style, bytes)| {
        register_font("sans-serif", style, bytes).map_err(|_| Error::new("reading the embedded font"))
    })
}
