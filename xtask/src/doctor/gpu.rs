//! The driver and the device.

use std::path::Path;

use super::check::Check;
use super::libraries;
use crate::contract::device::Device;
use crate::contract::host::Host;
use crate::contract::probe::Found;
use crate::error::{Error, Result};
use crate::home::Home;
use crate::run::plan::{PROBE, Programs};
use crate::{cargo, device};

const GET_DRIVER: &str = "sudo apt-get install -y nvidia-driver";

/// The driver's library and kernel module.
pub fn driver(host: Option<&Host>) -> Check {
    let library = libraries::find("libcuda.so");
    let module = host.and_then(|h| h.nvidia_driver.as_ref());
    let module = module.map_or(String::new(), |version| format!(", kernel module {version}"));
    let found = library.map(|path| format!("{}{module}", path.display()));
    Check::new("driver", found, "runs everything on a GPU", "no libcuda.so", GET_DRIVER)
}

/// The device that the samples would use with its machine, and the check that says so.
pub fn device(home: &Home, folder: Option<&Path>) -> Result<(Option<Found>, Check)> {
    let found = match probe(home, folder) {
        Err(error) if error.exit_code() != 1 => return Err(error),
        other => other,
    };
    let missing = match &found {
        Ok(Found { device, .. }) if device.simulated => {
            format!("none; the samples use {} (simulated)", device.name)
        }
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    // No command brings a GPU: the samples have to go where one is.
    let install =
        if home.is_bundle() { "copy this folder to a machine with a GPU" } else { "cargo xtask bundle" };
    let real = found.as_ref().ok().map(|found| &found.device).filter(|device| !device.simulated);
    let real = real.map(Device::in_words);
    Ok((found.ok(), Check::new("GPU", real, "measures the bandwidth", &missing, install)))
}

/// Asks `device_info`, which is built for it where nothing is built yet.
pub fn probe(home: &Home, folder: Option<&Path>) -> Result<Found> {
    let programs = match Programs::of(home, folder)? {
        Programs::Built => cargo::build(home.root(), &["-p", "samples", "--bin", PROBE])?,
        folder => folder.ready(home)?,
    };
    let scratch = tempfile::tempdir().map_err(|e| Error::new("creating a temporary folder").got(e))?;
    device::find(programs.get(PROBE).map(|path| path.as_path()), scratch.path(), &[])
}
