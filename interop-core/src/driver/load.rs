//! Which driver serves: the real one where there is one, the simulated one where it was asked for, or where
//! there is none and the feature `sim` is on.

use std::sync::Arc;

use cudarc::driver::sys;

use super::table::{Driver, code_of};
use crate::{Error, Result};

/// Finds the driver, resolves its functions and initialises it.
pub(crate) fn load() -> Result<Arc<Driver>> {
    let simulated = choose()?;
    let driver = Driver::resolve(simulated)?;
    // SAFETY: zero is the only flag there is.
    match unsafe { driver.cuInit("Gpu::open", 0) } {
        Ok(()) => Ok(Arc::new(driver)),
        Err(error) => Err(explain(error)),
    }
}

fn explain(error: Error) -> Error {
    const STUB: i32 = sys::CUresult::CUDA_ERROR_STUB_LIBRARY as i32;
    const NONE: i32 = sys::CUresult::CUDA_ERROR_NO_DEVICE as i32;
    match code_of(&error) {
        Some(STUB) => Error::StubDriver,
        Some(NONE) => Error::NoDevice { ordinal: 0, available: 0 },
        _ => error,
    }
}

fn driver_is_present() -> bool {
    // SAFETY: opens the driver's library and closes it again; NVIDIA's loads without side effects.
    unsafe { sys::is_culib_present() }
}

#[cfg(not(feature = "sim"))]
fn choose() -> Result<bool> {
    if driver_is_present() { Ok(false) } else { Err(Error::NoDriver) }
}

#[cfg(feature = "sim")]
fn choose() -> Result<bool> {
    // Whoever loaded the simulator first decided for the whole process.
    let wanted = cuda_sim::is_installed() || simulation_requested() || !driver_is_present();
    if wanted {
        cuda_sim::install().map_err(|error| Error::Simulator { reason: error.to_string() })?;
    }
    Ok(wanted)
}

/// Whether the environment asks for the simulated device.
#[cfg(feature = "sim")]
fn simulation_requested() -> bool {
    std::env::var_os("INTEROP_SIMULATE").is_some_and(|value| value != "0" && !value.is_empty())
}
