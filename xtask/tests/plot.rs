//! `plot`: pictures of a recorded sweep, and refusals that name the field.

mod common;

use std::fs;

use common::plotting::{Refusal, drawn, plot, refuses};
use common::{said, sweep, xtask};
use serde_json::json;

const FILE: &str = "bandwidth.json";

#[test]
fn draws_every_plot_as_svg_and_png() {
    let svgs = drawn(&sweep::made_up(), FILE, ["bandwidth", "bandwidth-shapes", "copy-time"]);
    for svg in &svgs {
        assert!(svg.contains("Made-up GPU") && svg.contains(" KiB") && svg.contains("1 GiB"));
    }
    let [svg, shapes, time] = svgs;
    for panel in ["host to device, pinned memory", "device to host, ordinary memory", "within the device"] {
        assert_eq!(time.matches(panel).count(), 1, "{panel}");
    }
    // The smallest copy is what the latency shows in.
    assert!(time.contains("interop-core: 30.0 µs to 21.8 ms"), "{time}");
    for panel in ["into a new array", "host to device, padded rows", "device to host, transposed"] {
        assert!(shapes.contains(panel), "{panel}");
    }
    assert!(!svg.contains("fresh") && !svg.contains("transposed"));
    assert!(svg.contains("PCIe 5 x16: 63.0 GB/s"));
    assert_eq!(svg.matches("<polygon").count(), 5, "a band a colour and panel");
    // A copy within the device reads and writes each byte.
    assert_eq!(svg.matches("within the device, GB/s (each byte counted once)").count(), 1);
    assert_eq!(svg.matches("counted once").count(), 1);
}

#[test]
fn escapes_the_names_in_an_svg() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sweep = sweep::made_up();
    sweep["device"]["name"] = json!("<GPU> & co");
    assert_eq!(plot(&sweep, FILE, folder.path()).code, Some(0));
    let svg = fs::read_to_string(folder.path().join("bandwidth.svg")).expect("an SVG");
    assert!(!svg.contains("<GPU>") && svg.contains("&lt;GPU&gt;"));
}

#[test]
fn a_long_name_of_a_gpu_is_not_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sweep = sweep::made_up();
    sweep["device"]["name"] = json!("Made-up GPU with the name of a Workstation Edition for Many Users");
    sweep["commit"] = json!("0123456789ab-dirty");
    assert_eq!(plot(&sweep, FILE, folder.path()).code, Some(0));
    let svg = fs::read_to_string(folder.path().join("bandwidth.svg")).expect("an SVG");
    let texts: Vec<&str> = svg.lines().filter(|line| !line.starts_with('<')).collect();
    assert!(texts.iter().any(|text| text.ends_with("commit 0123456789ab-dirty")), "{texts:#?}");
    assert!(texts.iter().all(|text| text.chars().count() <= 106), "{texts:#?}");
}

#[test]
fn refuses_what_is_no_measurement_and_names_the_field() {
    let refusals: [Refusal<'_>; 23] = [
        ("/device/simulated", json!(true), "device.simulated"),
        ("/schema", json!(7), "schema"),
        ("/series", json!([]), "series"),
        ("/series/2/direction", json!("up"), "series[2].direction"),
        ("/series/1/points/3/gbps_median", json!(-1.0), "series[1].points[3].gbps_median"),
        ("/series/0/points/0/seconds", json!([]), "series[0].points[0].seconds"),
        ("/series/0/points/0/seconds", json!([1e-300]), "series[0].points[0].seconds"),
        ("/series/0/points/0/seconds", json!([1e305]), "series[0].points[0].seconds"),
        ("/series/0/points/0/gbps_p10", json!(5e-324), "series[0].points[0].gbps_p10"),
        ("/series/0/points/0/gbps_p90", json!(1e300), "series[0].points[0].gbps_p90"),
        ("/series/0/points/0/bytes", json!(u64::MAX), "series[0].points[0].bytes"),
        ("/series/0/host_memory", json!("none"), "series[0].host_memory"),
        ("/series/0/direction", json!("d2d"), "series[0].host_memory"),
        // Its first series is pinned, too.
        ("/series/1/host_memory", json!("pinned"), "series[1]`"),
        ("/series/3/pattern", json!("padded rows"), "series[3]`"),
        ("/series/3/pattern", json!("sideways"), "series[3].pattern"),
        ("/series/3/host_memory", json!("pageable"), "series[3].pattern"),
        ("/figures/0/median", json!(-1.0), "figures[0].median"),
        ("/figures/0/p90", json!(1.0), "figures[0].median"),
        ("/figures/1/values", json!([]), "figures[1].values"),
        ("/figures/1/values", json!([1e300]), "figures[1].values"),
        ("/figures/1/unit", json!(""), "figures[1].unit"),
        ("/figures/2/implementation", json!("interop-core"), "figures[2]`"),
    ];
    refuses(&sweep::made_up(), FILE, &refusals);
}

#[test]
fn refuses_what_stands_behind_the_value_and_what_has_no_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bandwidth.json");
    fs::write(&file, format!("{} x", sweep::made_up())).expect("a sweep");
    let run = said(xtask().arg("plot").arg(&file));
    assert!(run.code == Some(1) && run.err.contains("trailing characters"), "{}", run.err);
    let run = said(xtask().args(["plot", "/dev/zero"]));
    assert!(run.code == Some(1) && run.err.contains("at most 64 MiB"), "{}", run.err);
}

#[test]
fn refuses_what_else_this_workspace_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = plot(&json!({"schema": 1, "samples": []}), "samples.json", folder.path());
    assert_eq!(run.code, Some(1));
    assert!(run.err.ends_with("; give a bandwidth.json or a timeline.json\n"), "{}", run.err);
}

#[test]
fn draws_the_extremes_that_it_accepts() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sweep = sweep::made_up();
    let point = |bytes: u64, low: f64, high: f64, seconds: f64| json!({"bytes": bytes, "gbps_median": low, "gbps_p10": low, "gbps_p90": high, "seconds": [seconds]});
    sweep["series"][0]["points"] = json!([point(1, 1e-9, 1e9, 1e-12), point(1 << 50, 1e9, 1e9, 1e6)]);
    let run = plot(&sweep, FILE, folder.path());
    assert_eq!(run.code, Some(0), "{}", run.err);
}

#[test]
fn a_missing_file_is_a_failure_and_a_missing_argument_wrong_usage() {
    assert_eq!(said(xtask().args(["plot", "nowhere.json"])).code, Some(1));
    assert_eq!(said(xtask().arg("plot")).code, Some(2));
}

#[test]
fn a_sweep_without_strided_arrays_and_figures_is_read_as_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sweep = sweep::made_up();
    let series = sweep["series"].as_array_mut().expect("series");
    series.retain(|s| ["pinned", "pageable", "none"].iter().any(|memory| s["host_memory"] == *memory));
    sweep.as_object_mut().expect("an object").remove("figures");
    let run = plot(&sweep, FILE, folder.path());
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("copy-time.png") && !run.out.contains("shapes"), "{}", run.out);
    assert!(!folder.path().join("bandwidth-shapes.svg").exists());
}
