//! The script that measures PyTorch and CuPy, where there is nothing to measure: one clear line.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the script with these packages, each a text of Python, and none else: its exit code and all it said.
fn run_with(case: &str, packages: &[(&str, &str)]) -> (Option<i32>, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(case);
    for (name, text) in packages {
        fs::create_dir_all(folder.join(name)).expect("a folder for the package");
        fs::write(folder.join(name).join("__init__.py"), text).expect("a package");
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/bandwidth.py");
    let mut command = Command::new("python3");
    // `-S`: without what is installed on this machine.
    command.arg("-BS").arg(script).arg("--out").arg(folder.join("peers.json")).env("PYTHONPATH", &folder);
    let output = command.output().expect("python3 starts");
    assert!(!folder.join("peers.json").exists(), "nothing was measured");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn without_numpy_one_line_says_how_to_get_it() {
    let (code, text) = run_with("without-numpy", &[]);
    assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
    assert!(text.contains("expected numpy") && text.contains("pip install numpy"), "{text}");
}

#[test]
fn without_a_library_that_works_one_line_says_why_for_each() {
    let broken = "raise RuntimeError('Found no NVIDIA driver.\\nPlease ' + 'check that. ' * 99)";
    let (code, text) = run_with("without-gpu", &[("numpy", ""), ("torch", broken)]);
    assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
    for part in
        ["PyTorch or CuPy", "Found no NVIDIA driver. Please", "No module named 'cupy'", "pip install torch"]
    {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert!(text.len() < 400, "{text}");
}
