//! The CUDA driver: found at run time, checked, and called through small safe types.

mod context;
mod event;
mod fill;
#[cfg(feature = "cvcuda")]
mod graph;
mod load;
mod memory;
mod pool;
mod registration;
mod stream;
mod table;
mod transfer;

pub(crate) use context::Context;
pub(crate) use event::Event;
pub(crate) use fill::{Fill, Word};
#[cfg(feature = "cvcuda")]
pub(crate) use graph::{Capture, Graph, Node, is_capture_lost};
pub(crate) use load::{load, major_and_minor};
pub(crate) use memory::{HostAllocation, explain_exhaustion, is_exhaustion};
pub(crate) use pool::Pool;
pub(crate) use registration::HostRegistration;
pub(crate) use stream::Stream;
#[cfg(feature = "cvcuda")]
pub(crate) use table::is_end_of_device;
use table::is_over;
pub(crate) use table::{Driver, code_of};
pub(crate) use transfer::{Route, Transfer};
