//! Shape and byte strides: sizes checked for overflow, contiguity, and the plan of a copy.

mod axes;
mod dense;
mod plan;
mod strided;
mod sub;

pub(crate) use axes::{Axes, Axis, offsets};
pub(crate) use dense::Dense;
pub(crate) use plan::CopyPlan;
pub use strided::StridedLayout;
