//! [`Cut`]: a copy cut into blocks, each of which fits a piece of pinned memory.

use crate::copy::direction::Direction;
use crate::copy::streaming::LINE;
use crate::layout::{Axes, Axis, CopyPlan, offsets};

/// The longest run on the device of a block whose host array nests its axes otherwise, in bytes: long enough
/// for the copy engine, short enough that a block spans long runs on the host, too.
const RUN: usize = 1024;
/// So many pieces of a block keep the threads busy, with those of the blocks beside it.
const ENOUGH: usize = 6;
/// A block has room for so many steps along the axis that it is a range of.
const FEWEST_RUNS: usize = 8;

/// A copy between a host and a device array as a list of blocks, outermost first in the device's memory. Of its axes,
/// the host is the source and the device the target, whichever way the bytes go.
#[derive(Debug)]
pub(super) struct Cut {
    regions: Vec<Region>,
    blocks: Vec<Block>,
    itemsize: usize,
    /// Bytes of all elements, and of those that blocks cover so far.
    total: usize,
    done: usize,
}

/// A part of the array that blocks are ranges of: they have all of `inner`, and so many steps along `split`.
#[derive(Debug)]
struct Region {
    split: Axis,
    inner: Vec<Axis>,
}

/// One block: where its first element lies, in bytes from the arrays' first elements, and its steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    region: usize,
    host: isize,
    device: isize,
    steps: usize,
}

/// A block or a part of one: where it lies, in bytes from the host array's first element and from the start of the
/// block's packed memory.
#[derive(Debug)]
pub(super) struct Piece {
    pub host: isize,
    pub packed: usize,
    pub shape: Shape,
}

/// How a piece moves: between its host elements and packed memory, and between that and the device.
#[derive(Debug)]
pub(super) struct Shape {
    pub lens: Vec<usize>,
    pub host: Vec<isize>,
    /// Strides in the packed memory; 0 where the device array is broadcast.
    pub packed: Vec<isize>,
    pub device: Vec<isize>,
}

/// How a block can be divided into pieces: along an axis, of so many units of so many steps.
struct Division {
    axis: usize,
    units: usize,
    unit: usize,
}

/// The sizes of blocks, in bytes: small ones first, so that the link starts early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub smallest: usize,
    pub largest: usize,
    /// Whether blocks get small again at the end, so that little remains to be done when the link is through.
    pub eases_out: bool,
    /// Where both sides are contiguous, blocks end at the multiples of this on the host instead.
    pub alignment: Option<usize>,
}

impl Cut {
    /// Of a non-empty copy; strides in bytes. `host_address` is that of the host's first element.
    pub fn new(
        shape: &[usize],
        host: &[isize],
        device: &[isize],
        itemsize: usize,
        sizes: Sizes,
        host_address: usize,
    ) -> Self {
        let Axes { source_start, target_start, axes } = Axes::new(shape, host, device);
        let total: usize = axes.iter().map(|axis| axis.len).product::<usize>() * itemsize;
        let mut cut = Self { regions: Vec::new(), blocks: Vec::new(), itemsize, total, done: 0 };
        for (axes, start) in tiled(axes, itemsize, sizes.largest, (source_start, target_start)) {
            cut.add(axes, start, host_address.wrapping_add_signed(start.0), sizes);
        }
        cut
    }

    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The most packed bytes of any block.
    pub fn largest(&self) -> usize {
        self.blocks.iter().map(|block| self.bytes(block)).max().unwrap_or(0)
    }

    /// Bytes of a block's elements, broadcast ones counted each time.
    pub fn bytes(&self, block: &Block) -> usize {
        let inner = self.regions[block.region].inner.iter().map(|axis| axis.len);
        block.steps * inner.product::<usize>() * self.itemsize
    }

    /// A block as one piece.
    pub fn whole(&self, block: &Block) -> Piece {
        Piece { host: block.host, packed: 0, shape: self.shape(block) }
    }

