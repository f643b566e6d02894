//! Images of different sizes at once.

use interop_core::cvcuda::{Border, ColorConversion, Image, ImageBatch, ImageFormat, Interpolation};
use interop_core::{DType, Layout, Tensor};
use ndarray::{Array3, Array4, s};

use crate::{counting, real, real_or_stand_in};

const SIZES: [(usize, usize); 3] = [(4, 6), (8, 3), (1, 10)];

/// Three images of different sizes, and their pixels.
fn pictures(cv: &interop_core::cvcuda::CvCuda) -> (ImageBatch, Vec<Array3<u8>>) {
    let mut images = Vec::new();
    let mut arrays = Vec::new();
    for (height, width) in SIZES {
        let (tensor, host) = counting(cv.gpu(), &[height, width, 3], Layout::HWC);
        images.push(cv.image(&tensor, ImageFormat::Rgb8).unwrap());
        arrays.push(Array3::from_shape_vec((height, width, 3), host).unwrap());
    }
    (cv.image_batch(images).unwrap(), arrays)
}

fn pixels(image: &Image) -> Array3<u8> {
    image.cuda().to_array::<u8>().unwrap().into_dimensionality().unwrap()
}

#[test]
fn each_image_is_resized_to_its_own_size() {
    let Some(cv) = real() else { return };
    let (batch, hosts) = pictures(&cv);
    let sizes: Vec<_> = SIZES.iter().map(|(height, width)| (height * 2, width * 3)).collect();
    let larger = cv.resize_batch(&batch, &sizes, Interpolation::Nearest).unwrap();
    drop(batch);
    for ((image, host), size) in larger.images().iter().zip(&hosts).zip(sizes) {
        assert_eq!(image.size(), size);
        let expected = Array3::from_shape_fn((size.0, size.1, 3), |(y, x, c)| host[[y / 2, x / 3, c]]);
        assert_eq!(pixels(image), expected);
    }
}

#[test]
fn colours_of_a_batch_are_turned_round() {
    let Some(cv) = real() else { return };
    let (batch, hosts) = pictures(&cv);
    let turned = cv.cvtcolor_batch(&batch, ColorConversion::BgrToRgb, ImageFormat::Bgr8).unwrap();
    for (image, host) in turned.images().iter().zip(&hosts) {
        assert_eq!(image.format(), ImageFormat::Bgr8);
        assert_eq!(pixels(image), host.slice(s![.., .., ..;-1]));
    }
}

#[test]
fn padandstack_puts_a_batch_into_one_tensor() {
    let Some(cv) = real() else { return };
    let (batch, hosts) = pictures(&cv);
    let corners = [(1, 2), (0, 0), (8, 0)];
    let stacked = cv.padandstack(&batch, (9, 10), &corners, Border::Constant, 5.0).unwrap();
    assert_eq!((stacked.shape(), stacked.layout()), (&[3, 9, 10, 3][..], Some(Layout::NHWC)));
    let mut expected = Array4::from_elem((3, 9, 10, 3), 5u8);
    for (index, (host, (top, left))) in hosts.iter().zip(corners).enumerate() {
        let (height, width, _) = host.dim();
        expected.slice_mut(s![index, top..top + height, left..left + width, ..]).assign(host);
    }
    assert_eq!(stacked.to_array::<u8>().unwrap(), expected.into_dyn());
}

#[test]
fn a_batch_serves_on_another_stream() {
    let Some(cv) = real() else { return };
    let (batch, hosts) = pictures(&cv);
    crate::common::hold(cv.gpu().stream(), crate::common::nap);
    let (later, _) = pictures(&cv);
    let other = cv.with_gpu(&cv.gpu().with_new_stream().unwrap());
    for batch in [batch, later] {
        let same = other.resize_batch(&batch, &SIZES, Interpolation::Nearest).unwrap();
        drop(batch);
        for (image, host) in same.images().iter().zip(&hosts) {
            assert_eq!(&pixels(image), host);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let Some(cv) = real_or_stand_in() else { return };
    let (batch, _) = pictures(&cv);
    let refused = |result: interop_core::Result<()>, argument: &str| {
        let error = result.unwrap_err();
        let interop_core::Error::InvalidArgument { argument: found, .. } = &error else { panic!("{error}") };
        assert_eq!(*found, argument, "{error}");
    };
    refused(cv.image_batch([]).map(drop), "images");
    refused(cv.resize_batch(&batch, &SIZES[..2], Interpolation::Linear).map(drop), "sizes");
    let corners = [(6, 0), (0, 0), (0, 0)];
    refused(cv.padandstack(&batch, (9, 10), &corners, Border::Constant, 0.0).map(drop), "corners");
    refused(cv.padandstack(&batch, (9, 10), &corners[..2], Border::Constant, 0.0).map(drop), "corners");
    refused(cv.resize_batch_into(&batch, &mut batch.clone(), Interpolation::Linear), "output");
    let gray = cv.cvtcolor_batch(&batch, ColorConversion::RgbToGray, ImageFormat::Rgb8);
    refused(gray.map(drop), "format");
    refused(cv.cvtcolor_batch_into(&batch, &mut batch.clone(), ColorConversion::RgbToGray), "conversion");
    refused(cv.resize_batch(&batch, &[(4, 4), (0, 4), (4, 4)], Interpolation::Nearest).map(drop), "sizes");
    refused(cv.padandstack(&batch, (0, 4), &[(0, 0); 3], Border::Constant, 0.0).map(drop), "size");
    let floats = Tensor::new(cv.gpu(), &[4, 4, 3], DType::F32, Layout::HWC).unwrap();
    refused(cv.image(&floats, ImageFormat::Rgb8).map(drop), "tensor");
    let float = cv.image(&floats, ImageFormat::RgbF32).unwrap();
    let mixed = cv.image_batch([batch.images()[0].clone(), float]).unwrap();
    refused(cv.resize_batch(&mixed, &SIZES[..2], Interpolation::Linear).map(drop), "input");
    let twice = [batch.images()[0].clone(), batch.images()[0].clone(), batch.images()[1].clone()];
    let mut twice = cv.image_batch(twice).unwrap();
    let (other, _) = pictures(&cv);
    refused(cv.resize_batch_into(&other, &mut twice, Interpolation::Linear), "output");
}

#[test]
fn a_batch_keeps_its_images_and_gives_everything_back() {
    let Some(cv) = real_or_stand_in() else { return };
    // What CV-CUDA keeps of an operator, and the batch's list.
    let before = cv.gpu().memory_figures().live_bytes;
    let (batch, _) = pictures(&cv);
    let resized = cv.resize_batch(&batch, &SIZES, Interpolation::Nearest).unwrap();
    let view = batch.images()[0].cuda();
    drop((batch, resized));
    assert_eq!(view.to_vec::<u8>().unwrap().len(), 72);
    drop(view);
    drop(cv.clone());
    cv.gpu().synchronize().unwrap();
    // Whatever is kept next has what the stream has passed released.
    drop(cv.padandstack(&pictures(&cv).0, (8, 10), &[(0, 0); 3], Border::Constant, 0.0).unwrap());
    cv.gpu().synchronize().unwrap();
    drop(cv.clone());
    assert_eq!(cv.gpu().memory_figures().live_bytes, before);
}
