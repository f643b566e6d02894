//! What a call costs on the host, and how many images a second the pipeline takes.

use std::time::{Duration, Instant};

use interop_core::cvcuda::{ColorConversion, CvCuda, Flip, Gaussian, Interpolation, Rect, Round, Scale};
use interop_core::{CudaBuffer, DType, Layout, Result, Tensor, as_tensor};
use ndarray::Array3;
use serde_json::{Value, json};

use super::pipeline::Preprocessor;
use crate::bandwidth::quantile;

/// Calls in one measurement, after which the device is waited for: fewer than its queue holds.
const CALLS: usize = 500;
const MEASUREMENTS: usize = 41;

/// Images in a batch, and batches that are timed.
const IMAGES: usize = 32;
const BATCHES: usize = 15;
/// Of a photograph, and of what a network takes.
const PHOTO: (usize, usize) = (1080, 1920);
const INPUT: (usize, usize) = (224, 224);
/// Of a picture that takes the device less time than the call takes.
const SMALL: [usize; 3] = [64, 64, 3];

/// Seconds of each measurement of one thing.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What: a call, or the pipeline.
    pub name: &'static str,
    /// Whether it was recorded before, and then run.
    pub is_recorded: bool,
    /// Per call, or per batch.
    pub seconds: Vec<f64>,
}

impl Measured {
    fn new(name: &'static str, is_recorded: bool) -> Self {
        Self { name, is_recorded, seconds: Vec::new() }
    }

    /// The median in seconds; 0 of none.
    pub fn median(&self) -> f64 {
        quantile(self.seconds.clone(), 0.5)
    }
}

/// How long calls are made before any is timed: so long processors take to reach their speed.
const WARM_UP: Duration = Duration::from_secs(1);

/// What is timed, by name, and whether it was recorded.
type Call<'a> = (&'static str, bool, Box<dyn FnMut() -> Result<()> + 'a>);

/// A call of an operator, by name.
type Operator<'a> = (&'static str, Box<dyn FnMut(&CvCuda) -> Result<()> + 'a>);

/// The calls, those of operators also recorded, each `CALLS` times in a row; all in turns, `MEASUREMENTS` times, so that
/// what the machine does meanwhile meets all of them.
///
/// # Errors
/// Those of the calls.
pub fn calls(cv: &CvCuda) -> Result<Vec<Measured>> {
    let gpu = cv.gpu();
    let new = |shape: [usize; 3], dtype, layout: Layout| Tensor::new(gpu, &shape, dtype, layout);
    let buffer = CudaBuffer::zeros(gpu, &[PHOTO.0, PHOTO.1, 3], DType::U8)?;
    let tensor = as_tensor(&buffer, Layout::HWC)?;
    // Pictures so small that the call is what takes the time.
    let small = &new(SMALL, DType::U8, Layout::HWC)?;
    let floats = &new(SMALL, DType::F32, Layout::HWC)?;
    let normalization = cv.normalization(&[0.5; 3], &[0.25; 3], Scale::Factor)?;
    let (filter, rect) = (Gaussian::square(3, 1.0), Rect { x: 8, y: 8, width: 32, height: 32 });
    let mut large = new([INPUT.0, INPUT.1, 3], DType::U8, Layout::HWC)?;
    let mut turned = new(SMALL, DType::U8, Layout::HWC)?;
    let mut blurred = new(SMALL, DType::U8, Layout::HWC)?;
    let mut flipped = new(SMALL, DType::U8, Layout::HWC)?;
    let (mut converted, mut normalized) =
        (new(SMALL, DType::F32, Layout::HWC)?, new(SMALL, DType::F32, Layout::HWC)?);
    let mut planes = new([3, SMALL[0], SMALL[1]], DType::U8, Layout::CHW)?;
    let mut part = new([32, 32, 3], DType::U8, Layout::HWC)?;
    let export = || {
        drop(tensor.cuda());
        Ok(())
    };
    let (linear, round) = (Interpolation::Linear, Round::default());
    let operators: Vec<Operator> = vec![
        ("resize_into", Box::new(|cv| cv.resize_into(small, &mut large, linear))),
        ("cvtcolor_into", Box::new(|cv| cv.cvtcolor_into(small, &mut turned, ColorConversion::BgrToRgb))),
        ("convertto_into", Box::new(|cv| cv.convertto_into(small, &mut converted, 2.0, 0.0, round))),
        ("normalize_into", Box::new(|cv| cv.normalize_into(floats, &mut normalized, &normalization))),
        ("reformat_into", Box::new(|cv| cv.reformat_into(small, &mut planes))),
        ("gaussian_into", Box::new(|cv| cv.gaussian_into(small, &mut blurred, &filter))),
        ("flip_into", Box::new(|cv| cv.flip_into(small, &mut flipped, Flip::Vertical))),
        ("customcrop_into", Box::new(|cv| cv.customcrop_into(small, &mut part, rect))),
    ];
    let mut calls: Vec<Call> = vec![
        ("as_tensor", false, Box::new(|| cv.share(&as_tensor(&buffer, Layout::HWC)?).map(drop))),
        ("cuda", false, Box::new(export)),
        ("Tensor", false, Box::new(|| new(SMALL, DType::U8, Layout::HWC).map(drop))),
    ];
    let mut recorded: Vec<Call> = Vec::new();
    for (name, mut call) in operators {
        let (work, ()) = cv.record(&mut call)?;
        recorded.push((name, true, Box::new(move || work.run())));
        calls.push((name, false, Box::new(move || call(cv))));
    }
    calls.extend(recorded);
    time(cv, calls)
}