    /// In how many pieces of at least `smallest` bytes a block can be worked on, no more than `most`.
    pub fn parts(&self, block: &Block, smallest: usize, most: usize) -> usize {
        let wanted = (self.bytes(block) / smallest.max(1)).clamp(1, most.max(1));
        wanted.min(self.shape(block).division(wanted).units)
    }

    /// One of so many pieces of a block, as many as [`Cut::parts`] says: asked for these, `division` finds the same
    /// axis.
    pub fn part(&self, block: &Block, index: usize, of: usize) -> Piece {
        let mut shape = self.shape(block);
        let Division { axis, units, unit } = shape.division(of);
        let (from, end) = (units * index / of * unit, units * (index + 1) / of * unit);
        shape.lens[axis] = end.min(shape.lens[axis]) - from;
        Piece {
            host: block.host + shape.host[axis] * from as isize,
            packed: shape.packed[axis] as usize * from,
            shape,
        }
    }

    /// How a block moves.
    pub fn shape(&self, block: &Block) -> Shape {
        let region = &self.regions[block.region];
        let axes = std::iter::once(Axis { len: block.steps, ..region.split }).chain(region.inner.clone());
        let axes: Vec<Axis> = axes.collect();
        let mut packed = vec![0; axes.len()];
        let mut bytes = self.itemsize;
        for (stride, axis) in packed.iter_mut().zip(&axes).rev() {
            if axis.target != 0 || axis.len == 1 {
                *stride = bytes as isize;
                bytes *= axis.len;
            }
        }
        Shape {
            lens: axes.iter().map(|axis| axis.len).collect(),
            host: axes.iter().map(|axis| axis.source).collect(),
            device: axes.iter().map(|axis| axis.target).collect(),
            packed,
        }
    }

    /// Adds a region: all steps along the axes outside of the one that is split.
    fn add(&mut self, axes: Vec<Axis>, start: (isize, isize), host_address: usize, sizes: Sizes) {
        let bytes = |axes: &[Axis]| axes.iter().map(|axis| axis.len).product::<usize>() * self.itemsize;
        let (total, mut done) = (self.total, self.done);
        // The outermost axis whose steps are small beside a block.
        let position =
            (0..axes.len()).find(|&index| bytes(&axes[index + 1..]) <= sizes.largest / FEWEST_RUNS);
        let (outer, rest) = axes.split_at(position.unwrap_or(axes.len()));
        let (split, inner) = rest.split_first().unwrap_or((&Axis::ONE, &[]));
        let step = bytes(inner);
        let is_flat = outer.is_empty() && inner.is_empty() && split.source == self.itemsize as isize;
        for (host, device) in offsets(outer, start) {
            let mut at = 0;
            while at < split.len {
                let wanted = match sizes.alignment {
                    Some(alignment) if is_flat => alignment - (host_address + at * step) % alignment,
                    _ => sizes.next(done, total),
                };
                let steps = (wanted / step).clamp(1, split.len - at);
                self.blocks.push(Block {
                    region: self.regions.len(),
                    host: host + split.source * at as isize,
                    device: device + split.target * at as isize,
                    steps,
                });
                at += steps;
                done += steps * step;
            }
        }
        self.done = done;
        self.regions.push(Region { split: *split, inner: inner.to_vec() });
    }
}

impl Sizes {
    /// The size of the block after `done` of `total` bytes.
    fn next(&self, done: usize, total: usize) -> usize {
        // Each block is twice as large as the one before.
        let ramp = |distance: usize| {
            let doubled = (distance / self.smallest + 1).checked_next_power_of_two().unwrap_or(usize::MAX);
            self.smallest.saturating_mul(doubled)
        };
        let end = if self.eases_out { ramp(total.saturating_sub(done)) } else { self.largest };
        ramp(done).min(end).clamp(self.smallest, self.largest.max(self.smallest))
    }
}

impl Block {
    /// Bytes from the device array's first element to the block's.
    pub fn device(&self) -> isize {
        self.device
    }
}

