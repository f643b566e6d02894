//! Runs kernels in PTX, NVIDIA's assembly language for GPUs, on the processor's cores.
//!
//! References in this crate are to "PTX ISA", version 9.0, by chapter.

pub mod arith;
pub mod ast;
mod error;
mod parse;

pub use error::{Error, Result};
pub use parse::parse;
