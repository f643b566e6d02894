//! `bandwidth.json`: what the sample `bandwidth` and its peers measured.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::check_schema;
use super::device::Device;
use crate::error::{Error, Result};
use crate::files;

/// Who copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Implementation {
    /// This library.
    #[serde(rename = "interop-core")]
    InteropCore,
    /// One plain call of the driver.
    Driver,
    /// PyTorch.
    Pytorch,
    /// CuPy.
    Cupy,
}

/// Which way the bytes went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Host to device.
    H2d,
    /// Device to host.
    D2h,
    /// Within the device.
    D2d,
}

/// What the host's side of the copy was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HostMemory {
    /// Page-locked.
    Pinned,
    /// An ordinary array.
    Pageable,
    /// An array allocated for the copy.
    Fresh,
    /// An array whose rows are not contiguous.
    Strided,
    /// No host memory: a copy within the device.
    None,
}

/// One size of one series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// How many bytes were copied.
    pub bytes: u64,
    /// 1e9 bytes a second, the median.
    pub gbps_median: f64,
    /// The tenth percentile.
    pub gbps_p10: f64,
    /// The ninetieth percentile.
    pub gbps_p90: f64,
    /// Each copy's time.
    pub seconds: Vec<f64>,
}

/// One line of the plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Who copied.
    pub implementation: Implementation,
    /// Which way.
    pub direction: Direction,
    /// From or to what.
    pub host_memory: HostMemory,
    /// By size.
    pub points: Vec<Point>,
    /// Whatever else the writer knew; kept as it is.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A recorded sweep.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bandwidth {
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
    /// Every line.
    pub series: Vec<Series>,
    /// Whatever else the writer knew; kept as it is.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What a peer measured: the same series without the rest.
#[derive(Debug, Deserialize)]
pub struct Peers {
    /// Every line.
    pub series: Vec<Series>,
}

impl Bandwidth {
    /// Reads and checks a recorded sweep. One of a simulated device is refused.
    pub fn read(path: &Path) -> Result<Self> {
        let origin = path.display().to_string();
        let sweep: Self = files::read_json(path)?;
        check_schema(sweep.schema, &origin)?;
        if sweep.device.simulated {
            return Err(Error::new(format!("reading {origin}, field `device.simulated`"))
                .expected("false")
                .got("true")
                .remedy("a time measured on the simulated driver is no result; measure on a GPU"));
        }
        check_series(&sweep.series, &origin)?;
        Ok(sweep)
    }

    /// Takes in what peers measured, in place of what they measured before.
    pub fn take_peers(&mut self, peers: Peers) {
        for series in peers.series {
            self.series.retain(|s| !s.same_line(&series));
            self.series.push(series);
        }
    }
}

impl Peers {
    /// Reads and checks what a peer wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let peers: Self = files::read_json(path)?;
        check_series(&peers.series, &path.display().to_string())?;
        Ok(peers)
    }
}

impl Series {
    fn same_line(&self, other: &Self) -> bool {
        self.implementation == other.implementation
            && self.direction == other.direction
            && self.host_memory == other.host_memory
    }
}

impl Point {
    /// The median time of one copy.
    pub fn seconds_median(&self) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => self.bytes as f64 / (self.gbps_median * 1e9),
            n if n % 2 == 1 => sorted[n / 2],
            n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
        }
    }
}

fn check_series(series: &[Series], origin: &str) -> Result<()> {
    if series.is_empty() {
        return Err(Error::new(format!("reading {origin}, field `series`"))
            .expected("at least one")
            .got("none"));
    }
    for (s, line) in series.iter().enumerate() {
        let field = format!("series[{s}].points");
        if line.points.is_empty() {
            return Err(Error::new(format!("reading {origin}, field `{field}`"))
                .expected("at least one")
                .got("none"));
        }
        for (p, point) in line.points.iter().enumerate() {
            check_point(point).map_err(|(name, expected, got)| {
                Error::new(format!("reading {origin}, field `{field}[{p}].{name}`"))
                    .expected(expected)
                    .got(got)
            })?;
        }
    }
    Ok(())
}

/// Refuses what cannot be a measurement: the field, what it should be, what it is.
fn check_point(point: &Point) -> std::result::Result<(), (&'static str, &'static str, String)> {
    let positive = |value: f64| value.is_finite() && value > 0.0;
    if point.bytes == 0 {
        return Err(("bytes", "a positive number", "0".to_owned()));
    }
    let rates =
        [("gbps_median", point.gbps_median), ("gbps_p10", point.gbps_p10), ("gbps_p90", point.gbps_p90)];
    for (name, value) in rates {
        if !positive(value) {
            return Err((name, "a positive number", value.to_string()));
        }
    }
    if point.gbps_p10 > point.gbps_median || point.gbps_median > point.gbps_p90 {
        let got = format!("{}, {}, {}", point.gbps_p10, point.gbps_median, point.gbps_p90);
        return Err(("gbps_median", "p10 <= median <= p90", got));
    }
    match point.seconds.iter().find(|s| !positive(**s)) {
        Some(value) => Err(("seconds", "positive numbers", value.to_string())),
        None if point.seconds.is_empty() => Err(("seconds", "each copy's time", "an empty list".to_owned())),
        None => Ok(()),
    }
}
