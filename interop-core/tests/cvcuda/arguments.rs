//! Arguments arrive in C as they were given.

use interop_core::cvcuda::{
    Border, ColorConversion, CvCuda, Flip, Gaussian, ImageFormat, Interpolation, Margins, Rect, Round, Scale,
    WarpInterpolation,
};
use interop_core::{DType, Layout, Tensor};

use crate::counting;
use crate::stand_in::StandIn;

/// A copy of the stand-in and what its calls are compared with.
struct Calls {
    stand_in: StandIn,
    cv: CvCuda,
}

impl Calls {
    /// Fails unless the last call had this function, our stream, the handles of these tensors (None for one
    /// that is not at hand), and these other arguments.
    #[track_caller]
    fn check(&self, function: &str, tensors: &[Option<&Tensor>], others: &str) {
        let handle = |tensor: &Tensor| format!("{:p}", self.cv.share(tensor).unwrap());
        let tensors = tensors.iter().map(|tensor| tensor.map(handle));
        let stream = Some(format!("{:#x}", self.cv.gpu().stream().to_raw()));
        let others = others.split_whitespace().map(|word| Some(word.to_owned()));
        let expected: Vec<Option<String>> =
            [Some(function.to_owned()), stream].into_iter().chain(tensors).chain(others).collect();
        let found = self.stand_in.last_call();
        let words: Vec<&str> = found.split(' ').collect();
        let are_alike = expected
            .iter()
            .zip(&words)
            .all(|(expected, word)| expected.as_ref().is_none_or(|expected| expected == word));
        assert!(words.len() == expected.len() && are_alike, "{found} is not {expected:?}");
    }
}

fn calls(name: &str) -> Option<Calls> {
    let stand_in = StandIn::new(name, &[]);
    let cv = stand_in.open()?;
    Some(Calls { stand_in, cv })
}

#[test]
fn of_operators_on_pixels() {
    let Some(calls) = calls("arguments-pixels") else { return };
    let cv = &calls.cv;
    let (image, _) = counting(cv.gpu(), &[6, 9, 3], Layout::HWC);
    let input = Some(&image);

    let out = cv.flip(&image, Flip::Both).unwrap();
    calls.check("cvcudaFlipSubmit", &[input, Some(&out)], "-1");
    let out = cv.resize(&image, (4, 5), Interpolation::Area).unwrap();
    calls.check("cvcudaResizeSubmit", &[input, Some(&out)], "3");
    let out = cv.cvtcolor(&image, ColorConversion::RgbToHsv).unwrap();
    calls.check("cvcudaCvtColorSubmit", &[input, Some(&out)], "41");
    let out = cv.reformat(&image, Layout::CHW).unwrap();
    calls.check("cvcudaReformatSubmit", &[input, Some(&out)], "");
    let out = cv.convertto(&image, DType::F32, 0.25, -3.5, Round::default()).unwrap();
    calls.check("cvcudaConvertToSubmit", &[input, Some(&out)], "0.25 -3.5 0");
    let out = cv.customcrop(&image, Rect { x: 1, y: 2, width: 7, height: 3 }).unwrap();
    calls.check("cvcudaCustomCropSubmit", &[input, Some(&out)], "1 2 7 3");
    let margins = Margins { top: 1, bottom: 2, left: 3, right: 4 };
    let out = cv.copymakeborder(&image, margins, Border::Wrap, [0.5, 1.5, 2.5, 3.5]).unwrap();
    assert_eq!(out.shape(), [9, 16, 3]);
    calls.check("cvcudaCopyMakeBorderSubmit", &[input, Some(&out)], "1 3 3 0.5 1.5 2.5 3.5");
}

