//! One process with a time limit. It gets a process group of its own, so that ending it ends its children too.

use std::fs::{File, OpenOptions};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::signals::Held;
use crate::error::{Error, Result};
use crate::files;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal, which we did not send.
    Signal(i32),
    /// By us, after the time limit.
    Timeout,
}

/// Where a process writes.
pub enum Output<'a> {
    /// Both streams into one file, in the order of the writes.
    Together(&'a Path),
    /// Into two files.
    Apart {
        /// What it prints.
        stdout: &'a Path,
        /// What it says about itself.
        stderr: &'a Path,
    },
}

/// Runs a command to its end or for `limit`: how it ended, and how long it took.
///
/// The output goes to files and not through a pipe, so that a grandchild that keeps it open holds nothing up.
pub fn run(mut command: Command, output: &Output, limit: Duration) -> Result<(End, Duration)> {
    let signals = Held::begin()?;
    let operation = format!("starting {}", command.get_program().to_string_lossy());
    let (stdout, stderr) = output.open()?;
    command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).process_group(0);
    let start = Instant::now();
    let mut child = command.spawn().map_err(|e| Error::new(operation).got(e))?;
    drop(command);
    let ended = wait(&child, start + limit, &signals);
    let took = start.elapsed();
    // The leader is not yet reaped, so that its number still names our group and no other.
    end_group(&child);
    drop(signals);
    let status = child.wait().map_err(|e| Error::new("waiting for a process").got(e))?;
    match ended? {
        Waited::Ended => Ok((end_of(status), took)),
        Waited::Late => Ok((End::Timeout, took)),
        Waited::Stopped => Err(Error::interrupted()),
    }
}

enum Waited {
    Ended,
    Late,
    Stopped,
}

/// Waits without reaping: the process stays a zombie, and keeps its number, until its group has been ended.
fn wait(child: &Child, deadline: Instant, signals: &Held) -> Result<Waited> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let mut pause = Duration::from_millis(1);
    loop {
        match waitid(WaitId::Pid(Pid::from_child(child)), options) {
            Ok(Some(_)) => return Ok(Waited::Ended),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(Error::new("waiting for a process").got(e)),
        }
        let now = Instant::now();
        if signals.asked() {
            return Ok(Waited::Stopped);
        }
        if now >= deadline {
            return Ok(Waited::Late);
        }
        std::thread::sleep(pause.min(deadline - now));
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Ends what is left of the group that we started.
fn end_group(child: &Child) {
    // An error says that nothing is left.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code),
        (None, signal) => End::Signal(signal.unwrap_or(0)),
    }
}

impl Output<'_> {
    fn open(&self) -> Result<(File, File)> {
        match self {
            Self::Together(path) => {
                let file = create(path)?;
                let again =
                    file.try_clone().map_err(|e| Error::new(format!("opening {}", path.display())).got(e))?;
                Ok((file, again))
            }
            Self::Apart { stdout, stderr } => Ok((create(stdout)?, create(stderr)?)),
        }
    }
}

/// A new file that is only appended to, so that two writers do not overwrite each other.
fn create(path: &Path) -> Result<File> {
    files::write(path, "")?;
    OpenOptions::new()
        .append(true)
        .open(path)
        .map_err(|e| Error::new(format!("opening {}", path.display())).got(e))
}
