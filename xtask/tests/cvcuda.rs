//! `cvcuda`: gets the wheel, keeps what is whole, says what to do. A script stands in for
//! python3 and its pip.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{REAL, SIMULATED, Said, Stage, said, xtask};
use serde_json::Value;

/// Answers what this program asks of Python, does pip's part with `$PIP`, and leaves the rest to the real one.
const PYTHON: &str = r#"
real() { PATH=${PATH#*:} python3 "$@"; }
case "$1 $#" in
    "-c 2") echo '{"version":"3.11.2","paths":[],"packages":{"pip":'"$HAS_PIP"'}}' ;;
    -m*)
        echo "$*" >>"$STAGE/calls"
        while [ $# -gt 2 ]; do shift; done
        mkdir -p "$1" && eval "$PIP" ;;
    *) real "$@" ;;
esac
"#;

const MAKE: &str = r#"real "$STAGE/make.py" "$1" "$2""#;

/// A small wheel, laid out as NVIDIA's.
const WHEEL: &str = "
import sys, zipfile
package, version = sys.argv[2].split('==')
stem = package.replace('-', '_')
libs, info = stem + '.libs/', f'{stem}-{version}.dist-info/'
names = [libs + f'libnvcv_types-1f.so.{version}', libs + f'libcvcuda-2e.so.{version}']
names += [libs + 'libother-3d.so.1']
names += [info + 'licenses/LICENSE.md', info + 'METADATA', 'cvcuda/__init__.py', '../libs/libcvcuda-4c.so.1']
with zipfile.ZipFile(f'{sys.argv[1]}/{stem}-{version}-py3-none-any.whl', 'w') as wheel:
    for name in names:
        wheel.writestr(name, name)
";

fn stage(device: &str) -> Stage {
    let stage = Stage::new(device).sample("python3", PYTHON).in_a_bundle();
    fs::write(stage.path("make.py"), WHEEL).expect("a script");
    stage
}

/// The command in the workspace, with the test's target folder.
fn command(stage: &Stage, pip: &str, arguments: &[&str]) -> Command {
    let path = std::env::var("PATH").expect("a PATH");
    let mut command = xtask();
    command.arg("cvcuda").arg("--bin-dir").arg(stage.path("bin")).args(arguments);
    command.env("PATH", format!("{}:{path}", stage.path("bin").display()));
    command.env("CARGO_TARGET_DIR", stage.path("target")).env("STAGE", stage.path(""));
    command.env("PIP", pip).env("HAS_PIP", "true");
    command
}

fn get(stage: &Stage, arguments: &[&str]) -> Said {
    let run = said(&mut command(stage, MAKE, arguments));
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    run
}

/// The files below a folder, sorted.
fn files(folder: &Path) -> Vec<String> {
    let list = said(Command::new("find").arg(folder).args(["-type", "f", "-printf", "%P\n"]));
    let mut names: Vec<String> = list.out.lines().map(str::to_owned).collect();
    names.sort();
    names
}

/// What a folder holds, hidden things too.
fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn calls(stage: &Stage) -> usize {
    fs::read_to_string(stage.path("calls")).unwrap_or_default().lines().count()
}

#[test]
fn unpacks_the_libraries_and_the_licence() {
    let stage = stage(SIMULATED);
    let run = get(&stage, &["--package", "cvcuda-cu13"]);
    let expected = [
        "cvcuda/cvcuda_cu13-0.19.0.dist-info/licenses/LICENSE.md",
        "cvcuda/cvcuda_cu13.libs/libcvcuda-2e.so.0.19.0",
        "cvcuda/cvcuda_cu13.libs/libnvcv_types-1f.so.0.19.0",
    ];
    assert_eq!(files(&stage.path("target")), expected);
    assert_eq!(entries(&stage.path("target")), ["cvcuda"]);
    for name in &expected[1..] {
        let path = stage.path("target").join(name);
        assert!(run.out.contains(&format!("{}\n", path.display())), "{}", run.out);
    }
    assert!(run.out.ends_with("`cargo xtask samples` uses it\n"), "{}", run.out);
    assert!(run.err.contains("downloading cvcuda-cu13 0.19.0, about 130 MB"), "{}", run.err);
    let asked = stage.text("calls");
    let options = "--no-deps --only-binary=:all: --platform manylinux2014_x86_64 --python-version 3.12 ";
    assert!(asked.contains(options) && asked.ends_with(" cvcuda-cu13==0.19.0\n"), "{asked}");
}

