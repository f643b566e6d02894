//! The scripts that measure PyTorch and CuPy, and CV-CUDA's Python API: where there is nothing to measure,
//! one clear line; else with which versions it was.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// A folder with these packages, each a text of Python.
fn folder_with(case: &str, packages: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(case);
    for (name, text) in packages {
        fs::create_dir_all(folder.join(name)).expect("a folder for the package");
        fs::write(folder.join(name).join("__init__.py"), text).expect("a package");
    }
    folder
}

/// Python with the packages of a folder and none else: `-S` is without what is installed on this machine.
fn python(folder: &Path) -> Command {
    let mut command = Command::new("python3");
    command.arg("-BS").env("PYTHONPATH", folder);
    command
}

/// Runs a script with these packages: its exit code and all it said.
fn run_with(script: &str, case: &str, packages: &[(&str, &str)]) -> (Option<i32>, String) {
    let folder = folder_with(case, packages);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(script);
    let mut command = python(&folder);
    let output =
        command.arg(script).arg("--out").arg(folder.join("peers.json")).output().expect("python3 starts");
    assert!(!folder.join("peers.json").exists(), "nothing was measured");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn without_numpy_one_line_says_how_to_get_it() {
    let (code, text) = run_with("bandwidth.py", "without-numpy", &[]);
    assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
    assert!(text.contains("expected numpy") && text.contains("pip install numpy"), "{text}");
}

#[test]
fn without_a_library_that_works_one_line_says_why_for_each() {
    let broken = "raise RuntimeError('Found no NVIDIA driver.\\nPlease ' + 'check that. ' * 99)";
    let (code, text) =
        run_with("bandwidth.py", "without-gpu", &[("numpy", "__version__ = '2.3.1'"), ("torch", broken)]);
    assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
    for part in
        ["PyTorch or CuPy", "Found no NVIDIA driver. Please", "No module named 'cupy'", "pip install torch"]
    {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert!(text.len() < 400, "{text}");
}

#[test]
fn without_cvcuda_one_line_says_how_to_get_it() {
    let numpy = ("numpy", "__version__ = '2.3.1'");
    // The script has the name of the package, and must not take itself for it.
    for (case, packages, missing) in [
        ("cvcuda-nothing", vec![], "No module named 'numpy'"),
        ("cvcuda-no-cupy", vec![numpy], "No module named 'cupy'"),
        ("cvcuda-no-cvcuda", vec![numpy, ("cupy", "")], "No module named 'cvcuda'"),
    ] {
        let (code, text) = run_with("cvcuda.py", case, &packages);
        assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
        assert!(text.contains(missing) && text.contains("pip install cvcuda-cu12 cupy-cuda12x"), "{text}");
    }
}

#[test]
fn an_older_cvcuda_is_not_asked_how_to_round() {
    let cvcuda = "def convertto_into(*arguments, **named): print(arguments, named)\n";
    let newer = format!("{cvcuda}class Round: TRUNCATE = 'toward 0'\n");
    let script = "import runpy, sys\n\
                  convertto = runpy.run_path(sys.argv[1])['convertto']\n\
                  convertto('out', ['in'], {'scale': 2.0, 'offset': 1.0, 'round': int(sys.argv[2])})\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/cvcuda.py");
    for (case, cvcuda, round, named) in
        [("round-older", cvcuda, "0", "{}"), ("round-newer", newer.as_str(), "1", "{'round': 'toward 0'}")]
    {
        let folder = folder_with(case, &[("numpy", ""), ("cupy", ""), ("cvcuda", cvcuda)]);
        let output =
            python(&folder).args(["-c", script]).arg(&path).arg(round).output().expect("python3 starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said, format!("('out', 'in', 2.0, 1.0) {named}\n"), "{error}");
    }
}

#[test]
fn versions_are_written_of_what_was_measured_and_of_nothing_else() {
    // Nothing is copied: what the script calls to open PyTorch is there, and CuPy has no GPU.
    let torch = "from types import SimpleNamespace\n\
                 __version__ = '2.11.0+cu126'\n\
                 zeros = lambda *_, **__: None\n\
                 cuda = SimpleNamespace(current_stream=lambda: None)\n";
    let packages = [
        ("numpy", "__version__ = '2.3.1'"),
        ("torch", torch),
        ("cupy", "__version__ = '14.2.0'\ndef zeros(_): raise RuntimeError('no GPU')"),
    ];
    let folder = folder_with("versions", &packages);
    let script = "import sys\n\
                  sys.path.insert(0, sys.argv.pop(1))\n\
                  import bandwidth\n\
                  bandwidth.content = lambda size: None\n\
                  bandwidth.measure = lambda library, sizes, words: ([{'of': library.name}], [])\n\
                  bandwidth.main()\n";
    let out = folder.join("peers.json");
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let output = python(&folder)
        .args(["-c", script])
        .arg(peers)
        .arg("--out")
        .arg(&out)
        .output()
        .expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written: Value = serde_json::from_slice(&fs::read(&out).expect("a file")).expect("JSON");
    let versions = written["peers"].as_object().expect("versions");
    assert_eq!(versions.keys().collect::<Vec<_>>(), ["numpy", "python", "torch"]);
    assert_eq!((&versions["numpy"], &versions["torch"]), (&json!("2.3.1"), &json!("2.11.0+cu126")));
    assert!(versions["python"].as_str().is_some_and(|version| version.starts_with("3.")));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("numpy 2.3.1, torch 2.11.0+cu126\n"), "{said}");
}
