//! What the operators compute, compared with plain Rust.

use interop_core::cvcuda::{
    Border, ColorConversion, Flip, Gaussian, Interpolation, Margins, Rect, Round, Scale, WarpInterpolation,
};
use interop_core::{DType, Layout, Tensor};
use ndarray::{Array3, ArrayD, Axis, s};

use crate::{counting, real};

fn array(tensor: &Tensor) -> ArrayD<u8> {
    tensor.to_array::<u8>().unwrap()
}

#[test]
fn flip_mirrors() {
    let Some(cv) = real() else { return };
    let (image, host) = counting(cv.gpu(), &[6, 9, 3], Layout::HWC);
    let host = Array3::from_shape_vec((6, 9, 3), host).unwrap();
    for (flip, expected) in [
        (Flip::Vertical, host.slice(s![..;-1, .., ..])),
        (Flip::Horizontal, host.slice(s![.., ..;-1, ..])),
        (Flip::Both, host.slice(s![..;-1, ..;-1, ..])),
    ] {
        assert_eq!(array(&cv.flip(&image, flip).unwrap()), expected.into_dyn(), "{flip:?}");
    }
}

#[test]
fn customcrop_takes_the_rectangle() {
    let Some(cv) = real() else { return };
    let (image, host) = counting(cv.gpu(), &[6, 9, 3], Layout::HWC);
    let host = Array3::from_shape_vec((6, 9, 3), host).unwrap();
    let rect = Rect { x: 2, y: 1, width: 7, height: 3 };
    let expected = host.slice(s![1..4, 2..9, ..]);
    assert_eq!(array(&cv.customcrop(&image, rect).unwrap()), expected.into_dyn());
}

#[test]
fn reformat_moves_the_channels() {
    let Some(cv) = real() else { return };
    let (image, host) = counting(cv.gpu(), &[2, 6, 9, 3], Layout::NHWC);
    let host = ArrayD::from_shape_vec(vec![2, 6, 9, 3], host).unwrap();
    let planes = cv.reformat(&image, Layout::NCHW).unwrap();
    assert_eq!(array(&planes), host.clone().permuted_axes(vec![0, 3, 1, 2]));
    assert_eq!(array(&cv.reformat(&planes, Layout::NHWC).unwrap()), host);
}

#[test]
fn cvtcolor_turns_the_channels_round() {
    let Some(cv) = real() else { return };
    let (image, host) = counting(cv.gpu(), &[6, 9, 3], Layout::HWC);
    let host = Array3::from_shape_vec((6, 9, 3), host).unwrap();
    let turned = cv.cvtcolor(&image, ColorConversion::BgrToRgb).unwrap();
    assert_eq!(array(&turned), host.slice(s![.., .., ..;-1]).into_dyn());
    let gray = cv.cvtcolor(&image, ColorConversion::RgbToGray).unwrap();
    let luma = |p: ndarray::ArrayView1<u8>| {
        (0.299 * f32::from(p[0]) + 0.587 * f32::from(p[1]) + 0.114 * f32::from(p[2])).round() as i32
    };
    let expected = host.map_axis(Axis(2), luma);
    for (found, expected) in array(&gray).iter().zip(&expected) {
        assert!((i32::from(*found) - expected).abs() <= 1, "{found} for {expected}");
    }
}

// Case 77.
#[test]
fn convertto_scales_and_rounds() {
    let Some(cv) = real() else { return };
    let host = [0.5f32, 1.5, 2.5, -0.5, 254.5, 255.5, 300.0, -7.0, 1.0, 127.49];
    let mut values = Tensor::new(cv.gpu(), &[1, 10, 1], DType::F32, Layout::HWC).unwrap();
    crate::upload(&host, &mut values);
    let bytes = cv.convertto(&values, DType::U8, 1.0, 0.0, Round::default()).unwrap();
    assert_eq!(bytes.to_vec::<u8>().unwrap(), [0, 2, 2, 0, 254, 255, 255, 0, 1, 127]);
    let doubled = cv.convertto(&values, DType::F32, 2.0, 1.0, Round::default()).unwrap();
    assert_eq!(doubled.to_vec::<f32>().unwrap(), host.map(|value| value * 2.0 + 1.0));
}

