//! Images of the crate `image` go to the GPU and come back, pixel by pixel.
#![cfg(feature = "image")]

mod common;

use std::cell::Cell;
use std::fmt::Debug;
use std::ops::{Deref, DerefMut};

use common::gpu;
use image::{
    DynamicImage, GrayImage, ImageBuffer, Luma, LumaA, Pixel, Primitive, Rgb, RgbImage, Rgba, RgbaImage,
};
use interop_core::{
    CudaBuffer, DType, Element, Error, Gpu, HostArray, HostArrayMut, Layout, Tensor, cuda_memcpy_d2h,
    cuda_memcpy_h2d,
};

type Image<P> = ImageBuffer<P, Vec<<P as Pixel>::Subpixel>>;

/// An image in which no two neighbours are alike, along any axis.
fn numbered<P: Pixel<Subpixel: From<u8>>>(width: u32, height: u32) -> Image<P> {
    let len = width * height * u32::from(P::CHANNEL_COUNT);
    let samples = (0..len).map(|index| ((index * 7 + index / 256) as u8).into()).collect();
    ImageBuffer::from_raw(width, height, samples).expect("as many samples")
}

/// There and back through a tensor whose rows are padded, and through packed memory.
fn round_trip<P>(gpu: &Gpu, width: u32, height: u32)
where
    P: Pixel<Subpixel: Element + Primitive + From<u8> + Debug> + PartialEq + Debug,
{
    let image = numbered::<P>(width, height);
    let shape = [height as usize, width as usize, usize::from(P::CHANNEL_COUNT)];
    assert_eq!((image.host_view().shape(), image.host_view().dtype()), (&shape[..], P::Subpixel::DTYPE));

    let tensor = Tensor::from_host(gpu, &image, Layout::HWC).unwrap();
    assert_eq!(tensor.shape(), shape);
    assert_eq!(&tensor.to_vec::<P::Subpixel>().unwrap(), image.as_raw(), "{width} x {height}");
    assert_eq!(tensor.to_image::<P>().unwrap(), image);

    let mut into = Image::<P>::new(width, height);
    cuda_memcpy_d2h(&tensor, &mut into).unwrap();
    assert_eq!(into, image);

    let mut packed = CudaBuffer::new(gpu, &shape, P::Subpixel::DTYPE).unwrap();
    cuda_memcpy_h2d(&image, &mut packed).unwrap();
    assert_eq!(packed.to_image::<P>().unwrap(), image);
}

#[test]
fn images_of_every_pixel_type_go_there_and_back() {
    let gpu = gpu();
    for (width, height) in [(1, 1), (5, 3), (3, 5), (211, 157)] {
        round_trip::<Rgb<u8>>(&gpu, width, height);
        round_trip::<Luma<u8>>(&gpu, width, height);
        round_trip::<LumaA<u8>>(&gpu, width, height);
        round_trip::<Rgba<u8>>(&gpu, width, height);
        round_trip::<Rgb<u16>>(&gpu, width, height);
        round_trip::<Luma<u16>>(&gpu, width, height);
        round_trip::<Rgb<f32>>(&gpu, width, height);
        round_trip::<Rgba<f32>>(&gpu, width, height);
        round_trip::<Luma<f64>>(&gpu, width, height);
    }
}

#[test]
fn rows_of_a_tensor_are_padded_and_the_padding_is_not_written() {
    let gpu = gpu();
    let tensor = Tensor::from_host(&gpu, &numbered::<Rgb<u8>>(10, 4), Layout::HWC).unwrap();
    assert_eq!(tensor.strides(), [32, 3, 1]);
    let wide = CudaBuffer::from_host(&gpu, &RgbImage::from_pixel(12, 4, Rgb([9; 3]))).unwrap();
    let image = numbered::<Rgb<u8>>(10, 4);
    cuda_memcpy_h2d(&image, &mut wide.slice(1, 1..11).unwrap()).unwrap();
    let back = wide.to_image::<Rgb<u8>>().unwrap();
    for (x, y, pixel) in back.enumerate_pixels() {
        let expected = if (1..11).contains(&x) { image[(x - 1, y)] } else { Rgb([9; 3]) };
        assert_eq!(*pixel, expected, "{x}, {y}");
    }
}

