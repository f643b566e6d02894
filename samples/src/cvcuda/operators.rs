//! Calls of every operator on tensors, of the dtypes, channels and layouts that most of them take.

use interop_core::cvcuda::{
    Border, ColorConversion, CvCuda, Flip, Gaussian, Interpolation, Margins, Rect, Round, Scale,
    WarpInterpolation,
};
use interop_core::{CudaArray, DType, Layout, Result, Tensor};
use serde_json::json;

use super::record::Record;

/// The operators, in the order in which they are called.
pub const OPERATORS: [&str; 12] = [
    "resize",
    "cvtcolor",
    "convertto",
    "normalize",
    "reformat",
    "gaussian",
    "flip",
    "customcrop",
    "copymakeborder",
    "rotate",
    "warp_affine",
    "composite",
];

const HEIGHT: usize = 30;
const WIDTH: usize = 41;
const SAMPLES: usize = 2;

/// Calls every operator in turn.
///
/// # Errors
/// Those of the calls.
pub fn call_all(cv: &CvCuda) -> Result<Record> {
    let mut record = Record::default();
    // Planes and 16-bit floats came with 0.18.
    let is_new = cv.library().version >= (0, 18, 0);
    let dtypes: &[DType] = &[DType::U8, DType::U16, DType::I16, DType::F32, DType::F16];
    let layouts: &[Layout] = &[Layout::HWC, Layout::NHWC, Layout::CHW, Layout::NCHW];
    for &dtype in &dtypes[..if is_new { 5 } else { 4 }] {
        for channels in [1, 3, 4] {
            for &layout in &layouts[..if is_new { 4 } else { 2 }] {
                let image = picture(cv, layout, channels, dtype)?;
                let calls = &mut Calls { cv, record: &mut record, input: 0, image: &image };
                calls.input = calls.record.array(&image)?;
                calls.moves()?;
                calls.values(channels)?;
            }
        }
    }
    colours(cv, &mut record)?;
    types(cv, &mut record)?;
    composite(cv, &mut record)?;
    Ok(record)
}

/// Calls that take one picture.
struct Calls<'a> {
    cv: &'a CvCuda,
    record: &'a mut Record,
    input: usize,
    image: &'a Tensor,
}

const BORDERS: [Border; 5] =
    [Border::Constant, Border::Replicate, Border::Reflect, Border::Wrap, Border::Reflect101];

impl Calls<'_> {
    fn take(&mut self, operator: &str, arguments: serde_json::Value, output: &Tensor) -> Result<()> {
        self.record.call(operator, arguments, &[self.input], output)
    }

    /// Operators that move pixels.
    fn moves(&mut self) -> Result<()> {
        let (cv, image) = (self.cv, self.image);
        for flip in [Flip::Vertical, Flip::Horizontal, Flip::Both] {
            if image.dtype() != DType::I16 {
                self.take("flip", json!({ "code": flip as i32 }), &cv.flip(image, flip)?)?;
            }
        }
        let rect = Rect { x: 3, y: 5, width: 21, height: 13 };
        let cropped = cv.customcrop(image, rect)?;
        self.take("customcrop", json!({ "rect": [rect.x, rect.y, rect.width, rect.height] }), &cropped)?;
        let margins = Margins { top: 3, bottom: 2, left: 1, right: 4 };
        for border in BORDERS {
            let framed = cv.copymakeborder(image, margins, border, [1.0, 2.0, 3.0, 4.0])?;
            let arguments =
                json!({ "border": border as i32, "value": [1.0, 2.0, 3.0, 4.0], "top": 3, "left": 1 });
            self.take("copymakeborder", arguments, &framed)?;
        }
        let other = match image.layout() {
            Some(Layout::HWC) => Layout::CHW,
            Some(Layout::NHWC) => Layout::NCHW,
            Some(Layout::CHW) => Layout::HWC,
            _ => Layout::NHWC,
        };
        self.take("reformat", json!({}), &cv.reformat(image, other)?)
    }

    /// Operators that compute values.
    fn values(&mut self, channels: usize) -> Result<()> {
        let (cv, image) = (self.cv, self.image);
        for interpolation in
            [Interpolation::Nearest, Interpolation::Linear, Interpolation::Cubic, Interpolation::Area]
        {
            for size in [(17, 23), (60, 77), (HEIGHT, WIDTH)] {
                let resized = cv.resize(image, size, interpolation)?;
                self.take("resize", json!({ "interpolation": interpolation as i32 }), &resized)?;
            }
        }
        for border in BORDERS {
            let filter = Gaussian { kernel: (5, 7), sigma: (1.2, 0.7), border };
            let arguments = json!({ "kernel": [7, 5], "sigma": [0.7, 1.2], "border": border as i32 });
            self.take("gaussian", arguments, &cv.gaussian(image, &filter)?)?;
        }
        for interpolation in [WarpInterpolation::Nearest, WarpInterpolation::Linear, WarpInterpolation::Cubic]
        {
            let turned = cv.rotate(image, 33.0, (4.0, 9.0), interpolation)?;
            let arguments =
                json!({ "degrees": 33.0, "shift": [4.0, 9.0], "interpolation": interpolation as i32 });
            self.take("rotate", arguments, &turned)?;
            let matrix = [[0.9, 0.2, -1.5], [-0.1, 1.1, 3.25]];
            for border in BORDERS {
                let warped = cv.warp_affine(image, matrix, interpolation, border, [9.0, 8.0, 7.0, 6.0])?;
                let arguments = json!({
                    "matrix": matrix,
                    "interpolation": interpolation as i32,
                    "border": border as i32,
                    "value": [9.0, 8.0, 7.0, 6.0],
                });
                self.take("warp_affine", arguments, &warped)?;
            }
        }
        let base: Vec<f32> = (0..channels).map(|channel| 3.5 + channel as f32).collect();
        let scale: Vec<f32> = (0..channels).map(|channel| 0.75 - 0.125 * channel as f32).collect();
        for (kind, flags, epsilon) in [(Scale::Factor, 0, 0.0), (Scale::Deviation { epsilon: 0.25 }, 1, 0.25)]
        {
            let mut normalization = cv.normalization(&base, &scale, kind)?;
            (normalization.global_scale, normalization.shift) = (1.5, 2.0);
            let arguments = json!({
                "base": base, "scale": scale, "flags": flags,
                "global_scale": 1.5, "shift": 2.0, "epsilon": epsilon,
            });
            self.take("normalize", arguments, &cv.normalize(image, &normalization)?)?;
        }
        Ok(())
    }
}

