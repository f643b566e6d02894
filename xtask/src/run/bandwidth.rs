//! The sweep of a run: completed by the peers, or replaced by a recorded one.

use std::path::Path;

use super::measured::Measured;
use super::peers;
use crate::contract::bandwidth::Bandwidth;
use crate::contract::report::Report;
use crate::error::Result;
use crate::files;
use crate::home::Home;
use crate::{lines, say};

/// The sample that measures.
pub const SAMPLE: &str = "bandwidth";

/// How long it takes on a GPU.
pub const DURATION: &str = "about 100 s";

/// What the sample writes.
pub const SWEEP: Measured<Bandwidth> =
    Measured { sample: SAMPLE, file: "bandwidth.json", optional: false, read: Bandwidth::read };

/// The sweep that a report shows.
pub enum Sweep {
    /// Measured in this run.
    Measured(Bandwidth),
    /// Recorded earlier, on another machine maybe.
    Recorded(Bandwidth),
    /// None: why.
    Missing(String),
}

/// The sweep of this run, or the recorded one. The report learns the name of the file of this run.
pub fn gather(home: &Home, report: &mut Report, out: &Path, with_peers: bool) -> Result<Sweep> {
    let Some(mut sweep) = SWEEP.gather(report, out)? else {
        return Ok(recorded(&home.recorded_bandwidth()));
    };
    if with_peers {
        match peers::measure(home, out)? {
            Ok(peers) => {
                sweep.take_peers(peers);
                files::write_json(&out.join(SWEEP.file), &sweep)?;
            }
            Err(reason) => {
                let columns = lines::columns(std::io::stdout());
                say::line(lines::fitted("PyTorch and CuPy were not measured: ", &reason, columns));
            }
        }
    }
    report.bandwidth = Some(SWEEP.file.to_owned());
    Ok(Sweep::Measured(sweep))
}

fn recorded(file: &Path) -> Sweep {
    if !file.is_file() {
        return Sweep::Missing("no bandwidth was measured in this run, and none is recorded".to_owned());
    }
    match Bandwidth::read(file) {
        Ok(sweep) => Sweep::Recorded(sweep),
        Err(error) => Sweep::Missing(format!("the recorded bandwidth cannot be shown: {error}")),
    }
}
