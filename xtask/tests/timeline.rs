//! `plot` of a timeline.

mod common;

use common::plotting::{Refusal, drawn, plot, refuses};
use common::{Said, Stage};
use serde_json::{Value, json};

/// Six chunks, in one lane and in three.
fn made_up() -> Value {
    let mut spans = Vec::new();
    for chunk in 0..6u32 {
        for (place, kind) in ["upload", "compute", "download"].into_iter().enumerate() {
            let serial = f64::from(chunk) * 1000.0 + place as f64 * 330.0;
            spans.push(json!({"run": "serial", "lane": 0, "kind": kind, "chunk": chunk, "start_us": serial, "end_us": serial + 320.5}));
            let start = f64::from(chunk) * 340.0 + place as f64 * 340.0;
            spans.push(json!({"run": "overlapped", "lane": chunk % 3, "kind": kind, "chunk": chunk, "start_us": start, "end_us": start + 335.5}));
        }
    }
    json!({
        "schema": 1,
        "device": {"name": "Made-up <GPU>", "simulated": false, "driver": "12.4"},
        "commit": "abc", "date": "2026-01-02T03:04:05Z", "lanes": [0, 1, 2], "spans": spans,
    })
}

const FILE: &str = "timeline.json";

#[test]
fn draws_a_timeline_as_svg_and_png() {
    let [svg] = drawn(&made_up(), FILE, ["timeline"]);
    assert!(svg.contains("Made-up &lt;GPU&gt;") && svg.contains("lane 3") && !svg.contains("lane 4"));
    assert!(svg.contains("2.20 times as fast"), "{svg}");
}

#[test]
fn refuses_what_is_no_timeline_and_names_the_field() {
    let refusals: [Refusal<'_>; 7] = [
        ("/device/simulated", json!(true), "device.simulated"),
        ("/schema", json!(7), "schema"),
        ("/lanes", json!([]), "lanes"),
        ("/spans", json!([]), "spans"),
        ("/spans/3/lane", json!(9), "spans[3].lane"),
        ("/spans/2/start_us", json!(1e9), "spans[2]"),
        ("/spans/1/kind", json!("dream"), "spans[1].kind"),
    ];
    refuses(&made_up(), FILE, &refusals);
}

#[test]
fn draws_the_extremes_that_it_accepts() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut timeline = made_up();
    timeline["spans"] =
        json!([{"run": "serial", "lane": 2, "kind": "upload", "chunk": 0, "start_us": 0, "end_us": 0}]);
    assert_eq!(plot(&timeline, FILE, folder.path()).code, Some(0));
    timeline["spans"][0]["end_us"] = json!(1e12);
    assert_eq!(plot(&timeline, FILE, folder.path()).code, Some(0));
}

/// A run whose sample `overlap` writes the timeline.
fn run_on(simulated: bool, timeline: &Value) -> (Stage, Said) {
    let device = json!({"name": "Made-up GPU", "simulated": simulated, "driver": "12.4"});
    let stage = Stage::new(&device.to_string()).recording("overlap", FILE, timeline);
    let run = stage.samples(&["--no-peers"]);
    (stage, run)
}

#[test]
fn a_timeline_of_a_run_on_a_gpu_is_drawn() {
    let (stage, run) = run_on(false, &made_up());
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(stage.path("out/timeline.png").exists());
    assert!(stage.text("out/report.html").contains("<h2>Overlap</h2>"));
    let (_stage, run) = run_on(false, &json!({"schema": 1}));
    assert_eq!(run.code, Some(1), "{}{}", run.out, run.err);
}

#[test]
fn a_timeline_of_a_simulated_device_is_not_shown() {
    let (stage, run) = run_on(true, &made_up());
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(!stage.path("out/timeline.json").exists() && !stage.path("out/timeline.svg").exists());
    assert!(!stage.text("out/report.html").contains("<h2>Overlap"));
}
