//! The download, by pip: it knows the index, proxies and certificates that this machine uses.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::wheel::Wheel;
use crate::error::{Error, Result};
use crate::files;
use crate::lines::{LONGEST, shortened};
use crate::python::{self, Python};
use crate::run::process::{self, End, Output};

/// Enough for a line of 50 kB/s.
const LIMIT: Duration = Duration::from_secs(3600);

/// Always the wheel for this platform; which Python asks is of no matter, since none loads it.
const DOWNLOAD: [&str; 11] = [
    "-m",
    "pip",
    "download",
    "--no-deps",
    "--only-binary=:all:",
    "--platform",
    "manylinux2014_x86_64",
    "--python-version",
    "3.12",
    "--disable-pip-version-check",
    "-d",
];

/// Refuses a machine without python3 or pip.
pub fn check() -> Result<()> {
    let failed = |got: &str| {
        Error::new("downloading CV-CUDA")
            .expected("python3 with pip")
            .got(got)
            .remedy(format!("get them: {}", python::INSTALL))
    };
    let python = Python::find().map_err(failed)?;
    if python.has("pip") { Ok(()) } else { Err(failed(&format!("python3 {} without pip", python.version))) }
}

/// Downloads the wheel into the temporary folder: its path.
pub fn download(wheel: &Wheel, scratch: &Path) -> Result<PathBuf> {
    let (folder, log) = (scratch.join("wheel"), scratch.join("pip.txt"));
    let mut command = Command::new("python3");
    // pip's own temporary files go the way of ours, and no module of the present folder stands in for pip.
    command.args(DOWNLOAD).arg(&folder).arg(wheel.requirement()).current_dir(scratch).env("TMPDIR", scratch);
    let (end, _) = process::run(command, &Output::Together(&log), LIMIT)?;
    let text = files::read_end(&log).unwrap_or_default();
    let failed = || Error::new(format!("downloading {wheel} with pip"));
    match end {
        End::Exit(0) => found(&folder)
            .ok_or_else(|| failed().expected("a wheel").got(last_lines(&text)).remedy(remedy(&text, wheel))),
        End::Exit(_) => Err(failed().got(last_lines(&text)).remedy(remedy(&text, wheel))),
        End::Signal(number) => {
            Err(failed().got(format!("a crash with signal {number}: {}", last_lines(&text))))
        }
        End::Timeout => Err(failed()
            .expected(format!("an end within {} minutes", LIMIT.as_secs() / 60))
            .got(last_lines(&text))
            .remedy(NETWORK)),
    }
}

fn found(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    entries.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "whl"))
}

const NETWORK: &str = "check the network and pip's index (python3 -m pip config list), or copy the folder `cvcuda` \
                       from a machine where this command worked";

/// What to do about it, from pip's words. It calls a package missing, too, where it reached no index.
fn remedy(text: &str, wheel: &Wheel) -> String {
    let no_index = text.contains("(from versions: none)");
    if text.contains("No matching distribution") && !no_index {
        return format!(
            "choose a --version that is there: python3 -m pip index versions {}",
            wheel.package.name()
        );
    }
    match no_index || text.contains("Retrying (") {
        true => NETWORK.to_owned(),
        false => "see to what pip says and run it again".to_owned(),
    }
}

/// The end of what pip said, in one line.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(3)..];
    match last {
        [] => "no word from pip".to_owned(),
        _ => last.iter().map(|line| shortened(line, LONGEST)).collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cvcuda::wheel::Package;

    #[test]
    fn the_remedy_tells_no_network_from_no_such_version() {
        let wheel = Wheel { package: Package::Cu12, version: "9.9.9".to_owned() };
        let missing = "ERROR: No matching distribution found for cvcuda-cu12==9.9.9";
        let versions = format!("ERROR: Could not find a version (from versions: 0.18.0, 0.19.0)\n{missing}");
        assert!(remedy(&versions, &wheel).contains("pip index versions cvcuda-cu12"));
        let offline = format!("WARNING: Retrying (Retry(total=0))\nERROR: (from versions: none)\n{missing}");
        assert_eq!(remedy(&offline, &wheel), NETWORK);
        assert!(remedy("ERROR: [Errno 28] No space left on device", &wheel).contains("what pip says"));
    }

    #[test]
    fn shows_the_last_lines_that_say_something() {
        assert_eq!(last_lines("a\nb\n\n  c\nd\n\n"), "b c d");
        assert_eq!(last_lines("\n"), "no word from pip");
    }
}
