//! Fake samples, and a way to call the program on them.

#![allow(dead_code, reason = "each test file uses a part")]

pub mod plotting;
pub mod speed;
pub mod sweep;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// What a simulated device says about itself.
pub const SIMULATED: &str = r#"{"name":"Simulated GPU","simulated":true,"driver":"12.0"}"#;
/// What a GPU could say about itself.
pub const REAL: &str = r#"{"name":"Made-up GPU","simulated":false,"driver":"12.8","compute_capability":"9.0","memory_bytes":150323855360,"pcie_gen":5,"pcie_width":16,"host":{"cpu":"Made-up CPU","cores":16,"memory_bytes":137438953472,"kernel":"Linux 6.1","nvidia_driver":"570.1.2"}}"#;

/// A folder of fake samples and a folder for results.
pub struct Stage {
    folder: TempDir,
}

/// How a command ended and what it said.
pub struct Said {
    /// Its exit code.
    pub code: Option<i32>,
    /// What it printed.
    pub out: String,
    /// What it said about itself.
    pub err: String,
}

impl Stage {
    /// Starts with a probe that prints `device`.
    pub fn new(device: &str) -> Self {
        let stage = Self { folder: tempfile::tempdir().expect("a folder for the test") };
        stage.sample("device_info", &format!("echo '{device}'"))
    }

    /// Adds a sample: a shell script.
    ///
    /// Another program writes it. Were it opened here, a program that another test is just starting could have a copy
    /// of the open file, and a script that somebody writes does not start ("Text file busy").
    pub fn sample(self, name: &str, script: &str) -> Self {
        fs::create_dir_all(self.path("bin")).expect("a folder for samples");
        let text = self.path("script");
        fs::write(&text, format!("#!/bin/sh\n{script}\n")).expect("a script");
        let installed =
            Command::new("install").arg("-m755").arg(&text).arg(self.path("bin").join(name)).status();
        assert!(installed.is_ok_and(|status| status.success()), "a sample that runs");
        self
    }

    /// Adds a sample that writes this document into the results.
    pub fn recording(self, sample: &str, file: &str, document: &Value) -> Self {
        fs::write(self.path(file), document.to_string()).expect("a document");
        self.sample(sample, &format!("cp \"${{0%/*}}/../{file}\" \"$INTEROP_OUT\""))
    }

    /// Adds the top folder of a bundle, `bundle`, whose commit is `c0ffee`.
    pub fn in_a_bundle(self) -> Self {
        let manifest = r#"{"schema":1,"commit":"c0ffee","date":"d","target":"t","samples":[]}"#;
        fs::create_dir_all(self.path("bundle")).expect("a folder for the bundle");
        fs::write(self.path("bundle/manifest.json"), manifest).expect("a manifest");
        self
    }

    /// A path below the test's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `samples` with further arguments.
    pub fn samples(&self, arguments: &[&str]) -> Said {
        let mut command = xtask();
        command.arg("samples").arg("--bin-dir").arg(self.path("bin")).arg("--out").arg(self.path("out"));
        said(command.args(arguments))
    }

    /// A JSON file of the results.
    pub fn json(&self, name: &str) -> Value {
        let text = self.text(name);
        serde_json::from_str(&text).expect("valid JSON")
    }

    /// A file below the test's folder.
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

/// The program, run from the workspace.
pub fn xtask() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).env_remove("INTEROP_SIMULATE");
    command
}

/// Runs a command to its end.
pub fn said(command: &mut Command) -> Said {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output in UTF-8");
    Said { code: status.code(), out: text(stdout), err: text(stderr) }
}
