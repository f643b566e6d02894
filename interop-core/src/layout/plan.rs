//! [`CopyPlan`]: a strided copy as a few 1-D, 2-D or 3-D block copies.

use super::axes::{Axes, Axis, offsets};

/// The largest pitch of a 2-D or 3-D copy, in bytes: `CU_DEVICE_ATTRIBUTE_MAX_PITCH` of every device.
const MAX_PITCH: isize = i32::MAX as isize;

/// A copy of all elements of one strided array to another of the same shape.
///
/// For each step along `outer` there is one block of `slices` x `rows` x `width` contiguous bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CopyPlan {
    /// Byte offset of the first block from the source's first element.
    pub source_start: isize,
    /// Byte offset of the first block from the target's first element.
    pub target_start: isize,
    /// What one block copy cannot cover, outermost first.
    pub outer: Vec<Axis>,
    pub slices: Axis,
    pub rows: Axis,
    /// Contiguous bytes on both sides.
    pub width: usize,
}

impl CopyPlan {
    /// Plans the copy of a non-empty array of `shape`; strides in bytes. The target's elements lie apart.
    pub fn new(shape: &[usize], source: &[isize], target: &[isize], itemsize: usize) -> Self {
        let mut all = Axes::new(shape, source, target);
        let width = all.take_run(itemsize);
        let Axes { source_start, target_start, mut axes } = all;
        let (rows, slices) = take_block(&mut axes, width);
        Self { source_start, target_start, outer: axes, slices, rows, width }
    }

    /// The number of block copies.
    pub fn blocks(&self) -> usize {
        self.outer.iter().map(|axis| axis.len).product()
    }

    /// Bytes of each block.
    pub fn block_bytes(&self) -> usize {
        self.width * self.rows.len * self.slices.len
    }

    /// The number of contiguous runs that the block copies are made of.
    pub fn runs(&self) -> usize {
        self.blocks() * self.rows.len * self.slices.len
    }

    /// The rows of the source, if they are all there is and the target is one run of bytes: from where on, and how they
    /// go to it.
    pub fn rows_to_run(&self) -> Option<(isize, Axis)> {
        let is_all = self.outer.is_empty() && self.slices.len == 1 && self.target_start == 0;
        (is_all && self.rows.target == self.width as isize).then_some((self.source_start, self.rows))
    }

    /// The byte offsets of each block on both sides, in order.
    pub fn offsets(&self) -> impl Iterator<Item = (isize, isize)> + '_ {
        offsets(&self.outer, (self.source_start, self.target_start))
    }
}

/// Takes the two axes that make the largest block copy: its rows and its slices. Any axes may serve, not only
/// the innermost.
fn take_block(axes: &mut Vec<Axis>, width: usize) -> (Axis, Axis) {
    let rows = axes.iter().enumerate().filter(|(_, rows)| is_row(rows, width));
    let pairs = rows.flat_map(|(row, rows)| {
        let fits = |axis: &Axis| {
            is_slice(axis.source, rows.source, rows.len) && is_slice(axis.target, rows.target, rows.len)
        };
        let slices = axes.iter().enumerate().filter(move |(slice, axis)| *slice != row && fits(axis));
        let alone = (rows.len, row, None);
        slices.map(|(slice, axis)| (rows.len * axis.len, row, Some(slice))).chain([alone]).collect::<Vec<_>>()
    });
    let Some((_, row, slice)) = pairs.max_by_key(|(runs, row, _)| (*runs, *row)) else {
        return (Axis::ONE, Axis::ONE);
    };
    let (rows, slices) = (axes[row], slice.map_or(Axis::ONE, |slice| axes[slice]));
    let mut index = 0;
    axes.retain(|_| {
        let kept = index != row && Some(index) != slice;
        index += 1;
        kept
    });
    (rows, slices)
}

fn is_row(axis: &Axis, width: usize) -> bool {
    is_pitch(axis.source, width) && is_pitch(axis.target, width)
}

fn is_pitch(stride: isize, width: usize) -> bool {
    stride >= width as isize && stride <= MAX_PITCH
}

