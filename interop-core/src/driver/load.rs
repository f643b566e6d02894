//! Which driver serves: the real one where there is one, the simulated one where it was asked for, or where
//! there is none and the feature `sim` is on.

use std::sync::Arc;

use cudarc::driver::sys;

use super::table::{Driver, code_of};
use crate::{Error, Result};

/// The oldest CUDA version whose driver interface this crate was written to.
const OLDEST: i32 = 12_000;

/// Finds the driver, resolves its functions and initialises it, for opening device `ordinal`.
pub(crate) fn load(ordinal: usize) -> Result<Arc<Driver>> {
    let simulated = choose()?;
    let driver = Driver::resolve(simulated)?;
    check_version(driver.version()?)?;
    // SAFETY: zero is the only flag there is.
    match unsafe { driver.cuInit("Gpu::open", 0) } {
        Ok(()) => Ok(Arc::new(driver)),
        Err(error) => Err(explain(error, ordinal)),
    }
}

fn check_version(version: i32) -> Result<()> {
    if version >= OLDEST {
        return Ok(());
    }
    Err(Error::DriverTooOld { found: major_and_minor(version), needed: major_and_minor(OLDEST) })
}

/// The driver writes 12.4 as 12040.
pub(crate) fn major_and_minor(version: i32) -> (u32, u32) {
    let version = version.unsigned_abs();
    (version / 1000, version % 1000 / 10)
}

fn explain(error: Error, ordinal: usize) -> Error {
    const STUB: i32 = sys::CUresult::CUDA_ERROR_STUB_LIBRARY as i32;
    const NONE: i32 = sys::CUresult::CUDA_ERROR_NO_DEVICE as i32;
    match code_of(&error) {
        Some(STUB) => Error::StubDriver,
        Some(NONE) => Error::NoDevice { ordinal, available: 0 },
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
    let simulate = match Request::from_environment()? {
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
    /// 1
    Always,
    /// Unset or empty.
    IfNoDriver,
}

#[cfg(feature = "sim")]
impl Request {
    fn from_environment() -> Result<Self> {
        let value = std::env::var_os("INTEROP_SIMULATE").unwrap_or_default();
        match value.to_str() {
            Some("") => Ok(Self::IfNoDriver),
            Some("0") => Ok(Self::Never),
            Some("1") => Ok(Self::Always),
            _ => Err(Error::Simulator { reason: format!("INTEROP_SIMULATE={}", value.display()) }),
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
        assert_eq!(explain(driver_error(34), 0), Error::StubDriver);
        assert_eq!(explain(driver_error(100), 3), Error::NoDevice { ordinal: 3, available: 0 });
        assert_eq!(explain(driver_error(999), 0), driver_error(999));
        assert!(Error::StubDriver.to_string().contains("LD_LIBRARY_PATH"));
    }

    #[test]
    fn a_driver_of_an_older_cuda_is_refused_with_both_versions() {
        let error = check_version(11_080).unwrap_err();
        assert_eq!(error, Error::DriverTooOld { found: (11, 8), needed: (12, 0) });
        assert_eq!(check_version(12_000), Ok(()));
        assert_eq!(major_and_minor(13_010), (13, 1));
    }
}
