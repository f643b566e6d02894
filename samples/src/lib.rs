//! What the samples share: opening the GPU, saying which it is, and turning errors into exit codes.
//!
//! A sample exits with 0 if it passed, with 2 if it is waived (and says `waived: <reason>`), and with anything
//! else if it failed.

pub mod bandwidth;
pub mod contact_sheet;
pub mod cvcuda;
pub mod document;
pub mod facts;
mod harness;
pub mod photos;
pub mod timeline;

pub use harness::{Outcome, Waived, open_gpu, run};
