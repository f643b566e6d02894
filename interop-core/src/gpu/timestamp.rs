//! [`Timestamp`]: when the device got to a point of a stream.

use std::fmt;
use std::time::Duration;

use super::Gpu;
use crate::Result;
use crate::driver::Mark;

/// The time at which a device gets to a point of a stream: see [`Gpu::timestamp`].
///
/// On the simulated device it is a time of the host, which says nothing about a GPU.
pub struct Timestamp {
    mark: Mark,
    /// Keeps the stream, and says which device it is.
    gpu: Gpu,
}

impl Timestamp {
    pub(super) fn record(gpu: &Gpu) -> Result<Self> {
        let mark = Mark::record_time("Gpu::timestamp", gpu.context(), gpu.queue())?;
        Ok(Self { mark, gpu: gpu.clone() })
    }

    /// Waits on the host until the device got to both points, and returns the time between them: of the same
    /// lane or of two, to half a microsecond. Zero where this is the earlier one.
    ///
    /// # Errors
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch) for a time of another device, or
    /// [`Error::Driver`](crate::Error::Driver), also where earlier work failed.
    pub fn since(&self, earlier: &Self) -> Result<Duration> {
        const OPERATION: &str = "Timestamp::since";
        self.gpu.check_same_device(OPERATION, earlier.gpu.info().ordinal as i32)?;
        earlier.mark.wait(OPERATION)?;
        self.mark.wait(OPERATION)?;
        let milliseconds = self.mark.milliseconds_since(OPERATION, &earlier.mark)?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timestamp(on {:?})", self.gpu)
    }
}
