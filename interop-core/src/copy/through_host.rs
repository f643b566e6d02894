//! Copies within the device by way of the host, where the device would make them in too many pieces: it copies rows
//! forward only, and a broadcast or reversed array has none that are both long and apart.

use super::execute::{device_to_host, host_to_device};
use super::host::{HostView, HostViewMut};
use super::staging::Staging;
use crate::Result;
use crate::interface::CudaView;
use crate::layout::{CopyPlan, StridedLayout};

/// Each block copy takes 4 us, the way through the host 20 us and the time of its bytes: more blocks than these are
/// slower as long as they are no larger than this, in bytes. On an H200, `book/src/transfer-bandwidth.md` has more.
const MANY_BLOCKS: usize = 8;
const SMALL_BLOCK: usize = 16 << 10;
/// No more host memory is taken for a copy that needs none.
const MOST_BYTES: usize = 256 << 20;

/// Whether a copy within the device is faster so.
pub(super) fn is_faster(plan: &CopyPlan) -> bool {
    let (blocks, block) = (plan.blocks(), plan.block_bytes());
    blocks > MANY_BLOCKS && block <= SMALL_BLOCK && blocks.saturating_mul(block) <= MOST_BYTES
}

/// Copies a non-empty array to another of the same shape and type. Complete on return; false where there is no host
/// memory for it, and nothing was copied.
pub(super) fn copy(operation: &'static str, source: &CudaView, target: &CudaView) -> Result<bool> {
    let (dtype, layout) = (source.dtype(), target.interface().layout());
    let packed = StridedLayout::packed(layout.shape(), layout.itemsize())?;
    let Ok(mut staging) = Staging::new(operation, packed.size_bytes()) else { return Ok(false) };
    // What is queued on the target's stream may write the source, too: another handle may describe its memory.
    // SAFETY: the view keeps the device, and so its stream.
    unsafe { source.gpu().queue().wait_for(operation, target.gpu().stream()) }?;
    let first = staging.start();
    // SAFETY: the staging has room for all elements, packed, and is this function's own. No Rust value is made of them:
    // bytes of booleans go on to the device as they are.
    let host = unsafe { HostViewMut::from_raw_parts(first, dtype, packed.clone()) };
    device_to_host(operation, source, host)?;
    // SAFETY: as above; the download wrote all elements, and nobody writes them now.
    let host = unsafe { HostView::from_raw_parts(first, dtype, packed) };
    host_to_device(operation, &host, target)?;
    target.gpu().queue().wait_for_copies(operation).map(|()| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_faster_between(shape: &[usize], source: &[isize], target: &[isize], itemsize: usize) -> bool {
        is_faster(&CopyPlan::new(shape, source, target, itemsize))
    }

    #[test]
    fn many_small_pieces_go_through_the_host() {
        // Reversed, and one element or row for all.
        assert!(is_faster_between(&[1 << 17], &[-1], &[1], 1));
        assert!(is_faster_between(&[1 << 17], &[0], &[4], 4));
        assert!(is_faster_between(&[1000, 100], &[0, 4], &[400, 4], 4));
        // Each channel of an image in one block, a few pieces, large ones, and more than the host should hold.
        assert!(!is_faster_between(&[512, 512, 3], &[2048, 4, 1 << 20], &[6144, 12, 4], 4));
        assert!(!is_faster_between(&[8], &[-1], &[1], 1));
        assert!(!is_faster_between(&[1000, 20_000], &[-20_000, 1], &[20_000, 1], 1));
        assert!(!is_faster_between(&[1 << 30], &[-1], &[1], 1));
    }
}
