//! Running a scenario in a process of its own: the test named `scenario` of the same program.

use std::process::{Command, Output};

/// Runs one of the scenarios of this test program in a child process.
pub fn child(scenario: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "scenario", "--ignored", "--nocapture"]).env("SCENARIO", scenario);
    command.envs(variables.iter().copied()).output().unwrap()
}

/// Runs a scenario that must pass: what it wrote to stderr.
pub fn passes(scenario: &str, variables: &[(&str, &str)]) -> String {
    let output = child(scenario, variables);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{scenario}: {}\n{text}", String::from_utf8_lossy(&output.stdout));
    text
}