impl Shape {
    /// For so many pieces: along the axis whose steps lie farthest apart on the host, so that each piece is as
    /// compact there as can be. But an axis of too few steps for [`ENOUGH`] of them would leave most threads idle:
    /// then along the one that makes the most. In units of at least a cache line of packed memory, so that pieces
    /// share few.
    fn division(&self, pieces: usize) -> Division {
        let along = |axis: usize| {
            let unit = LINE.div_ceil(self.packed[axis].unsigned_abs().clamp(1, LINE));
            Division { axis, units: self.lens[axis].div_ceil(unit), unit }
        };
        let apart = |axis: usize| if self.lens[axis] > 1 { self.host[axis].unsigned_abs() } else { 0 };
        let rank = |one: &Division| (one.units.min(pieces).min(ENOUGH), apart(one.axis));
        let better = |best: Division, other: Division| if rank(&other) > rank(&best) { other } else { best };
        (1..self.lens.len()).map(along).fold(along(0), better)
    }

    /// The block copies between packed memory and the device.
    pub fn transfer(&self, itemsize: usize, direction: Direction) -> CopyPlan {
        // Where the device array is broadcast, its one element moves once.
        let shape: Vec<usize> = self
            .lens
            .iter()
            .zip(&self.packed)
            .map(|(len, packed)| if *packed == 0 { 1 } else { *len })
            .collect();
        match direction {
            Direction::ToDevice => CopyPlan::new(&shape, &self.packed, &self.device, itemsize),
            Direction::ToHost => CopyPlan::new(&shape, &self.device, &self.packed, itemsize),
        }
    }
}

/// Where the host array nests its axes otherwise than the device array: parts whose runs on the device are
/// short, with the host's fastest axis around them.
fn tiled(
    axes: Vec<Axis>,
    itemsize: usize,
    largest: usize,
    start: (isize, isize),
) -> Vec<(Vec<Axis>, (isize, isize))> {
    let Some((run, fastest)) = crossing(&axes) else { return vec![(axes, start)] };
    let mut outer = axes_without(&axes, &[run, fastest]);
    let (run, fastest) = (axes[run], axes[fastest]);
    let width = (RUN.min(largest / FEWEST_RUNS) / itemsize).max(1).min(run.len);
    let (whole, rest) = (run.len / width, run.len % width);
    let after = |steps: usize| (run.source * steps as isize, run.target * steps as isize);
    let mut parts = Vec::new();
    if rest > 0 {
        let ((host, device), mut axes) = (after(whole * width), outer.clone());
        axes.extend([fastest, Axis { len: rest, ..run }]);
        parts.push((axes, (start.0 + host, start.1 + device)));
    }
    let (source, target) = after(width);
    outer.extend([Axis { len: whole, source, target }, fastest, Axis { len: width, ..run }]);
    parts.insert(0, (outer, start));
    parts
}

/// Whether the host array nests its axes otherwise than the device array: both are strides in bytes.
pub(super) fn is_crossed(shape: &[usize], host: &[isize], device: &[isize]) -> bool {
    crossing(&Axes::new(shape, host, device).axes).is_some()
}

/// The device's innermost axis and the host's, where they are not the same one.
fn crossing(axes: &[Axis]) -> Option<(usize, usize)> {
    let run = axes.len().checked_sub(1)?;
    let candidates = axes[..run].iter().enumerate().filter(|(_, axis)| axis.source != 0);
    let (fastest, axis) = candidates.min_by_key(|(_, axis)| axis.source.unsigned_abs())?;
    (axis.source.unsigned_abs() < axes[run].source.unsigned_abs()).then_some((run, fastest))
}

