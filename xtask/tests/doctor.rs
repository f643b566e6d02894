//! `doctor`: names everything, fits the terminal, never fails for a missing thing.

mod common;

use common::{REAL, SIMULATED, Said, Stage, said, xtask};
use serde_json::Value;

/// Runs the command with its file: what it said, and what it wrote.
fn doctor(stage: &Stage) -> (Said, Value) {
    let file = stage.path("doctor.json");
    let run = said(xtask().arg("doctor").arg("--bin-dir").arg(stage.path("bin")).arg("--json").arg(&file));
    assert_eq!(run.code, Some(0), "{}", run.err);
    (run, stage.json("doctor.json"))
}

#[test]
fn a_missing_thing_is_no_failure() {
    let stage = Stage::new(SIMULATED);
    let (run, findings) = doctor(&stage);
    let checks = findings["checks"].as_array().expect("checks");
    for name in
        ["driver", "GPU", "NVRTC", "CV-CUDA", "PyTorch", "CuPy", "Jupyter", "evcxr", "C compiler", "Rust"]
    {
        assert!(checks.iter().any(|check| check["name"] == name), "{name} is not checked");
    }
    let gpu = checks.iter().find(|check| check["name"] == "GPU").expect("a check of the GPU");
    assert_eq!(gpu["found"], false);
    assert!(run.out.contains("(simulated)"), "{}", run.out);
}

#[test]
fn names_the_device() {
    let stage = Stage::new(REAL);
    let (run, findings) = doctor(&stage);
    assert!(run.out.contains("Made-up GPU, 140 GiB"), "{}", run.out);
    assert_eq!(findings["host"]["nvidia_driver"], "570.1.2");
    assert_eq!(findings["device"].get("host"), None);
}

#[test]
fn a_probe_that_fails_is_a_finding() {
    let stage = Stage::new("").sample("device_info", "echo 'no driver here' >&2; exit 1");
    let (run, findings) = doctor(&stage);
    assert!(run.out.contains("no driver here"), "{}", run.out);
    assert!(findings["host"].is_null() && findings["device"].is_null(), "{findings}");
}

#[test]
fn a_python_that_does_not_work_is_not_called_missing() {
    let stage = Stage::new(SIMULATED).sample("python3", "exit 1");
    let mut command = xtask();
    command.arg("doctor").arg("--bin-dir").arg(stage.path("bin"));
    let run = said(command.env("PATH", format!("{}:/usr/bin:/bin", stage.path("bin").display())));
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("python3 is there but does not work"), "{}", run.out);
}
