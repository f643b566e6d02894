//! Copies from the host to the device.

use std::error::Error;

use interop_core::{CudaBuffer, Gpu};

use super::content::{Content, Extent, PIECE, PIECES, pieces};
use super::driver::{Driver, Rows};
use super::host::{Host, HostKind};
use super::measure::{Bench, Turn};
use super::series::Implementation;
use super::shape::Shape;
use super::streams::Streams;

/// One host array, one device array.
pub struct Upload<'a> {
    streams: Streams<'a>,
    host: Host,
    device: CudaBuffer,
    scratch: &'a mut [u8],
}

impl<'a> Upload<'a> {
    /// `scratch` holds what is read back.
    pub fn new(
        gpu: &'a Gpu,
        driver: &'a Driver,
        kind: HostKind,
        bytes: usize,
        scratch: &'a mut [u8],
    ) -> Result<Self, Box<dyn Error>> {
        let mut host = Host::new(gpu, kind, bytes)?;
        let device = host.device(gpu)?;
        let shape = host.shape();
        Content::Even.fill(host.bytes_mut(), &shape);
        Ok(Self { streams: Streams::new(gpu, driver)?, host, device, scratch })
    }
}

impl Bench for Upload<'_> {
    fn bytes(&self) -> usize {
        self.device.size_bytes()
    }

    /// The host array is written for each copy, also where its content stays: each contender then finds it in the
    /// same caches.
    fn prepare(&mut self, turn: Turn) -> Result<(), Box<dyn Error>> {
        let shape = self.host.shape();
        match turn.extent {
            Extent::Whole => turn.content.fill(self.host.bytes_mut(), &shape),
            Extent::Spread => turn.content.fill_pieces(self.host.bytes_mut(), &shape),
        }
        Ok(self.streams.driver.clear(&mut self.device)?)
    }

    fn warm(&mut self, by: Implementation) -> Result<(), Box<dyn Error>> {
        self.streams.warm(by)
    }

    fn copy(&mut self, by: Implementation) -> Result<(), Box<dyn Error>> {
        match by {
            Implementation::InteropCore => self.host.upload(&mut self.device),
            Implementation::Driver => self.host.upload_by(self.streams.driver, &mut self.device),
        }
    }

    fn check(&mut self, turn: Turn) -> Result<(), Box<dyn Error>> {
        check_device(self.streams.driver_after_ours()?, &self.device, self.scratch, turn)
    }
}

/// Reads a device array back, whole or its pieces, and compares it.
pub fn check_device(
    driver: &Driver,
    device: &CudaBuffer,
    scratch: &mut [u8],
    turn: Turn,
) -> Result<(), Box<dyn Error>> {
    let bytes = device.size_bytes();
    match turn.extent {
        Extent::Whole => {
            let seen = &mut scratch[..bytes];
            driver.download(device, seen)?;
            turn.content.check(seen, &Shape::packed(bytes))
        }
        Extent::Spread => {
            let rows = Rows { width: PIECE, pitch: PIECE, count: PIECES };
            let seen = &mut scratch[..PIECES * PIECE];
            driver.download_pieces(device, pieces(bytes), rows, seen)?;
            turn.content.check_gathered(seen, bytes)
        }
    }
}
