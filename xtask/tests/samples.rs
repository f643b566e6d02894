//! `samples`: each way a sample can end, what is written about it, and wrong usage.

mod common;

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{REAL, SIMULATED, Stage, said, sweep, xtask};
use quick_junit::{NonSuccessKind, Report as Junit, TestCaseStatus};
use rustix::process::{Pid, Signal, kill_process};

const SWEEP: &str = "bandwidth.json";

fn mixed() -> Stage {
    Stage::new(SIMULATED)
        .sample("crash", "echo before; kill -SEGV $$")
        .sample("fail", "echo '<b>wrong & bad</b>' >&2; exit 3")
        .sample("good", "echo out; echo err >&2; echo $INTEROP_OUT")
        .sample("lazy", "echo waiting; exit 2")
        .sample("slow", "sleep 60 & echo $! >\"$INTEROP_OUT/grandchild\"; sleep 60")
        .sample("waived", "echo 'waived: no CV-CUDA here'; exit 2")
}

#[test]
fn tells_every_way_to_end_apart() {
    let stage = mixed();
    let start = Instant::now();
    let (json, junit) = (stage.path("copy.json"), stage.path("junit.xml"));
    let files = [json.to_str().expect("a path"), junit.to_str().expect("a path")];
    let run = stage.samples(&["--timeout", "1.5", "--json", files[0], "--junit", files[1]]);
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    assert!(start.elapsed() < Duration::from_secs(20), "a grandchild held up the run");
    let report = stage.json("out/samples.json");
    assert_eq!(report, stage.json("copy.json"));
    let samples = report["samples"].as_array().expect("samples");
    let words: Vec<_> = samples.iter().map(|s| (s["name"].as_str(), s["status"].as_str())).collect();
    let expected = [
        ("crash", "error"),
        ("fail", "fail"),
        ("good", "pass"),
        ("lazy", "fail"),
        ("slow", "timeout"),
        ("waived", "waived"),
    ];
    assert_eq!(words, expected.map(|(name, status)| (Some(name), Some(status))));
    assert!(samples[0]["reason"].as_str().is_some_and(|r| r.contains("SIGSEGV")));
    assert!(samples[3]["reason"].as_str().is_some_and(|r| r.contains("waived: <reason>")));
    assert_eq!(samples[5]["reason"], "no CV-CUDA here");
    assert_eq!((&report["schema"], &report["bandwidth"]), (&1.into(), &serde_json::Value::Null));
    the_output_shows_failures_and_how_to_repeat_them(&run.out);
    the_junit_file_is_valid(&stage.text("junit.xml"));
    the_page_is_escaped(&stage.text("out/report.html"));
    the_grandchild_is_gone(&stage.text("out/grandchild"));
    assert_eq!(stage.text("out/logs/good.txt").lines().take(2).collect::<Vec<_>>(), ["out", "err"]);
}

fn the_output_shows_failures_and_how_to_repeat_them(out: &str) {
    assert!(out.contains("SIMULATED device: Simulated GPU"), "{out}");
    assert!(out.contains("<b>wrong & bad</b>"));
    assert!(out.contains("repeat: cargo run --release -p samples --bin fail"));
    assert!(out.lines().last().is_some_and(|l| l.ends_with("1 pass, 2 fail, 1 waived, 1 timeout, 1 error")));
}

fn the_junit_file_is_valid(text: &str) {
    let junit = Junit::deserialize_from_str(text).expect("valid JUnit XML");
    let cases = &junit.test_suites[0].test_cases;
    assert_eq!(cases.len(), 6);
    assert!(matches!(&cases[0].status, TestCaseStatus::NonSuccess { kind: NonSuccessKind::Error, .. }));
    let failed = cases[1].system_out.as_ref().map(|text| text.as_str());
    assert_eq!(failed.map(str::trim), Some("<b>wrong & bad</b>"));
    match &cases[5].status {
        TestCaseStatus::Skipped { message, .. } => {
            assert_eq!(message.as_ref().map(|m| m.as_str()), Some("no CV-CUDA here"));
        }
        other => panic!("a waived sample is skipped, not {other:?}"),
    }
}

fn the_page_is_escaped(page: &str) {
    assert!(page.contains("&lt;b&gt;wrong &amp; bad&lt;/b&gt;") && !page.contains("<b>"));
    assert!(page.contains("Simulated device."));
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        let found = page.replace("http://www.w3.org/2000/svg", "").contains(outside);
        assert!(!found, "the page needs something from outside: {outside}");
    }
}