/// Conversions between colour spaces.
fn colours(cv: &CvCuda, record: &mut Record) -> Result<()> {
    for conversion in ColorConversion::all() {
        for dtype in [DType::U8, DType::F32] {
            let image = picture(cv, Layout::NHWC, conversion.channels().0, dtype)?;
            let input = record.array(&image)?;
            let converted = cv.cvtcolor(&image, conversion)?;
            record.call("cvtcolor", json!({ "code": conversion as i32 }), &[input], &converted)?;
        }
    }
    Ok(())
}

/// Conversions between element types, with every way to round. The scale is one that an f32 holds, too: the Python API
/// makes an f32 of it.
fn types(cv: &CvCuda, record: &mut Record) -> Result<()> {
    const TYPES: [DType; 7] =
        [DType::U8, DType::I8, DType::U16, DType::I16, DType::I32, DType::F32, DType::F64];
    for from in [DType::U8, DType::I16, DType::F32] {
        let image = picture(cv, Layout::NHWC, 3, from)?;
        let input = record.array(&image)?;
        for to in TYPES {
            let wraps = |round| matches!(round, Round::NearestWrap | Round::TruncateWrap);
            // Before 0.17 there is one way to round; to 32 bits nothing wraps.
            let is_there = |round: &Round| *round == Round::default() || cv.library().version >= (0, 17, 0);
            let fits = |round: &Round| to != DType::I32 || !wraps(*round);
            for round in Round::all().filter(is_there).filter(fits) {
                let converted = cv.convertto(&image, to, 0.375, -11.0, round)?;
                let arguments = json!({ "scale": 0.375, "offset": -11.0, "round": round as i32 });
                record.call("convertto", arguments, &[input], &converted)?;
            }
        }
    }
    Ok(())
}

fn composite(cv: &CvCuda, record: &mut Record) -> Result<()> {
    for layout in [Layout::HWC, Layout::NHWC] {
        let front = picture(cv, layout, 3, DType::U8)?;
        let back = cv.flip(&front, Flip::Both)?;
        let mask = picture(cv, layout, 1, DType::U8)?;
        let inputs = [record.array(&front)?, record.array(&back)?, record.array(&mask)?];
        record.call("composite", json!({}), &inputs, &cv.composite(&front, &back, &mask)?)?;
    }
    Ok(())
}

/// A picture of noise that uses the whole range of the smaller dtypes.
fn picture(cv: &CvCuda, layout: Layout, channels: usize, dtype: DType) -> Result<Tensor> {
    let side = |axis| match axis {
        'N' => SAMPLES,
        'H' => HEIGHT,
        'W' => WIDTH,
        _ => channels,
    };
    let shape: Vec<usize> = layout.as_str().chars().map(side).collect();
    let count = shape.iter().product::<usize>();
    let noise: Vec<u32> =
        (0..count as u32).map(|at| at.wrapping_mul(2_654_435_761).rotate_left(13) >> 16).collect();
    let mut tensor = Tensor::new(cv.gpu(), &shape, dtype, layout)?;
    fn upload<T: interop_core::Element>(
        tensor: &mut (impl CudaArray + ?Sized),
        noise: &[u32],
        value: impl Fn(u32) -> T,
    ) -> Result<()> {
        let elements: Vec<T> = noise.iter().map(|number| value(*number)).collect();
        interop_core::cuda_memcpy_h2d(&elements, tensor)
    }
    match dtype {
        DType::U16 => upload(&mut tensor, &noise, |number| number as u16)?,
        DType::I16 => upload(&mut tensor, &noise, |number| number as u16 as i16)?,
        DType::F16 => upload(&mut tensor, &noise, |number| half::f16::from_f32(number as f32 / 256.0))?,
        DType::F32 => upload(&mut tensor, &noise, |number| number as f32 / 65_536.0)?,
        _ => upload(&mut tensor, &noise, |number| (number >> 8) as u8)?,
    }
    Ok(tensor)
}
