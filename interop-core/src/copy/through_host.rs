//! Copies within the device by way of the host, where the device would make them in too many pieces: it copies rows
//! forward only, and a broadcast or reversed array has none that are both long and apart.

use super::execute::{device_to_host, host_to_device, plan};
use super::host::{HostView, HostViewMut};
use super::staging::Staging;
use crate::Result;
use crate::interface::CudaView;
use crate::layout::{CopyPlan, StridedLayout};

/// So many block copies take half a millisecond to queue, which is longer than the way through the host takes, as long
/// as they are no larger than this, in bytes.
const MANY_BLOCKS: usize = 256;
const SMALL_BLOCK: usize = 4 << 10;

/// Whether the copy of a non-empty array to another of its shape is faster so.
pub(super) fn is_faster(source: &CudaView, target: &CudaView) -> bool {
    let (from, to) = (source.interface().layout(), target.interface().layout());
    let is_run = from.is_c_contiguous() && to.is_c_contiguous();
    !is_run && !to.is_empty() && is_in_pieces(&plan(to, from.strides(), to.strides()))
}

fn is_in_pieces(plan: &CopyPlan) -> bool {
    plan.blocks() > MANY_BLOCKS && plan.width * plan.rows.len * plan.slices.len <= SMALL_BLOCK
}

/// Copies an array to another of the same shape and type, which may share bytes. Complete on return.
pub(super) fn copy(operation: &'static str, source: &CudaView, target: &CudaView) -> Result<()> {
    // What is queued on the target's stream may write the source, too: another handle may describe its memory.
    // SAFETY: the view keeps the device, and so its stream.
    unsafe { source.gpu().queue().wait_for(operation, target.gpu().stream()) }?;
    let (dtype, layout) = (source.dtype(), target.interface().layout());
    let packed = StridedLayout::packed(layout.shape(), layout.itemsize())?;
    let mut staging = Staging::new(operation, packed.size_bytes())?;
    let first = staging.start();
    // SAFETY: the staging has room for all elements, packed, and is this function's own. No Rust value is made of them:
    // bytes of booleans go on to the device as they are.
    let host = unsafe { HostViewMut::from_raw_parts(first, dtype, packed.clone()) };
    device_to_host(operation, source, host)?;
    // SAFETY: as above; the download wrote all elements, and nobody writes them now.
    let host = unsafe { HostView::from_raw_parts(first, dtype, packed) };
    host_to_device(operation, &host, target)?;
    target.gpu().queue().wait_for_copies(operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in_pieces_between(shape: &[usize], source: &[isize], target: &[isize], itemsize: usize) -> bool {
        is_in_pieces(&CopyPlan::new(shape, source, target, itemsize))
    }

    #[test]
    fn many_small_pieces_go_through_the_host() {
        // Reversed, and one element or row for all.
        assert!(is_in_pieces_between(&[1 << 17], &[-1], &[1], 1));
        assert!(is_in_pieces_between(&[1 << 17], &[0], &[4], 4));
        assert!(is_in_pieces_between(&[1000, 100], &[0, 4], &[400, 4], 4));
        // Each channel of an image in one block, a few pieces, large ones.
        assert!(!is_in_pieces_between(&[512, 512, 3], &[2048, 4, 1 << 20], &[6144, 12, 4], 4));
        assert!(!is_in_pieces_between(&[100], &[-1], &[1], 1));
        assert!(!is_in_pieces_between(&[1000, 10_000], &[-10_000, 1], &[10_000, 1], 1));
    }
}
