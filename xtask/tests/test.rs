//! `test`: passes cargo's output on and closes with the sums. A script stands in for cargo.

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Said, Stage, said, xtask};

/// The command with a shell script in place of cargo.
fn with_cargo(stage: &Stage) -> Command {
    let mut command = xtask();
    command
        .arg("test")
        .env_remove("RUSTDOC")
        .env("CARGO", stage.path("bin/cargo"))
        .env("STAGE", stage.path(""));
    command
}

fn run(script: &str) -> Said {
    said(&mut with_cargo(&Stage::new("").sample("cargo", script)))
}

const RESULT: &str =
    "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0s";

#[test]
fn closes_with_the_sums_over_both_steps() {
    let run = run(&format!("echo '{RESULT}'; echo \"simulate $INTEROP_SIMULATE\"; echo noise >&2"));
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert_eq!(run.out.lines().last(), Some("6 passed, 0 failed, 2 skipped"), "{}", run.out);
    assert_eq!(run.out.matches(RESULT).count(), 2, "{}", run.out);
    assert_eq!(run.out.matches("simulate 1\n").count(), 2, "{}", run.out);
    assert_eq!(run.err, "noise\nnoise\n");
}

#[test]
fn the_lines_before_the_sums_say_why_tests_were_skipped() {
    let run = run(&format!("echo 'test a ... ignored, run by another test'; echo '{RESULT}'"));
    let last: Vec<_> = run.out.lines().rev().take(2).collect();
    assert_eq!(last, ["6 passed, 0 failed, 2 skipped", "2 skipped: run by another test"], "{}", run.out);
}

#[test]
fn a_failure_shows_the_sums_before_the_error() {
    let run = run("echo 'test result: FAILED. 5 passed; 1 failed; 0 ignored; 0 measured'; exit 101");
    assert_eq!(run.code, Some(1));
    assert_eq!(run.out.lines().last(), Some("10 passed, 2 failed, 0 skipped"), "{}", run.out);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    assert!(run.err.contains("101") && run.err.contains("--test '*'"), "{}", run.err);
}

#[test]
fn the_doctests_run_after_a_failed_step_too() {
    let run = run(&format!(
        "case \"$*\" in *--doc*) echo '{RESULT}';; *) echo 'test result: FAILED. 5 passed; 1 failed; 0 ignored'; exit 101;; esac"
    ));
    assert_eq!(run.code, Some(1));
    assert_eq!(run.out.lines().last(), Some("8 passed, 1 failed, 1 skipped"), "{}", run.out);
    assert!(run.out.contains("doctests passed in"), "{}", run.out);
    assert!(run.err.contains("the step `unit and integration tests`"), "{}", run.err);
}

#[test]
fn the_doctests_alone_run_under_the_rustdoc_that_compares_error_codes() {
    let run =
        run(&format!("echo \"rustdoc $RUSTDOC\"; echo '{RESULT}'; case \"$*\" in *--doc*) exit 101;; esac"));
    let named: Vec<_> = run.out.lines().filter(|line| line.starts_with("rustdoc")).collect();
    assert_eq!(named, ["rustdoc ", "rustdoc xtask/rustdoc.sh"], "{}", run.out);
    assert!(run.err.contains("INTEROP_SIMULATE=1 RUSTDOC=xtask/rustdoc.sh cargo test"), "{}", run.err);
}

/// What the script relies on: that rustdoc compares the codes at all. Else wrong ones would pass in silence.
#[test]
fn that_rustdoc_refuses_a_wrong_error_code() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("rustdoc.sh");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("codes.rs");
    let accepts = |code: &str| {
        let example =
            format!("//! ```compile_fail,{code}\n//! let s = String::new(); drop(s); drop(s);\n//! ```\n");
        fs::write(&file, example).expect("a file");
        let mut rustdoc = Command::new(&script);
        rustdoc.args(["--test", "--edition", "2024", "--crate-name", "interop_core"]).arg(&file);
        rustdoc.output().expect("rustdoc starts").status.success()
    };
    assert!(accepts("E0382"), "moved twice");
    assert!(!accepts("E0499"), "borrowed twice");
}

#[test]
fn no_test_at_all_is_a_failure() {
    let run = run("echo 'test result: ok. 0 passed; 0 failed; 9 ignored; 0 measured'");
    assert_eq!(run.code, Some(1));
    assert_eq!(run.out.lines().last(), Some("0 passed, 0 failed, 18 skipped"), "{}", run.out);
    assert!(run.err.contains("expected at least one test, got none"), "{}", run.err);
}

#[test]
fn the_output_comes_while_the_tests_run() {
    let wait =
        "echo begun; n=0; while [ ! -e \"$STAGE/seen\" ] && [ $n -lt 200 ]; do sleep 0.1; n=$((n+1)); done";
    let stage = Stage::new("").sample("cargo", &format!("{wait}; [ -e \"$STAGE/seen\" ] && echo '{RESULT}'"));
    let mut child = with_cargo(&stage).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line == "begun")));
    fs::write(stage.path("seen"), "").expect("a file");
    assert!(lines.any(|line| line.is_ok_and(|line| line == "6 passed, 0 failed, 2 skipped")));
    assert_eq!(child.wait().expect("an end").code(), Some(0));
}

#[test]
fn a_reader_that_goes_away_is_an_error_without_a_panic() {
    let stage = Stage::new("").sample("cargo", "sleep 0.3; echo begun; exec sleep 60");
    let start = Instant::now();
    let mut child =
        with_cargo(&stage).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(start.elapsed() < Duration::from_secs(20), "waited for a cargo that nobody hears");
}