fn axes_without(axes: &[Axis], without: &[usize]) -> Vec<Axis> {
    let kept = axes.iter().enumerate().filter(|(index, _)| !without.contains(index));
    kept.map(|(_, axis)| *axis).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { smallest: 64, largest: 1024, eases_out: true, alignment: None };

    /// Every (host, device) offset pair that the blocks cover, part by part.
    fn covered(cut: &Cut, largest: usize, most_parts: usize) -> Vec<(isize, isize)> {
        let mut all = Vec::new();
        let parts = cut.blocks().iter().flat_map(|block| {
            assert!(cut.bytes(block) <= largest);
            let parts = cut.parts(block, 1, most_parts);
            (0..parts).map(move |index| (block, cut.part(block, index, parts)))
        });
        for (block, Piece { host, packed, shape }) in parts {
            let (whole, base) = (cut.shape(block), [block.host, block.device]);
            assert_eq!((&shape.packed, &shape.host), (&whole.packed, &whole.host));
            // What lies so far into the block on the host lies as far into it in packed memory, and on the device.
            let axis = (0..shape.lens.len()).find(|&axis| shape.lens[axis] != whole.lens[axis]).unwrap_or(0);
            let along = [(packed as isize, shape.packed[axis]), (host - base[0], shape.host[axis])];
            let steps = along.iter().find(|(_, stride)| *stride != 0).map_or(0, |(far, stride)| far / stride);
            assert!(along.iter().all(|(far, stride)| *far == steps * stride), "{along:?}");
            let device = base[1] + steps * shape.device[axis];
            let mut index = vec![0; shape.lens.len()];
            for _ in 0..shape.lens.iter().product::<usize>() {
                let dot = |strides: &[isize]| -> isize {
                    strides.iter().zip(&index).map(|(stride, index)| stride * *index as isize).sum()
                };
                all.push((host + dot(&shape.host), device + dot(&shape.device)));
                for (position, len) in index.iter_mut().zip(&shape.lens).rev() {
                    *position += 1;
                    if *position < *len {
                        break;
                    }
                    *position = 0;
                }
            }
        }
        all.sort_unstable();
        all
    }

    fn check(shape: &[usize], host: &[isize], device: &[isize], itemsize: usize, sizes: Sizes) {
        let cut = Cut::new(shape, host, device, itemsize, sizes, 4096);
        let flat = Cut::new(
            shape,
            host,
            device,
            itemsize,
            Sizes { smallest: 1 << 30, largest: 1 << 30, ..SIZES },
            0,
        );
        let Axes { source_start, target_start, mut axes } = Axes::new(shape, host, device);
        axes.retain(|axis| axis.len > 1);
        let mut expected = vec![(source_start, target_start)];
        for axis in axes {
            let steps = |(host, device): (isize, isize)| {
                (0..axis.len as isize)
                    .map(move |step| (host + axis.source * step, device + axis.target * step))
            };
            expected = expected.into_iter().flat_map(steps).collect();
        }
        expected.sort_unstable();
        for parts in [1, 3, 16] {
            assert_eq!(
                covered(&cut, sizes.largest, parts),
                expected,
                "{shape:?} {host:?} {device:?} in {parts} parts"
            );
            assert_eq!(covered(&flat, 1 << 30, parts), expected, "{shape:?} {host:?} {device:?}, one block");
        }
    }

    #[test]
    fn every_element_is_in_one_block() {
        check(&[10_000], &[1], &[1], 1, SIZES);
        check(&[10_000], &[1], &[1], 1, Sizes { alignment: Some(256), ..SIZES });
        check(&[100, 30], &[33, 1], &[32, 1], 1, SIZES);
        check(&[70, 90], &[4, 280], &[360, 4], 4, SIZES);
        check(&[5, 2000], &[2000, 1], &[3000, 1], 1, SIZES);
        check(&[3, 40, 40], &[4, 480, 12], &[6400, 160, 4], 4, SIZES);
        check(&[40, 40, 3], &[160, 4, 6400], &[480, 12, 4], 4, SIZES);
        check(&[7, 11, 13], &[-1, 91, -7], &[143, 13, 1], 1, SIZES);
        check(&[50, 50], &[0, 1], &[50, 1], 1, SIZES);
        check(&[50, 50], &[50, 1], &[0, 1], 1, SIZES);
        check(&[], &[], &[], 8, SIZES);
        check(&[1200, 700], &[1, 1200], &[700, 1], 1, SIZES);
    }

    #[test]
    fn crossed_is_what_nests_otherwise_on_both_sides() {
        let crossed = |host: &[isize]| is_crossed(&[20, 30], host, &[120, 4]);
        assert!(!crossed(&[120, 4]) && !crossed(&[128, 4]), "packed, padded rows");
        assert!(!crossed(&[-120, 4]) && !crossed(&[0, 4]), "reversed, broadcast rows");
        assert!(crossed(&[4, 80]) && crossed(&[4, -80]), "transposed, reversed too");
        // Planes on the host, pixels on the device.
        assert!(is_crossed(&[10, 12, 3], &[12, 1, 120], &[36, 3, 1]));
        assert!(!is_crossed(&[], &[], &[]) && !is_crossed(&[9], &[2], &[1]));
    }

    #[test]
    fn blocks_start_and_end_small() {
        let sizes = Sizes { smallest: 1 << 17, largest: 1 << 22, eases_out: true, alignment: None };
        let cut = Cut::new(&[1 << 28], &[1], &[1], 1, sizes, 0);
        let steps: Vec<usize> = cut.blocks().iter().map(|block| block.steps).collect();
        assert_eq!((steps[0], steps.iter().max()), (1 << 17, Some(&(1 << 22))));
        assert!(*steps.last().unwrap() <= 1 << 18, "{steps:?}");
        assert!(steps.len() < 200, "{} blocks", steps.len());

        let cut = Cut::new(&[1 << 28], &[1], &[1], 1, Sizes { eases_out: false, ..sizes }, 0);
        let steps: Vec<usize> = cut.blocks().iter().map(|block| block.steps).collect();
        assert_eq!((steps[0], steps[1], steps[steps.len() - 2]), (1 << 17, 1 << 18, 1 << 22));
    }

    #[test]
    fn a_block_of_two_planes_is_divided_within_them() {
        let sizes = Sizes { smallest: 1 << 20, largest: 4 << 20, ..SIZES };
        let cut = Cut::new(&[512, 512], &[4, 2048], &[2048, 4], 4, sizes, 0);
        let [block] = cut.blocks() else { panic!("{:?}", cut.blocks()) };
        let parts = cut.parts(block, 64 << 10, 12);
        assert_eq!((&cut.shape(block).lens[..], parts), (&[2, 512, 256][..], 12));
        // Rows of the host's array.
        assert_eq!(cut.part(block, 0, parts).shape.lens[..2], [2, 512]);
    }

    #[test]
    fn pieces_keep_their_runs_on_the_host_however_many_threads_there_are() {
        let sizes = Sizes { smallest: 4 << 20, largest: 4 << 20, ..SIZES };
        // The second has a narrow strip at its end, of 9 units.
        for (edge, most) in [(4096, 12), (4096, 17), (4096, 64), (5000, 12)] {
            let cut = Cut::new(&[edge, edge], &[4, 4 * edge as isize], &[4 * edge as isize, 4], 4, sizes, 0);
            for block in cut.blocks() {
                let (whole, parts) = (cut.shape(block), cut.parts(block, 64 << 10, most));
                let part = cut.part(block, 0, parts).shape;
                assert_eq!(part.lens[0], whole.lens[0], "{edge} {most}: {:?} of {:?}", part.lens, whole.lens);
            }
        }
    }

    #[test]
    fn blocks_end_at_multiples_of_the_alignment() {
        let sizes = Sizes { alignment: Some(1 << 21), ..SIZES };
        let cut = Cut::new(&[1 << 27], &[1], &[1], 1, sizes, (1 << 21) + 16);
        let (last, others) = cut.blocks().split_last().unwrap();
        for block in others {
            assert_eq!((16 + block.host as usize + block.steps) % (1 << 21), 0, "{block:?}");
        }
        assert_eq!(last.host as usize + last.steps, 1 << 27);
    }
}