#[test]
fn what_is_there_is_downloaded_again_on_request_alone() {
    let stage = stage(SIMULATED);
    get(&stage, &[]);
    let again = get(&stage, &[]);
    assert!(again.out.contains("cvcuda-cu12 0.19.0 is there already"), "{}", again.out);
    assert_eq!(calls(&stage), 1);
    get(&stage, &["--force"]);
    assert_eq!(calls(&stage), 2);
    get(&stage, &["--version", "0.18.0"]);
    assert_eq!((calls(&stage), entries(&stage.path("target"))), (3, vec!["cvcuda".to_owned()]));
    assert!(files(&stage.path("target")).iter().all(|name| name.contains("0.18.0")));
    // Half of it is not there.
    fs::remove_file(stage.path("target/cvcuda/cvcuda_cu12.libs/libcvcuda-2e.so.0.18.0")).expect("a library");
    get(&stage, &["--version", "0.18.0"]);
    assert_eq!(calls(&stage), 4);
    // A disk that was full left a name without content.
    for (library, calls_then) in [("libcvcuda-2e", 5), ("libnvcv_types-1f", 6)] {
        let file = stage.path("target/cvcuda/cvcuda_cu12.libs").join(format!("{library}.so.0.18.0"));
        fs::write(file, "").expect("a library");
        get(&stage, &["--version", "0.18.0"]);
        assert_eq!(calls(&stage), calls_then, "{library}");
    }
}

#[test]
fn the_package_is_the_one_for_the_driver() {
    let newer = REAL.replace("12.8", "13.0");
    let failing = Stage::new("").sample("device_info", "exit 1").sample("python3", PYTHON);
    fs::write(failing.path("make.py"), WHEEL).expect("a script");
    let simulated = SIMULATED.replace("12.0", "13.0");
    let cases = [
        (stage(&newer), "cu13", "the driver speaks CUDA 13.0"),
        (stage(REAL), "cu12", "the driver speaks CUDA 12.8"),
        (stage(&simulated), "cu12", "no GPU here"),
        (failing, "cu12", "no GPU here"),
    ];
    for (stage, package, reason) in cases {
        let run = get(&stage, &[]);
        assert!(stage.path(&format!("target/cvcuda/cvcuda_{package}.libs")).is_dir(), "{}", run.out);
        assert!(run.out.starts_with(&format!("{reason}: cvcuda-{package}")), "{}", run.out);
    }
}

#[test]
fn a_bundle_has_it_inside() {
    let stage = stage(SIMULATED);
    let root = stage.path("bundle");
    let run = get(&stage, &["--bundle-root", root.to_str().expect("a path")]);
    assert!(root.join("cvcuda/cvcuda_cu12.libs/libcvcuda-2e.so.0.19.0").is_file(), "{}", run.out);
    assert!(run.out.ends_with("`./run` uses it\n"), "{}", run.out);
    assert!(!stage.path("target").exists());
}

#[test]
fn a_failure_of_pip_shows_its_words_and_leaves_nothing() {
    let failures = [
        (
            "echo '(from versions: 0.18.0)'; echo 'ERROR: No matching distribution'; exit 1",
            "pip index versions",
        ),
        (
            "echo 'WARNING: Retrying (x)' >&2; echo 'ERROR: No matching (from versions: none)'; exit 1",
            "the network",
        ),
        ("echo 'ERROR: nothing'; exit 0", "what pip says"),
    ];
    for (pip, remedy) in failures {
        let stage = stage(SIMULATED);
        let run = said(&mut command(&stage, pip, &[]));
        assert_eq!((run.code, entries(&stage.path("target"))), (Some(1), vec![]), "{}", run.err);
        let error = run.err.lines().last().unwrap_or_default();
        assert!(error.contains("ERROR: No") || error.contains("ERROR: nothing"), "{error}");
        assert!(error.contains(remedy), "{error}");
    }
}

#[test]
fn a_failure_keeps_what_was_there() {
    let stage = stage(SIMULATED);
    get(&stage, &[]);
    let before = files(&stage.path("target"));
    assert_eq!(said(&mut command(&stage, "exit 1", &["--force"])).code, Some(1));
    assert_eq!(files(&stage.path("target")), before);
}

#[test]
fn a_wheel_that_holds_something_else_is_refused() {
    let empty = r#"real -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w").close()' "$1/a.whl""#;
    let wheels = [("echo text >\"$1/a.whl\"", "not a zip file"), (empty, "expected libnvcv_types, got none")];
    for (pip, words) in wheels {
        let stage = stage(SIMULATED);
        let run = said(&mut command(&stage, pip, &[]));
        assert_eq!((run.code, entries(&stage.path("target"))), (Some(1), vec![]), "{}", run.err);
        assert!(run.err.contains(words), "{}", run.err);
    }
}

