//! `samples.json`: how each sample ended.

use serde::{Deserialize, Serialize};

use super::SCHEMA;
use super::device::Device;
use super::host::Host;

/// How a sample ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It did what it teaches.
    Pass,
    /// It said that it failed.
    Fail,
    /// It cannot run here, and said why.
    Waived,
    /// It did not end in time.
    Timeout,
    /// It crashed, or could not be started.
    Error,
}

impl Status {
    /// Every status, in the order in which a summary names them.
    pub const ALL: [Self; 5] = [Self::Pass, Self::Fail, Self::Waived, Self::Timeout, Self::Error];

    /// The word that the JSON file uses.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Waived => "waived",
            Self::Timeout => "timeout",
            Self::Error => "error",
        }
    }

    /// True where a person has to look.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Fail | Self::Timeout | Self::Error)
    }
}

/// One sample of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleResult {
    /// The name of the binary.
    pub name: String,
    /// How it ended.
    pub status: Status,
    /// How long it took.
    pub seconds: f64,
    /// Why it did not pass.
    pub reason: Option<String>,
    /// The command that repeats it.
    pub repeat: String,
}

/// A run of samples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The version of the format.
    pub schema: u32,
    /// What it ran on.
    pub device: Device,
    /// The machine around the device.
    pub host: Host,
    /// The commit of the programs, with `-dirty` where there were changes.
    pub commit: String,
    /// When it ran, in UTC.
    pub date: String,
    /// Each sample, in the order of the run.
    pub samples: Vec<SampleResult>,
    /// The bandwidth file of this run, beside this one; none where nothing was measured.
    pub bandwidth: Option<String>,
}

impl Report {
    /// A report with no sample yet.
    pub fn new(device: Device, host: Host, commit: String, date: String) -> Self {
        Self { schema: SCHEMA, device, host, commit, date, samples: Vec::new(), bandwidth: None }
    }

    /// How many samples ended so.
    pub fn count(&self, status: Status) -> usize {
        self.samples.iter().filter(|s| s.status == status).count()
    }

    /// True if at least one passed and none failed.
    pub fn succeeded(&self) -> bool {
        self.count(Status::Pass) > 0 && !self.samples.iter().any(|s| s.status.is_failure())
    }

    /// The counts in words, such as `3 pass, 1 waived`.
    pub fn summary(&self) -> String {
        let counts = Status::ALL.into_iter().map(|status| (self.count(status), status.word()));
        let words: Vec<String> =
            counts.filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
        if words.is_empty() { "no sample ran".to_owned() } else { words.join(", ") }
    }
}
