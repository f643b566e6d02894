//! What happens to the timeline of a run: it is checked, and kept for the report.

use std::path::Path;

use crate::contract::report::{Report, SampleResult, Status};
use crate::contract::timeline::Timeline;
use crate::error::Result;
use crate::files;

/// The sample that writes it.
const SAMPLE: &str = "overlap";

/// What the sample writes into the output folder.
pub const FILE: &str = "timeline.json";

/// A timeline that the sample wrote on a real device must be valid.
pub fn check(result: &mut SampleResult, simulated: bool, out: &Path) {
    let file = out.join(FILE);
    if result.name != SAMPLE || result.status != Status::Pass || simulated || !file.is_file() {
        return;
    }
    if let Err(error) = Timeline::read(&file) {
        result.status = Status::Fail;
        result.reason = Some(error.to_string());
    }
}

/// The timeline of this run, if there is one.
pub fn gather(report: &Report, out: &Path) -> Result<Option<Timeline>> {
    let file = out.join(FILE);
    let measured = report.samples.iter().any(|s| s.name == SAMPLE && s.status == Status::Pass);
    if report.device.simulated || !measured {
        // Nobody may take what a simulated device wrote for a result.
        files::remove(&file)?;
        return Ok(None);
    }
    file.is_file().then(|| Timeline::read(&file)).transpose()
}
