//! The files that this workspace exchanges, as types. Each is checked when it is read.

pub mod bandwidth;
pub mod cvcuda;
pub mod device;
pub mod figure;
pub mod host;
pub mod manifest;
mod measurement;
pub mod probe;
pub mod recorded;
pub mod report;
pub mod timeline;

use crate::error::{Error, Result};

/// The version of every file format here.
pub const SCHEMA: u32 = 1;

/// Refuses a file of another version.
fn check_schema(schema: u32, origin: &str) -> Result<()> {
    if schema == SCHEMA {
        return Ok(());
    }
    Err(Error::new(format!("reading {origin}, field `schema`"))
        .expected(SCHEMA.to_string())
        .got(schema)
        .remedy("use the version of this workspace that wrote the file"))
}
