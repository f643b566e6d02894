//! What a sample measures into a file: checked when the sample is done, kept for the report, removed where it would
//! mean nothing.

use std::path::Path;

use crate::contract::report::{Report, SampleResult, Status};
use crate::error::Result;
use crate::files;

/// A file of measurements, of type `T` once it is read.
pub struct Measured<T> {
    /// The sample that writes it.
    pub sample: &'static str,
    /// Its name in the output folder.
    pub file: &'static str,
    /// Whether the sample may pass on a real device without it.
    pub optional: bool,
    /// Reads and checks it.
    pub read: fn(&Path) -> Result<T>,
}

impl<T> Measured<T> {
    /// A sample that says it measured, on a real device, must have written a valid file.
    pub fn check(&self, result: &mut SampleResult, simulated: bool, out: &Path) {
        if simulated || !self.was_measured_by(result) {
            return;
        }
        if let Err(error) = self.read_from(out) {
            result.status = Status::Fail;
            result.reason = Some(error.to_string());
        }
    }

    /// What was measured in this run, if anything was.
    pub fn gather(&self, report: &Report, out: &Path) -> Result<Option<T>> {
        if report.device.simulated || !report.samples.iter().any(|result| self.was_measured_by(result)) {
            // Nobody may take what a simulated device wrote for a result.
            files::remove(&out.join(self.file))?;
            return Ok(None);
        }
        self.read_from(out)
    }

    fn was_measured_by(&self, result: &SampleResult) -> bool {
        result.name == self.sample && result.status == Status::Pass
    }

    fn read_from(&self, out: &Path) -> Result<Option<T>> {
        let file = out.join(self.file);
        if self.optional && !file.is_file() {
            return Ok(None);
        }
        (self.read)(&file).map(Some)
    }
}
