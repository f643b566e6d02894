//! [`Fill`]: one block of equal words, 1-D or 2-D, queued on a stream.

use super::{Context, Stream};
use crate::Result;

/// What the driver repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    D8(u8),
    D16(u16),
    D32(u32),
}

/// `height` rows of `width` words, the first at `address`; `pitch` is the bytes from row to row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fill {
    pub word: Word,
    pub address: u64,
    pub pitch: usize,
    pub width: usize,
    pub height: usize,
}

impl Fill {
    /// Queues the fill on `stream`.
    ///
    /// # Safety
    /// Every word of the block is writable device memory, and stays so until the stream has passed the fill; it
    /// is reachable from `context`, which is current. The address is a multiple of the word's size; with more
    /// than one row, so is the pitch, which is not below a row's bytes.
    pub unsafe fn queue(&self, operation: &'static str, context: &Context, stream: &Stream) -> Result<()> {
        if self.height > 1 {
            // SAFETY: the caller's promise is that of the function.
            unsafe { self.queue_2d(operation, context, stream) }
        } else {
            // SAFETY: the caller's promise is that of the function.
            unsafe { self.queue_1d(operation, context, stream) }
        }
    }

    /// # Safety
    /// As [`Fill::queue`].
    unsafe fn queue_1d(&self, operation: &'static str, context: &Context, stream: &Stream) -> Result<()> {
        let Self { address, width, .. } = *self;
        let (driver, stream) = (context.driver(), stream.raw());
        match self.word {
            // SAFETY: the caller vouches for the words and their alignment.
            Word::D8(value) => unsafe { driver.cuMemsetD8Async(operation, address, value, width, stream) },
            // SAFETY: as above.
            Word::D16(value) => unsafe { driver.cuMemsetD16Async(operation, address, value, width, stream) },
            // SAFETY: as above.
            Word::D32(value) => unsafe { driver.cuMemsetD32Async(operation, address, value, width, stream) },
        }
    }

    /// # Safety
    /// As [`Fill::queue`].
    unsafe fn queue_2d(&self, operation: &'static str, context: &Context, stream: &Stream) -> Result<()> {
        let Self { address, pitch, width, height, .. } = *self;
        let (driver, stream) = (context.driver(), stream.raw());
        match self.word {
            Word::D8(value) => {
                // SAFETY: the caller vouches for the words of all rows, their alignment and the pitch.
                unsafe { driver.cuMemsetD2D8Async(operation, address, pitch, value, width, height, stream) }
            }
            Word::D16(value) => {
                // SAFETY: as above.
                unsafe { driver.cuMemsetD2D16Async(operation, address, pitch, value, width, height, stream) }
            }
            Word::D32(value) => {
                // SAFETY: as above.
                unsafe { driver.cuMemsetD2D32Async(operation, address, pitch, value, width, height, stream) }
            }
        }
    }
}
