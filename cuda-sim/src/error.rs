//! Why the simulator could not be installed.

use std::error::Error;
use std::fmt;
use std::io;

/// Why the simulator could not be installed.
#[derive(Debug)]
#[non_exhaustive]
pub enum InstallError {
    /// There is no simulator for this operating system.
    Unsupported,
    /// The process already loaded a CUDA driver that is not the simulator, under this name.
    RealDriver(&'static str),
    /// The driver could not be put into an anonymous file.
    Memory(io::Error),
    /// The loader refused the driver.
    Load(libloading::Error),
    /// The loader took the driver, but `libcuda.so` is still something else.
    NotFound,
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot install the simulated CUDA driver: ")?;
        match self {
            Self::Unsupported => f.write_str("it exists for 64-bit Linux with the GNU C library only"),
            Self::RealDriver(name) => {
                write!(
                    f,
                    "this process already loaded another driver as `{name}`; install the simulator first"
                )
            }
            Self::Memory(error) => write!(f, "no anonymous file for it: {error}"),
            Self::Load(error) => write!(f, "the loader refused it (is /proc mounted?): {error}"),
            Self::NotFound => f.write_str("the loader does not find it under the name `libcuda.so`"),
        }
    }
}

impl Error for InstallError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Memory(error) => Some(error),
            Self::Load(error) => Some(error),
            Self::Unsupported | Self::RealDriver(_) | Self::NotFound => None,
        }
    }
}
