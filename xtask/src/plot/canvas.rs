//! The few shapes that a plot is made of, on any backend. Positions are in pixels of the finished picture.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, RGBAColor, RGBColor, ShapeStyle, TextStyle};

use super::style::{CARD, Stroke};
use crate::error::{Error, Result};
use crate::lines::{LONGEST, harmless, shortened};

/// Backends count whole pixels: finer ones make smooth lines.
pub const FINENESS: u32 = 2;

/// A place in the picture.
pub type Place = (f64, f64);

/// How a text is set.
#[derive(Clone, Copy)]
pub struct Lettering {
    /// The height of the letters' box, in pixels.
    pub size: f64,
    /// Heavier letters.
    pub bold: bool,
    /// The colour.
    pub colour: RGBColor,
    /// Which side of the text stands at its place.
    pub side: HPos,
}

impl Lettering {
    /// Not bold, to the right of its place.
    pub fn plain(size: f64, colour: RGBColor) -> Self {
        Self { size, bold: false, colour, side: HPos::Left }
    }
}

/// A picture that is being drawn.
pub struct Canvas<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    drop: f64,
}

impl<B: DrawingBackend> Canvas<B> {
    /// Starts with an empty card. Texts are set lower by a share `drop` of their size, since backends do not agree
    /// on where the middle of a text is.
    pub fn new(backend: B, drop: f64) -> Result<Self> {
        let area = backend.into_drawing_area();
        area.fill(&CARD).map_err(failed)?;
        Ok(Self { area, drop })
    }

    /// Draws a line through places.
    pub fn line(&self, places: &[Place], colour: RGBColor, stroke: Stroke) -> Result<()> {
        let style =
            ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: fine_width(stroke.width) };
        let pieces = match stroke.dash {
            Some((dash, gap)) => dashes(places, dash, gap),
            None => vec![places.to_vec()],
        };
        pieces.iter().try_for_each(|piece| {
            let fine: Vec<(i32, i32)> = piece.iter().map(|p| fine(*p)).collect();
            self.area.draw(&PathElement::new(fine, style)).map_err(failed)
        })
    }

    /// Fills the area inside places.
    pub fn fill(&self, places: &[Place], colour: RGBAColor) -> Result<()> {
        let fine: Vec<(i32, i32)> = places.iter().map(|p| fine(*p)).collect();
        self.area.draw(&Polygon::new(fine, colour.filled())).map_err(failed)
    }

    /// Draws a ring that hides what is below it.
    pub fn ring(&self, place: Place, radius: f64, colour: RGBColor) -> Result<()> {
        let size = (radius * f64::from(FINENESS)).round() as i32;
        self.area.draw(&Circle::new(fine(place), size + 1, colour.filled())).map_err(failed)?;
        self.area.draw(&Circle::new(fine(place), size - 1, CARD.filled())).map_err(failed)
    }

    /// Writes a text, its middle at the height of `place`.
    pub fn text(&self, text: &str, place: Place, lettering: Lettering) -> Result<()> {
        // An SVG may hold no control character.
        let text = &shortened(&harmless(text), LONGEST);
        let weight = if lettering.bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = ("sans-serif", lettering.size * 1.24 * f64::from(FINENESS), weight).into_font();
        let style =
            TextStyle::from(font).color(&lettering.colour).pos(Pos::new(lettering.side, VPos::Center));
        let place = (place.0, place.1 + self.drop * lettering.size);
        self.area.draw_text(text, &style, fine(place)).map_err(failed)
    }

    /// Completes the picture.
    pub fn finish(self) -> Result<()> {
        self.area.present().map_err(failed)
    }
}

fn failed(cause: impl std::fmt::Display) -> Error {
    Error::new("drawing a plot").got(cause)
}

fn fine((x, y): Place) -> (i32, i32) {
    let factor = f64::from(FINENESS);
    ((x * factor).round() as i32, (y * factor).round() as i32)
}

fn fine_width(width: f64) -> u32 {
    (width * f64::from(FINENESS)).round() as u32
}

/// Cuts a line into dashes. The pattern runs on around corners.
fn dashes(places: &[Place], dash: f64, gap: f64) -> Vec<Vec<Place>> {
    let mut pieces: Vec<Vec<Place>> = Vec::new();
    let (mut drawing, mut left) = (true, dash);
    let mut piece: Vec<Place> = places.first().copied().into_iter().collect();
    for pair in places.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        let mut length = (to.0 - from.0).hypot(to.1 - from.1);
        while length >= left {
            let share = left / length;
            from = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            length -= left;
            if drawing {
                piece.push(from);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![from];
            }
            drawing = !drawing;
            left = if drawing { dash } else { gap };
        }
        left -= length;
        if drawing {
            piece.push(to);
        }
    }
    pieces.extend((piece.len() > 1).then_some(piece));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_cover_their_share_and_turn_corners() {
        let pieces = dashes(&[(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)], 4.0, 2.0);
        assert_eq!(pieces.len(), 4);
        assert_eq!(pieces[1], [(6.0, 0.0), (10.0, 0.0)]);
        assert_eq!(pieces[3], [(10.0, 8.0), (10.0, 10.0)]);
    }
}
