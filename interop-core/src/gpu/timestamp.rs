//! [`Timestamp`]: when the device got to a point of a stream.

use std::fmt;
use std::time::Duration;

use super::Gpu;
use crate::Result;
use crate::driver::Event;

/// The time at which a device gets to a point of a stream: see [`Gpu::timestamp`].
///
/// On the simulated device it is a time of the host, which says nothing about a GPU.
pub struct Timestamp {
    event: Event,
    /// Keeps the stream, and says which device it is.
    gpu: Gpu,
}

impl Timestamp {
    pub(super) fn record(gpu: &Gpu) -> Result<Self> {
        let event = Event::timed_behind("Gpu::timestamp", gpu.context(), gpu.queue())?;
        Ok(Self { event, gpu: gpu.clone() })
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
        earlier.event.synchronize(OPERATION)?;
        self.event.synchronize(OPERATION)?;
        let milliseconds = self.event.milliseconds_since(OPERATION, &earlier.event)?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timestamp(on {:?})", self.gpu)
    }
}
