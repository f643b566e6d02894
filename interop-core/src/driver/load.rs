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
    let simulate = match Request::from_environment() {
        // Whoever loaded the simulator first decided for the whole process.
        _ if cuda_sim::is_installed() => true,
        Request::Never => false,
        Request::Always => true,
        Request::IfNoDriver => !driver_is_present(),
    };
    match simulate {
        true => cuda_sim::install().map_err(|error| Error::Simulator { reason: error.to_string() })?,
        false if !driver_is_present() => return Err(Error::NoDriver),
        false => (),
    }
    Ok(simulate)
}

/// What the environment variable `INTEROP_SIMULATE` asks for.
#[cfg(feature = "sim")]
enum Request {
    /// 0
    Never,
    /// Anything but 0.
    Always,
    /// Unset or empty.
    IfNoDriver,
}

#[cfg(feature = "sim")]
impl Request {
    fn from_environment() -> Self {
        match std::env::var_os("INTEROP_SIMULATE") {
            None => Self::IfNoDriver,
            Some(value) if value.is_empty() => Self::IfNoDriver,
            Some(value) if value == "0" => Self::Never,
            Some(_) => Self::Always,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn driver_error(code: i32) -> Error {
        let (name, description) = (String::new(), String::new());
        Error::Driver { operation: "Gpu::open", function: "cuInit", code, name, description }
    }

    // Case 74.
    #[test]
    fn a_stub_library_and_an_empty_machine_have_their_own_errors() {
        assert_eq!(explain(driver_error(34)), Error::StubDriver);
        assert_eq!(explain(driver_error(100)), Error::NoDevice { ordinal: 0, available: 0 });
        assert_eq!(explain(driver_error(999)), driver_error(999));
        assert!(Error::StubDriver.to_string().contains("LD_LIBRARY_PATH"));
    }
}
