//! Copies from the device into a host array that is allocated for each copy. The allocation is timed, dropping the
//! array is not.

use std::error::Error;

use interop_core::{DType, Gpu};

use super::content::{Content, Extent, clear_pieces};
use super::download::Sources;
use super::driver::Driver;
use super::host::device_array;
use super::measure::{Bench, Turn};
use super::series::Implementation;
use super::shape::Shape;
use super::streams::Streams;

/// Two device arrays, and the host array of the last copy.
pub struct Fresh<'a> {
    streams: Streams<'a>,
    sources: Sources,
    next: Content,
    arrived: Vec<u8>,
}

impl<'a> Fresh<'a> {
    /// `scratch` is used here only.
    pub fn new(
        gpu: &'a Gpu,
        driver: &'a Driver,
        bytes: usize,
        scratch: &mut [u8],
    ) -> Result<Self, Box<dyn Error>> {
        let sources = Sources::new(driver, || device_array(gpu, &[bytes], DType::U8), scratch)?;
        Ok(Self { streams: Streams::new(gpu, driver)?, sources, next: Content::Even, arrived: Vec::new() })
    }
}

impl Bench for Fresh<'_> {
    fn bytes(&self) -> usize {
        self.sources.of(Content::Even).size_bytes()
    }

    fn prepare(&mut self, turn: Turn) -> Result<(), Box<dyn Error>> {
        self.next = turn.content;
        Ok(())
    }

    fn warm(&mut self, by: Implementation) -> Result<(), Box<dyn Error>> {
        self.streams.warm(by)
    }

    fn copy(&mut self, by: Implementation) -> Result<(), Box<dyn Error>> {
        let source = self.sources.of(self.next);
        self.arrived = match by {
            Implementation::InteropCore => source.to_vec::<u8>()?,
            Implementation::Driver => self.streams.driver.download_new(source)?,
        };
        Ok(())
    }

    fn check(&mut self, turn: Turn) -> Result<(), Box<dyn Error>> {
        let shape = Shape::packed(self.bytes());
        let mut arrived = std::mem::take(&mut self.arrived);
        if arrived.len() != shape.host_bytes() {
            return Err(format!("expected {} bytes, {} arrived", shape.host_bytes(), arrived.len()).into());
        }
        match turn.extent {
            Extent::Whole => {
                turn.content.check(&arrived, &shape)?;
                arrived.fill(0);
            }
            Extent::Spread => {
                turn.content.check_pieces(&arrived, &shape)?;
                clear_pieces(&mut arrived, &shape);
            }
        }
        // Without this the compiler may see that nobody reads the zeroes.
        std::hint::black_box(&arrived);
        Ok(())
    }
}
