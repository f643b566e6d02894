//! Tests that need a process of their own.

use std::path::Path;
use std::process::{Command, Stdio};

/// Set in a process that runs one test alone.
const ALONE: &str = "INTEROP_TEST_ALONE";

/// A copy of this program, to run one test; what it prints is not held back.
pub fn running(program: &Path, test: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["--exact", test, "--include-ignored", "--nocapture"]);
    command
}

/// Whether the caller, whose name is `test`, is the only test of this process. If not, has it run in one where it is:
/// for what is counted for the whole process, and for what must not wait, since on a GPU one thread's wait in the driver
/// may hold up the calls of others.
pub fn is_alone(test: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let program = std::env::current_exe().expect("this program");
    let mut command = running(&program, test);
    // The simulated device's memory is the host's: what of it is freed is to go back to the system, as on a
    // GPU.
    command.env("MALLOC_MMAP_THRESHOLD_", "65536");
    let output = command.env(ALONE, "1").stderr(Stdio::inherit()).output().expect("it starts");
    assert!(output.status.success(), "{test} failed");
    // A name that no test has runs none, and succeeds.
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("1 passed"), "{test} is no test: {text}");
    false
}
