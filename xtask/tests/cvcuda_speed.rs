//! `samples` with CV-CUDA: what its Python API adds to the run, and what happens where it cannot. A script
//! stands in for python3.

mod common;

use std::fs;

use common::{REAL, SIMULATED, Said, Stage, said, speed, xtask};
use serde_json::{Value, json};

const FILE: &str = "cvcuda.json";

/// Says which packages it has; given a script, writes down how it was called and does its part with `$PEER`.
const PYTHON: &str = r#"
case "$1" in
    -c) echo '{"version":"3.12.3","paths":[],"packages":'"$PACKAGES"'}' ;;
    *) echo "$*" >>"$STAGE/calls"; eval "$PEER" ;;
esac
"#;

const BOTH: &str = r#"{"cvcuda":true,"cupy":true}"#;

/// What the script does where it works: all equal ends with 0, a difference with 1.
const MEASURES: &str = "echo measured; cp \"$STAGE/measured\" \"$3\"";
const DIFFERS: &str = "cp \"$STAGE/measured\" \"$3\"; exit 1";

/// What the sample `cvcuda_operators` leaves.
const RECORDS: &str = "mkdir \"$INTEROP_OUT/cvcuda\"; cd \"$INTEROP_OUT/cvcuda\"; \
                       cp \"$STAGE/recorded\" operators.json; echo >operators.bin";

/// A machine with CV-CUDA, whose sample writes this document.
fn stage(device: &str, document: &Value, python: &Value) -> Stage {
    let stage = Stage::new(device).recording("cvcuda_speed", FILE, document);
    let stage =
        stage.sample("cvcuda_operators", RECORDS).sample("bandwidth", "echo 'waived: not today'; exit 2");
    fs::create_dir_all(stage.path("tools")).expect("a folder for python3");
    fs::write(stage.path("measured"), python.to_string()).expect("a document");
    fs::write(stage.path("recorded"), speed::recorded().to_string()).expect("a document");
    let stage = stage.sample("python3", PYTHON);
    fs::rename(stage.path("bin/python3"), stage.path("tools/python3")).expect("no sample");
    stage
}

/// Runs all samples where Python has these packages, and its script does this.
fn run(stage: &Stage, packages: &str, peer: &str, arguments: &[&str]) -> Said {
    let path = std::env::var("PATH").expect("a PATH");
    let mut command = xtask();
    command.arg("samples").arg("--bin-dir").arg(stage.path("bin")).arg("--out").arg(stage.path("out"));
    command.env("PATH", format!("{}:{path}", stage.path("tools").display())).env("STAGE", stage.path(""));
    said(command.args(arguments).env("PACKAGES", packages).env("PEER", peer))
}

fn calls(stage: &Stage) -> String {
    fs::read_to_string(stage.path("calls")).unwrap_or_default()
}

/// The one line about Python.
fn line_about_python(run: &Said) -> &str {
    let lines: Vec<&str> = run.out.lines().filter(|line| line.starts_with("CV-CUDA's Python API")).collect();
    assert_eq!(lines.len(), 1, "{}{}", run.out, run.err);
    lines[0]
}

