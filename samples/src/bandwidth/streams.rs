//! The stream of each contender.

use std::error::Error;

use interop_core::{CudaBuffer, DType, Gpu};

use super::driver::Driver;
use super::host::device_array;
use super::series::Implementation;

/// Bytes of the array that warms a stream.
const LITTLE: usize = 4 << 10;

/// Ours, and the default stream, where the driver's calls run. Neither waits for the other.
pub struct Streams<'a> {
    gpu: &'a Gpu,
    pub driver: &'a Driver,
    little: CudaBuffer,
}

impl<'a> Streams<'a> {
    pub fn new(gpu: &'a Gpu, driver: &'a Driver) -> Result<Self, Box<dyn Error>> {
        Ok(Self { gpu, driver, little: device_array(gpu, &[LITTLE], DType::U8)? })
    }

    /// Work on the stream of a contender, done when this returns. The device starts sooner on a stream that it just
    /// worked on: without this, what cleared the target would give its own stream a lead of microseconds.
    pub fn warm(&mut self, by: Implementation) -> Result<(), Box<dyn Error>> {
        match by {
            Implementation::InteropCore => {
                self.little.fill(0u8)?;
                Ok(self.gpu.synchronize()?)
            }
            Implementation::Driver => Ok(self.driver.clear(&mut self.little)?),
        }
    }

    /// The driver's calls, behind all that is queued on our stream.
    pub fn driver_after_ours(&self) -> Result<&'a Driver, Box<dyn Error>> {
        self.gpu.synchronize()?;
        Ok(self.driver)
    }
}
