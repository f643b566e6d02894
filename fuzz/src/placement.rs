//! [`Placement`]: where the elements of one side lie in a window of bytes.

use interop_core::DType;

use crate::random::Random;

/// The most bytes of a window.
pub const WINDOW: usize = 8 << 20;

/// Where elements lie: everything in bytes, from the first of the window on.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// The first element.
    pub offset: usize,
    /// From element to element along each axis.
    pub strides: Vec<isize>,
    /// The whole window, with some bytes around the elements.
    pub bytes: usize,
}

/// What a copy does with the elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Read: elements may share bytes.
    Source,
    /// Written: they may not.
    Target,
}

/// How the bytes between elements come about.
#[derive(Clone, Copy)]
enum Style {
    Packed,
    /// Gaps along one axis, as rows have that are padded.
    Padded {
        depth: usize,
    },
    /// A part of a larger array, with a step along each axis.
    Sliced,
    /// Any gaps, in which an outer axis may begin within the last gap of an inner one.
    Loose,
}

impl Placement {
    /// Packed in C order, as a slice is.
    pub fn packed(random: &mut Random, shape: &[usize], dtype: DType) -> Self {
        let order: Vec<usize> = (0..shape.len()).rev().collect();
        let strides = nested(random, shape, dtype, &order, Style::Packed);
        Self::around(random, shape, dtype, strides)
    }

    /// All elements are the same one.
    pub fn one_element(random: &mut Random, shape: &[usize], dtype: DType) -> Self {
        Self::around(random, shape, dtype, vec![0; shape.len()])
    }

    /// Any strides that a view of an array may have.
    pub fn random(random: &mut Random, shape: &[usize], dtype: DType, role: Role) -> Self {
        let (order, style) = (random_order(random, shape.len()), random_style(random, shape.len()));
        let mut strides = nested(random, shape, dtype, &order, style);
        if role == Role::Source {
            share_bytes(random, dtype, &mut strides);
        }
        flip(random, &mut strides);
        set_meaningless(random, shape, &mut strides);
        let placement = Self::around(random, shape, dtype, strides);
        if placement.bytes <= WINDOW { placement } else { Self::packed(random, shape, dtype) }
    }

    /// Runs along the first axis of a source and the last one of a target, perhaps with gaps between them: elements
    /// that lie side by side on the one side lie far apart on the other.
    pub fn crossed(random: &mut Random, shape: &[usize], dtype: DType, role: Role) -> Self {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if role == Role::Target {
            order.reverse();
        }
        let style = if random.one_in(2) { Style::Packed } else { Style::Padded { depth: 1 } };
        let strides = nested(random, shape, dtype, &order, style);
        Self::around(random, shape, dtype, strides)
    }

    /// A window around elements with these strides.
    fn around(random: &mut Random, shape: &[usize], dtype: DType, strides: Vec<isize>) -> Self {
        let (unit, itemsize) = (dtype.alignment(), dtype.size());
        let (mut below, mut above) = (0, itemsize);
        for (&len, &stride) in shape.iter().zip(&strides) {
            let reach = stride.unsigned_abs() * len.saturating_sub(1);
            if stride < 0 { below += reach } else { above += reach }
        }
        if shape.contains(&0) {
            (below, above) = (0, 0);
        }
        let offset = (64 + unit * random.below(16)) + below;
        Self { offset, strides, bytes: offset + above + 16 + random.below(80) }
    }
}

/// The axes from the innermost to the outermost: C order, Fortran order, or any.
fn random_order(random: &mut Random, rank: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).collect();
    match random.below(5) {
        0..2 => order.reverse(),
        2 => (),
        _ => random.shuffle(&mut order),
    }
    order
}

fn random_style(random: &mut Random, rank: usize) -> Style {
    match random.below(5) {
        0 => Style::Packed,
        1..3 => Style::Padded { depth: random.below(rank.max(1)) },
        3 => Style::Sliced,
        _ => Style::Loose,
    }
}

/// Strides where each axis steps over all that the axes before it in `order` reach.
fn nested(random: &mut Random, shape: &[usize], dtype: DType, order: &[usize], style: Style) -> Vec<isize> {
    let (unit, mut next) = (dtype.alignment(), dtype.size());
    let mut strides = vec![0; shape.len()];
    for (depth, &axis) in order.iter().enumerate() {
        let len = shape[axis].max(1);
        let (stride, end) = match style {
            Style::Padded { depth: padded } if padded == depth => {
                let stride = pad(random, next, unit);
                (stride, stride * len)
            }
            Style::Packed | Style::Padded { .. } => (next, next * len),
            Style::Sliced => {
                let step = 1 + random.below(3);
                (next * step, next * (len * step + random.below(3)))
            }
            Style::Loose => {
                let stride = next + unit * random.below(4);
                (stride, stride * (len - 1) + next)
            }
        };
        (strides[axis], next) = (stride as isize, end);
    }
    strides
}

fn pad(random: &mut Random, row: usize, unit: usize) -> usize {
    if random.one_in(2) { row.next_multiple_of(32 * unit) } else { row + unit * (1 + random.below(20)) }
}

/// Broadcasts along some axes, or lets elements overlap as those of a sliding window do.
fn share_bytes(random: &mut Random, dtype: DType, strides: &mut [isize]) {
    match random.below(10) {
        0..2 => strides.iter_mut().filter(|_| random.one_in(2)).for_each(|stride| *stride = 0),
        2 if !strides.is_empty() => {
            let axis = random.below(strides.len());
            strides[axis] = (dtype.alignment() * random.below(6)) as isize;
        }
        _ => (),
    }
}

fn flip(random: &mut Random, strides: &mut [isize]) {
    if random.one_in(3) {
        strides.iter_mut().filter(|_| random.one_in(2)).for_each(|stride| *stride = -*stride);
    }
}

/// The stride of an axis without a second element means nothing: any must do.
fn set_meaningless(random: &mut Random, shape: &[usize], strides: &mut [isize]) {
    for (_, stride) in shape.iter().zip(strides).filter(|(len, _)| **len < 2) {
        if random.one_in(3) {
            *stride = random.below(2001) as isize - 1000;
        }
    }
}
