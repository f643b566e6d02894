//! What happens to the sweep of a run: it is checked, completed by the peers, or replaced by a recorded one.

use std::path::Path;

use super::peers;
use crate::contract::bandwidth::Bandwidth;
use crate::contract::report::{Report, SampleResult, Status};
use crate::error::Result;
use crate::files;
use crate::home::Home;
use crate::{lines, say};

/// The sample that measures.
pub const SAMPLE: &str = "bandwidth";

/// How long it takes on a GPU.
pub const DURATION: &str = "about 100 s";

/// What the sample writes into the output folder.
pub const FILE: &str = "bandwidth.json";

/// The sweep that a report shows.
pub enum Sweep {
    /// Measured in this run.
    Measured(Bandwidth),
    /// Recorded earlier, on another machine maybe.
    Recorded(Bandwidth),
    /// None: why.
    Missing(String),
}

/// A sample that says it measured, on a real device, must have written a valid file.
pub fn check(result: &mut SampleResult, simulated: bool, out: &Path) {
    if result.name != SAMPLE || result.status != Status::Pass || simulated {
        return;
    }
    if let Err(error) = Bandwidth::read(&out.join(FILE)) {
        result.status = Status::Fail;
        result.reason = Some(error.to_string());
    }
}

/// The sweep of this run, or the recorded one. The report learns the name of the file of this run.
pub fn gather(home: &Home, report: &mut Report, out: &Path, with_peers: bool) -> Result<Sweep> {
    let measured = report.samples.iter().any(|s| s.name == SAMPLE && s.status == Status::Pass);
    if report.device.simulated || !measured {
        // Nobody may take what a simulated device wrote for a result.
        files::remove(&out.join(FILE))?;
        return Ok(recorded(&home.recorded_bandwidth()));
    }
    let file = out.join(FILE);
    let mut sweep = Bandwidth::read(&file)?;
    if with_peers {
        match peers::measure(home, out)? {
            Ok(peers) => {
                sweep.take_peers(peers);
                files::write_json(&file, &sweep)?;
            }
            Err(reason) => {
                let columns = lines::columns(std::io::stdout());
                say::line(lines::fitted("PyTorch and CuPy were not measured: ", &reason, columns));
            }
        }
    }
    report.bandwidth = Some(FILE.to_owned());
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
