//! A real preprocessing pipeline: a folder of photographs of different sizes into the input of a network.
//!
//! Takes the twelve pictures of this workspace, or those of the folder that its argument names.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use image::RgbImage;
use interop_core::cvcuda::{Border, CvCuda, ImageFormat, Interpolation};
use interop_core::{Gpu, Layout, Tensor};
use samples::Outcome;
use samples::contact_sheet::contact_sheet;
use samples::cvcuda::pipeline::Preprocessor;
use samples::cvcuda::reference;

/// Height and width that the network takes.
const SIZE: (usize, usize) = (160, 160);

fn main() -> ExitCode {
    samples::run(lesson)
}

fn lesson(gpu: &Gpu) -> Outcome {
    let cv = samples::cvcuda::open(gpu)?;
    let photos = match std::env::args_os().nth(1) {
        Some(folder) => samples::photos::decoded_from(Path::new(&folder))?,
        None => samples::photos::decoded()?,
    };
    assert!(!photos.is_empty(), "no PNG or JPEG file in the folder");
    let sizes: Vec<_> = photos.iter().map(|photo| photo.dimensions()).collect();
    println!(
        "photos          {}, from {:?} to {:?} pixels",
        photos.len(),
        sizes.iter().min(),
        sizes.iter().max()
    );

    let mut preprocessor = Preprocessor::new(&cv, photos.len(), SIZE)?;
    let planes = preprocessor.run(&photos)?.to_array::<f32>()?;
    println!("network input   {:?} f32, NCHW", planes.shape());

    let expected: Vec<_> = photos.iter().map(|photo| reference::resize(photo, SIZE)).collect();
    let resized = preprocessor.resized().to_array::<u8>()?;
    let furthest = furthest(resized.iter().map(|value| f32::from(*value)), expected.iter().flatten());
    println!("resized         at most {furthest:.2} of 255 from the CPU's, not rounded");
    assert!(furthest <= 1.0);
    let rounded: Vec<_> = resized.outer_iter().map(|image| image.mapv(f32::from)).collect();
    let rounded: Result<Vec<_>, _> =
        rounded.into_iter().map(ndarray::ArrayBase::into_dimensionality).collect();
    let furthest = self::furthest(planes.iter().copied(), reference::network_input(&rounded?).iter());
    println!("normalised      at most {furthest:.1e} from the CPU's");
    assert!(furthest < 1e-5);

    let batch = letterbox(&cv, &photos)?;
    let folder = folder()?;
    let before = folder.join("photos.png");
    contact_sheet(&photos)?.save(&before)?;
    let after = folder.join("network-input.png");
    contact_sheet(&pictures(preprocessor.resized())?)?.save(&after)?;
    let framed = folder.join("letterbox.png");
    contact_sheet(&pictures(&batch)?)?.save(&framed)?;
    println!("contact sheets  photos.png, network-input.png, letterbox.png");
    Ok(())
}

/// The photographs scaled to fit, as one batch of images of different sizes, and then put into frames of one size.
fn letterbox(cv: &CvCuda, photos: &[RgbImage]) -> interop_core::Result<Tensor> {
    let upload =
        |photo: &RgbImage| cv.image(&Tensor::from_host(cv.gpu(), photo, Layout::HWC)?, ImageFormat::Rgb8);
    let batch = cv.image_batch(photos.iter().map(upload).collect::<interop_core::Result<Vec<_>>>()?)?;
    let fitted: Vec<(usize, usize)> = batch.images().iter().map(|image| fit(image.size(), SIZE)).collect();
    let corners: Vec<_> = fitted.iter().map(|size| ((SIZE.0 - size.0) / 2, (SIZE.1 - size.1) / 2)).collect();
    let resized = cv.resize_batch(&batch, &fitted, Interpolation::Area)?;
    cv.padandstack(&resized, SIZE, &corners, Border::Constant, 114.0)
}

/// The largest size of the same proportions within another.
fn fit(size: (usize, usize), within: (usize, usize)) -> (usize, usize) {
    let scale = (within.0 as f64 / size.0 as f64).min(within.1 as f64 / size.1 as f64);
    let side = |old: usize, most: usize| ((old as f64 * scale).round() as usize).clamp(1, most);
    (side(size.0, within.0), side(size.1, within.1))
}

/// The images of a tensor of layout NHWC.
fn pictures(tensor: &Tensor) -> Result<Vec<RgbImage>, Box<dyn std::error::Error>> {
    let image = |index: usize| Ok(tensor.slice(0, index..index + 1)?.to_image::<image::Rgb<u8>>()?);
    (0..tensor.shape()[0]).map(image).collect()
}

/// The largest difference.
fn furthest<'a>(found: impl Iterator<Item = f32>, expected: impl Iterator<Item = &'a f32>) -> f32 {
    found.zip(expected).map(|(found, expected)| (found - expected).abs()).fold(0.0, f32::max)
}

/// Where the contact sheets go.
fn folder() -> std::io::Result<PathBuf> {
    let folder = samples::document::folder().join("cvcuda");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
