//! Series of measured points, and the document `bandwidth.json`.

use interop_core::DeviceInfo;
use serde_json::{Value, json};

use crate::facts;

/// Which way a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From host to device.
    HostToDevice,
    /// From device to host.
    DeviceToHost,
    /// Within the device. GB/s count each byte once, though it is read and written.
    DeviceToDevice,
}

/// What kind of memory the host side is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostMemory {
    /// Page-locked.
    Pinned,
    /// An ordinary array that was touched before.
    Pageable,
    /// No host side.
    None,
}

/// The timed copies of one size.
#[derive(Clone, Debug)]
pub struct Point {
    /// Bytes copied.
    pub bytes: usize,
    /// Seconds of each timed copy.
    pub seconds: Vec<f64>,
}

/// Points of growing size.
#[derive(Clone, Debug)]
pub struct Series {
    /// Which way.
    pub direction: Direction,
    /// From or to what.
    pub host_memory: HostMemory,
    /// By size.
    pub points: Vec<Point>,
}

impl Point {
    /// GB/s (1e9 bytes a second) that a share `quantile` of the copies did not exceed.
    pub fn gbps(&self, quantile: f64) -> f64 {
        let mut rates: Vec<f64> =
            self.seconds.iter().map(|seconds| self.bytes as f64 / seconds / 1e9).collect();
        rates.sort_by(f64::total_cmp);
        let last = rates.len().saturating_sub(1) as f64;
        rates.get((last * quantile).round() as usize).copied().unwrap_or_default()
    }

    fn to_json(&self) -> Value {
        // Whole nanoseconds: the clock knows no finer, and the file stays small.
        let seconds: Vec<f64> = self.seconds.iter().map(|seconds| (seconds * 1e9).round() / 1e9).collect();
        json!({
            "bytes": self.bytes,
            "gbps_median": self.gbps(0.5),
            "gbps_p10": self.gbps(0.1),
            "gbps_p90": self.gbps(0.9),
            "seconds": seconds,
        })
    }
}

impl Series {
    fn to_json(&self) -> Value {
        let points: Vec<Value> = self.points.iter().map(Point::to_json).collect();
        json!({
            "implementation": "interop-core",
            "direction": self.direction.name(),
            "host_memory": self.host_memory.name(),
            "points": points,
        })
    }
}

impl Direction {
    /// As the file writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::HostToDevice => "h2d",
            Self::DeviceToHost => "d2h",
            Self::DeviceToDevice => "d2d",
        }
    }
}

impl HostMemory {
    /// As the file writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Pageable => "pageable",
            Self::None => "none",
        }
    }
}

/// The whole document, schema 1.
pub fn document(device: &DeviceInfo, series: &[Series]) -> Value {
    let (commit, date) = facts::commit_and_date();
    let series: Vec<Value> = series.iter().map(Series::to_json).collect();
    json!({
        "schema": 1,
        "device": facts::device(device),
        "host": facts::host(),
        "commit": commit,
        "date": date,
        "series": series,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_rates_not_of_times() {
        let point = Point { bytes: 1_000_000_000, seconds: vec![1.0, 0.5, 0.25] };
        assert_eq!((point.gbps(0.1), point.gbps(0.5), point.gbps(0.9)), (1.0, 2.0, 4.0));
        assert_eq!(Point { bytes: 1, seconds: vec![] }.gbps(0.5), 0.0);
    }
}
