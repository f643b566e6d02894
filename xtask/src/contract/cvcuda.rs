//! `cvcuda.json`: what the sample `cvcuda_speed` measured, and what CV-CUDA's Python API did on the same
//! machine.
//!
//! | field | holds |
//! |---|---|
//! | `schema`, `device`, `host`, `commit`, `date` | the version, and what was measured where and when |
//! | `library` | the version of CV-CUDA that the samples loaded, such as `0.19.0` |
//! | `calls[]` | `call`, `implementation`, `us_median`, and the time of a call in each of the `seconds` |
//! | `pipelines[]` | see [`Pipeline`] |
//! | `operators[]` | optional: see [`Operator`] |
//! | `peers` | optional: the version of each package that Python used, by its name |
//!
//! An `implementation` is `interop-core`, `interop-core, recorded` (a run of what `CvCuda::record` made of that one
//! call) or `python`. Each call comes at most once from each of them. So does the pipeline, which is `interop-core`'s whether
//! or not some of its steps are recorded.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::check_schema;
use super::device::Device;
use super::measurement::{SECONDS, Wrong, check_device, check_text, in_range, median, only_those, wrong};
use crate::error::Result;
use crate::files;

const LONGEST_NAME: usize = 80;
/// A median may differ by this part of it from ours: programs round on the way.
const AGREES: f64 = 1e-6;

/// Who called CV-CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Caller {
    /// This library.
    #[serde(rename = "interop-core")]
    InteropCore,
    /// This library, which recorded the call before.
    #[serde(rename = "interop-core, recorded")]
    Recorded,
    /// CV-CUDA's Python API.
    #[serde(rename = "python")]
    Python,
}

/// What a call costs on the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Its name.
    pub call: String,
    /// Who called.
    pub implementation: Caller,
    /// The median, in microseconds.
    pub us_median: f64,
    /// Of one call, in each measurement.
    pub seconds: Vec<f64>,
}

/// How fast images become a network's input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pipeline {
    /// Who called.
    pub implementation: Caller,
    /// How many in a batch.
    pub images: u32,
    /// Of each image, in pixels.
    pub height: u32,
    /// Of each image, in pixels.
    pub width: u32,
    /// The median.
    pub images_per_second_median: f64,
    /// Of each batch.
    pub seconds: Vec<f64>,
}

/// How the outputs of an operator compare with those of the same calls from Python.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operator {
    /// Its name.
    pub operator: String,
    /// How many were made.
    pub calls: u64,
    /// How many of them gave the same bytes.
    pub equal: u64,
    /// The arguments of the first that did not, as the script writes them.
    #[serde(default)]
    pub first_difference: Value,
}

/// What was measured of CV-CUDA.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Speed {
    /// The version of the format.
    pub schema: u32,
    /// What it was measured on.
    pub device: Device,
    /// The machine around the device.
    pub host: Value,
    /// The commit of the programs.
    pub commit: String,
    /// When it was measured.
    pub date: String,
    /// The version of CV-CUDA.
    pub library: String,
    /// What calls cost.
    pub calls: Vec<Call>,
    /// The pipeline.
    pub pipelines: Vec<Pipeline>,
    /// The operators that were compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<Operator>,
    /// The version of each package that Python used, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub peers: BTreeMap<String, String>,
    /// Whatever else the writer knew; kept as it is.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What Python did: the same lists without the rest.
#[derive(Debug, Deserialize)]
pub struct Peer {
    /// What calls cost.
    pub calls: Vec<Call>,
    /// The pipeline.
    pub pipelines: Vec<Pipeline>,
    /// The operators that were compared.
    #[serde(default)]
    pub operators: Vec<Operator>,
    /// The version of each package, by its name.
    #[serde(default)]
    pub peers: BTreeMap<String, String>,
}

impl Speed {
    /// Reads and checks it. One of a simulated device is refused.
    pub fn read(path: &Path) -> Result<Self> {
        let origin = path.display().to_string();
        let speed: Self = files::read_json(path)?;
        check_schema(speed.schema, &origin)?;
        check_device(&speed.device, &origin)?;
        check_text("library", &speed.library, LONGEST_NAME)
            .map_err(|(name, expected, got)| wrong(&origin, name, &expected, got))?;
        check_lists(&speed.calls, &speed.pipelines, &speed.operators, &origin)?;
        Ok(speed)
    }

    /// Takes in what Python did, in place of what it did before.
    pub fn take_peer(&mut self, peer: Peer) {
        self.calls.retain(|call| call.implementation != Caller::Python);
        self.calls.extend(peer.calls);
        self.pipelines.retain(|pipeline| pipeline.implementation != Caller::Python);
        self.pipelines.extend(peer.pipelines);
        self.operators = peer.operators;
        self.peers = peer.peers;
    }

    /// The median of a call, in microseconds.
    pub fn us(&self, call: &str, by: Caller) -> Option<f64> {
        let found = self.calls.iter().find(|c| c.call == call && c.implementation == by);
        found.map(|call| call.us_median)
    }