#[test]
fn a_dynamic_image_is_the_array_of_its_variant() {
    let gpu = gpu();
    let pixels = numbered::<Rgba<u16>>(7, 5);
    let image = DynamicImage::from(pixels);
    for (image, dtype, channels) in [
        (DynamicImage::from(image.to_luma8()), DType::U8, 1),
        (image.to_luma_alpha8().into(), DType::U8, 2),
        (image.to_rgb8().into(), DType::U8, 3),
        (image.to_rgba8().into(), DType::U8, 4),
        (image.to_luma16().into(), DType::U16, 1),
        (image.to_luma_alpha16().into(), DType::U16, 2),
        (image.to_rgb16().into(), DType::U16, 3),
        (image.to_rgba16().into(), DType::U16, 4),
        (image.to_rgb32f().into(), DType::F32, 3),
        (image.to_rgba32f().into(), DType::F32, 4),
    ] {
        let tensor = Tensor::from_host(&gpu, &image, Layout::HWC).unwrap();
        assert_eq!((tensor.shape(), tensor.dtype()), (&[5, 7, channels][..], dtype), "{:?}", image.color());
        let back: DynamicImage = match (dtype, channels) {
            (DType::U8, 1) => tensor.to_image::<Luma<u8>>().unwrap().into(),
            (DType::U8, 2) => tensor.to_image::<LumaA<u8>>().unwrap().into(),
            (DType::U8, 3) => tensor.to_image::<Rgb<u8>>().unwrap().into(),
            (DType::U8, 4) => tensor.to_image::<Rgba<u8>>().unwrap().into(),
            (DType::U16, 1) => tensor.to_image::<Luma<u16>>().unwrap().into(),
            (DType::U16, 2) => tensor.to_image::<LumaA<u16>>().unwrap().into(),
            (DType::U16, 3) => tensor.to_image::<Rgb<u16>>().unwrap().into(),
            (DType::U16, 4) => tensor.to_image::<Rgba<u16>>().unwrap().into(),
            (DType::F32, 3) => tensor.to_image::<Rgb<f32>>().unwrap().into(),
            _ => tensor.to_image::<Rgba<f32>>().unwrap().into(),
        };
        assert_eq!(back, image);
    }
}

#[test]
fn a_batch_of_one_is_an_image_and_so_is_one_plane() {
    let gpu = gpu();
    let image = numbered::<Rgb<u8>>(6, 4);
    let mut batch = Tensor::new(&gpu, &[2, 4, 6, 3], DType::U8, Layout::NHWC).unwrap();
    batch.fill(0u8).unwrap();
    let mut second = batch.slice(0, 1..2).unwrap();
    cuda_memcpy_h2d(image.as_raw(), &mut second).unwrap();
    assert_eq!(second.to_image::<Rgb<u8>>().unwrap(), image);
    assert_eq!(batch.slice(0, 0..1).unwrap().to_image::<Rgb<u8>>().unwrap(), RgbImage::new(6, 4));
    assert!(matches!(batch.to_image::<Rgb<u8>>(), Err(Error::InvalidView { .. })));

    let gray = numbered::<Luma<u8>>(6, 4);
    let plane = CudaBuffer::from_host(&gpu, &gray).unwrap().reshape(&[4, 6]).unwrap();
    assert_eq!(plane.to_image::<Luma<u8>>().unwrap(), gray);
}

#[test]
fn channels_that_do_not_fit_the_pixels_are_refused() {
    let gpu = gpu();
    let tensor = Tensor::from_host(&gpu, &numbered::<Rgb<u8>>(6, 4), Layout::HWC).unwrap();
    let error = tensor.to_image::<Rgba<u8>>().unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("to_image: expected 4 channel(s), for pixels of RGBA"), "{text}");
    assert!(text.contains("got 3 in shape [4, 6, 3]") && text.contains("permute"), "{text}");
    assert!(matches!(tensor.to_image::<Luma<u8>>(), Err(Error::InvalidView { .. })));
    let planes = tensor.permute(&[2, 0, 1]).unwrap();
    assert!(matches!(planes.to_image::<Rgb<u8>>(), Err(Error::InvalidView { .. })));
    let plane = CudaBuffer::zeros(&gpu, &[4, 6], DType::U8).unwrap();
    assert!(matches!(plane.to_image::<Rgb<u8>>(), Err(Error::InvalidView { .. })));
    for shape in [&[][..], &[6], &[1, 1, 4, 6, 3]] {
        let array = CudaBuffer::zeros(&gpu, shape, DType::U8).unwrap();
        let text = array.to_image::<Rgb<u8>>().unwrap_err().to_string();
        assert!(text.contains("[height, width, channels]") && text.contains(&format!("{shape:?}")), "{text}");
    }

    let mut rgba = RgbaImage::new(6, 4);
    assert!(matches!(cuda_memcpy_d2h(&tensor, &mut rgba), Err(Error::ShapeMismatch { .. })));
    let mut turned = RgbImage::new(4, 6);
    assert!(matches!(cuda_memcpy_d2h(&tensor, &mut turned), Err(Error::ShapeMismatch { .. })));
    assert_eq!((rgba, turned), (RgbaImage::new(6, 4), RgbImage::new(4, 6)));
}

