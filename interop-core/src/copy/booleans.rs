//! Downloads of booleans, of which Rust allows only 0 and 1.

use super::between::download;
use super::gather::copy_on_host;
use super::host::HostViewMut;
use super::streaming::Stores;
use crate::interface::CudaView;
use crate::layout::StridedLayout;
use crate::{Error, Result};

/// So many bytes are looked at at once.
const CHUNK: usize = 4096;

/// Copies an array of booleans to a host array that it fits: by way of new memory, so that all are looked at before one
/// reaches the host array.
pub(super) fn download_booleans(
    operation: &'static str,
    device: &CudaView,
    mut host: HostViewMut<'_>,
) -> Result<()> {
    let layout = host.fit(operation, device.interface())?;
    if layout.is_empty() {
        return Ok(());
    }
    let packed = StridedLayout::packed(layout.shape(), layout.itemsize());
    let packed = packed.map_err(|error| error.during(operation))?;
    let booleans = download::<bool>(operation, device)?;
    let (from, to) = ((booleans.as_ptr().cast(), packed.strides()), (host.first(), layout.strides()));
    // SAFETY: the view's elements can be written; the vector holds as many, packed in C order.
    unsafe { copy_on_host(from, to, layout.shape(), layout.itemsize(), Stores::Cached) };
    Ok(())
}

/// Fails where a byte is neither 0 nor 1.
pub(super) fn check_booleans(operation: &'static str, bytes: &[u8]) -> Result<()> {
    // Without a branch for each byte, which compilers turn into vector instructions.
    let has_others = |chunk: &[u8]| chunk.iter().fold(0, |all, byte| all | byte) > 1;
    let Some(chunk) = bytes.chunks(CHUNK).position(has_others) else { return Ok(()) };
    let mut rest = bytes.iter().enumerate().skip(chunk * CHUNK);
    match rest.find(|(_, byte)| **byte > 1) {
        Some((position, found)) => Err(Error::InvalidBool { operation, position, found: *found }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_that_is_no_boolean_is_named() {
        for position in [0, 1, CHUNK - 1, CHUNK, 3 * CHUNK + 7] {
            let mut bytes: Vec<u8> = (0..4 * CHUNK).map(|index| (index % 3 == 0).into()).collect();
            assert_eq!(check_booleans("test", &bytes), Ok(()));
            (bytes[position], bytes[4 * CHUNK - 1]) = (2, 255);
            let expected = Error::InvalidBool { operation: "test", position, found: 2 };
            assert_eq!(check_booleans("test", &bytes), Err(expected));
        }
        assert_eq!(check_booleans("test", &[]), Ok(()));
    }
}
