//! The report of a run, as a page and as JUnit XML.

pub mod cvcuda;
mod figures;
pub mod html;
pub mod junit;
pub mod plots;
