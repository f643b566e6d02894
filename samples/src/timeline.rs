//! What ran when on the device, and the document `timeline.json`.

use interop_core::{DeviceInfo, Gpu, Result, Timestamp};
use serde_json::{Value, json};

use crate::document;

/// One step of the work on one lane, between two points of its stream.
///
/// It begins when the lane comes to the step: where another lane keeps the device busy with a step of the same
/// kind, that includes waiting for it.
#[derive(Debug)]
pub struct Step {
    /// The lane, from 0.
    pub lane: usize,
    /// What it is: upload, compute, download.
    pub kind: &'static str,
    /// The part of the data, from 0.
    pub chunk: usize,
    start: Timestamp,
    end: Timestamp,
}

/// A step with its times.
#[derive(Clone, Debug)]
pub struct Span {
    lane: usize,
    kind: &'static str,
    chunk: usize,
    /// Microseconds from the beginning of the run.
    start_us: f64,
    end_us: f64,
}

impl Step {
    /// Notes the time, queues the step, and notes the time behind it.
    ///
    /// # Errors
    /// What `queue` returns, and those of [`Gpu::timestamp`].
    pub fn queue<T>(
        gpu: &Gpu,
        (lane, kind, chunk): (usize, &'static str, usize),
        queue: impl FnOnce() -> Result<T>,
    ) -> Result<(Self, T)> {
        let start = gpu.timestamp()?;
        let handle = queue()?;
        Ok((Self { lane, kind, chunk, start, end: gpu.timestamp()? }, handle))
    }

    /// Waits for the step, and returns its times since `beginning`.
    ///
    /// # Errors
    /// Those of [`Timestamp::since`].
    pub fn span(&self, beginning: &Timestamp) -> Result<Span> {
        let microseconds = |time: &Timestamp| -> Result<f64> {
            Ok((time.since(beginning)?.as_secs_f64() * 1e7).round() / 10.0)
        };
        let Self { lane, kind, chunk, .. } = *self;
        Ok(Span { lane, kind, chunk, start_us: microseconds(&self.start)?, end_us: microseconds(&self.end)? })
    }
}

impl Span {
    fn to_json(&self, run: &str) -> Value {
        let Self { lane, kind, chunk, start_us, end_us } = self;
        json!({
            "run": run, "lane": lane, "kind": kind, "chunk": chunk, "start_us": start_us, "end_us": end_us,
        })
    }
}

/// When the last of the steps ended, in seconds from the beginning of the run.
pub fn seconds(spans: &[Span]) -> f64 {
    spans.iter().map(|span| span.end_us).fold(0.0, f64::max) / 1e6
}

/// The whole document, schema 1: the spans of each run by name.
pub fn document(device: &DeviceInfo, lanes: usize, runs: &[(&str, &[Span])]) -> Value {
    let spans: Vec<Value> =
        runs.iter().flat_map(|(run, spans)| spans.iter().map(|span| span.to_json(run))).collect();
    let mut document = document::head(device);
    document["lanes"] = json!((0..lanes).collect::<Vec<usize>>());
    document["spans"] = json!(spans);
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_takes_until_its_last_step_ends() {
        let span = |start_us, end_us| Span { lane: 0, kind: "upload", chunk: 0, start_us, end_us };
        assert_eq!(seconds(&[span(0.0, 30.0), span(10.0, 20.0)]), 3e-5);
        assert_eq!(seconds(&[]), 0.0);
    }
}
