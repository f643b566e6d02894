//! Series of measured points, and the document `bandwidth.json`.

use interop_core::DeviceInfo;
use serde_json::{Value, json};

use crate::{document, facts};

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
    /// An array that was allocated for the copy.
    Fresh,
    /// An ordinary array that is not in one piece.
    Strided,
    /// No host side.
    None,
}

/// How a strided array lies; the device's is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Rows of 512 bytes with 64 bytes between them.
    PaddedRows,
    /// A matrix of `f32` whose axes are exchanged.
    Transposed,
}

/// Who copies. PyTorch and CuPy are measured by a program of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Implementation {
    /// This library.
    InteropCore,
    /// One plain, synchronous call of the driver.
    Driver,
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
    /// Who copied.
    pub implementation: Implementation,
    /// Which way.
    pub direction: Direction,
    /// From or to what.
    pub host_memory: HostMemory,
    /// Of strided arrays.
    pub pattern: Option<Pattern>,
    /// By size.
    pub points: Vec<Point>,
}

/// A number that was measured several times, beside the series.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What was measured.
    pub name: &'static str,
    /// Who did it.
    pub implementation: Implementation,
    /// Of every value.
    pub unit: &'static str,
    /// Each value, in the order it was measured.
    pub values: Vec<f64>,
}

/// The value that a share `share` of the values does not exceed, between two of them in proportion, as NumPy's
/// `quantile` has it (and `samples/peers/bandwidth.py`); 0 of none.
pub(crate) fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = values.len().saturating_sub(1) as f64 * share;
    let value = |place: f64| values.get(place as usize).copied().unwrap_or_default();
    let (below, above) = (value(place.floor()), value(place.ceil()));
    below + (above - below) * place.fract()
}

impl Point {
    /// GB/s (1e9 bytes a second) that a share `share` of the copies did not exceed.
    pub fn gbps(&self, share: f64) -> f64 {
        quantile(self.seconds.iter().map(|seconds| self.bytes as f64 / seconds / 1e9).collect(), share)
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
        let mut series = json!({
            "implementation": self.implementation.name(),
            "direction": self.direction.name(),
            "host_memory": self.host_memory.name(),
            "points": points,
        });
        if let Some(pattern) = self.pattern {
            series["pattern"] = json!(pattern.name());
        }
        series
    }
}

impl Figure {
    /// The value that a share `share` of the values does not exceed.
    pub fn quantile(&self, share: f64) -> f64 {
        quantile(self.values.clone(), share)
    }

    fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "implementation": self.implementation.name(),
            "unit": self.unit,
            "median": self.quantile(0.5),
            "p10": self.quantile(0.1),
            "p90": self.quantile(0.9),
            "values": self.values,
        })
    }
}

impl Implementation {
    /// As the file writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::InteropCore => "interop-core",
            Self::Driver => "driver",
        }
    }
}

impl Pattern {
    /// As the file writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::PaddedRows => "padded rows",
            Self::Transposed => "transposed",
        }
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
            Self::Fresh => "fresh",
            Self::Strided => "strided",
            Self::None => "none",
        }
    }
}

/// The whole document, schema 1.
pub fn document(device: &DeviceInfo, series: &[Series], figures: &[Figure]) -> Value {
    let mut document = document::head(device);
    document["host"] = facts::host();
    document["series"] = series.iter().map(Series::to_json).collect();
    document["figures"] = figures.iter().map(Figure::to_json).collect();
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_rates_not_of_times() {
        let point = Point { bytes: 1_000_000_000, seconds: vec![1.0, 0.5, 0.25] };
        assert_eq!((point.gbps(0.0), point.gbps(0.5), point.gbps(1.0)), (1.0, 2.0, 4.0));
        assert_eq!(Point { bytes: 1, seconds: vec![] }.gbps(0.5), 0.0);
    }

    /// As NumPy's `quantile`: the median of an even number of values is the mean of the two in the middle.
    #[test]
    fn quantiles_lie_between_values() {
        let of = |values: &[f64], share| quantile(values.to_vec(), share);
        assert_eq!(of(&[2.0, 1.0], 0.5), 1.5);
        assert_eq!(of(&[4.0, 1.0, 8.0, 2.0], 0.5), 3.0);
        assert_eq!(of(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 0.5), 3.5);
        assert_eq!((of(&[1.0, 2.0, 4.0], 0.25), of(&[1.0, 2.0, 4.0], 0.75)), (1.5, 3.0));
    }
}
