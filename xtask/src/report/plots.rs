//! The plots of a report.

use std::path::Path;

use crate::error::Result;
use crate::plot::{self, Drawn};
use crate::run::bandwidth::Sweep;

/// Draws what this run measured into its folder; of a recorded sweep only the page gets the plots.
pub fn draw(sweep: &Sweep, out: &Path) -> Result<Vec<Drawn>> {
    match sweep {
        Sweep::Measured(bandwidth) => plot::write(bandwidth, out),
        Sweep::Recorded(bandwidth) => plot::draw(bandwidth),
        Sweep::Missing(_) => Ok(Vec::new()),
    }
}
