//! What a machine has of the things that this workspace uses.

pub mod check;
pub mod cvcuda;
pub mod gpu;
pub mod libraries;
pub mod tools;