fn the_grandchild_is_gone(number: &str) {
    let status = fs::read_to_string(format!("/proc/{}/status", number.trim())).unwrap_or_default();
    assert!(status.is_empty() || status.contains("State:\tZ"), "the grandchild still runs: {status}");
}

#[test]
fn a_run_in_which_one_passes_and_none_fails_succeeds() {
    let run = mixed().samples(&["waived", "good"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
}

#[test]
fn a_run_in_which_none_passes_fails() {
    let run = mixed().samples(&["waived"]);
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("no sample passed"), "{}", run.err);
    assert_eq!(Stage::new(SIMULATED).samples(&[]).code, Some(1));
}

#[test]
fn an_unknown_name_is_wrong_usage() {
    let run = mixed().samples(&["good", "nonsense"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("`nonsense`") && run.err.contains("crash, fail, good"), "{}", run.err);
}

#[test]
fn lists_the_samples_without_the_probe() {
    let run = mixed().samples(&["--list"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "crash\nfail\ngood\nlazy\nslow\nwaived\n"));
}

#[test]
fn a_stdout_that_nobody_reads_loses_no_report() {
    let stage = mixed();
    let list = |stdout: Stdio| {
        let mut command = xtask();
        command.args(["samples", "--list", "--bin-dir"]).arg(stage.path("bin")).stdout(stdout);
        said_apart(&mut command)
    };
    assert_eq!(list(closed_pipe()), (Some(0), String::new()));
    let (code, err) = list(fs::OpenOptions::new().write(true).open("/dev/full").expect("a device").into());
    assert!(code == Some(1) && err.starts_with("error: writing to stdout: "), "{code:?} {err}");
    let mut command = xtask();
    command.args(["samples", "good", "--bin-dir"]).arg(stage.path("bin")).stdout(closed_pipe());
    let (code, err) = said_apart(command.arg("--out").arg(stage.path("out")));
    assert_eq!(code, Some(0), "{err}");
    assert!(stage.text("out/report.html").contains("good"));
}

/// A pipe whose reader has gone.
fn closed_pipe() -> Stdio {
    let (_, writer) = std::io::pipe().expect("a pipe");
    writer.into()
}

/// The exit code and stderr of a command whose stdout goes elsewhere.
fn said_apart(command: &mut Command) -> (Option<i32>, String) {
    let child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
    let output = child.wait_with_output().expect("an end");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn output_without_end_or_with_commands_for_the_terminal_is_tamed() {
    let stage = Stage::new(&SIMULATED.replace("Simulated", "\\\\u001b[2JSimulated"))
        .sample("long", "printf '\\033[2J'; head -c 900000 /dev/zero | tr '\\0' x; echo; exit 1")
        .sample("lazy", "printf 'waived: '; head -c 9000 /dev/zero | tr '\\0' x; echo; exit 2");
    let junit = stage.path("junit.xml");
    let run = stage.samples(&["--junit", junit.to_str().expect("a path")]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(!run.out.contains('\u{1b}') && run.out.contains("[2JSimulated GPU"), "{}", run.out);
    assert!(run.out.len() < 4000, "{} bytes", run.out.len());
    assert!(stage.text("junit.xml").len() < 100_000);
    assert!(stage.text("out/logs/long.txt").len() > 900_000);
}

#[test]
fn a_gpu_can_be_required() {
    let run = mixed().samples(&["--require-gpu", "good"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    assert!(run.err.contains("expected a GPU, got only the simulated device"), "{}", run.err);
    assert_eq!(mixed().samples(&["--require-gpu", "--simulate"]).code, Some(2));
    let stage = Stage::new(REAL).sample("good", "test \"$INTEROP_REQUIRE_GPU\" = 1");
    assert_eq!(stage.samples(&["--require-gpu"]).code, Some(0));
}

#[test]
fn the_machine_is_told_beside_the_device() {
    let stage = Stage::new(REAL).sample("good", "");
    assert_eq!(stage.samples(&[]).code, Some(0));
    let report = stage.json("out/samples.json");
    assert_eq!(report["host"]["cpu"], "Made-up CPU");
    assert_eq!((&report["device"]["name"], report["device"].get("host")), (&"Made-up GPU".into(), None));
    let page = stage.text("out/report.html");
    assert!(page.contains("570.1.2") && page.contains("Made-up CPU"), "{page}");
}

#[test]
fn samples_learn_the_commit_that_the_report_names() {
    let stage = Stage::new(SIMULATED).sample("good", "echo \"$INTEROP_COMMIT\"");
    assert_eq!(stage.samples(&[]).code, Some(0));
    let commit = stage.json("out/samples.json")["commit"].as_str().expect("a commit").to_owned();
    assert!(!commit.is_empty());
    assert_eq!(stage.text("out/logs/good.txt").trim(), commit);
    let stage = stage.in_a_bundle();
    assert_eq!(
        stage.samples(&["--bundle-root", stage.path("bundle").to_str().expect("a path")]).code,
        Some(0)
    );
    assert_eq!(stage.text("out/logs/good.txt"), "c0ffee\n");
    assert_eq!(stage.json("out/samples.json")["commit"], "c0ffee");
}

#[test]
fn simulation_reaches_the_samples() {
    let stage = Stage::new(SIMULATED).sample("good", "test \"$INTEROP_SIMULATE\" = 1");
    assert_eq!(stage.samples(&["--simulate"]).code, Some(0));
    assert_eq!(stage.samples(&[]).code, Some(1));
}

#[test]
fn a_machine_without_any_device_fails_with_the_probe_s_words() {
    let stage = Stage::new("").sample("device_info", "echo 'no driver here' >&2; exit 1").sample("good", "");
    let run = stage.samples(&[]);
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("no driver here"), "{}", run.err);
    assert!(run.err.contains("or use --simulate"), "{}", run.err);
    let simulated = stage.samples(&["--simulate"]).err;
    assert!(simulated.contains("doctor") && !simulated.contains("--simulate"), "{simulated}");
    assert!(!stage.path("out/samples.json").exists());
}

#[test]
fn a_sweep_on_a_gpu_is_plotted() {
    let stage = Stage::new(REAL).recording("bandwidth", SWEEP, &sweep::made_up());
    let run = stage.samples(&["--no-peers"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert_eq!(stage.json("out/samples.json")["bandwidth"], "bandwidth.json");
    assert!(stage.path("out/copy-time.png").exists() && stage.path("out/bandwidth-shapes.png").exists());
    let page = stage.text("out/report.html");
    assert!(page.contains("Measured in this run"));
    let figure =
        "<th scope=\"row\">full duplex, pinned</th><td>interop-core</td><td class=\"number\">98.5 GB/s</td>";
    assert!(page.contains(figure));
}

/// Of what the peers ran with, by package: without them nobody can repeat what was measured.
fn versions() -> serde_json::Value {
    serde_json::json!({"python": "3.12.3", "torch": "2.11.0+cu126"})
}

/// A bundle whose sweep is there and whose Python has a package `torch`: what the peers' script does is given.
fn with_peers(script: &str) -> (Stage, common::Said) {
    let mut own = sweep::made_up();
    let series = own["series"].as_array_mut().expect("series");
    let peers: Vec<_> = series.extract_if(.., |s| s["implementation"] == "pytorch").collect();
    let figures = own["figures"].as_array_mut().expect("figures");
    let peer_figures: Vec<_> = figures.extract_if(.., |f| f["implementation"] == "pytorch").collect();
    let stage = Stage::new(REAL).recording("bandwidth", SWEEP, &own).in_a_bundle();
    let files = [
        (
            "measured",
            serde_json::json!({"series": peers, "figures": peer_figures, "peers": versions()}).to_string(),
        ),
        ("bundle/peers/bandwidth.py", script.to_owned()),
        ("python/torch/__init__.py", String::new()),
    ];
    for (name, text) in files {
        let path = stage.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let mut command = xtask();
    command.arg("samples").arg("--bin-dir").arg(stage.path("bin")).arg("--out").arg(stage.path("out"));
    command.arg("--bundle-root").arg(stage.path("bundle")).env("PYTHONPATH", stage.path("python"));
    let run = said(&mut command);
    (stage, run)
}

#[test]
fn peers_are_added_to_the_sweep() {
    let copy = "import pathlib, shutil, sys\nassert sys.argv[1] == '--out'\n\
                shutil.copy(pathlib.Path(__file__).parent.parent.parent / 'measured', sys.argv[2])\n";
    let (stage, run) = with_peers(copy);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let sweep = stage.json("out/bandwidth.json");
    let series = sweep["series"].as_array().expect("series");
    assert_eq!(series.len(), 38, "{}", run.out);
    let strided = |s: &&serde_json::Value| s["pattern"] == "transposed" && s["direction"] == "h2d";
    assert_eq!(series.iter().filter(strided).count(), 3, "ours, PyTorch's and CuPy's");
    assert_eq!(sweep["figures"].as_array().map(Vec::len), Some(3));
    assert_eq!(sweep["peers"], versions());
    assert!(series.last().is_some_and(|s| s["implementation"] == "pytorch"));
    assert!(run.out.contains("PyTorch and CuPy were measured in "), "{}", run.out);
    // What takes long says so before it starts.
    assert!(run.err.contains("running bandwidth, about 100 s\n"), "{}", run.err);
    assert!(run.err.contains("measuring PyTorch and CuPy, about 150 s\n"), "{}", run.err);
}

#[test]
fn peers_that_fail_fail_nothing() {
    for (script, words) in [("raise SystemExit('no CUDA')", "no CUDA"), ("", "peers.json")] {
        let (stage, run) = with_peers(script);
        assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
        let said = run.out.lines().find(|line| line.contains("were not measured"));
        assert!(said.is_some_and(|line| line.contains(words)), "{}", run.out);
        assert_eq!(stage.json("out/bandwidth.json")["series"].as_array().map(Vec::len), Some(28));
    }
}

#[test]
fn peers_cannot_replace_what_this_library_measured() {
    let figures = "import json, sys\n\
                   own = {'name': 'n', 'implementation': 'driver', 'unit': 'us'}\n\
                   own |= {'median': 1, 'p10': 1, 'p90': 1, 'values': [1]}\n\
                   point = {'bytes': 4, 'gbps_median': 1, 'gbps_p10': 1, 'gbps_p90': 1, 'seconds': [1]}\n\
                   line = {'implementation': 'cupy', 'direction': 'h2d', 'host_memory': 'pinned'}\n\
                   out = {'series': [line | {'points': [point]}], 'figures': [own]}\n\
                   json.dump(out, open(sys.argv[2], 'w'))\n";
    let (stage, run) = with_peers(figures);
    assert!(run.out.contains("figures[0].implementation"), "{}", run.out);
    assert_eq!(stage.json("out/bandwidth.json"), stage.json(SWEEP));
    let swap = "import json, pathlib, sys\n\
                own = json.loads((pathlib.Path(__file__).parent.parent.parent / 'bandwidth.json').read_text())\n\
                json.dump({'series': own['series'][:1]}, open(sys.argv[2], 'w'))\n";
    let (stage, run) = with_peers(swap);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("series[0].implementation"), "{}", run.out);
    assert_eq!(stage.json("out/bandwidth.json"), stage.json(SWEEP));
}

#[test]
fn a_sweep_that_breaks_the_contract_fails_the_sample() {
    let stage =
        Stage::new(REAL).sample("bandwidth", "echo '{\"schema\": 1}' >\"$INTEROP_OUT/bandwidth.json\"");
    let run = stage.samples(&["--no-peers"]);
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("missing field `device`"), "{}", run.out);
}

#[test]
fn nothing_measured_on_a_simulated_device_is_shown() {
    let stage = Stage::new(SIMULATED).recording("bandwidth", SWEEP, &sweep::made_up());
    let run = stage.samples(&[]);
    assert_eq!(run.code, Some(0));
    assert!(run.err.contains("running bandwidth\n"), "{}", run.err);
    assert!(!stage.path("out/bandwidth.json").exists() && !stage.path("out/bandwidth.svg").exists());
    assert!(!stage.text("out/report.html").contains("Measured in this run"));
}

#[test]
fn blessed_outputs_say_where_they_come_from() {
    let stage = Stage::new(SIMULATED).sample("good", "echo 'a  b'").sample("bad", "exit 1");
    let stage = stage.in_a_bundle();
    let root = stage.path("bundle");
    assert_eq!(stage.samples(&["--bless", "--bundle-root", root.to_str().expect("a path")]).code, Some(1));
    let text = stage.text("out/outputs/good.txt");
    assert!(text.starts_with("# simulated device: Simulated GPU, CUDA 12.0; 20"), "{text}");
    assert!(text.ends_with("Z\na  b\n"), "{text}");
    assert!(!stage.path("out/outputs/bad.txt").exists());
}

#[test]
fn a_run_holds_its_folder_and_ends_its_samples_when_stopped() {
    let stage = Stage::new(SIMULATED).sample("slow", "echo $$ >\"$INTEROP_OUT/slow\"; sleep 60");
    let mut command = xtask();
    command.args(["samples", "--bin-dir"]).arg(stage.path("bin")).arg("--out").arg(stage.path("out"));
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let number = stage.path("out/slow");
    let started = Instant::now();
    while fs::read_to_string(&number).unwrap_or_default().is_empty()
        && started.elapsed() < Duration::from_secs(20)
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    // While it runs nobody else may write where it writes.
    let second = stage.samples(&[]);
    assert!(second.code == Some(1) && second.err.contains("--out"), "{}", second.err);
    kill_process(Pid::from_child(&run), Signal::TERM).expect("a process to stop");
    assert_eq!(run.wait().expect("an end").code(), Some(130));
    the_grandchild_is_gone(&stage.text("out/slow"));
}

#[test]
fn a_signal_ends_a_build_after_a_process_that_was_waited_for() {
    let build =
        "case $1 in metadata) echo '{\"packages\":[]}';; *) echo >\"$STAGE/building\"; exec sleep 20;; esac";
    let stage = Stage::new(SIMULATED).sample("cargo", build);
    let mut command = xtask();
    command.arg("samples").arg("--out").arg(stage.path("out")).stdout(Stdio::null()).stderr(Stdio::null());
    command.env("CARGO", stage.path("bin/cargo")).env("STAGE", stage.path(""));
    let mut run = command.spawn().expect("the program starts");
    let start = Instant::now();
    while !stage.path("building").exists() && start.elapsed() < Duration::from_secs(15) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let start = Instant::now();
    kill_process(Pid::from_child(&run), Signal::INT).expect("a process to stop");
    assert_eq!(run.wait().expect("an end").code(), Some(130));
    assert!(start.elapsed() < Duration::from_secs(10), "the signal was swallowed");
}

#[test]
fn results_of_an_earlier_run_do_not_stay() {
    let stage = Stage::new("").sample("device_info", "exit 1").sample("good", "");
    fs::create_dir_all(stage.path("out")).expect("a folder");
    let names = ["out/samples.json", "asked.json", "asked.xml"];
    let old = names.map(|name| stage.path(name));
    old.iter().for_each(|file| fs::write(file, "old").expect("an old file"));
    let asked = [&old[1], &old[2]].map(|file| file.to_str().expect("a path"));
    // A command line that is wrong, or that runs nothing, takes nothing away.
    assert_eq!(stage.samples(&["nonsense", "--json", asked[0]]).code, Some(2));
    assert_eq!(stage.samples(&["--list", "--json", asked[0]]).code, Some(0));
    assert!(old.iter().all(|file| file.exists()));
    let run = stage.samples(&["--json", asked[0], "--junit", asked[1]]);
    assert_eq!((run.code, run.err.lines().count()), (Some(1), 1), "{}", run.err);
    assert!(!old.iter().any(|file| file.exists()));
}

#[test]
fn reports_go_into_folders_that_are_made_for_them() {
    let stage = Stage::new(SIMULATED).sample("good", "");
    let files = ["new/folder/a.json", "other/b.xml"].map(|name| stage.path(name));
    let names = files.each_ref().map(|file| file.to_str().expect("a path"));
    assert_eq!(stage.samples(&["--json", names[0], "--junit", names[1]]).code, Some(0));
    assert_eq!(stage.json("new/folder/a.json"), stage.json("out/samples.json"));
    the_junit_file_has_one_case(&stage.text("other/b.xml"));
}

fn the_junit_file_has_one_case(text: &str) {
    let junit = Junit::deserialize_from_str(text).expect("valid JUnit XML");
    assert_eq!(junit.test_suites[0].test_cases.len(), 1);
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_anything_runs() {
    let stage = Stage::new(SIMULATED).sample("good", "touch \"$INTEROP_OUT/ran\"");
    // A file where a folder should be, and a folder where a file should be.
    let places = ["bin/good/report.json", "bin"].map(|name| stage.path(name));
    for (option, place) in ["--json", "--junit"].iter().zip(&places) {
        let run = stage.samples(&[option, place.to_str().expect("a path")]);
        assert_eq!((run.code, run.err.lines().count()), (Some(1), 1), "{}", run.err);
        assert!(run.err.contains("choose a place that can be written"), "{}", run.err);
        assert!(run.out.is_empty() && !stage.path("out").exists(), "{}", run.out);
    }
}

#[test]
fn a_report_can_go_to_what_is_no_file() {
    let stage = Stage::new(SIMULATED).sample("good", "");
    let run = stage.samples(&["--json", "/dev/stdout"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("\"schema\": 1"), "{}", run.out);
}

#[test]
fn help_fits_80_columns() {
    for command in ["samples", "test", "doctor", "plot", "bundle", "--help"] {
        let run = said(xtask().args([command, "--help"]).env("COLUMNS", "80"));
        assert_eq!(run.code, Some(0));
        assert!(run.out.lines().all(|line| line.chars().count() <= 80), "{}", run.out);
    }
}
