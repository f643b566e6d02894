//! Arithmetic as PTX defines it, on single values.

pub mod approximate;
pub mod class;
pub mod convert;
pub mod double;
mod exact;
pub mod extremum;
mod format;
pub mod half;
pub mod integer;
pub mod integral;
mod odd;
pub mod rounding;
pub mod single;
#[cfg(test)]
mod tests;
pub mod tf32;