#[test]
fn samples_of_another_type_are_refused() {
    let gpu = gpu();
    let mut tensor = Tensor::from_host(&gpu, &numbered::<Rgb<u8>>(6, 4), Layout::HWC).unwrap();
    let expected = Error::DTypeMismatch { operation: "to_image", expected: DType::F32, found: DType::U8 };
    assert_eq!(tensor.to_image::<Rgb<f32>>().unwrap_err(), expected);
    let error = cuda_memcpy_h2d(&numbered::<Rgb<u16>>(6, 4), &mut tensor).unwrap_err();
    assert!(matches!(error, Error::DTypeMismatch { expected: DType::U8, found: DType::U16, .. }));
    let error = cuda_memcpy_h2d(&DynamicImage::new_rgb32f(6, 4), &mut tensor).unwrap_err();
    assert!(matches!(error, Error::DTypeMismatch { expected: DType::U8, found: DType::F32, .. }));
    assert_eq!(tensor.to_image::<Rgb<u8>>().unwrap(), numbered::<Rgb<u8>>(6, 4));
}

#[test]
fn images_without_pixels() {
    let gpu = gpu();
    for (width, height) in [(0, 0), (0, 3), (3, 0), (0, u32::MAX), (u32::MAX, 0)] {
        let image = RgbImage::new(width, height);
        let buffer = CudaBuffer::from_host(&gpu, &image).unwrap();
        assert_eq!(buffer.shape(), [height as usize, width as usize, 3]);
        assert_eq!(buffer.to_image::<Rgb<u8>>().unwrap().dimensions(), (width, height));
        cuda_memcpy_d2h(&buffer, &mut RgbImage::new(width, height)).unwrap();
    }
}

#[test]
fn a_side_that_an_image_cannot_count_is_refused() {
    let gpu = gpu();
    for shape in [[0, 1 << 32, 3], [1 << 32, 0, 3]] {
        let buffer = CudaBuffer::new(&gpu, &shape, DType::U8).unwrap();
        let text = buffer.to_image::<Rgb<u8>>().unwrap_err().to_string();
        assert!(text.contains("at most 4294967295 pixels a side") && text.contains("to_vec"), "{text}");
    }
}

#[test]
fn what_a_container_holds_behind_the_pixels_stays_where_it_is() {
    let gpu = gpu();
    let mut samples: Vec<u8> = (0..6 * 4 + 10).collect();
    let image = GrayImage::from_raw(6, 4, samples.clone()).expect("more samples than needed");
    let buffer = CudaBuffer::from_host(&gpu, &image).unwrap();
    assert_eq!(buffer.to_vec::<u8>().unwrap(), samples[..24]);

    let zeros = CudaBuffer::zeros(&gpu, &[4, 6, 1], DType::U8).unwrap();
    let mut borrowed = ImageBuffer::<Luma<u8>, _>::from_raw(6, 4, &mut samples[..]).expect("as above");
    cuda_memcpy_d2h(&zeros, &mut borrowed).unwrap();
    assert_eq!(samples[..24], [0; 24]);
    assert!(samples[24..].iter().copied().eq(24..34));
}

/// A container that gives less once an image was made from it.
struct Shrinking {
    samples: Vec<u8>,
    len: Cell<usize>,
}

impl Deref for Shrinking {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.samples[..self.len.get()]
    }
}

impl DerefMut for Shrinking {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.samples[..self.len.get()]
    }
}

#[test]
fn a_container_that_became_too_short_is_no_image() {
    let gpu = gpu();
    let container = Shrinking { samples: vec![1; 24], len: Cell::new(24) };
    let mut image = ImageBuffer::<Luma<u8>, _>::from_raw(6, 4, container).expect("24 samples");
    assert_eq!(image.host_view().shape(), [4, 6, 1]);
    image.as_raw().len.set(23);
    assert_eq!(image.host_view().shape(), [23]);
    assert_eq!(image.host_view_mut().shape(), [23]);
    let mut buffer = CudaBuffer::zeros(&gpu, &[4, 6, 1], DType::U8).unwrap();
    assert!(matches!(cuda_memcpy_h2d(&image, &mut buffer), Err(Error::SizeMismatch { found: 23, .. })));
    assert!(matches!(cuda_memcpy_d2h(&buffer, &mut image), Err(Error::SizeMismatch { .. })));
    assert_eq!(buffer.to_vec::<u8>().unwrap(), [0; 24]);
}
