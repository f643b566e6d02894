//! What a plot holds, before it is drawn.

use super::scale::Growth;
use crate::contract::bandwidth::{HostMemory, Implementation};

/// A picture of several panels, one below the other.
pub struct Figure {
    /// The name of its files.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    /// Where the numbers come from.
    pub subtitles: Vec<String>,
    /// Its panels.
    pub panels: Vec<Panel>,
}

/// One direction of copies.
pub struct Panel {
    /// What it shows.
    pub title: String,
    /// How its values grow.
    pub growth: Growth,
    /// The sizes at its left and right end.
    pub sizes: (u64, u64),
    /// A value in words, for the axis.
    pub tick: fn(f64) -> String,
    /// Its lines.
    pub lines: Vec<Line>,
    /// The most that is possible.
    pub ceiling: Option<Ceiling>,
}

/// One series.
pub struct Line {
    /// What it is, with the value at its right end, or those at both ends.
    pub label: String,
    /// Sets the stroke.
    pub implementation: Implementation,
    /// Sets the colour.
    pub memory: HostMemory,
    /// By size.
    pub points: Vec<Spot>,
}

/// A value, with its spread or without.
#[derive(Clone, Copy)]
pub struct Spot {
    /// The size.
    pub bytes: f64,
    /// The median.
    pub value: f64,
    /// The lower and the upper end of the spread, where it is shown.
    pub band: Option<(f64, f64)>,
}

/// What the link can carry.
pub struct Ceiling {
    /// In the panel's unit.
    pub value: f64,
    /// What it is and how much of it was reached.
    pub label: String,
}
