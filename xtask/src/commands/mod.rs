//! One command a file.

pub mod bundle;
pub mod cvcuda;
pub mod doctor;
pub mod plot;
pub mod samples;
pub mod test;
