//! Random shapes: mostly small, now and then one large enough for whatever serves large copies.

use crate::random::Random;

const MAX_RANK: usize = 5;
/// The most elements of most shapes; copies of few elements are made by the million.
const FEW: usize = 600;
/// The most elements of the others.
const MANY: usize = 12_000;
/// One shape in so many is large.
const LARGE_ONE_IN: usize = 2000;
/// Bytes of a cache line.
pub const LINE: usize = 64;
/// Bytes of the elements of a large shape.
const LARGE: std::ops::Range<usize> = 100 << 10..2 << 20;

pub fn random_shape(random: &mut Random, itemsize: usize) -> Vec<usize> {
    if random.one_in(LARGE_ONE_IN) { large(random, itemsize) } else { small(random) }
}

/// Of tiles, which are squares of a cache line's elements: two axes, mostly long enough for whole ones wherever a line
/// begins, and perhaps a short one between them.
pub fn tiled_shape(random: &mut Random, itemsize: usize) -> Vec<usize> {
    let edge = LINE / itemsize;
    let mut long = || edge + random.below(3 * edge);
    let mut shape = vec![long(), long()];
    if random.one_in(4) {
        shape.insert(1, 1 + random.below(3));
    }
    shape
}

fn small(random: &mut Random) -> Vec<usize> {
    // A single element takes one route only.
    let rank = if random.one_in(30) { 0 } else { 1 + random.below(MAX_RANK) };
    let mut shape: Vec<usize> = (0..rank).map(|_| short_axis(random)).collect();
    if !shape.is_empty() && random.one_in(8) {
        let axis = random.below(shape.len());
        shape[axis] = 10 + random.below(600);
    }
    let most = if random.one_in(10) { MANY } else { FEW };
    while shape.iter().product::<usize>() > most {
        halve_longest(&mut shape);
    }
    shape
}

fn short_axis(random: &mut Random) -> usize {
    match random.below(40) {
        0 => 0,
        1..6 => 1,
        _ => 1 + random.below(9),
    }
}

fn halve_longest(shape: &mut [usize]) {
    if let Some(longest) = shape.iter_mut().max() {
        *longest = longest.div_ceil(2);
    }
}

/// Some short axes and one that makes up the size, in any order.
fn large(random: &mut Random, itemsize: usize) -> Vec<usize> {
    let elements = (LARGE.start + random.below(LARGE.len())) / itemsize;
    let longest = [9, 9, 40, 300][random.below(4)];
    let mut shape: Vec<usize> = (0..random.below(MAX_RANK)).map(|_| 1 + random.below(longest)).collect();
    while shape.iter().product::<usize>() > elements {
        halve_longest(&mut shape);
    }
    shape.push((elements / shape.iter().product::<usize>()).max(1));
    random.shuffle(&mut shape);
    shape
}
