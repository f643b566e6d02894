//! Finds the device by running the program `device_info`, so that a broken driver cannot take this program down.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::contract::probe::Found;
use crate::error::{Error, Result};
use crate::files;
use crate::lines::{LONGEST, shortened};
use crate::run::process::{self, End, Output};

/// Starting a driver takes a second or two; a minute says that it hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs the probe; its output goes to `logs`.
pub fn find(probe: Option<&Path>, logs: &Path, settings: &[(&str, String)]) -> Result<Found> {
    let probe = probe.ok_or_else(|| {
        Error::new("finding the device").expected("the program device_info beside the samples").got("none")
    })?;
    let (stdout, stderr) = (logs.join("device_info.json"), logs.join("device_info.txt"));
    let mut command = Command::new(probe);
    command.envs(settings.iter().map(|(name, value)| (*name, value.as_str())));
    let (end, _) = process::run(command, &Output::Apart { stdout: &stdout, stderr: &stderr }, LIMIT)?;
    match end {
        End::Exit(0) => files::read_json(&stdout),
        End::Exit(_) => Err(Error::new("finding the device").got(said(&stdout, &stderr))),
        End::Signal(number) => Err(Error::new("finding the device")
            .got(format!("device_info crashed with signal {number}: {}", said(&stdout, &stderr)))),
        End::Timeout => Err(Error::new("finding the device")
            .got(format!("device_info was not done after {} s", LIMIT.as_secs()))
            .remedy("the driver hangs; restart the machine or its GPU")),
    }
}

/// What the probe printed, in one line.
fn said(stdout: &Path, stderr: &Path) -> String {
    let texts = [stderr, stdout].map(|path| files::read_end(path).unwrap_or_default());
    let lines: Vec<&str> =
        texts.iter().flat_map(|t| t.lines()).map(str::trim).filter(|l| !l.is_empty()).collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.strip_prefix("error: ").unwrap_or(line)).collect();
    if lines.is_empty() {
        "device_info failed and printed nothing".to_owned()
    } else {
        shortened(&lines.join(" "), 4 * LONGEST)
    }
}
