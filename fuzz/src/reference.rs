//! The copy that the library is compared with: plain index arithmetic, one element after the other.

use crate::placement::Placement;

/// Calls `visit` with the offset of every element on both sides, in C order.
pub fn each_element(
    shape: &[usize],
    source: &Placement,
    target: &Placement,
    visit: &mut impl FnMut(usize, usize),
) {
    let first = (source.offset as isize, target.offset as isize);
    walk(shape, &source.strides, &target.strides, first, visit);
}

fn walk(
    shape: &[usize],
    source: &[isize],
    target: &[isize],
    (from, to): (isize, isize),
    visit: &mut impl FnMut(usize, usize),
) {
    let Some((&len, inner)) = shape.split_first() else {
        return visit(from as usize, to as usize);
    };
    for index in 0..len as isize {
        let first = (from + index * source[0], to + index * target[0]);
        walk(inner, &source[1..], &target[1..], first, visit);
    }
}

/// Where the byte at `position` belongs: to the element with this index in C order, or to none.
pub fn owner(shape: &[usize], placement: &Placement, itemsize: usize, position: usize) -> Option<usize> {
    let (mut index, mut owner) = (0, None);
    each_element(shape, placement, placement, &mut |offset, _| {
        if (offset..offset + itemsize).contains(&position) {
            owner = Some(index);
        }
        index += 1;
    });
    owner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_in_c_order() {
        let source = Placement { offset: 8, strides: vec![-4, 1], bytes: 16 };
        let target = Placement { offset: 0, strides: vec![2, 1], bytes: 4 };
        let mut offsets = Vec::new();
        each_element(&[2, 2], &source, &target, &mut |from, to| offsets.push((from, to)));
        assert_eq!(offsets, [(8, 0), (9, 1), (4, 2), (5, 3)]);
        assert_eq!((owner(&[2, 2], &source, 1, 5), owner(&[2, 2], &source, 1, 6)), (Some(3), None));
    }
}
