//! The report of a run, as a page and as JUnit XML.

mod figures;
pub mod html;
pub mod junit;
pub mod plots;