#[test]
fn a_signal_leaves_nothing() {
    let stage = stage(SIMULATED);
    let mut command = command(&stage, "touch \"$STAGE/begun\"; exec sleep 60", &[]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let start = Instant::now();
    while !stage.path("begun").exists() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    assert_eq!(child.wait().expect("an end").code(), Some(130));
    assert!(start.elapsed() < Duration::from_secs(40), "waited for a download that nobody wants");
    assert_eq!(entries(&stage.path("target")), Vec::<String>::new());
}

#[test]
fn says_how_to_get_python_and_pip() {
    let stage = stage(SIMULATED);
    let root = stage.path("bundle");
    let arguments = ["--bundle-root", root.to_str().expect("a path")];
    let no_pip = said(command(&stage, MAKE, &arguments).env("HAS_PIP", "false"));
    let no_python = said(command(&stage, MAKE, &arguments).env("PATH", stage.path("nowhere")));
    for (run, words) in [(no_pip, "python3 3.11.2 without pip"), (no_python, "got no python3")] {
        assert_eq!(run.code, Some(1), "{}", run.err);
        assert!(
            run.err.contains(words) && run.err.contains("apt-get install -y python3 python3-pip"),
            "{}",
            run.err
        );
    }
    assert_eq!(calls(&stage), 0);
}

#[test]
fn another_package_or_no_version_is_wrong_usage() {
    let stage = stage(SIMULATED);
    for arguments in [["--package", "cvcuda"], ["--version", "0.19"], ["--version", "0.19.0 other"]] {
        let run = said(&mut command(&stage, MAKE, &arguments));
        assert_eq!((run.code, calls(&stage)), (Some(2), 0), "{}", run.err);
        assert!(run.err.contains("cvcuda-cu13") || run.err.contains("such as 0.19.0"), "{}", run.err);
    }
}

#[test]
fn the_help_fits_80_columns() {
    let help = said(xtask().args(["cvcuda", "--help"])).out;
    assert!(help.contains("cargo xtask cvcuda [OPTIONS]"), "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
}

/// What `doctor` says of CV-CUDA, and in what words.
fn diagnosis(stage: &Stage, arguments: &[&str]) -> (Value, String) {
    let file = stage.path("doctor.json");
    let mut command = xtask();
    command.arg("doctor").arg("--bin-dir").arg(stage.path("bin")).arg("--json").arg(&file).args(arguments);
    let run = said(command.env("CARGO_TARGET_DIR", stage.path("target")));
    assert_eq!(run.code, Some(0), "{}", run.err);
    let findings = stage.json("doctor.json");
    assert_eq!(findings["device"].get("cvcuda"), None);
    let checks = findings["checks"].as_array().expect("checks");
    (checks.iter().find(|check| check["name"] == "CV-CUDA").expect("a check").clone(), run.out)
}

/// What a device says about itself, and about CV-CUDA.
fn telling(cvcuda: &str) -> Stage {
    let device = SIMULATED.strip_suffix('}').expect("an object");
    Stage::new(&format!(r#"{device},"cvcuda":{cvcuda}}}"#))
}

#[test]
fn the_doctor_passes_on_what_the_probe_found() {
    let (check, _) = diagnosis(&telling(r#"{"found":true,"detail":"0.19.0 at /x/libcvcuda.so"}"#), &[]);
    assert_eq!((&check["found"], &check["detail"]), (&true.into(), &"0.19.0 at /x/libcvcuda.so".into()));
    assert_eq!(check["purpose"], "runs the cvcuda_ samples");
}

#[test]
fn the_doctor_says_how_to_get_it_and_where_it_goes() {
    let stage = telling(r#"{"found":false,"detail":"no such library"}"#).in_a_bundle();
    // The probe knows better than whoever looks for files.
    let libraries = stage.path("target/cvcuda/cvcuda_cu12.libs");
    fs::create_dir_all(&libraries).expect("a folder");
    fs::write(libraries.join("libnvcv_types-1f.so.0.19.0"), "").expect("a file");
    let root = stage.path("bundle");
    let bundle = ["--bundle-root", root.to_str().expect("a path")];
    let cases =
        [(&[][..], "cargo xtask cvcuda", "target/cvcuda"), (&bundle, "./run cvcuda", "bundle/cvcuda")];
    for (arguments, install, folder) in cases {
        let (check, said) = diagnosis(&stage, arguments);
        assert_eq!((&check["found"], &check["install"]), (&false.into(), &install.into()));
        let detail = check["detail"].as_str().expect("a detail");
        let place = stage.path(folder);
        assert!(
            detail.starts_with("no such library; ") && detail.ends_with(&place.display().to_string()),
            "{detail}"
        );
        assert!(said.contains(&format!("get it: {install}\n")), "{said}");
    }
}

#[test]
fn where_the_probe_says_nothing_the_doctor_looks_itself() {
    let stage = stage(SIMULATED);
    get(&stage, &[]);
    let (check, _) = diagnosis(&stage, &[]);
    let library = stage.path("target/cvcuda/cvcuda_cu12.libs/libnvcv_types-1f.so.0.19.0");
    assert_eq!((&check["found"], &check["detail"]), (&true.into(), &library.display().to_string().into()));
    // The samples load both libraries.
    let operators = library.with_file_name("libcvcuda-2e.so.0.19.0");
    let empty = |file: &Path| fs::write(file, "").expect("a library");
    let remove = |file: &Path| fs::remove_file(file).expect("a library");
    for (file, spoil) in [(&operators, &empty as &dyn Fn(&Path)), (&operators, &remove), (&library, &empty)] {
        get(&stage, &["--force"]);
        spoil(file);
        let (check, _) = diagnosis(&stage, &[]);
        let detail = check["detail"].as_str().expect("a detail");
        assert_eq!(check["found"], false, "{detail}");
        assert!(detail.starts_with("libnvcv_types and libcvcuda are not in Python's packages; "), "{detail}");
    }
}