#[test]
fn copymakeborder_adds_margins() {
    let Some(cv) = real() else { return };
    let (image, host) = counting(cv.gpu(), &[6, 9, 3], Layout::HWC);
    let host = Array3::from_shape_vec((6, 9, 3), host).unwrap();
    let margins = Margins { top: 1, bottom: 2, left: 3, right: 4 };
    let framed = cv.copymakeborder(&image, margins, Border::Constant, [1.0, 2.0, 3.0, 4.0]).unwrap();
    let mut expected = Array3::from_shape_fn((9, 16, 3), |(_, _, c)| c as u8 + 1);
    expected.slice_mut(s![1..7, 3..12, ..]).assign(&host);
    assert_eq!(array(&framed), expected.into_dyn());
    let copied = cv.copymakeborder(&image, margins, Border::Replicate, [0.0; 4]).unwrap();
    let clamp = |at: usize, before: usize, len: usize| at.saturating_sub(before).min(len - 1);
    let expected = Array3::from_shape_fn((9, 16, 3), |(y, x, c)| host[[clamp(y, 1, 6), clamp(x, 3, 9), c]]);
    assert_eq!(array(&copied), expected.into_dyn());
}

#[test]
fn normalize_subtracts_and_scales() {
    let Some(cv) = real() else { return };
    let (image, host) = counting(cv.gpu(), &[6, 9, 3], Layout::HWC);
    let floats = cv.convertto(&image, DType::F32, 1.0, 0.0, Round::default()).unwrap();
    let (base, scale) = ([1.0, 2.0, 3.0], [0.5, 0.25, 2.0]);
    let normalization = cv.normalization(&base, &scale, Scale::Factor).unwrap();
    let found = cv.normalize(&floats, &normalization).unwrap().to_vec::<f32>().unwrap();
    for (at, (found, value)) in found.iter().zip(&host).enumerate() {
        assert_eq!(*found, (f32::from(*value) - base[at % 3]) * scale[at % 3], "element {at}");
    }
    let deviation = cv.normalization(&[0.0], &[2.0], Scale::Deviation { epsilon: 0.0 }).unwrap();
    let found = cv.normalize(&floats, &deviation).unwrap().to_vec::<f32>().unwrap();
    for (found, value) in found.iter().zip(&host) {
        assert!((found - f32::from(*value) / 2.0).abs() < 1e-4, "{found} for {value}");
    }
}

#[test]
fn resize_by_whole_factors_repeats_and_picks_pixels() {
    let Some(cv) = real() else { return };
    let (image, host) = counting(cv.gpu(), &[6, 9, 3], Layout::HWC);
    let host = Array3::from_shape_vec((6, 9, 3), host).unwrap();
    let large = cv.resize(&image, (12, 27), Interpolation::Nearest).unwrap();
    let expected = Array3::from_shape_fn((12, 27, 3), |(y, x, c)| host[[y / 2, x / 3, c]]);
    assert_eq!(array(&large), expected.into_dyn());
    let same = cv.resize(&image, (6, 9), Interpolation::Linear).unwrap();
    assert_eq!(array(&same), host.clone().into_dyn());
    let half = cv.resize(&image, (3, 3), Interpolation::Area).unwrap();
    let mean = |y: usize, x: usize, c: usize| {
        let part = host.slice(s![2 * y..2 * y + 2, 3 * x..3 * x + 3, c]);
        part.iter().map(|value| f32::from(*value)).sum::<f32>() / 6.0
    };
    for ((y, x, c), found) in array(&half).into_dimensionality::<ndarray::Ix3>().unwrap().indexed_iter() {
        assert!((f32::from(*found) - mean(y, x, c)).abs() <= 1.0, "({y}, {x}, {c})");
    }
}

