//! Shape and byte strides: sizes checked for overflow, contiguity, and the plan of a copy.

mod dense;
mod plan;
mod strided;
mod sub;

pub(crate) use dense::Dense;
pub(crate) use plan::{Axis, CopyPlan};
pub use strided::StridedLayout;
