//! The figures of `bandwidth.json`: numbers that stand by themselves, beside the lines of the sweep.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::bandwidth::Implementation;
use super::measurement::{Wrong, check_text, in_order, in_range, only_peers, wrong};
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
        check_figure(figure)
            .map_err(|(name, expected, got)| wrong(origin, &format!("{field}.{name}"), &expected, got))?;
        if let Some(first) = figures[..f].iter().position(|other| other.same_place(figure)) {
            let got = format!("those of figures[{first}] again");
            return Err(wrong(origin, &field, "each name and implementation once", got));
        }
    }
    Ok(())
}

/// A peer may bring its own figures only: it must not replace ours.
pub fn check_peers(figures: &[Figure], origin: &str) -> Result<()> {
    only_peers(figures.iter().map(|figure| figure.implementation), origin, "figures", "a figure")
}

fn check_figure(figure: &Figure) -> std::result::Result<(), Wrong> {
    check_text("name", &figure.name, LONGEST_NAME)?;
    check_text("unit", &figure.unit, LONGEST_UNIT)?;
    if figure.values.is_empty() {
        return Err(("values", "at least one".to_owned(), "an empty list".to_owned()));
    }
    let own = [("median", figure.median), ("p10", figure.p10), ("p90", figure.p90)];
    let all = own.into_iter().chain(figure.values.iter().map(|value| ("values", *value)));
    all.into_iter().try_for_each(|(name, value)| in_range(name, value, &VALUES))?;
    in_order("median", [figure.p10, figure.median, figure.p90])
}
