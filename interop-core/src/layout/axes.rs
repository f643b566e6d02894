//! [`Axis`]: one axis of a copy, and what makes few axes of many.

/// One axis of a copy: so many steps of so many bytes on each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub len: usize,
    pub source: isize,
    pub target: isize,
}

impl Axis {
    /// What an absent axis amounts to.
    pub const ONE: Axis = Axis { len: 1, source: 0, target: 0 };
}

/// The axes of a copy, none of length 1, outermost first as the target nests them, walked forward in the
/// target and merged where one continues another on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Axes {
    /// Byte offset of the first element to copy from the source's first element.
    pub source_start: isize,
    /// Byte offset of the first element to copy from the target's first element.
    pub target_start: isize,
    pub axes: Vec<Axis>,
}

impl Axes {
    /// Of a non-empty array of `shape`; strides in bytes.
    pub fn new(shape: &[usize], source: &[isize], target: &[isize]) -> Self {
        let axes = shape.iter().zip(source).zip(target);
        let mut axes: Vec<Axis> = axes
            .filter(|((len, _), _)| **len > 1)
            .map(|((&len, &source), &target)| Axis { len, source, target })
            .collect();
        let (source_start, target_start) = flip_backward_axes(&mut axes);
        axes.sort_by_key(|axis| std::cmp::Reverse((axis.target, axis.source)));
        merge_adjacent(&mut axes);
        Self { source_start, target_start, axes }
    }

    /// Takes the axis that is contiguous on both sides, if there is one; returns the bytes of a run.
    pub fn take_run(&mut self, itemsize: usize) -> usize {
        let item = itemsize as isize;
        match self.axes.iter().position(|axis| axis.source == item && axis.target == item) {
            Some(position) => self.axes.remove(position).len * itemsize,
            None => itemsize,
        }
    }
}

/// The byte offsets on both sides of every step along `axes`, the last axis fastest.
pub(crate) fn offsets(axes: &[Axis], start: (isize, isize)) -> impl Iterator<Item = (isize, isize)> + '_ {
    let mut index = vec![0; axes.len()];
    let mut next = Some(start);
    std::iter::from_fn(move || {
        let current = next?;
        next = advance(axes, &mut index, current);
        Some(current)
    })
}

/// Walks axes that go backward in the target forward instead; returns how far that moves both starts.
fn flip_backward_axes(axes: &mut [Axis]) -> (isize, isize) {
    let mut start = (0, 0);
    for axis in axes {
        let prefers_forward = axis.target < 0 || (axis.target == 0 && axis.source < 0);
        if prefers_forward {
            let steps = (axis.len - 1) as isize;
            start.0 += axis.source * steps;
            start.1 += axis.target * steps;
            *axis = Axis { len: axis.len, source: -axis.source, target: -axis.target };
        }
    }
    start
}

/// Makes one axis of two wherever the outer one continues the inner one on both sides.
fn merge_adjacent(axes: &mut Vec<Axis>) {
    let mut merged: Vec<Axis> = Vec::with_capacity(axes.len());
    for &inner in axes.iter() {
        match merged.last_mut() {
            Some(outer) if continues(*outer, inner) => *outer = Axis { len: outer.len * inner.len, ..inner },
            _ => merged.push(inner),
        }
    }
    *axes = merged;
}

fn continues(outer: Axis, inner: Axis) -> bool {
    let len = inner.len as isize;
    inner.source.checked_mul(len) == Some(outer.source) && inner.target.checked_mul(len) == Some(outer.target)
}

fn advance(outer: &[Axis], index: &mut [usize], (source, target): (isize, isize)) -> Option<(isize, isize)> {
    let (mut source, mut target) = (source, target);
    for (axis, position) in outer.iter().zip(index).rev() {
        if *position + 1 < axis.len {
            *position += 1;
            return Some((source + axis.source, target + axis.target));
        }
        source -= axis.source * *position as isize;
        target -= axis.target * *position as isize;
        *position = 0;
    }
    None
}