// In Rust height comes first, in C width.
#[test]
fn of_the_gaussian() {
    let Some(calls) = calls("arguments-gaussian") else { return };
    let cv = &calls.cv;
    let (image, _) = counting(cv.gpu(), &[6, 9, 3], Layout::HWC);
    let mut out = Tensor::new(cv.gpu(), &[6, 9, 3], DType::U8, Layout::HWC).unwrap();
    cv.share(&out).unwrap();
    // The operator is made first; noted is what is called last.
    calls.stand_in.fail_next("cvcudaGaussianSubmit", 8, "");
    let filter = Gaussian { kernel: (7, 3), sigma: (1.5, 0.75), border: Border::Replicate };
    cv.gaussian_into(&image, &mut out, &filter).unwrap_err();
    assert_eq!(calls.stand_in.last_call(), "cvcudaGaussianCreate 3 7 1");
    cv.gaussian_into(&image, &mut out, &filter).unwrap();
    calls.check("cvcudaGaussianSubmit", &[Some(&image), Some(&out)], "3 7 0.75 1.5 1");
}

#[test]
fn of_operators_that_turn_and_warp() {
    let Some(calls) = calls("arguments-warp") else { return };
    let cv = &calls.cv;
    let (image, _) = counting(cv.gpu(), &[6, 9, 3], Layout::HWC);
    let out = cv.rotate(&image, 22.5, (1.25, -2.5), WarpInterpolation::Cubic).unwrap();
    calls.check("cvcudaRotateSubmit", &[Some(&image), Some(&out)], "22.5 1.25 -2.5 2");
    // The way back, with the flag that says so.
    let matrix = [[2.0, 1.0, 3.0], [1.0, 1.0, -8.0]];
    let (linear, value) = (WarpInterpolation::Linear, [1.0, 2.0, 3.0, 4.0]);
    let out = cv.warp_affine(&image, matrix, linear, Border::Reflect101, value).unwrap();
    calls.check("cvcudaWarpAffineSubmit", &[Some(&image), Some(&out)], "2 1 3 1 1 -8 1 4 1 2 3 4");
}

#[test]
fn of_operators_with_several_inputs() {
    let Some(calls) = calls("arguments-several") else { return };
    let cv = &calls.cv;
    let picture = |channels| counting(cv.gpu(), &[6, 9, channels], Layout::HWC).0;
    let (front, back, mask) = (picture(3), picture(3), picture(1));
    let out = cv.composite(&front, &back, &mask).unwrap();
    calls.check("cvcudaCompositeSubmit", &[Some(&front), Some(&back), Some(&mask), Some(&out)], "");
    let scale = Scale::Deviation { epsilon: 0.125 };
    let mut normalization = cv.normalization(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], scale).unwrap();
    (normalization.global_scale, normalization.shift) = (0.5, -0.25);
    let out = cv.normalize(&front, &normalization).unwrap();
    calls.check("cvcudaNormalizeSubmit", &[Some(&front), None, None, Some(&out)], "0.5 -0.25 0.125 1");
}

#[test]
fn of_operators_on_batches() {
    let Some(calls) = calls("arguments-batches") else { return };
    let cv = &calls.cv;
    let images = [(6, 9), (4, 5)].map(|(height, width)| {
        let (tensor, _) = counting(cv.gpu(), &[height, width, 3], Layout::HWC);
        cv.image(&tensor, ImageFormat::Rgb8).unwrap()
    });
    let batch = cv.image_batch(images).unwrap();
    let smaller = cv.resize_batch(&batch, &[(3, 3), (2, 2)], Interpolation::Cubic).unwrap();
    calls.check("cvcudaResizeVarShapeSubmit", &[None, None], "2");
    cv.cvtcolor_batch(&smaller, ColorConversion::BgrToRgb, ImageFormat::Bgr8).unwrap();
    calls.check("cvcudaCvtColorVarShapeSubmit", &[None, None], "4");
    let out = cv.padandstack(&batch, (8, 10), &[(2, 1), (0, 3)], Border::Wrap, 5.0).unwrap();
    calls.check("cvcudaPadAndStackSubmit", &[None, Some(&out), None, None], "3 5");
}