/// A 3-D copy counts slices in whole rows.
fn is_slice(stride: isize, pitch: isize, rows: usize) -> bool {
    stride > 0 && stride % pitch == 0 && stride / pitch >= rows as isize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_to_packed_is_one_run() {
        let plan = CopyPlan::new(&[10, 10, 3], &[30, 3, 1], &[30, 3, 1], 1);
        assert_eq!((plan.width, plan.rows, plan.blocks()), (300, Axis::ONE, 1));
    }

    #[test]
    fn padded_rows_are_one_2d_copy() {
        let plan = CopyPlan::new(&[10, 10, 3], &[30, 3, 1], &[32, 3, 1], 1);
        assert_eq!((plan.width, plan.rows), (30, Axis { len: 10, source: 30, target: 32 }));
        assert_eq!((plan.slices, plan.blocks()), (Axis::ONE, 1));
    }

    #[test]
    fn padded_pixels_and_images_are_one_3d_copy() {
        let plan = CopyPlan::new(&[4, 10, 10, 3], &[300, 30, 3, 1], &[3840, 384, 32, 1], 1);
        // Images and rows continue each other on both sides: 40 slices of 10 pixels of 3 bytes.
        assert_eq!((plan.width, plan.rows.len, plan.slices.len, plan.blocks()), (3, 10, 40, 1));
        let plan = CopyPlan::new(&[4, 10, 30], &[300, 30, 1], &[640, 32, 1], 1);
        assert_eq!((plan.width, plan.rows.len, plan.slices.len, plan.blocks()), (30, 10, 4, 1));
    }

    #[test]
    fn the_same_order_on_both_sides_is_one_run_whatever_it_is() {
        let plan = CopyPlan::new(&[5, 7], &[4, 20], &[4, 20], 4);
        assert_eq!((plan.width, plan.blocks()), (140, 1));
        let plan = CopyPlan::new(&[5, 7], &[-28, -4], &[-28, -4], 4);
        assert_eq!((plan.width, plan.source_start, plan.target_start), (140, -136, -136));
    }

    #[test]
    fn what_no_block_copy_covers_is_a_loop() {
        // A slice stride that is no whole number of rows.
        let plan = CopyPlan::new(&[3, 4, 8], &[33, 8, 1], &[32, 8, 1], 1);
        assert_eq!(
            (plan.width, plan.rows, plan.outer.len()),
            (32, Axis { len: 3, source: 33, target: 32 }, 0)
        );
        let plan = CopyPlan::new(&[3, 4, 8], &[45, 11, 1], &[32, 8, 1], 1);
        assert_eq!((plan.width, plan.rows.len, plan.blocks()), (8, 4, 3));
        // A broadcast source has no pitch.
        let plan = CopyPlan::new(&[6, 8], &[0, 1], &[8, 1], 1);
        assert_eq!((plan.width, plan.rows, plan.blocks()), (8, Axis::ONE, 6));
    }

    #[test]
    fn permuted_axes_are_as_few_copies_as_the_hardware_allows() {
        // NCHW seen as NHWC, to packed NHWC: a 2-D copy of single elements for each channel.
        let plan = CopyPlan::new(&[512, 512, 3], &[2048, 4, 1 << 20], &[6144, 12, 4], 4);
        assert_eq!((plan.width, plan.rows.len, plan.blocks()), (4, 512 * 512, 3));
        // And back.
        let plan = CopyPlan::new(&[3, 512, 512], &[4, 6144, 12], &[1 << 20, 2048, 4], 4);
        assert_eq!((plan.width, plan.rows.len, plan.blocks()), (4, 512 * 512, 3));
        // A column, broadcast: one copy for each column of the result, not for each element.
        let plan = CopyPlan::new(&[1000, 1000], &[4, 0], &[4000, 4], 4);
        assert_eq!((plan.width, plan.rows.len, plan.blocks()), (4, 1000, 1000));
        let plan = CopyPlan::new(&[1000, 1000], &[0, 4], &[4000, 4], 4);
        assert_eq!((plan.width, plan.blocks()), (4000, 1000));
    }

    #[test]
    fn a_pitch_above_the_hardware_limit_is_a_loop() {
        let plan = CopyPlan::new(&[2, 8], &[1 << 32, 1], &[8, 1], 1);
        assert_eq!((plan.rows, plan.blocks()), (Axis::ONE, 2));
    }

    #[test]
    fn offsets_visit_every_block_once() {
        let plan = CopyPlan::new(&[2, 3, 2], &[1000, -100, 7], &[6, 2, 1], 1);
        let offsets: Vec<_> = plan.offsets().collect();
        assert_eq!(offsets.len(), plan.blocks());
        let expected: Vec<_> = match plan.rows {
            Axis::ONE => unreachable!("7 and 1 are pitches of one byte"),
            _ => (0..2).flat_map(|i| (0..3).map(move |j| (i * 1000 - j * 100, i * 6 + j * 2))).collect(),
        };
        assert_eq!(offsets, expected);
    }
}