#[test]
fn gaussian_keeps_what_is_even_and_spreads_a_point() {
    let Some(cv) = real() else { return };
    let mut flat = Tensor::new(cv.gpu(), &[9, 9, 1], DType::U8, Layout::HWC).unwrap();
    flat.fill(100u8).unwrap();
    let blurred = cv.gaussian(&flat, &Gaussian::square(5, 1.0)).unwrap();
    assert_eq!(blurred.to_vec::<u8>().unwrap(), [100; 81]);
    let mut point = Tensor::new(cv.gpu(), &[9, 9, 1], DType::F32, Layout::HWC).unwrap();
    let mut host = vec![0f32; 81];
    host[40] = 1.0;
    crate::upload(&host, &mut point);
    // A larger filter than the first, for which the operator is made anew; taller than wide.
    let filter = Gaussian { kernel: (7, 3), sigma: (1.5, 0.8), border: Border::Constant };
    let spread = cv.gaussian(&point, &filter).unwrap().to_vec::<f32>().unwrap();
    let weights = |sides: i32, sigma: f64| {
        let raw: Vec<f64> = (0..sides)
            .map(|at| (-f64::from((at - sides / 2).pow(2)) / (2.0 * sigma * sigma)).exp())
            .collect();
        let sum: f64 = raw.iter().sum();
        raw.into_iter().map(|weight| weight / sum).collect::<Vec<f64>>()
    };
    let (down, across) = (weights(7, 1.5), weights(3, 0.8));
    for y in 0..9usize {
        for x in 0..9usize {
            let inside = (1..8).contains(&y) && (3..6).contains(&x);
            let expected = if inside { down[y - 1] * across[x - 3] } else { 0.0 };
            assert!((f64::from(spread[y * 9 + x]) - expected).abs() < 1e-5, "({y}, {x})");
        }
    }
}

#[test]
fn rotate_by_a_quarter_turns_the_image() {
    let Some(cv) = real() else { return };
    let (image, host) = counting(cv.gpu(), &[8, 8, 3], Layout::HWC);
    let host = Array3::from_shape_vec((8, 8, 3), host).unwrap();
    let turned = array(&cv.rotate(&image, 90.0, (0.0, 7.0), WarpInterpolation::Nearest).unwrap());
    let counter = Array3::from_shape_fn((8, 8, 3), |(y, x, c)| host[[x, 7 - y, c]]);
    assert_eq!(turned, counter.into_dyn());
}

#[test]
fn rotate_leaves_zeros_where_nothing_comes() {
    let Some(cv) = real() else { return };
    let mut image = Tensor::new(cv.gpu(), &[8, 8, 1], DType::U8, Layout::HWC).unwrap();
    image.fill(9u8).unwrap();
    // Have a block in the pool that is not zero.
    let mut used = Tensor::new(cv.gpu(), &[8, 8, 1], DType::U8, Layout::HWC).unwrap();
    used.fill(77u8).unwrap();
    drop(used);
    let moved = cv.rotate(&image, 0.0, (4.0, 0.0), WarpInterpolation::Nearest).unwrap();
    let expected: Vec<u8> = (0..64).map(|at| if at % 8 < 4 { 0 } else { 9 }).collect();
    assert_eq!(moved.to_vec::<u8>().unwrap(), expected);
}

#[test]
fn warp_affine_moves_pixels_forward() {
    let Some(cv) = real() else { return };
    let (image, host) = counting(cv.gpu(), &[6, 9, 3], Layout::HWC);
    let host = Array3::from_shape_vec((6, 9, 3), host).unwrap();
    let matrix = [[1.0, 0.0, 2.0], [0.0, 1.0, 1.0]];
    let (nearest, value) = (WarpInterpolation::Nearest, [5.0, 6.0, 7.0, 8.0]);
    let moved = cv.warp_affine(&image, matrix, nearest, Border::Constant, value).unwrap();
    let expected = Array3::from_shape_fn((6, 9, 3), |(y, x, c)| match (y.checked_sub(1), x.checked_sub(2)) {
        (Some(y), Some(x)) => host[[y, x, c]],
        _ => value[c] as u8,
    });
    assert_eq!(array(&moved), expected.into_dyn());
}