    /// The names of all calls, in the order of the file.
    pub fn call_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for call in &self.calls {
            if !names.contains(&call.call.as_str()) {
                names.push(&call.call);
            }
        }
        names
    }

    /// The pipeline of one of them.
    pub fn pipeline(&self, by: Caller) -> Option<&Pipeline> {
        self.pipelines.iter().find(|pipeline| pipeline.implementation == by)
    }

    /// How many calls of operators were compared, and how many of them were equal.
    pub fn compared(&self) -> (u64, u64) {
        let sum = |of: fn(&Operator) -> u64| self.operators.iter().map(of).fold(0, u64::saturating_add);
        (sum(|operator| operator.calls), sum(|operator| operator.equal))
    }
}

impl Peer {
    /// Reads and checks what the script wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let peer: Self = files::read_json(path)?;
        let origin = path.display().to_string();
        check_lists(&peer.calls, &peer.pipelines, &peer.operators, &origin)?;
        // Python must not replace what this library measured.
        let by_python = |by: &Caller| *by == Caller::Python;
        let callers = peer.calls.iter().map(|call| call.implementation);
        only_those(callers, by_python, &origin, "calls", ("`python`", "a call by this library"))?;
        let callers = peer.pipelines.iter().map(|pipeline| pipeline.implementation);
        only_those(callers, by_python, &origin, "pipelines", ("`python`", "the pipeline of this library"))?;
        Ok(peer)
    }
}

impl Operator {
    /// How many outputs were not the same.
    pub fn different(&self) -> u64 {
        self.calls.saturating_sub(self.equal)
    }
}

fn check_lists(calls: &[Call], pipelines: &[Pipeline], operators: &[Operator], origin: &str) -> Result<()> {
    each_once(calls, origin, "calls", check_call, |a, b| {
        a.call == b.call && a.implementation == b.implementation
    })?;
    each_once(pipelines, origin, "pipelines", check_pipeline, |a, b| a.implementation == b.implementation)?;
    for (list, empty) in [("calls", calls.is_empty()), ("pipelines", pipelines.is_empty())] {
        if empty {
            return Err(wrong(origin, list, "at least one", "none"));
        }
    }
    each_once(operators, origin, "operators", check_operator, |a, b| a.operator == b.operator)
}

/// Checks each entry of a `list`, and that none comes again.
fn each_once<T>(
    entries: &[T],
    origin: &str,
    list: &str,
    check: fn(&T) -> std::result::Result<(), Wrong>,
    same: fn(&T, &T) -> bool,
) -> Result<()> {
    for (index, entry) in entries.iter().enumerate() {
        let place = format!("{list}[{index}]");
        check(entry)
            .map_err(|(name, expected, got)| wrong(origin, &format!("{place}.{name}"), &expected, got))?;
        if let Some(first) = entries[..index].iter().position(|other| same(other, entry)) {
            return Err(wrong(origin, &place, "each once", format!("{list}[{first}] again")));
        }
    }
    Ok(())
}

fn check_call(call: &Call) -> std::result::Result<(), Wrong> {
    check_text("call", &call.call, LONGEST_NAME)?;
    let median = median_of(&call.seconds)?;
    agrees("us_median", call.us_median, median * 1e6)
}

fn check_pipeline(pipeline: &Pipeline) -> std::result::Result<(), Wrong> {
    if pipeline.implementation == Caller::Recorded {
        let expected = "`interop-core` or `python`".to_owned();
        return Err(("implementation", expected, "`interop-core, recorded`".to_owned()));
    }
    let sizes = [("images", pipeline.images), ("height", pipeline.height), ("width", pipeline.width)];
    if let Some((name, _)) = sizes.into_iter().find(|(_, size)| *size == 0) {
        return Err((name, "at least 1".to_owned(), "0".to_owned()));
    }
    let median = median_of(&pipeline.seconds)?;
    agrees("images_per_second_median", pipeline.images_per_second_median, f64::from(pipeline.images) / median)
}

fn check_operator(operator: &Operator) -> std::result::Result<(), Wrong> {
    check_text("operator", &operator.operator, LONGEST_NAME)?;
    match operator.equal <= operator.calls {
        true => Ok(()),
        false => Err(("equal", format!("at most the calls, {}", operator.calls), operator.equal.to_string())),
    }
}

/// The median of times that can have been measured.
fn median_of(seconds: &[f64]) -> std::result::Result<f64, Wrong> {
    seconds.iter().try_for_each(|value| in_range("seconds", *value, &SECONDS))?;
    median(seconds).ok_or_else(|| ("seconds", "at least one".to_owned(), "an empty list".to_owned()))
}

fn agrees(name: &'static str, written: f64, computed: f64) -> std::result::Result<(), Wrong> {
    match (written - computed).abs() <= AGREES * computed {
        true => Ok(()),
        // What is no number agrees with nothing.
        false => Err((name, format!("that of `seconds`, {computed}"), written.to_string())),
    }
}
