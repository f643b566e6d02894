//! [`Dense`]: packed memory for the elements of a device array, in the order in which they lie there.

use super::StridedLayout;

/// How packed memory holds each element of an array once, in the order of its memory: axes nested as there,
/// backward where they go backward there, and without those along which it is broadcast. So most device arrays
/// move to and from it in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dense {
    /// Elements along each axis; 1 where the array is broadcast.
    pub shape: Vec<usize>,
    /// Bytes from element to element along each axis; 0 where the array is broadcast.
    pub strides: Vec<isize>,
    /// Bytes from the start of the memory to the array's first element.
    pub first: usize,
    /// Bytes in all.
    pub bytes: usize,
}

impl Dense {
    /// For an array with elements.
    pub fn like(array: &StridedLayout) -> Self {
        let mut axes: Vec<usize> = (0..array.rank()).collect();
        axes.sort_by_key(|&axis| array.strides()[axis].unsigned_abs());
        let mut dense = Self {
            shape: vec![1; array.rank()],
            strides: vec![0; array.rank()],
            first: 0,
            bytes: array.itemsize(),
        };
        for axis in axes {
            let (len, stride) = (array.shape()[axis], array.strides()[axis]);
            if stride == 0 {
                continue;
            }
            dense.shape[axis] = len;
            dense.strides[axis] = dense.bytes as isize * stride.signum();
            dense.first += if stride < 0 { dense.bytes * (len - 1) } else { 0 };
            // Fits: no more elements than the array has.
            dense.bytes *= len;
        }
        dense
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(shape: &[usize], strides: &[isize], itemsize: usize) -> Dense {
        Dense::like(&StridedLayout::strided(shape, strides, itemsize).unwrap())
    }

    #[test]
    fn padding_goes_and_the_order_of_the_memory_stays() {
        let dense = like(&[10, 10, 3], &[32, 3, 1], 1);
        assert_eq!((dense.strides, dense.first, dense.bytes), (vec![30, 3, 1], 0, 300));
        let dense = like(&[5, 7], &[4, 32], 4);
        assert_eq!((dense.strides, dense.bytes), (vec![4, 20], 140));
    }

    #[test]
    fn backward_axes_stay_backward() {
        let dense = like(&[4, 3], &[-16, 4], 4);
        assert_eq!((dense.strides, dense.first, dense.bytes), (vec![-12, 4], 36, 48));
    }

    #[test]
    fn broadcast_axes_take_no_room() {
        let dense = like(&[1000, 3], &[0, 4], 4);
        assert_eq!((dense.shape, dense.strides, dense.bytes), (vec![1, 3], vec![0, 4], 12));
    }
}
