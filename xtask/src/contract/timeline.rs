//! `timeline.json`: which step the sample `overlap` saw when.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::check_schema;
use super::device::Device;
use crate::error::{Error, Result};
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
        let wrong = |field: &str, expected: String, got: String| {
            Err(Error::new(format!("reading {origin}, field `{field}`")).expected(expected).got(got))
        };
        if timeline.device.simulated {
            return wrong(
                "device.simulated",
                "false: a simulation's time is no result".into(),
                "true".into(),
            );
        }
        if timeline.lanes.is_empty() || timeline.lanes.len() > MOST_LANES {
            return wrong("lanes", format!("1 to {MOST_LANES}"), timeline.lanes.len().to_string());
        }
        if timeline.spans.is_empty() {
            return wrong("spans", "at least one".into(), "none".into());
        }
        for (index, span) in timeline.spans.iter().enumerate() {
            if !timeline.lanes.contains(&span.lane) {
                return wrong(
                    &format!("spans[{index}].lane"),
                    "one of `lanes`".into(),
                    span.lane.to_string(),
                );
            }
            // What is no number is in no range either.
            let ordered =
                (0.0..=MOST_US).contains(&span.start_us) && (span.start_us..=MOST_US).contains(&span.end_us);
            if !ordered {
                let times = format!("{} to {}", span.start_us, span.end_us);
                return wrong(&format!("spans[{index}]"), "0 <= start_us <= end_us".into(), times);
            }
        }
        Ok(timeline)
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
