//! The bandwidth sweep: what is measured, how it is timed and checked, and the file it is written to.

mod measure;
mod series;

pub use measure::{Timing, timed};
pub use series::{Direction, HostMemory, Point, Series, document};
