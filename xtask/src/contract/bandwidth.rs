//! `bandwidth.json`: what the sample `bandwidth` and its peers measured.
//!
//! | field | holds |
//! |---|---|
//! | `schema`, `device`, `host`, `commit`, `date` | the version, and what was measured where and when |
//! | `series[].implementation` | `interop-core`, `driver`, `pytorch` or `cupy` |
//! | `series[].direction` | `h2d`, `d2h` or `d2d` |
//! | `series[].host_memory` | `pinned`, `pageable`, `fresh`, `strided`; `none` for `d2d` |
//! | `series[].pattern` | optional, of `strided` only: `padded rows` or `transposed` |
//! | `series[].points[]` | `bytes`, `gbps_median`, `gbps_p10`, `gbps_p90`, and each copy's time in `seconds` |
//! | `figures[]` | optional: see [`Figure`] |
//! | `peers` | optional: the version of each package that PyTorch and CuPy were measured with, by its name |
//!
//! The first four fields of a series name its line: none may come twice.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::check_schema;
use super::device::Device;
use super::figure::{self, Figure, check_figures};
use super::measurement::{check_device, check_peers, check_series, median};
use crate::error::Result;
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

/// How the elements of a strided host array lie; the device's array is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// Rows of 512 bytes with 64 bytes between them.
    #[serde(rename = "padded rows")]
    PaddedRows,
    /// A matrix of `f32` whose axes are exchanged.
    #[serde(rename = "transposed")]
    Transposed,
}

impl Pattern {
    /// As the file writes it.
    pub fn word(self) -> &'static str {
        match self {
            Self::PaddedRows => "padded rows",
            Self::Transposed => "transposed",
        }
    }
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
    /// How a strided array lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Pattern>,
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
    /// What is no line: a number by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
    /// The version of each package that the peers ran with, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub peers: BTreeMap<String, String>,
    /// Whatever else the writer knew; kept as it is.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What a peer measured: the same series without the rest.
#[derive(Debug, Deserialize)]
pub struct Peers {
    /// Every line.
    pub series: Vec<Series>,
    /// What is no line: a number by itself.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// The versions of Python, of NumPy and of what was measured, by their names.
    #[serde(default)]
    pub peers: BTreeMap<String, String>,
}

impl Bandwidth {
    /// Reads and checks a recorded sweep. One of a simulated device is refused.
    pub fn read(path: &Path) -> Result<Self> {
        let origin = path.display().to_string();
        let sweep: Self = files::read_json(path)?;
        check_schema(sweep.schema, &origin)?;
        check_device(&sweep.device, &origin)?;
        check_series(&sweep.series, &origin)?;
        check_figures(&sweep.figures, &origin)?;
        Ok(sweep)
    }

    /// Takes in what peers measured, in place of what they measured before.
    pub fn take_peers(&mut self, peers: Peers) {
        for series in peers.series {
            self.series.retain(|s| !s.same_line(&series));
            self.series.push(series);
        }
        for figure in peers.figures {
            self.figures.retain(|f| !f.same_place(&figure));
            self.figures.push(figure);
        }
        self.peers.extend(peers.peers);
    }
}

impl Peers {
    /// Reads and checks what a peer wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let peers: Self = files::read_json(path)?;
        let origin = path.display().to_string();
        check_series(&peers.series, &origin)?;
        check_peers(&peers.series, &origin)?;
        check_figures(&peers.figures, &origin)?;
        figure::check_peers(&peers.figures, &origin)?;
        Ok(peers)
    }
}

impl Implementation {
    /// Its name for a reader.
    pub fn name(self) -> &'static str {
        match self {
            Self::InteropCore => "interop-core",
            Self::Driver => "driver",
            Self::Pytorch => "PyTorch",
            Self::Cupy => "CuPy",
        }
    }

    /// True for the libraries that the peers' script measures.
    pub fn is_peer(self) -> bool {
        matches!(self, Self::Pytorch | Self::Cupy)
    }
}

impl Series {
    /// True where both would be drawn as the same line.
    pub fn same_line(&self, other: &Self) -> bool {
        self.implementation == other.implementation
            && self.direction == other.direction
            && self.host_memory == other.host_memory
            && self.pattern == other.pattern
    }
}

impl Point {
    /// The median time of one copy.
    pub fn seconds_median(&self) -> f64 {
        median(&self.seconds).unwrap_or(self.bytes as f64 / (self.gbps_median * 1e9))
    }
}
