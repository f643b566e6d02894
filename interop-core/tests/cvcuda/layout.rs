//! Our tensors are laid out as CV-CUDA's.

use interop_core::{DType, Layout, Tensor};

use crate::real_or_stand_in;

const SHAPES: [&[usize]; 12] = [
    &[7],
    &[1],
    &[10, 5],
    &[33, 1],
    &[10, 10, 3],
    &[1, 1, 1],
    &[17, 31, 4],
    &[2, 3, 4, 5],
    &[2, 33, 65, 3],
    &[1, 1, 7, 1],
    &[3, 2, 5, 7, 2],
    &[2, 3, 1, 2, 5, 3],
];

const LAYOUTS: [&str; 17] = [
    "W", "C", "HW", "WC", "NW", "CW", "HWC", "CHW", "NHW", "NWC", "NHWC", "NCHW", "CHWN", "NDHWC", "NCDHW",
    "FNDHWC", "abcdef",
];

#[test]
fn strides_and_alignment_are_cv_cudas() {
    let Some(cv) = real_or_stand_in() else { return };
    let mut compared = 0;
    for shape in SHAPES {
        let named = LAYOUTS.iter().map(|letters| Layout::new(letters).unwrap());
        let fitting = named.filter(|layout| layout.rank() == shape.len()).map(Some).chain([None]);
        for layout in fitting {
            for dtype in DType::all().filter(|dtype| *dtype != DType::Bool) {
                let theirs = cv.tensor(shape, dtype, layout).unwrap();
                let ours = Tensor::new(cv.gpu(), shape, dtype, layout).unwrap();
                assert_eq!(ours.strides(), theirs.strides(), "{shape:?} {dtype} {layout:?}");
                assert!(ours.pointer().is_multiple_of(512) && theirs.pointer().is_multiple_of(512));
                let packed = cv.packed_tensor(shape, dtype, layout).unwrap();
                let ours = Tensor::packed(cv.gpu(), shape, dtype, layout).unwrap();
                assert_eq!(ours.strides(), packed.strides(), "packed {shape:?} {dtype} {layout:?}");
                compared += 2;
            }
        }
    }
    println!("{compared} tensors compared");
}

// Case 5, and the other strides that `as_tensor` takes: CV-CUDA takes them, too.
#[test]
fn what_as_tensor_takes_cv_cuda_takes() {
    let Some(cv) = real_or_stand_in() else { return };
    let gpu = cv.gpu();
    for shape in SHAPES {
        for dtype in DType::all().filter(|dtype| *dtype != DType::Bool) {
            let tensor = Tensor::packed(gpu, shape, dtype, None).unwrap();
            cv.share(&tensor).unwrap_or_else(|error| panic!("{shape:?} {dtype}: {error}"));
        }
    }
    let wide = Tensor::new(gpu, &[1080, 2048], DType::U8, Layout::HW).unwrap();
    let left = interop_core::as_tensor(wide.slice(1, ..1920).unwrap(), Layout::HW).unwrap();
    assert_eq!(left.strides(), [2048, 1]);
    cv.share(&left).unwrap();
}
