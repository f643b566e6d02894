//! `cvcuda`: gets NVIDIA's CV-CUDA, which the samples then find.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cvcuda::wheel::{Package, Wheel, version};
use crate::cvcuda::{pip, place, unpack};
use crate::doctor::gpu;
use crate::error::{Error, Result};
use crate::home::Home;
use crate::progress::Progress;
use crate::say;

/// Get NVIDIA's CV-CUDA for the samples; needs pip and a network
///
/// Downloads the wheel with python3's pip and unpacks its two C libraries and the
/// licence into target/cvcuda (in a bundle: cvcuda), where the samples find
/// them. Installs nothing. Does nothing if they are there already. For Linux
/// on x86-64.
#[derive(Debug, Args)]
pub struct Options {
    /// cvcuda-cu12 or cvcuda-cu13 [default: cvcuda-cu13 where the driver takes it]
    #[arg(long, value_enum, hide_possible_values = true)]
    package: Option<Package>,
    /// The wheel's version
    #[arg(long, default_value = "0.19.0", value_parser = version)]
    version: String,
    /// Download again what is there already
    #[arg(long)]
    force: bool,
    /// Take the programs from this folder and build nothing
    #[arg(long, hide = true, value_name = "DIR")]
    bin_dir: Option<PathBuf>,
}

/// Runs the command.
pub fn run(home: &Home, options: &Options) -> Result<ExitCode> {
    check_platform()?;
    let folder = home.cvcuda()?;
    let package = options.package.map_or_else(|| for_this_machine(home, options.bin_dir.as_deref()), Ok)?;
    let wheel = Wheel { package, version: options.version.clone() };
    if !options.force && place::parts(&folder, &wheel).is_ok() {
        say::line(format_args!("{wheel} is there already: {} (--force gets it again)", folder.display()));
        return Ok(ExitCode::SUCCESS);
    }
    pip::check()?;
    get(&wheel, &folder)?;
    for part in place::parts(&folder, &wheel)? {
        say::line(part.display());
    }
    say::line(format_args!("`{}` uses it", home.own_command("samples")));
    Ok(ExitCode::SUCCESS)
}

/// NVIDIA makes wheels for other machines, too; these libraries are not what a sample here was built to load.
fn check_platform() -> Result<()> {
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    if (system, processor) == ("linux", "x86_64") {
        return Ok(());
    }
    Err(Error::new("getting CV-CUDA").expected("Linux on x86-64").got(format!("{system} on {processor}")))
}

/// The package for the driver that the samples would use.
fn for_this_machine(home: &Home, programs: Option<&Path>) -> Result<Package> {
    let driver = match gpu::probe(home, programs) {
        Ok(found) => Some(found.device).filter(|device| !device.simulated).map(|device| device.driver),
        Err(error) if error.exit_code() != 1 => return Err(error),
        Err(_) => None,
    };
    let package = Package::for_driver(driver.as_deref());
    let reason =
        driver.map_or("no GPU here".to_owned(), |version| format!("the driver speaks CUDA {version}"));
    say::line(format_args!("{reason}: {} (--package chooses another)", package.name()));
    Ok(package)
}

/// Downloads and unpacks beside the folder and then renames, so that what lies in it is whole.
fn get(wheel: &Wheel, folder: &Path) -> Result<()> {
    let scratch = place::beside(folder)?;
    let progress = Progress::of_one(&format!("downloading {wheel}, {}", wheel.package.download()));
    let file = pip::download(wheel, scratch.path())?;
    let size = file.metadata().map_err(|e| Error::new(format!("reading {}", file.display())).got(e))?.len();
    progress.line(&format!("downloaded {wheel}, {:.1} MB", size as f64 / 1e6));
    let new = scratch.path().join("cvcuda");
    unpack::unpack(&file, &new, scratch.path())?;
    place::parts(&new, wheel).map_err(|error| error.remedy("choose another --version"))?;
    place::replace(folder, &new, scratch.path())
}
