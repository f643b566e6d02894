//! Records a sample's output for the book.

use std::path::PathBuf;

use crate::contract::device::Device;
use crate::error::Result;
use crate::files;
use crate::home::Home;

/// Where a sample's output is recorded. A bundle has no book, so there it goes beside the other results.
pub fn file(home: &Home, out: &std::path::Path, sample: &str) -> PathBuf {
    let folder = if home.is_bundle() { out.join("outputs") } else { home.root().join("book/outputs") };
    folder.join(format!("{sample}.txt"))
}

/// Writes the output below a line that says where and when it came about.
pub fn record(file: &std::path::Path, device: &Device, date: &str, output: &str) -> Result<()> {
    let kind = if device.simulated { "simulated device" } else { "device" };
    files::write(file, format!("# {kind}: {}; {date}\n{output}", device.in_words()))
}