#[test]
fn what_python_does_is_added_and_shown() {
    let stage = stage(REAL, &speed::made_up(), &speed::python(9));
    let run = run(&stage, BOTH, MEASURES, &[]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let found = stage.json("out/cvcuda.json");
    for (list, median) in [("calls", "us_median"), ("pipelines", "images_per_second_median")] {
        let medians = |of: &Value| -> Vec<Value> {
            let entries = of[list].as_array().expect("a list").iter();
            entries.map(|e| json!([e["call"], e["implementation"], e[median], e["seconds"][2]])).collect()
        };
        let both = [speed::made_up(), speed::python(9)].each_ref().map(medians).concat();
        assert_eq!(medians(&found), both);
    }
    let python = speed::python(9);
    assert_eq!((&found["operators"], &found["peers"]), (&python["operators"], &python["peers"]));
    assert_eq!((&found["library"], &found["host"]["cpu"]), (&json!("0.19.0"), &json!("Made-up CPU")));
    assert_eq!(
        line_about_python(&run),
        "CV-CUDA's Python API: 49 of 49 calls equal bit for bit; as_tensor 0.41 us (Python 2.10), \
         cuda 0.05 us (Python 0.80), resize_into 5.50 us, recorded 1.60 (Python 12); \
         pipeline 1600 images a second (Python 640)"
    );
    assert!(run.err.contains("measuring CV-CUDA's Python API, about 15 s\n"), "{}", run.err);
    let record = format!("--record {}\n", stage.path("out/cvcuda").display());
    assert!(calls(&stage).contains("samples/peers/cvcuda.py --out ") && calls(&stage).ends_with(&record));
    assert_eq!(stage.text("out/logs/cvcuda-peers.txt"), "measured\n");
    // Megabytes that are no result.
    assert!(
        stage.path("out/cvcuda/operators.json").exists() && !stage.path("out/cvcuda/operators.bin").exists()
    );
}

#[test]
fn the_samples_that_measure_run_last_and_say_how_long() {
    let stage = stage(REAL, &speed::made_up(), &speed::python(9)).sample("zoo", "");
    let list = stage.samples(&["--list"]);
    assert_eq!(list.out, "cvcuda_operators\nzoo\ncvcuda_speed\nbandwidth\n");
    let run = run(&stage, BOTH, MEASURES, &["--no-peers"]);
    assert!(run.err.contains("running cvcuda_speed, about 10 s\n"), "{}", run.err);
    assert_eq!((run.code, calls(&stage)), (Some(0), String::new()), "no Python was asked for");
    // Nothing was compared: somebody may still want to.
    assert!(stage.path("out/cvcuda/operators.bin").exists());
}

#[test]
fn the_report_shows_calls_operators_versions_and_pictures() {
    let draws = "mkdir -p \"$INTEROP_OUT/cvcuda\"; echo >\"$INTEROP_OUT/cvcuda/letterbox.png\"";
    let mut document = speed::made_up();
    document["library"] = json!("<0.19>");
    let stage = stage(REAL, &document, &speed::python(9)).sample("cvcuda_pipeline", draws);
    // The folder is there already for the sample that makes one itself.
    let run = run(&stage, BOTH, MEASURES, &["cvcuda_operators", "cvcuda_pipeline", "cvcuda_speed"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let page = stage.text("out/report.html");
    for part in [
        "<h2>CV-CUDA</h2>",
        "CV-CUDA &lt;0.19&gt; and its Python API (cupy 14.2.0, cvcuda 0.19.0, python 3.12.3)",
        "<th class=\"number\">recorded</th>",
        "interop-core </span>0.41 µs a call<",
        // Nobody records a wrap.
        "recorded </span>–<",
        "interop-core </span>4.50 µs a call<",
        "Python </span>2.10 µs a call<",
        "recorded </span>1.60 µs a call<",
        ">5.12 times as fast<",
        ">2.18 times as fast, recorded 7.50<",
        "1600 images a second",
        "2.50 times as fast",
        "<img src=\"cvcuda/letterbox.png\" alt=\"Contact sheet: ",
    ] {
        assert!(page.contains(part), "{part} is missing in {page}");
    }
    assert!(!page.contains("photos.png"), "a picture that is not there");
}

#[test]
fn outputs_that_differ_fail_the_sample_of_the_operators() {
    let stage = stage(REAL, &speed::made_up(), &speed::python(7));
    let junit = stage.path("junit.xml");
    let run = run(&stage, BOTH, DIFFERS, &["--junit", junit.to_str().expect("a path")]);
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
    assert!(line_about_python(&run).contains("47 of 49 calls equal"), "{}", run.out);
    let report = stage.json("out/samples.json");
    let samples = report["samples"].as_array().expect("samples");
    let sample = samples.iter().find(|s| s["name"] == "cvcuda_operators").expect("the sample");
    let reason = sample["reason"].as_str().expect("a reason");
    assert_eq!(sample["status"], "fail");
    assert!(reason.contains("in 2 of 9 calls of rotate; the first: {"), "{reason}");
    assert!(reason.contains("\"degrees\":30") && !reason.contains("resize"), "{reason}");
    assert!(run.out.contains("fail    cvcuda_operators") && run.out.contains(reason), "{}", run.out);
    assert!(run.out.ends_with("1 pass, 1 fail, 1 waived\n"), "{}", run.out);
    assert!(run.err.contains("fail: cvcuda_operators; repeat: "), "{}", run.err);
    assert!(stage.text("junit.xml").contains("calls of rotate"));
    let page = stage.text("out/report.html");
    assert!(page.contains("<td class=\"number fail\">7") && page.contains("&lt;u8&gt;"), "{page}");
    // What differs can be looked at.
    assert!(stage.path("out/cvcuda/operators.bin").exists());
}

#[test]
fn a_comparison_of_other_calls_than_were_recorded_fails_the_sample() {
    let with = |operators: Value| {
        let mut python = speed::python(9);
        python["operators"] = operators;
        (python, speed::recorded().to_string())
    };
    let listed = |operator: &str, calls: u64| json!({"operator": operator, "calls": calls, "equal": calls});
    let (all, one) = ("40 were recorded, 0 calls of rotate where 9", "made 8 calls of rotate where 9 were");
    for ((python, recorded), words) in [
        (with(json!([])), all),
        (with(json!([listed("resize", 0)])), all),
        (with(json!([listed("resize", 40), listed("rotate", 8)])), one),
        (with(json!([listed("resize", 40)])), "made 0 calls of rotate where 9 were"),
        (with(json!([listed("resize", 40), listed("rotate", 9), listed("flip", 1)])), "flip where 0 were"),
        ((speed::python(7), r#"{"schema":1,"calls":[]}"#.to_owned()), "recorded; outputs differ from"),
        ((speed::python(9), r#"{"schema":2,"calls":[]}"#.to_owned()), "operators.json, field `schema`"),
    ] {
        let stage = stage(REAL, &speed::made_up(), &python);
        fs::write(stage.path("recorded"), recorded).expect("a document");
        let run = run(&stage, BOTH, MEASURES, &[]);
        assert_eq!(run.code, Some(1), "{words}: {}{}", run.out, run.err);
        let samples = stage.json("out/samples.json")["samples"].clone();
        let samples = samples.as_array().expect("samples");
        let sample = samples.iter().find(|s| s["name"] == "cvcuda_operators").expect("the sample");
        let reason = sample["reason"].as_str().expect("a reason");
        assert!(sample["status"] == "fail" && reason.contains(words), "{words}: {reason}");
        assert!(run.out.contains("fail    cvcuda_operators") && run.out.contains(reason), "{}", run.out);
        assert!(stage.path("out/cvcuda/operators.bin").exists(), "somebody may want to compare by hand");
    }
}

#[test]
fn operators_that_were_not_recorded_are_not_compared() {
    let mut python = speed::python(9);
    python["operators"] = json!([]);
    let stage = stage(REAL, &speed::made_up(), &python);
    let run = run(&stage, BOTH, MEASURES, &["cvcuda_speed"]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(!calls(&stage).is_empty() && !calls(&stage).contains("--record"), "{}", calls(&stage));
    assert!(line_about_python(&run).contains("no operators were compared; as_tensor"), "{}", run.out);
    assert!(stage.json("out/cvcuda.json").get("operators").is_none());
}

#[test]
fn without_the_packages_one_line_says_so_and_nothing_fails() {
    for (packages, words) in [
        (r#"{"cvcuda":false,"cupy":true}"#, "was not measured: python3 has no cvcuda"),
        (r#"{"cvcuda":true,"cupy":false}"#, "was not measured: python3 has no cupy"),
        ("{}", "was not measured: python3 has neither cvcuda nor cupy"),
        ("broken", "was not measured: python3 is there but does not work"),
    ] {
        let stage = stage(REAL, &speed::made_up(), &speed::python(9));
        let run = run(&stage, packages, MEASURES, &[]);
        assert_eq!((run.code, calls(&stage)), (Some(0), String::new()), "{}{}", run.out, run.err);
        assert!(line_about_python(&run).ends_with(words), "{}", run.out);
        assert_eq!(stage.json("out/cvcuda.json"), speed::made_up());
        assert!(stage.text("out/report.html").contains("its Python API was not measured"));
    }
}

#[test]
fn without_python_one_line_says_so_and_nothing_fails() {
    let stage = stage(REAL, &speed::made_up(), &speed::python(9));
    fs::remove_file(stage.path("tools/python3")).expect("a fake python3");
    for tool in ["cp", "mkdir"] {
        std::os::unix::fs::symlink(format!("/bin/{tool}"), stage.path("tools").join(tool)).expect("a link");
    }
    let mut command = xtask();
    command.arg("samples").arg("--bin-dir").arg(stage.path("bin")).arg("--out").arg(stage.path("out"));
    let run = said(command.env("PATH", stage.path("tools")));
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(line_about_python(&run).ends_with("was not measured: no python3"), "{}", run.out);
}

#[test]
fn a_script_that_fails_fails_nothing() {
    let mut own = speed::python(9);
    own["calls"] = speed::made_up()["calls"].clone();
    let mut wrong = speed::python(9);
    wrong["operators"][1]["equal"] = json!(10);
    for (python, peer, words) in [
        (speed::python(9), "echo 'expected cupy'; exit 1", "exit code 1: expected cupy"),
        (speed::python(9), "cp \"$STAGE/measured\" \"$3\"; echo oh; exit 3", "exit code 3: oh"),
        (speed::python(9), "kill -SEGV $$", "crashed with signal 11"),
        (speed::python(9), "", "cvcuda-peers.json"),
        (own, MEASURES, "`calls[0].implementation`: expected `python`"),
        (wrong, DIFFERS, "`operators[1].equal`: expected at most the calls, 9, got 10"),
    ] {
        let stage = stage(REAL, &speed::made_up(), &python);
        let run = run(&stage, BOTH, peer, &[]);
        assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
        assert!(line_about_python(&run).contains(words), "{words}: {}", run.out);
        assert_eq!(stage.json("out/cvcuda.json"), speed::made_up());
    }
}

#[test]
fn a_document_that_breaks_the_contract_fails_the_sample() {
    let broken = |place: &str, value: Value| {
        let mut document = speed::made_up();
        *document.pointer_mut(place).expect("a field") = value;
        document
    };
    let twice = json!([speed::made_up()["calls"][0], speed::made_up()["calls"][0]]);
    for (document, field) in [
        (json!({"schema": 1}), "missing field `device`"),
        (broken("/schema", json!(2)), "`schema`"),
        (broken("/device/simulated", json!(true)), "`device.simulated`"),
        (broken("/library", json!("")), "`library`"),
        (broken("/calls", json!([])), "`calls`"),
        (broken("/calls", twice), "`calls[1]`: expected each once, got calls[0] again"),
        (broken("/calls/1/call", json!("")), "`calls[1].call`"),
        (broken("/calls/1/us_median", json!(0.06)), "`calls[1].us_median`: expected that of `seconds`"),
        (broken("/calls/2/seconds", json!([])), "`calls[2].seconds`"),
        (broken("/calls/2/seconds/0", json!(-1)), "`calls[2].seconds`"),
        (broken("/calls/0/implementation", json!("perl")), "`calls[0].implementation`"),
        (broken("/pipelines", json!([])), "`pipelines`"),
        (broken("/pipelines/0/images", json!(0)), "`pipelines[0].images`"),
        (broken("/pipelines/0/images_per_second_median", json!(1601)), "images_per_second_median`"),
        (broken("/pipelines/0/implementation", json!("interop-core, recorded")), "implementation`"),
    ] {
        let stage = stage(REAL, &document, &speed::python(9));
        let run = run(&stage, BOTH, MEASURES, &["cvcuda_speed"]);
        assert_eq!((run.code, calls(&stage)), (Some(1), String::new()), "{field}: {}", run.out);
        assert!(run.out.contains("fail    cvcuda_speed") && run.out.contains(field), "{field}: {}", run.out);
        assert!(!stage.path("out/cvcuda.json").exists());
        assert!(!stage.text("out/report.html").contains("<h2>CV-CUDA"));
    }
}

#[test]
fn a_sample_that_measured_nothing_fails() {
    let run = Stage::new(REAL).sample("cvcuda_speed", "").samples(&["--no-peers"]);
    assert_eq!(run.code, Some(1), "{}", run.out);
    assert!(run.out.contains("cvcuda.json"), "{}", run.out);
}

#[test]
fn waived_samples_write_nothing_and_have_no_section() {
    let waived = "echo 'waived: no CV-CUDA'; exit 2";
    for device in [REAL, SIMULATED] {
        let stage = stage(device, &speed::made_up(), &speed::python(9));
        let stage =
            stage.sample("cvcuda_speed", waived).sample("cvcuda_operators", waived).sample("good", "");
        let run = run(&stage, BOTH, MEASURES, &[]);
        assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
        assert!(run.out.ends_with("1 pass, 3 waived\n"), "{}", run.out);
        assert!(calls(&stage).is_empty() && !run.out.contains("Python API"), "{}", run.out);
        assert!(!stage.path("out/cvcuda.json").exists() && !stage.path("out/cvcuda").exists());
        assert!(!stage.text("out/report.html").contains("CV-CUDA</h2>"));
    }
}

#[test]
fn nothing_of_a_simulated_device_or_an_earlier_run_stays() {
    let stage = stage(SIMULATED, &speed::made_up(), &speed::python(9)).sample("good", "");
    let run_good = || run(&stage, BOTH, MEASURES, &["good"]);
    let run = run(&stage, BOTH, MEASURES, &[]);
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(calls(&stage).is_empty() && !stage.path("out/cvcuda.json").exists(), "{}", run.out);
    assert!(!stage.text("out/report.html").contains("<h2>CV-CUDA"));
    assert!(stage.path("out/cvcuda/operators.bin").exists());
    fs::write(stage.path("out/cvcuda.json"), "old").expect("an old file");
    fs::write(stage.path("out/cvcuda/photos.png"), "old").expect("an old file");
    assert_eq!(run_good().code, Some(0));
    assert!(!stage.path("out/cvcuda.json").exists() && !stage.path("out/cvcuda").exists());
    // With `--out target` the folder has libraries, which nobody wants to get again.
    fs::create_dir(stage.path("out/cvcuda")).expect("a folder");
    fs::write(stage.path("out/cvcuda/libcvcuda.so"), "").expect("a library");
    fs::write(stage.path("out/cvcuda/operators.bin"), "old").expect("an old file");
    assert_eq!(run_good().code, Some(0));
    assert!(stage.path("out/cvcuda/libcvcuda.so").exists());
    assert!(!stage.path("out/cvcuda/operators.bin").exists());
}
