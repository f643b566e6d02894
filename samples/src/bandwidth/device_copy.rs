//! Copies within the device.

use std::error::Error;

use interop_core::{CudaBuffer, DType, Gpu, cuda_memcpy_d2d};

use super::content::Content;
use super::download::Sources;
use super::driver::Driver;
use super::host::device_array;
use super::measure::{Bench, Turn};
use super::series::Implementation;
use super::streams::Streams;
use super::upload::check_device;

/// Two device arrays to copy from, one to copy to.
pub struct DeviceCopy<'a> {
    streams: Streams<'a>,
    sources: Sources,
    target: CudaBuffer,
    next: Content,
    scratch: &'a mut [u8],
}

impl<'a> DeviceCopy<'a> {
    /// `scratch` holds what is read back.
    pub fn new(
        gpu: &'a Gpu,
        driver: &'a Driver,
        bytes: usize,
        scratch: &'a mut [u8],
    ) -> Result<Self, Box<dyn Error>> {
        let array = || device_array(gpu, &[bytes], DType::U8);
        let sources = Sources::new(driver, array, scratch)?;
        Ok(Self {
            streams: Streams::new(gpu, driver)?,
            sources,
            target: array()?,
            next: Content::Even,
            scratch,
        })
    }
}

impl Bench for DeviceCopy<'_> {
    fn bytes(&self) -> usize {
        self.target.size_bytes()
    }

    fn prepare(&mut self, turn: Turn) -> Result<(), Box<dyn Error>> {
        self.next = turn.content;
        Ok(self.streams.driver.clear(&mut self.target)?)
    }

    fn warm(&mut self, by: Implementation) -> Result<(), Box<dyn Error>> {
        self.streams.warm(by)
    }

    fn copy(&mut self, by: Implementation) -> Result<(), Box<dyn Error>> {
        let source = self.sources.of(self.next);
        match by {
            Implementation::InteropCore => Ok(cuda_memcpy_d2d(source, &mut self.target)?),
            Implementation::Driver => Ok(self.streams.driver.across(source, &mut self.target)?),
        }
    }

    fn check(&mut self, turn: Turn) -> Result<(), Box<dyn Error>> {
        check_device(self.streams.driver_after_ours()?, &self.target, self.scratch, turn)
    }
}
