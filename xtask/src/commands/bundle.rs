//! `bundle`: packs one archive for a GPU machine without network or Rust.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Args;

use crate::bundle::archive::{Archive, FOLDER};
use crate::bundle::{glibc, texts};
use crate::contract::SCHEMA;
use crate::contract::manifest::Manifest;
use crate::error::{Error, Result};
use crate::home::{Home, RECORDED_BANDWIDTH};
use crate::run::plan::PROBE;
use crate::{cargo, date, files, say};

/// An archive above this is refused.
const MOST_BYTES: u64 = 60 << 20;

/// Pack one archive for a GPU machine without network or Rust
///
/// Inside, `./run` takes the options of `samples`.
#[derive(Debug, Args)]
pub struct Options {
    /// The archive [default: target/interop/interop-bundle.tar.gz]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Take the programs from this folder and build nothing
    #[arg(long, hide = true, value_name = "DIR")]
    bin_dir: Option<PathBuf>,
}

/// Runs the command.
pub fn run(home: &Home, options: &Options) -> Result<ExitCode> {
    if home.is_bundle() {
        return Err(Error::usage("`bundle` in a bundle").expected("a checkout of the workspace"));
    }
    let out = options.out.clone().unwrap_or_else(|| home.default_out().join("interop-bundle.tar.gz"));
    let programs = programs(home, options.bin_dir.as_deref())?;
    let now = date::now();
    let manifest = manifest(home, &programs, date::text(&now));
    let mut archive = Archive::create(&out, u64::try_from(now.timestamp()).unwrap_or(0))?;
    archive.add("run", texts::RUN.as_bytes(), 0o755)?;
    archive.add("README.txt", texts::readme(&manifest).as_bytes(), 0o644)?;
    archive.add("manifest.json", &files::json_text(&manifest, "manifest.json")?, 0o644)?;
    for (name, bytes) in &programs {
        archive.add(&format!("bin/{name}"), bytes, 0o755)?;
    }
    let extras = [
        (home.peers_script("bandwidth.py"), "peers/bandwidth.py"),
        (home.peers_script("cvcuda.py"), "peers/cvcuda.py"),
        (home.recorded_bandwidth(), RECORDED_BANDWIDTH),
    ];
    for (path, name) in extras {
        match path.is_file() {
            true => archive.add(name, &files::read(&path)?, 0o644)?,
            false => say::line(format_args!("left out, not there: {name}")),
        }
    }
    let size = archive.finish(MOST_BYTES)?;
    Ok(conclude(&out, programs.len(), size))
}

/// Every program by name: ours and all samples, without their symbols.
fn programs(home: &Home, folder: Option<&Path>) -> Result<BTreeMap<String, Vec<u8>>> {
    let paths = match folder {
        Some(folder) => {
            let mut paths = crate::run::plan::Programs::Folder(folder.to_owned()).ready(home)?;
            let own = std::env::current_exe().map_err(|e| Error::new("finding this program").got(e))?;
            paths.insert("xtask".to_owned(), own);
            paths
        }
        None => cargo::build_to_give_away(home.root(), &["-p", "xtask", "-p", "samples", "--bins"])?,
    };
    let scratch = tempfile::tempdir().map_err(|e| Error::new("creating a temporary folder").got(e))?;
    let place = scratch.path().join("program");
    paths.into_iter().map(|(name, path)| Ok((name, stripped(&path, &place)?))).collect()
}

/// The program without symbols; as it is where there is no `strip` or the file is a script.
fn stripped(program: &Path, scratch: &Path) -> Result<Vec<u8>> {
    let mut command = Command::new("strip");
    command
        .arg("-o")
        .arg(scratch)
        .arg(program)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let worked = command.status().is_ok_and(|status| status.success());
    files::read(if worked { scratch } else { program })
}

fn manifest(home: &Home, programs: &BTreeMap<String, Vec<u8>>, date: String) -> Manifest {
    let needed = programs.values().filter_map(|bytes| glibc::needed(bytes)).max();
    let samples = programs.keys().filter(|name| *name != "xtask" && *name != PROBE).cloned().collect();
    Manifest {
        schema: SCHEMA,
        commit: home.commit(),
        date,
        target: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        glibc: needed.map(|(major, minor)| format!("{major}.{minor}")),
        samples,
    }
}

fn conclude(out: &Path, programs: usize, size: u64) -> ExitCode {
    let mib = size as f64 / f64::from(1 << 20);
    say::line(format_args!("{}: {programs} programs, {mib:.1} MiB", out.display()));
    let file = out.file_name().unwrap_or(out.as_os_str()).to_string_lossy();
    say::line(format_args!("on the GPU machine: tar -xzf {} && ./{FOLDER}/run", quoted(&file)));
    ExitCode::SUCCESS
}

/// As a shell takes it for one word, and tar for no option.
fn quoted(file: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
    let file = if file.starts_with('-') { format!("./{file}") } else { file.to_owned() };
    match file.chars().all(|c| plain(c) || c == '/') {
        true => file,
        false => format!("'{}'", file.replace('\'', "'\\''")),
    }
}
