//! A Python script that does with other libraries what the samples do. Optional: what is missing is said,
//! never fatal.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::process::{self, End, Output};
use crate::error::{Error, Result};
use crate::files;
use crate::home::Home;
use crate::lines::{LONGEST, shortened};
use crate::progress::Progress;
use crate::python::Python;

/// A script and how to run it.
pub struct Script {
    /// Where it is.
    pub path: PathBuf,
    /// What it measures, as progress names it.
    pub what: &'static str,
    /// How long that takes on a GPU.
    pub duration: &'static str,
    /// When it is ended.
    pub limit: Duration,
    /// Where its output goes.
    pub log: PathBuf,
}

impl Script {
    /// Runs it with these arguments: how it ended and how long it took, or in one line why it did not start.
    /// `lacks` says what Python is without.
    pub fn run(
        &self,
        home: &Home,
        lacks: fn(&Python) -> Option<&'static str>,
        arguments: &[&OsStr],
    ) -> Result<std::result::Result<(End, Duration), String>> {
        if let Some(reason) = self.why_not(lacks) {
            return Ok(Err(reason));
        }
        let _progress = Progress::of_one(&format!("measuring {}, {}", self.what, self.duration));
        let mut command = Command::new("python3");
        command.arg(&self.path).args(arguments).current_dir(home.root());
        match process::run(command, &Output::Together(&self.log), self.limit) {
            Ok(ended) => Ok(Ok(ended)),
            Err(error) if error.exit_code() == Error::interrupted().exit_code() => Err(error),
            Err(error) => Ok(Err(error.to_string())),
        }
    }

    /// Why a script that ended so has no result.
    pub fn why_failed(&self, end: End) -> String {
        match end {
            End::Exit(code) => format!("exit code {code}: {}", last_line(&self.log)),
            End::Signal(number) => format!("crashed with signal {number}"),
            End::Timeout => format!("not done after {} s", self.limit.as_secs()),
        }
    }

    fn why_not(&self, lacks: fn(&Python) -> Option<&'static str>) -> Option<String> {
        if !self.path.is_file() {
            return Some("the script is missing".to_owned());
        }
        match Python::find() {
            Err(reason) => Some(reason.to_owned()),
            Ok(python) => lacks(&python).map(str::to_owned),
        }
    }
}

fn last_line(log: &Path) -> String {
    let text = files::read_end(log).unwrap_or_default();
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("no output");
    shortened(last, LONGEST)
}
