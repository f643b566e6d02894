//! What CV-CUDA refuses comes with its own words, leaves nothing behind, and works the next time.

use std::sync::atomic::Ordering;

use interop_core::cvcuda::{Border, CvCuda, Flip, Gaussian, ImageFormat, Interpolation};
use interop_core::{DType, Error, Layout, Result, Tensor};

use crate::stand_in::{Live, StandIn};
use crate::{counting, foreign};

const INTERNAL: i32 = 8;

/// Has `function` fail in `run`, checks the error and the books, then that it works.
fn check<T: std::fmt::Debug>(
    stand_in: &StandIn,
    function: &'static str,
    operation: &'static str,
    run: impl Fn() -> Result<T>,
) {
    let before = Live::ALL.map(|kind| stand_in.live(kind));
    stand_in.fail_next(function, INTERNAL, "0 (cudaErrorNoReason)");
    let (status, name) = (INTERNAL, "NVCV_ERROR_INTERNAL".to_owned());
    let message = "0 (cudaErrorNoReason)".to_owned();
    let expected = Error::CvCuda { operation, function, status, name, message };
    assert_eq!(run().expect_err(function), expected);
    for (kind, before) in Live::ALL.into_iter().zip(before) {
        // An operator or allocator that was made meanwhile serves the next call.
        let is_kept = matches!(kind, Live::Operators | Live::Allocators);
        assert!(stand_in.live(kind) == before || is_kept, "{function}: {kind:?}");
    }
    run().unwrap_or_else(|error| panic!("after {function} failed once: {error}"));
}

fn opened(name: &str) -> Option<(StandIn, CvCuda)> {
    let stand_in = StandIn::new(name, &[]);
    let cv = stand_in.open()?;
    Some((stand_in, cv))
}

#[test]
fn of_operators() {
    let Some((stand_in, cv)) = opened("errors-of-operators") else { return };
    let (image, _) = counting(cv.gpu(), &[8, 8, 3], Layout::HWC);
    cv.share(&image).unwrap();
    let live = cv.gpu().memory_figures().live_bytes;
    let flip = || cv.flip(&image, Flip::Both);
    check(&stand_in, "cvcudaFlipCreate", "CvCuda::flip", flip);
    check(&stand_in, "cvcudaFlipSubmit", "CvCuda::flip", flip);
    check(&stand_in, "nvcvTensorWrapDataConstruct", "CvCuda::flip", flip);
    assert_eq!(stand_in.live(Live::Operators), 1);
    assert_eq!(cv.gpu().memory_figures().live_bytes, live);
    drop((image, cv));
    stand_in.assert_nothing_lives();
}

// A larger filter makes the operator anew: if that fails, the one there is serves on.
#[test]
fn of_an_operator_that_is_made_anew() {
    let Some((stand_in, cv)) = opened("errors-anew") else { return };
    let (image, _) = counting(cv.gpu(), &[8, 8, 3], Layout::HWC);
    let blur = |kernel| cv.gaussian(&image, &Gaussian::square(kernel, 1.0));
    blur(3).unwrap();
    stand_in.fail_next("cvcudaGaussianCreate", INTERNAL, "");
    assert!(matches!(blur(5), Err(Error::CvCuda { function: "cvcudaGaussianCreate", .. })));
    blur(3).unwrap();
    assert_eq!((stand_in.live(Live::Operators), stand_in.calls("cvcudaGaussianCreate")), (1, 2));
    blur(5).unwrap();
    assert_eq!((stand_in.live(Live::Operators), stand_in.calls("cvcudaGaussianCreate")), (1, 3));
}

#[test]
fn of_managed_tensors() {
    let Some((stand_in, cv)) = opened("errors-managed") else { return };
    let make = || cv.tensor(&[4, 4], DType::U8, Layout::HW);
    for function in [
        // The first that works keeps the allocator.
        "nvcvAllocatorConstructCustom",
        "nvcvTensorCalcRequirements",
        "nvcvTensorConstruct",
        "nvcvTensorExportData",
        "nvcvTensorIncRef",
    ] {
        check(&stand_in, function, "CvCuda::tensor", make);
        assert_eq!(cv.gpu().memory_figures().live_bytes, 0, "{function}");
    }
    drop(cv);
    stand_in.assert_nothing_lives();
}

#[test]
fn of_wrapping_gives_the_memory_up_once() {
    let Some((stand_in, cv)) = opened("errors-wrapping") else { return };
    let (tensor, drops) = foreign::counted(cv.gpu(), &[4, 4, 3]);
    check(&stand_in, "nvcvTensorWrapDataConstruct", "CvCuda::share", || {
        let again = interop_core::as_tensor(tensor.cuda(), Layout::HWC).unwrap();
        cv.share(&again).map(drop)
    });
    cv.share(&tensor).unwrap();
    check(&stand_in, "nvcvTensorRefCount", "CvCuda::references", || cv.references(&tensor));
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(tensor);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    stand_in.assert_nothing_lives();
}

#[test]
fn an_unknown_status_without_a_message_is_shown_too() {
    let Some((stand_in, cv)) = opened("errors-unknown") else { return };
    let tensor = Tensor::new(cv.gpu(), &[4], DType::U8, None).unwrap();
    stand_in.fail_next("nvcvTensorWrapDataConstruct", 77, "");
    let text = cv.share(&tensor).unwrap_err().to_string();
    assert!(text.contains("Unknown error (77) from nvcvTensorWrapDataConstruct"), "{text}");
}

#[test]
fn of_batches() {
    let Some((stand_in, cv)) = opened("errors-of-batches") else { return };
    let (tensor, _) = counting(cv.gpu(), &[8, 8, 3], Layout::HWC);
    let image = || cv.image(&tensor, ImageFormat::Rgb8);
    check(&stand_in, "nvcvImageWrapDataConstruct", "CvCuda::image", image);
    let batch = || cv.image_batch([image()?]);
    for function in [
        "nvcvImageBatchVarShapeCalcRequirements",
        "nvcvImageBatchVarShapeConstruct",
        "nvcvImageBatchVarShapePushImages",
        "nvcvImageBatchExportData",
    ] {
        check(&stand_in, function, "CvCuda::image_batch", batch);
    }
    let made = batch().unwrap();
    // What failed may have queued a part, and is kept until the stream has passed.
    let release = || {
        cv.gpu().synchronize().unwrap();
        drop(cv.clone());
    };
    let resize = || {
        let resized = cv.resize_batch(&made, &[(4, 4)], Interpolation::Nearest);
        release();
        resized
    };
    check(&stand_in, "cvcudaResizeVarShapeSubmit", "CvCuda::resize_batch", resize);
    check(&stand_in, "nvcvImageBatchVarShapeConstruct", "CvCuda::resize_batch", resize);
    check(&stand_in, "nvcvImageWrapDataConstruct", "CvCuda::resize_batch", resize);
    let stack = || {
        let stacked = cv.padandstack(&made, (8, 8), &[(0, 0)], Border::Constant, 0.0);
        release();
        stacked
    };
    check(&stand_in, "cvcudaPadAndStackSubmit", "CvCuda::padandstack", stack);
    cv.gpu().synchronize().unwrap();
    drop((made, tensor, cv));
    stand_in.assert_nothing_lives();
}
