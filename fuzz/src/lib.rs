//! Random copies, and fills among them, checked byte by byte against a reference.
//!
//! A seed makes a [`Case`]: direction, shape, element type, and where the elements lie on both sides. A [`Bench`]
//! carries it out with the library, and again with plain index arithmetic over bytes that shares no code with
//! it. Both must leave the same bytes, those between and around the elements included. [`run`] does so for many
//! seeds on several threads.

mod bench;
mod case;
mod described;
mod host;
mod noise;
mod openings;
mod placement;
mod random;
mod reference;
mod run;
mod shape;
mod window;
mod wire;

pub use bench::{Bench, Result};
pub use case::Case;
pub use noise::Noise;
pub use openings::gpus;
pub use run::{Event, Failure, Outcome, Plan, run};
