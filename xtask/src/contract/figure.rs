//! The figures of `bandwidth.json`: numbers that stand by themselves, beside the lines of the sweep.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::bandwidth::Implementation;
use super::measurement::wrong;
use crate::error::Result;

/// In whatever unit: far from what any machine does, and finite.
const VALUES: RangeInclusive<f64> = 1e-9..=1e12;
const LONGEST_NAME: usize = 80;
const LONGEST_UNIT: usize = 20;

/// One number that was measured several times, such as the time of an allocation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What was measured. The same name of several implementations is compared.
    pub name: String,
    /// Who did it.
    pub implementation: Implementation,
    /// Of every value.
    pub unit: String,
    /// The median value.
    pub median: f64,
    /// The tenth percentile.
    pub p10: f64,
    /// The ninetieth percentile.
    pub p90: f64,
    /// Each value, in the order it was measured.
    pub values: Vec<f64>,
}

impl Figure {
    /// True where both would stand in the same place of a table.
    pub fn same_place(&self, other: &Self) -> bool {
        self.name == other.name && self.implementation == other.implementation
    }
}

/// Refuses figures that cannot have been measured, or of which two would stand in the same place.
pub fn check_figures(figures: &[Figure], origin: &str) -> Result<()> {
    for (f, figure) in figures.iter().enumerate() {
        let field = format!("figures[{f}]");
        check_figure(figure, origin, &field)?;
        if let Some(first) = figures[..f].iter().position(|other| other.same_place(figure)) {
            let got = format!("those of figures[{first}] again");
            return Err(wrong(origin, &field, "each name and implementation once", got));
        }
    }
    Ok(())
}

/// A peer may bring its own figures only: it must not replace ours.
pub fn check_peers(figures: &[Figure], origin: &str) -> Result<()> {
    match figures.iter().position(|figure| !figure.implementation.is_peer()) {
        Some(f) => {
            let field = format!("figures[{f}].implementation");
            Err(wrong(origin, &field, "`pytorch` or `cupy`", "a figure of this library or the driver"))
        }
        None => Ok(()),
    }
}

fn check_figure(figure: &Figure, origin: &str, field: &str) -> Result<()> {
    for (name, text, longest) in [("name", &figure.name, LONGEST_NAME), ("unit", &figure.unit, LONGEST_UNIT)]
    {
        if !(1..=longest).contains(&text.len()) {
            let expected = format!("1 to {longest} bytes of text");
            return Err(wrong(
                origin,
                &format!("{field}.{name}"),
                &expected,
                format!("{} bytes", text.len()),
            ));
        }
    }
    if figure.values.is_empty() {
        return Err(wrong(origin, &format!("{field}.values"), "at least one", "an empty list"));
    }
    let own = [("median", figure.median), ("p10", figure.p10), ("p90", figure.p90)];
    for (name, value) in own.into_iter().chain(figure.values.iter().map(|value| ("values", *value))) {
        if !VALUES.contains(&value) {
            let expected = format!("{:e} to {:e}", VALUES.start(), VALUES.end());
            return Err(wrong(origin, &format!("{field}.{name}"), &expected, format!("{value:e}")));
        }
    }
    if figure.p10 > figure.median || figure.median > figure.p90 {
        let got = format!("{}, {}, {}", figure.p10, figure.median, figure.p90);
        return Err(wrong(origin, &format!("{field}.median"), "p10 <= median <= p90", got));
    }
    Ok(())
}
