//! Copies from the device to the host.

use std::error::Error;

use interop_core::{CudaBuffer, Gpu};

use super::content::{Content, Extent, clear_pieces};
use super::driver::Driver;
use super::host::{Host, HostKind};
use super::measure::{Bench, Turn};
use super::series::Implementation;
use super::shape::Shape;
use super::streams::Streams;

/// A device array of either content.
pub struct Sources([CudaBuffer; 2]);

impl Sources {
    /// Fills arrays like `model`; `scratch` holds what is sent.
    pub fn new(
        driver: &Driver,
        mut model: impl FnMut() -> interop_core::Result<CudaBuffer>,
        scratch: &mut [u8],
    ) -> Result<Self, Box<dyn Error>> {
        let mut filled = |content: Content| -> Result<CudaBuffer, Box<dyn Error>> {
            let mut device = model()?;
            let bytes = device.size_bytes();
            content.fill(&mut scratch[..bytes], &Shape::packed(bytes));
            driver.upload(&scratch[..bytes], &mut device)?;
            // Behind the upload in the driver's stream, which ours does not wait for.
            driver.synchronize()?;
            Ok(device)
        };
        Ok(Self([filled(Content::Even)?, filled(Content::Odd)?]))
    }

    /// The array of a content.
    pub fn of(&self, content: Content) -> &CudaBuffer {
        &self.0[usize::from(content == Content::Odd)]
    }
}

/// Two device arrays, one host array.
pub struct Download<'a> {
    streams: Streams<'a>,
    host: Host,
    sources: Sources,
    next: Content,
}

impl<'a> Download<'a> {
    /// `scratch` is used here only.
    pub fn new(
        gpu: &'a Gpu,
        driver: &'a Driver,
        kind: HostKind,
        bytes: usize,
        scratch: &mut [u8],
    ) -> Result<Self, Box<dyn Error>> {
        let mut host = Host::new(gpu, kind, bytes)?;
        let sources = Sources::new(driver, || host.device(gpu), scratch)?;
        // Every page is touched before the first copy.
        let shape = host.shape();
        Content::Even.fill(host.bytes_mut(), &shape);
        Ok(Self { streams: Streams::new(gpu, driver)?, host, sources, next: Content::Even })
    }
}

impl Bench for Download<'_> {
    fn bytes(&self) -> usize {
        self.host.shape().device_bytes()
    }

    fn prepare(&mut self, turn: Turn) -> Result<(), Box<dyn Error>> {
        self.next = turn.content;
        let shape = self.host.shape();
        match turn.extent {
            Extent::Whole => self.host.bytes_mut().fill(0),
            Extent::Spread => clear_pieces(self.host.bytes_mut(), &shape),
        }
        Ok(())
    }

    fn warm(&mut self, by: Implementation) -> Result<(), Box<dyn Error>> {
        self.streams.warm(by)
    }

    fn copy(&mut self, by: Implementation) -> Result<(), Box<dyn Error>> {
        let source = self.sources.of(self.next);
        match by {
            Implementation::InteropCore => self.host.download(source),
            Implementation::Driver => self.host.download_by(self.streams.driver, source),
        }
    }

    fn check(&mut self, turn: Turn) -> Result<(), Box<dyn Error>> {
        match turn.extent {
            Extent::Whole => turn.content.check(self.host.bytes(), &self.host.shape()),
            Extent::Spread => turn.content.check_pieces(self.host.bytes(), &self.host.shape()),
        }
    }
}
