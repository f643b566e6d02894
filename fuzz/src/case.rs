//! [`Case`]: one copy or fill, as a seed describes it.

use std::fmt;

use interop_core::{DType, Layout};

use crate::placement::{Placement, Role, WINDOW};
use crate::random::Random;
use crate::shape::{random_shape, tiled_shape};

/// One case in so many is a transposed array of whole tiles: by chance hardly any small one would have them.
const TILED_ONE_IN: usize = 40;
/// No row of a tensor is padded by so many bytes.
const LARGEST_PADDING: usize = 64;

/// One copy: from where to where.
#[derive(Debug)]
pub struct Case {
    pub(crate) seed: u64,
    pub(crate) direction: Direction,
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    pub(crate) source: Side,
    pub(crate) target: Side,
    /// Both sides lie in one window on the device, where they may share bytes.
    pub(crate) is_shared: bool,
    /// The host side lies in page-locked memory.
    pub(crate) is_pinned: bool,
    /// Chooses among the devices, however many there are.
    pub(crate) device: usize,
    /// Chooses the bytes.
    pub(crate) noise: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    ToDevice,
    ToHost,
    WithinDevice,
    /// No copy but a fill: the source is one element on the host.
    Fill,
}

#[derive(Debug)]
pub enum Side {
    Strided(Placement),
    /// A slice, which only the host has.
    Flat(Placement),
    /// The library's own padding, which only the device has.
    Tensor(Option<Layout>),
}

impl Case {
    /// The case that a seed stands for.
    pub fn from_seed(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let direction = match random.below(10) {
            0..3 => Direction::ToDevice,
            3..6 => Direction::ToHost,
            6..9 => Direction::WithinDevice,
            _ => Direction::Fill,
        };
        let dtypes: Vec<DType> = DType::all().collect();
        let dtype = dtypes[random.below(dtypes.len())];
        let is_tiled = random.one_in(TILED_ONE_IN);
        let make_shape = if is_tiled { tiled_shape } else { random_shape };
        let shape = make_shape(&mut random, dtype.size());
        let mut side = |role, is_host| match is_tiled {
            true => Side::Strided(Placement::crossed(&mut random, &shape, dtype, role)),
            false => Side::random(&mut random, &shape, dtype, role, is_host),
        };
        let mut source = side(Role::Source, direction == Direction::ToDevice);
        let mut target = side(Role::Target, direction == Direction::ToHost);
        if direction == Direction::Fill {
            source = Side::Strided(Placement::one_element(&mut random, &shape, dtype));
        }
        let is_shared = direction == Direction::WithinDevice
            && random.one_in(3)
            && share_window(&mut random, &mut source, &mut target, dtype);
        let (is_pinned, noise, device) = (random.one_in(4), random.next(), random.below(1 << 20));
        Self { seed, direction, dtype, shape, source, target, is_shared, is_pinned, device, noise }
    }
}

impl Side {
    fn random(random: &mut Random, shape: &[usize], dtype: DType, role: Role, is_host: bool) -> Self {
        match random.below(6) {
            0 if is_host => Self::Flat(Placement::packed(random, shape, dtype)),
            0 if fits_as_tensor(shape, dtype) => Self::Tensor(random_layout(random, shape.len())),
            1 => Self::Strided(Placement::packed(random, shape, dtype)),
            _ => Self::Strided(Placement::random(random, shape, dtype, role)),
        }
    }

    /// Where the elements lie, of a side that is no tensor: the library says where those of a tensor do.
    pub fn placement(&self) -> &Placement {
        match self {
            Self::Strided(placement) | Self::Flat(placement) => placement,
            Self::Tensor(_) => unreachable!("the host has no tensors"),
        }
    }
}

/// Whether a tensor of this shape has axes, and fits a window however its rows are padded.
fn fits_as_tensor(shape: &[usize], dtype: DType) -> bool {
    let Some((&row, outer)) = shape.split_last() else { return false };
    outer.iter().product::<usize>() * (row * dtype.size() + LARGEST_PADDING) <= WINDOW
}

fn random_layout(random: &mut Random, rank: usize) -> Option<Layout> {
    let layouts: &[Layout] = match rank {
        1 => &[Layout::W],
        2 => &[Layout::HW, Layout::WC, Layout::NW],
        3 => &[Layout::HWC, Layout::CHW, Layout::NHW],
        4 => &[Layout::NHWC, Layout::NCHW],
        _ => &[],
    };
    layouts.get(random.below(layouts.len() + 1)).copied()
}

/// Puts both sides into one window, the source moved by a little; false where that cannot be.
fn share_window(random: &mut Random, source: &mut Side, target: &mut Side, dtype: DType) -> bool {
    let (Side::Strided(source), Side::Strided(target)) = (source, target) else { return false };
    let moved = dtype.alignment() * random.below(100);
    let bytes = target.bytes.max(source.bytes + moved);
    if bytes > WINDOW {
        return false;
    }
    source.offset += moved;
    (source.bytes, target.bytes) = (bytes, bytes);
    true
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = match self.direction {
            Direction::ToDevice => ("host", "device"),
            Direction::ToHost => ("device", "host"),
            Direction::WithinDevice => ("device", "device"),
            Direction::Fill => ("value", "device"),
        };
        let Self { seed, dtype, shape, source, target, .. } = self;
        write!(f, "seed {seed}: {dtype} {shape:?}, {from} {source} to {to} {target}")?;
        if self.is_shared {
            f.write_str(", in one window")?;
        }
        if self.is_pinned && self.direction != Direction::WithinDevice {
            f.write_str(", pinned")?;
        }
        Ok(())
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Strided(Placement { offset, strides, .. }) => write!(f, "strides {strides:?} at {offset}"),
            Self::Flat(Placement { offset, .. }) => write!(f, "slice at {offset}"),
            Self::Tensor(Some(layout)) => write!(f, "tensor {layout}"),
            Self::Tensor(None) => f.write_str("tensor without layout"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::LINE;

    /// Whether the sides nest otherwise, with room for a square of a cache line's elements.
    fn has_tiles(case: &Case) -> bool {
        let (Side::Strided(source), Side::Strided(target)) = (&case.source, &case.target) else {
            return false;
        };
        let closest = |strides: &[isize]| (0..strides.len()).min_by_key(|&axis| strides[axis].unsigned_abs());
        let (Some(from), Some(to)) = (closest(&source.strides), closest(&target.strides)) else {
            return false;
        };
        let edge = LINE / case.dtype.size();
        from != to && case.shape[from] >= 2 * edge && case.shape[to] >= 2 * edge
    }

    #[test]
    fn the_first_seeds_have_whole_tiles_of_all_sizes_in_both_directions() {
        let cases: Vec<Case> = (0..20_000).map(Case::from_seed).filter(has_tiles).collect();
        for direction in [Direction::ToDevice, Direction::ToHost] {
            for size in [1, 2, 4, 8] {
                let of_them = |case: &&Case| case.direction == direction && case.dtype.size() == size;
                assert!(cases.iter().filter(of_them).count() >= 5, "{direction:?}, {size} bytes");
            }
        }
    }
}
