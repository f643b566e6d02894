//! PyTorch and CuPy, measured on the same machine in the same run. Optional: what is missing is said, never fatal.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::process::{self, End, Output};
use crate::contract::bandwidth::Peers;
use crate::error::{Error, Result};
use crate::files;
use crate::home::Home;
use crate::lines::{LONGEST, shortened};
use crate::progress::Progress;
use crate::python::Python;

/// How long both take on a GPU.
const DURATION: &str = "about 150 s";

const LIMIT: Duration = Duration::from_secs(600);

/// Measures the peers, or says in one line why not.
pub fn measure(home: &Home, out: &Path) -> Result<std::result::Result<Peers, String>> {
    let script = home.peers_script();
    if let Some(reason) = why_not(&script) {
        return Ok(Err(reason));
    }
    let progress = Progress::of_one(&format!("measuring PyTorch and CuPy, {DURATION}"));
    let (file, log) = (out.join("peers.json"), out.join("logs/peers.txt"));
    let mut command = Command::new("python3");
    command.arg(&script).arg("--out").arg(&file).current_dir(home.root());
    let (end, took) = match process::run(command, &Output::Together(&log), LIMIT) {
        Ok(ended) => ended,
        Err(error) if error.exit_code() == Error::interrupted().exit_code() => return Err(error),
        Err(error) => return Ok(Err(error.to_string())),
    };
    let peers = outcome(end, &file, &log);
    if peers.is_ok() {
        progress.line(&format!("PyTorch and CuPy were measured in {:.1} s", took.as_secs_f64()));
    }
    Ok(peers)
}

fn outcome(end: End, file: &Path, log: &Path) -> std::result::Result<Peers, String> {
    match end {
        End::Exit(0) => Peers::read(file).map_err(|e| e.to_string()),
        End::Exit(code) => Err(format!("exit code {code}: {}", last_line(log))),
        End::Signal(number) => Err(format!("crashed with signal {number}")),
        End::Timeout => Err(format!("not done after {} s", LIMIT.as_secs())),
    }
}

fn why_not(script: &Path) -> Option<String> {
    if !script.is_file() {
        return Some("their script is missing".to_owned());
    }
    match Python::find() {
        Err(reason) => Some(reason.to_owned()),
        Ok(python) if !python.has("torch") && !python.has("cupy") => {
            Some("python3 has neither torch nor cupy".to_owned())
        }
        Ok(_) => None,
    }
}

fn last_line(log: &Path) -> String {
    let text = files::read_end(log).unwrap_or_default();
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("no output");
    shortened(last, LONGEST)
}
