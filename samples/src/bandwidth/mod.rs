//! The bandwidth sweep: what is measured, how it is timed and checked, and the file it is written to.
//!
//! Ours and the driver's own call are timed in turns on the same arrays. After **every** timed copy the data is
//! checked, outside the timed part:
//!
//! - No byte of what is copied is ever 0, and the target is zeroed before each copy, so that a copy that did
//!   nothing, or not all, is noticed.
//! - Two contents take turns, so that a copy that brings the bytes of the one before is noticed.
//! - Below 64 MiB every byte is compared. From there on 512 pieces of 64 bytes, spread over the whole with the
//!   very last among them, are zeroed and compared after each copy, and all bytes around the last copy of each.
//! - Between the elements of a strided host array nothing may be written: that is compared wherever all is.
//! - A fresh host array cannot be zeroed first, since it does not exist yet. The one before is zeroed as it is
//!   dropped, so that memory which is handed out again does not hold the answer.
//!
//! Before each timed copy, and outside the timed part, whoever copies does a little work on its own stream: each
//! then finds its stream as warm as the other.
//!
//! What is on the device is read back by the driver's own call, never by what is being measured.

mod content;
mod device_copy;
mod download;
mod driver;
mod duplex;
mod extras;
mod fresh;
mod host;
mod kinds;
mod measure;
mod series;
mod shape;
mod streams;
mod table;
mod upload;

pub use driver::Driver;
pub use extras::{Effort, all as extra_figures};
pub use kinds::{LARGEST, SMALLEST, all_series};
pub use measure::Timing;
pub(crate) use series::quantile;
pub use series::{Direction, Figure, HostMemory, Implementation, Pattern, Point, Series, document};
pub use table::print as print_table;