#[test]
fn composite_mixes_by_the_mask() {
    let Some(cv) = real() else { return };
    let picture = |value: u8| {
        let mut tensor = Tensor::new(cv.gpu(), &[1, 3, 3], DType::U8, Layout::HWC).unwrap();
        tensor.fill(value).unwrap();
        tensor
    };
    let mut mask = Tensor::new(cv.gpu(), &[1, 3, 1], DType::U8, Layout::HWC).unwrap();
    crate::upload(&[0u8, 255, 51], &mut mask);
    let (front, back) = (picture(200), picture(100));
    let mixed = cv.composite(&front, &back, &mask).unwrap().to_vec::<u8>().unwrap();
    assert_eq!(mixed, [100, 100, 100, 200, 200, 200, 120, 120, 120]);
    let mut with_alpha = Tensor::new(cv.gpu(), &[1, 3, 4], DType::U8, Layout::HWC).unwrap();
    cv.composite_into(&front, &back, &mask, &mut with_alpha).unwrap();
    assert_eq!(
        with_alpha.to_vec::<u8>().unwrap(),
        [100, 100, 100, 255, 200, 200, 200, 255, 120, 120, 120, 255]
    );
}

/// Parts of pictures that begin at any byte: what CV-CUDA reads several values at once of, it must read as well there.
#[test]
fn parts_at_odd_addresses_give_what_copies_of_them_give() {
    let Some(cv) = real() else { return };
    for channels in [1, 3] {
        let (whole, _) = counting(cv.gpu(), &[31, 67, channels], Layout::HWC);
        for (top, left) in [(0, 1), (1, 2), (3, 3), (2, 5)] {
            let part = whole.slice(0, top..top + 24).unwrap().slice(1, left..left + 47).unwrap();
            let copy = interop_core::as_tensor(part.to_contiguous().unwrap(), Layout::HWC).unwrap();
            let part = interop_core::as_tensor(part, Layout::HWC).unwrap();
            let same = |operator: &dyn Fn(&Tensor) -> interop_core::Result<Tensor>| {
                let (found, expected) = (operator(&part).unwrap(), operator(&copy).unwrap());
                assert_eq!(array(&found), array(&expected), "{channels} channels from ({top}, {left}) on");
            };
            for interpolation in
                [Interpolation::Nearest, Interpolation::Linear, Interpolation::Cubic, Interpolation::Area]
            {
                same(&|image| cv.resize(image, (12, 90), interpolation));
                same(&|image| cv.resize(image, (12, 23), interpolation));
            }
            same(&|image| cv.flip(image, Flip::Both));
            same(&|image| cv.customcrop(image, Rect { x: 1, y: 1, width: 33, height: 9 }));
            same(&|image| cv.reformat(image, Layout::CHW));
            same(&|image| cv.gaussian(image, &Gaussian::square(5, 1.0)));
            same(&|image| cv.rotate(image, 20.0, (3.0, 4.0), WarpInterpolation::Cubic));
            same(&|image| cv.copymakeborder(image, Margins::all(3), Border::Reflect, [0.0; 4]));
            let gray = if channels == 1 { ColorConversion::GrayToRgb } else { ColorConversion::RgbToGray };
            same(&|image| cv.cvtcolor(image, gray));
            let floats = |image: &Tensor| cv.convertto(image, DType::F32, 0.5, 1.0, Round::default());
            let bytes = |image: &Tensor| cv.convertto(image, DType::U8, 2.0, -2.0, Round::default());
            same(&|image| bytes(&floats(image)?));
        }
    }
}
