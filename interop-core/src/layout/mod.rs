//! Shape and byte strides: sizes checked for overflow, contiguity, and the plan of a copy.

mod plan;
mod strided;

pub(crate) use plan::{Axis, CopyPlan};
pub use strided::StridedLayout;
