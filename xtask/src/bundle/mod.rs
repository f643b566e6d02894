//! What goes into a bundle.

pub mod archive;
pub mod glibc;
pub mod texts;
