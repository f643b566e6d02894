//! `doctor`: what is here, what is missing, and how to get it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::contract::SCHEMA;
use crate::contract::device::Device;
use crate::contract::host::Host;
use crate::doctor::check::Check;
use crate::doctor::{cvcuda, gpu, libraries, tools};
use crate::error::Result;
use crate::files;
use crate::home::Home;
use crate::python::Python;
use crate::say;

/// Say what is here and what is missing, and how to get it
///
/// Nothing is required: what is missing is no failure.
#[derive(Debug, Args)]
pub struct Options {
    /// Write the findings as JSON, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Take the programs from this folder and build nothing
    #[arg(long, hide = true, value_name = "DIR")]
    bin_dir: Option<PathBuf>,
}

/// What the JSON file holds.
#[derive(Serialize)]
struct Findings {
    schema: u32,
    host: Option<Host>,
    device: Option<Device>,
    checks: Vec<Check>,
}

/// Runs the command.
pub fn run(home: &Home, options: &Options) -> Result<ExitCode> {
    options.json.as_deref().map_or(Ok(()), files::vacate)?;
    let python = Python::find();
    let (found, gpu) = gpu::device(home, options.bin_dir.as_deref())?;
    let told = found.as_ref().and_then(|found| found.cvcuda.clone());
    let (device, host) = found.map(|found| (found.device, found.host)).unzip();
    let mut checks = vec![gpu::driver(host.as_ref()), gpu];
    checks.push(libraries::nvrtc(python.as_ref().ok()));
    checks.push(cvcuda::check(home, told, python.as_ref().ok()));
    checks.extend(tools::python(&python));
    checks.extend(tools::programs());
    checks.iter().flat_map(Check::lines).for_each(say::line);
    let missing = checks.iter().filter(|check| !check.found).count();
    say::line(format_args!("{} found, {missing} missing, none of it required", checks.len() - missing));
    if let Some(file) = &options.json {
        files::write_json(file, &Findings { schema: SCHEMA, host, device, checks })?;
    }
    Ok(ExitCode::SUCCESS)
}
