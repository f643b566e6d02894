//! [`Window`]: the bytes of one side of a copy, on the host.

use interop_core::{Gpu, PinnedBuffer, Result};

use crate::placement::WINDOW;

/// The largest that an element must be aligned to.
const ALIGNMENT: usize = 16;

/// The bytes of one side: as they must be, and as they are.
pub struct Window {
    expected: Vec<u8>,
    ordinary: Vec<u8>,
    pinned: PinnedBuffer<u8>,
}

/// A part of a window, as long as a case needs it.
pub struct Bytes<'a> {
    /// What the reference makes of them.
    pub expected: &'a mut [u8],
    /// What the library makes of them: the host array itself, or what was read from the device.
    pub actual: &'a mut [u8],
}

impl Window {
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let pinned = PinnedBuffer::zeros(gpu, WINDOW)?;
        Ok(Self { expected: vec![0; WINDOW], ordinary: vec![0; WINDOW + ALIGNMENT], pinned })
    }

    /// So many bytes from the start, in page-locked memory or not. The actual ones are aligned for any element.
    pub fn first(&mut self, bytes: usize, is_pinned: bool) -> Bytes<'_> {
        let start = self.ordinary.as_ptr().align_offset(ALIGNMENT);
        let actual =
            if is_pinned { &mut self.pinned[..bytes] } else { &mut self.ordinary[start..start + bytes] };
        Bytes { expected: &mut self.expected[..bytes], actual }
    }
}
