//! Draws one panel: grid, ceiling, bands, lines, and the labels at the lines' right ends.

use plotters::prelude::DrawingBackend;
use plotters::style::Color;
use plotters::style::text_anchor::HPos;

use super::canvas::{Canvas, Lettering, Place};
use super::figure::{Line, Panel, Spot};
use super::label::push_apart;
use super::scale::{Growth, Scale, decades, from_zero, size_in_words, sizes};
use super::style::{AXIS, CEILING, GRID, HAIR, QUIET, SMALL, TEXT, colour, has_marks, stroke};
use crate::error::Result;

/// The width of every picture.
pub const WIDTH: f64 = 880.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = WIDTH - 300.0;
const ABOVE: f64 = 40.0;
const BELOW: f64 = 34.0;
const LABEL_GAP: f64 = 19.0;
const MARK: f64 = 2.6;

/// The height that a panel needs for its labels.
pub fn height(panel: &Panel) -> f64 {
    ABOVE + BELOW + (panel.lines.len() as f64 * LABEL_GAP + 20.0).max(250.0)
}

/// The axes of a panel, laid out.
struct Axes {
    x: Scale,
    y: Scale,
    ticks: Vec<f64>,
}

/// Draws a panel whose upper edge is at `top`.
pub fn draw<B: DrawingBackend>(canvas: &Canvas<B>, panel: &Panel, top: f64) -> Result<()> {
    let axes = axes(panel, top + ABOVE, top + height(panel) - BELOW);
    canvas.text(
        &panel.title,
        (LEFT, top + 20.0),
        Lettering { bold: true, ..Lettering::plain(15.0, TEXT) },
    )?;
    grid(canvas, panel, &axes)?;
    panel.lines.iter().try_for_each(|line| band(canvas, line, &axes))?;
    ceiling(canvas, panel, &axes)?;
    panel.lines.iter().try_for_each(|line| curve(canvas, line, &axes))?;
    labels(canvas, panel, &axes)
}

fn axes(panel: &Panel, top: f64, bottom: f64) -> Axes {
    let spots = || panel.lines.iter().flat_map(|line| &line.points);
    let low = |spot: &Spot| spot.band.map_or(spot.value, |band| band.0);
    let high = |spot: &Spot| spot.band.map_or(spot.value, |band| band.1);
    let highest = spots().map(high).chain(panel.ceiling.iter().map(|c| c.value)).fold(0.0, f64::max);
    let (from, to, ticks) = match panel.growth {
        Growth::Linear => {
            // Room above for the words on the ceiling.
            let room = if panel.ceiling.is_some() { 1.12 } else { 1.06 };
            (0.0, highest * room, from_zero(highest))
        }
        Growth::Log => decades(spots().map(low).fold(f64::INFINITY, f64::min), highest),
    };
    let (smallest, largest) = (panel.sizes.0 as f64, panel.sizes.1 as f64);
    Axes {
        x: Scale { growth: Growth::Log, low: smallest, high: largest, start: LEFT, end: RIGHT },
        y: Scale { growth: panel.growth, low: from, high: to, start: bottom, end: top },
        ticks,
    }
}

fn grid<B: DrawingBackend>(canvas: &Canvas<B>, panel: &Panel, axes: &Axes) -> Result<()> {
    for tick in &axes.ticks {
        let y = axes.y.pixel(*tick);
        let shade = if *tick == axes.ticks[0] { AXIS } else { GRID };
        canvas.line(&[(LEFT, y), (RIGHT, y)], shade, HAIR)?;
        let style = Lettering { side: HPos::Right, ..Lettering::plain(SMALL, QUIET) };
        canvas.text(&(panel.tick)(*tick), (LEFT - 8.0, y), style)?;
    }
    for size in sizes(panel.sizes.0, panel.sizes.1) {
        let x = axes.x.pixel(size as f64);
        canvas.line(&[(x, axes.y.start), (x, axes.y.end)], GRID, HAIR)?;
        canvas.line(&[(x, axes.y.start), (x, axes.y.start + 4.0)], AXIS, HAIR)?;
        let style = Lettering { side: HPos::Center, ..Lettering::plain(SMALL - 1.0, QUIET) };
        canvas.text(&size_in_words(size), (x, axes.y.start + 15.0), style)?;
    }
    Ok(())
}

fn band<B: DrawingBackend>(canvas: &Canvas<B>, line: &Line, axes: &Axes) -> Result<()> {
    let bands = line.points.iter().filter_map(|s| Some((axes.x.pixel(s.bytes), s.band?)));
    let upper = bands.clone().map(|(x, (_, high))| (x, axes.y.pixel(high)));
    let lower = bands.map(|(x, (low, _))| (x, axes.y.pixel(low)));
    let outline: Vec<Place> = upper.chain(lower.rev()).collect();
    if outline.is_empty() {
        return Ok(());
    }
    canvas.fill(&outline, colour(line.memory).mix(0.16))
}

fn ceiling<B: DrawingBackend>(canvas: &Canvas<B>, panel: &Panel, axes: &Axes) -> Result<()> {
    let Some(ceiling) = &panel.ceiling else { return Ok(()) };
    let y = axes.y.pixel(ceiling.value);
    canvas.line(&[(LEFT, y), (RIGHT, y)], AXIS, CEILING)?;
    canvas.text(&ceiling.label, (LEFT + 6.0, y - 11.0), Lettering::plain(SMALL, QUIET))
}

fn curve<B: DrawingBackend>(canvas: &Canvas<B>, line: &Line, axes: &Axes) -> Result<()> {
    let places: Vec<Place> =
        line.points.iter().map(|s| (axes.x.pixel(s.bytes), axes.y.pixel(s.value))).collect();
    canvas.line(&places, colour(line.memory), stroke(line.implementation))?;
    // A line of one point would be invisible.
    match has_marks(line.implementation) || places.len() == 1 {
        true => places.iter().try_for_each(|place| canvas.ring(*place, MARK, colour(line.memory))),
        false => Ok(()),
    }
}

/// Each label: a hair from the line's end, a piece of the line's stroke, and the words.
fn labels<B: DrawingBackend>(canvas: &Canvas<B>, panel: &Panel, axes: &Axes) -> Result<()> {
    let end = |line: &Line| line.points.last().map(|s| (axes.x.pixel(s.bytes), axes.y.pixel(s.value)));
    let ends: Vec<Place> =
        panel.lines.iter().map(|line| end(line).unwrap_or((RIGHT, axes.y.start))).collect();
    let wanted: Vec<f64> = ends.iter().map(|end| end.1).collect();
    let heights = push_apart(&wanted, LABEL_GAP, axes.y.end + 4.0, axes.y.start - 2.0);
    for ((line, end), y) in panel.lines.iter().zip(ends).zip(heights) {
        let shade = colour(line.memory);
        canvas.line(&[end, (RIGHT + 18.0, y)], shade, HAIR)?;
        canvas.line(&[(RIGHT + 18.0, y), (RIGHT + 48.0, y)], shade, stroke(line.implementation))?;
        if has_marks(line.implementation) {
            canvas.ring((RIGHT + 33.0, y), MARK, shade)?;
        }
        canvas.text(&line.label, (RIGHT + 55.0, y), Lettering::plain(SMALL, TEXT))?;
    }
    Ok(())
}