fn time(cv: &CvCuda, mut calls: Vec<Call>) -> Result<Vec<Measured>> {
    let mut measured: Vec<Measured> =
        calls.iter().map(|(name, is_recorded, _)| Measured::new(name, *is_recorded)).collect();
    let warm = Instant::now();
    while warm.elapsed() < WARM_UP {
        calls.iter_mut().try_for_each(|(_, _, call)| once(cv, call).map(drop))?;
    }
    for _ in 0..MEASUREMENTS {
        for ((_, _, call), measured) in calls.iter_mut().zip(&mut measured) {
            measured.seconds.push(once(cv, call)?);
        }
    }
    Ok(measured)
}

/// Seconds a call, of `CALLS` in a row; then waits for the device.
fn once(cv: &CvCuda, call: &mut dyn FnMut() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    for _ in 0..CALLS {
        call()?;
    }
    let took = start.elapsed().as_secs_f64() / CALLS as f64;
    cv.gpu().synchronize()?;
    Ok(took)
}

/// The pipeline with photographs of 1080p in ordinary memory, each an array of its own: from the call until the device is
/// done.
///
/// # Errors
/// Those of the pipeline.
pub fn pipeline(cv: &CvCuda) -> Result<Measured> {
    let photo = |index: usize| {
        Array3::from_shape_fn((PHOTO.0, PHOTO.1, 3), |(y, x, c)| (index * 31 + y * 7 + x * 3 + c * 101) as u8)
    };
    let photos: Vec<Array3<u8>> = (0..IMAGES).map(photo).collect();
    let mut preprocessor = Preprocessor::new(cv, IMAGES, INPUT)?;
    let mut measured = Measured::new("pipeline", false);
    for batch in 0..BATCHES + 2 {
        let start = Instant::now();
        preprocessor.run(&photos)?;
        cv.gpu().synchronize()?;
        if batch >= 2 {
            measured.seconds.push(start.elapsed().as_secs_f64());
        }
    }
    Ok(measured)
}

/// Puts both into the document.
pub fn add_to(document: &mut Value, calls: &[Measured], pipeline: &Measured) {
    let call = |call: &Measured| {
        json!({
            "call": call.name,
            "implementation": if call.is_recorded { "interop-core, recorded" } else { "interop-core" },
            "us_median": call.median() * 1e6,
            "seconds": call.seconds,
        })
    };
    document["calls"] = calls.iter().map(call).collect();
    document["pipelines"] = json!([{
        "implementation": "interop-core",
        "images": IMAGES, "height": PHOTO.0, "width": PHOTO.1,
        "images_per_second_median": images_per_second(pipeline),
        "seconds": pipeline.seconds,
    }]);
}

/// Images that the pipeline takes in a second.
pub fn images_per_second(pipeline: &Measured) -> f64 {
    IMAGES as f64 / pipeline.median()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let measured =
            |seconds: &[f64]| Measured { seconds: seconds.to_vec(), ..Measured::new("test", false) }.median();
        assert_eq!(measured(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(measured(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(measured(&[]), 0.0);
    }
}
