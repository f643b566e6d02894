//! `bundle`: what is inside, and that it runs where there is neither cargo nor git.

mod common;

use std::fs;
use std::process::Command;

use common::{SIMULATED, Said, Stage, said, xtask};

/// A bundle of fake samples, unpacked with the system's tar.
fn unpacked() -> (Stage, Vec<String>) {
    let stage = Stage::new(SIMULATED).sample("good", "echo fine").sample("bad", "exit 1");
    let archive = stage.path("a bundle.tar.gz");
    let run = said(xtask().arg("bundle").arg("--bin-dir").arg(stage.path("bin")).arg("--out").arg(&archive));
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("tar -xzf 'a bundle.tar.gz' && "), "{}", run.out);
    let list = said(Command::new("tar").arg("-tzf").arg(&archive));
    let tar = Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(stage.path("")).status();
    assert!(tar.is_ok_and(|status| status.success()));
    (stage, list.out.lines().map(str::to_owned).collect())
}

/// Runs the bundle without cargo and git in reach.
fn run(stage: &Stage, arguments: &[&str]) -> Said {
    let tools = stage.path("tools");
    fs::create_dir_all(&tools).expect("a folder");
    for tool in ["sh", "dirname", "readlink", "uname", "python3"] {
        let _ = std::os::unix::fs::symlink(format!("/usr/bin/{tool}"), tools.join(tool));
    }
    let mut command = Command::new(stage.path("interop-bundle/run"));
    said(command.args(arguments).env_clear().env("PATH", &tools).current_dir(stage.path("")))
}

#[test]
fn holds_everything_and_runs_on_its_own() {
    let (stage, list) = unpacked();
    let needed =
        ["run", "README.txt", "manifest.json", "bin/xtask", "bin/good", "bin/bad", "bin/device_info"];
    for name in needed.into_iter().chain(["peers/bandwidth.py", "peers/cvcuda.py"]) {
        assert!(list.contains(&format!("interop-bundle/{name}")), "{name} is missing in {list:?}");
    }
    let manifest = stage.json("interop-bundle/manifest.json");
    assert_eq!(manifest["samples"], serde_json::json!(["bad", "good"]));
    let good = run(&stage, &["good"]);
    assert_eq!(good.code, Some(0), "{}{}", good.out, good.err);
    let report = stage.json("interop-bundle/target/interop/samples.json");
    assert_eq!(report["commit"], manifest["commit"]);
    let bad = run(&stage, &["bad"]);
    assert_eq!(bad.code, Some(1));
    assert!(bad.out.contains("repeat: ./bin/bad"), "{}", bad.out);
    assert_eq!(run(&stage, &["--list"]).out, "bad\ngood\n");
    std::os::unix::fs::symlink("interop-bundle/run", stage.path("link")).expect("a link");
    let linked = said(Command::new(stage.path("link")).arg("--list"));
    assert_eq!((linked.code, linked.out.as_str()), (Some(0), "bad\ngood\n"), "{}", linked.err);
    assert!(run(&stage, &["--help"]).out.contains("Usage: ./run samples [OPTIONS]"));
    assert_eq!(run(&stage, &["nonsense"]).code, Some(2));
    assert_eq!(run(&stage, &["doctor"]).code, Some(0));
    assert_eq!(run(&stage, &["plot", "nowhere.json"]).code, Some(1));
    assert!(run(&stage, &["cvcuda", "--help"]).out.contains("Usage: ./run cvcuda [OPTIONS]"));
}

#[test]
fn commands_that_need_sources_say_so_in_a_bundle() {
    let (stage, _) = unpacked();
    let root = stage.path("interop-bundle");
    for command in ["test", "bundle"] {
        let run = said(xtask().arg(command).arg("--bundle-root").arg(&root));
        assert_eq!(run.code, Some(2), "{}", run.err);
    }
}
