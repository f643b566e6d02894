//! `timeline.json`: which step the sample `overlap` saw when.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::check_schema;
use super::device::Device;
use super::measurement::{check_device, wrong};
use crate::error::Result;
use crate::files;

/// More lanes than this make no picture.
const MOST_LANES: usize = 32;

/// More microseconds than a run takes.
const MOST_US: f64 = 1e12;

/// How the work was queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Run {
    /// In one lane, each step after the other.
    Serial,
    /// In several lanes.
    Overlapped,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Host to device.
    Upload,
    /// Within the device.
    Compute,
    /// Device to host.
    Download,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// In which run.
    pub run: Run,
    /// On which lane.
    pub lane: u32,
    /// What it does.
    pub kind: Kind,
    /// To which part of the data.
    pub chunk: u32,
    /// Microseconds from the beginning of the run.
    pub start_us: f64,
    /// Microseconds from the beginning of the run.
    pub end_us: f64,
}

/// A recorded timeline.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Timeline {
    /// The version of the format.
    pub schema: u32,
    /// What it was measured on.
    pub device: Device,
    /// The commit of the programs.
    pub commit: String,
    /// When it was measured.
    pub date: String,
    /// The lanes.
    pub lanes: Vec<u32>,
    /// Every step of both runs.
    pub spans: Vec<Span>,
}

impl Timeline {
    /// Reads and checks a recorded timeline. One of a simulated device is refused.
    pub fn read(path: &Path) -> Result<Self> {
        let origin = path.display().to_string();
        let timeline: Self = files::read_json(path)?;
        check_schema(timeline.schema, &origin)?;
        check_device(&timeline.device, &origin)?;
        timeline.check_lanes(&origin)?;
        timeline.check_spans(&origin)?;
        Ok(timeline)
    }

    fn check_lanes(&self, origin: &str) -> Result<()> {
        match self.lanes.len() {
            1..=MOST_LANES => Ok(()),
            count => Err(wrong(origin, "lanes", &format!("1 to {MOST_LANES}"), count)),
        }
    }

    fn check_spans(&self, origin: &str) -> Result<()> {
        if self.spans.is_empty() {
            return Err(wrong(origin, "spans", "at least one", "none"));
        }
        for (index, span) in self.spans.iter().enumerate() {
            let field = format!("spans[{index}]");
            if !self.lanes.contains(&span.lane) {
                return Err(wrong(origin, &format!("{field}.lane"), "one of `lanes`", span.lane));
            }
            if !span.is_in_order() {
                let times = format!("{} to {}", span.start_us, span.end_us);
                let expected = format!("0 <= start_us <= end_us <= {MOST_US:e}");
                return Err(wrong(origin, &field, &expected, times));
            }
        }
        Ok(())
    }

    /// The steps of one run.
    pub fn of(&self, run: Run) -> impl Iterator<Item = &Span> {
        self.spans.iter().filter(move |span| span.run == run)
    }

    /// When the last step of a run ended, in microseconds.
    pub fn end_us(&self, run: Run) -> f64 {
        self.of(run).map(|span| span.end_us).fold(0.0, f64::max)
    }
}

impl Span {
    fn is_in_order(&self) -> bool {
        // What is no number is in no range either.
        (0.0..=MOST_US).contains(&self.start_us) && (self.start_us..=MOST_US).contains(&self.end_us)
    }
}
