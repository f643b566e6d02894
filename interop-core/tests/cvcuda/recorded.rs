//! Recorded operators: the same bytes as calls, run after run, and who keeps what meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::CudaContext;
use interop_core::cvcuda::{
    Border, ColorConversion, CvCuda, Flip, Gaussian, ImageFormat, Interpolation, Margins, Rect, Round, Scale,
    WarpInterpolation,
};
use interop_core::{DType, Error, Layout, Result, Tensor};

use crate::children::is_alone;
use crate::common::hold;
use crate::lifetime::nap_then_set;
use crate::stand_in::{Live, StandIn};
use crate::{counting, foreign, real, real_or_stand_in, upload};

/// The outputs of two different calls of every operator: some keep a filter or a matrix from call to call.
fn every_operator(cv: &CvCuda, image: &Tensor, mask: &Tensor) -> Result<Vec<Tensor>> {
    let floats = cv.convertto(image, DType::F32, 2.0, 1.0, Round::default())?;
    let normalization = cv.normalization(&[1.0, 2.0, 3.0], &[0.5, 0.25, 2.0], Scale::Factor)?;
    let other = cv.normalization(&[3.0, 1.0, 2.0], &[0.25, 1.0, 0.5], Scale::Factor)?;
    let margins = Margins { top: 1, bottom: 2, left: 3, right: 4 };
    let planes = cv.reformat(image, Layout::CHW)?;
    let mirrored = cv.flip(image, Flip::Vertical)?;
    let matrix = [[1.0, 0.1, 2.0], [0.0, 0.9, 1.0]];
    let warped = |x: f32| {
        let matrix = [[matrix[0][0], matrix[0][1], matrix[0][2] + x], matrix[1]];
        cv.warp_affine(image, matrix, WarpInterpolation::Linear, Border::Constant, [0.0; 4])
    };
    Ok(vec![
        cv.resize(image, (7, 31), Interpolation::Cubic)?,
        cv.resize(image, (30, 9), Interpolation::Linear)?,
        cv.cvtcolor(image, ColorConversion::BgrToRgb)?,
        cv.cvtcolor(image, ColorConversion::RgbToGray)?,
        cv.convertto(image, DType::F32, 0.5, -3.0, Round::default())?,
        cv.normalize(&floats, &normalization)?,
        cv.normalize(&floats, &other)?,
        cv.reformat(&planes, Layout::HWC)?,
        cv.gaussian(image, &Gaussian::square(3, 1.0))?,
        cv.gaussian(image, &Gaussian::square(7, 2.0))?,
        cv.gaussian(image, &Gaussian::square(3, 0.5))?,
        cv.flip(image, Flip::Both)?,
        cv.customcrop(image, Rect { x: 1, y: 2, width: 9, height: 5 })?,
        cv.customcrop(image, Rect { x: 3, y: 0, width: 4, height: 8 })?,
        cv.copymakeborder(image, margins, Border::Replicate, [0.0; 4])?,
        cv.copymakeborder(image, margins, Border::Constant, [1.0, 2.0, 3.0, 4.0])?,
        cv.rotate(image, 30.0, (1.0, 2.0), WarpInterpolation::Linear)?,
        cv.rotate(image, -10.0, (0.0, 3.0), WarpInterpolation::Linear)?,
        warped(0.0)?,
        warped(3.0)?,
        cv.composite(image, &mirrored, mask)?,
        cv.composite(&mirrored, image, mask)?,
        floats,
        planes,
        mirrored,
    ])
}

fn bytes(tensors: &[Tensor]) -> Vec<Vec<u8>> {
    let each = tensors.iter().map(|tensor| match tensor.dtype() {
        DType::F32 => tensor.to_vec::<f32>().unwrap().iter().flat_map(|value| value.to_ne_bytes()).collect(),
        _ => tensor.to_vec::<u8>().unwrap(),
    });
    each.collect()
}

fn spoil(tensor: &mut Tensor) {
    match tensor.dtype() {
        DType::F32 => tensor.fill(-77.0f32).unwrap(),
        _ => tensor.fill(0xa5u8).unwrap(),
    }
}

#[test]
fn every_operator_gives_the_same_bytes_run_after_run() {
    let Some(cv) = real() else { return };
    let (mut image, host) = counting(cv.gpu(), &[20, 16, 3], Layout::HWC);
    let (mask, _) = counting(cv.gpu(), &[20, 16, 1], Layout::HWC);
    // The first use of each operator is the recorded one.
    let (recorded, mut outputs) = cv.record(|cv| every_operator(cv, &image, &mask)).unwrap();
    for round in 0..3u8 {
        let host: Vec<u8> = host.iter().map(|value| value.wrapping_mul(round + 1)).collect();
        upload(&host, &mut image);
        // What a run leaves as it was shows.
        outputs.iter_mut().for_each(spoil);
        recorded.run().unwrap();
        let found = bytes(&outputs);
        let expected = bytes(&every_operator(&cv, &image, &mask).unwrap());
        for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "output {index} in round {round}");
        }
    }
}

#[test]
fn a_new_output_of_a_rotation_is_cleared_at_each_run() {
    let Some(cv) = real_or_stand_in() else { return };
    let (image, _) = counting(cv.gpu(), &[8, 8, 3], Layout::HWC);
    let nearest = WarpInterpolation::Nearest;
    let (recorded, mut output) = cv.record(|cv| cv.rotate(&image, 0.0, (100.0, 0.0), nearest)).unwrap();
    for _ in 0..2 {
        spoil(&mut output);
        recorded.run().unwrap();
        assert_eq!(output.to_vec::<u8>().unwrap(), [0; 8 * 8 * 3]);
    }
}

#[test]
fn calls_are_made_once() {
    let stand_in = StandIn::new("recorded", &[]);
    let Some(cv) = stand_in.open() else { return };
    let (image, _) = counting(cv.gpu(), &[16, 16, 3], Layout::HWC);
    let (recorded, output) = cv.record(|cv| cv.flip(&image, Flip::Both)).unwrap();
    assert_eq!(output.shape(), [16, 16, 3]);
    (0..5).for_each(|_| recorded.run().unwrap());
    assert_eq!(stand_in.calls("cvcudaFlipSubmit"), 1);
    drop(cv);
    recorded.run().unwrap();
    assert_eq!(stand_in.live(Live::Operators), 1, "the recorded one's");
    drop((recorded, image, output));
    stand_in.assert_nothing_lives();
}

#[test]
fn all_memory_is_kept_until_it_is_dropped() {
    let Some(cv) = real_or_stand_in() else { return };
    let (image, drops) = foreign::counted(cv.gpu(), &[8, 8, 3]);
    let (recorded, output) =
        cv.record(|cv| cv.flip(&cv.cvtcolor(&image, ColorConversion::BgrToRgb)?, Flip::Both)).unwrap();
    let live = cv.gpu().memory_figures().live_bytes;
    drop((image, output));
    recorded.run().unwrap();
    cv.gpu().synchronize().unwrap();
    assert_eq!(cv.gpu().memory_figures().live_bytes, live);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    recorded.run().unwrap();
    drop(recorded);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    assert!(cv.gpu().memory_figures().live_bytes < live);
}

#[test]
fn a_run_waits_for_the_lane_of_its_input_and_holds_up_what_comes_next() {
    if !is_alone("recorded::a_run_waits_for_the_lane_of_its_input_and_holds_up_what_comes_next") {
        return;
    }
    static BEFORE: AtomicBool = AtomicBool::new(false);
    static RUN: AtomicBool = AtomicBool::new(false);
    let Some(cv) = real_or_stand_in() else { return };
    let lane = cv.gpu().with_new_stream().unwrap();
    let mut image = Tensor::new(&lane, &[32, 32, 1], DType::U8, Layout::HWC).unwrap();
    image.fill(1u8).unwrap();
    let (recorded, _) = cv.record(|cv| cv.resize(&image, (16, 16), Interpolation::Nearest)).unwrap();
    recorded.run().unwrap();
    hold(lane.stream(), nap_then_set!(BEFORE));
    recorded.run().unwrap();
    assert!(!BEFORE.load(Ordering::SeqCst), "it returns at once");
    cv.gpu().synchronize().unwrap();
    assert!(BEFORE.load(Ordering::SeqCst));
    hold(cv.gpu().stream(), nap_then_set!(RUN));
    recorded.run().unwrap();
    image.fill(2u8).unwrap();
    assert!(!RUN.load(Ordering::SeqCst), "nothing of that waits on the host");
    lane.synchronize().unwrap();
    assert!(RUN.load(Ordering::SeqCst));
}

#[test]
fn a_handle_that_records_does_nothing_else() {
    let Some(cv) = real_or_stand_in() else { return };
    let (image, _) = counting(cv.gpu(), &[8, 8, 3], Layout::HWC);
    let refused = |result: Result<()>, text: &str| {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { argument: "self", .. }), "{error}");
        assert!(error.to_string().contains(text), "{error}");
    };
    let (_, (clone, nested)) = cv
        .record(|recorder| Ok((recorder.clone(), recorder.record(|cv| cv.flip(&image, Flip::Both)))))
        .unwrap();
    refused(nested.map(drop), "one that records them");
    refused(clone.flip(&image, Flip::Both).map(drop), "has ended");
    cv.flip(&image, Flip::Both).unwrap();
}

// CV-CUDA's own answer is cudaErrorStreamCaptureIsolation.
#[test]
fn batches_are_refused_and_leave_the_recording_whole() {
    let Some(cv) = real_or_stand_in() else { return };
    let (image, _) = counting(cv.gpu(), &[8, 8, 3], Layout::HWC);
    let batch = cv.image_batch([cv.image(&image, ImageFormat::Rgb8).unwrap()]).unwrap();
    let is_refused = |result: Result<()>| {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { argument: "input", .. }), "{error}");
        assert!(error.to_string().contains("a tensor, where operators are recorded"), "{error}");
    };
    let (recorded, output) = cv
        .record(|cv| {
            is_refused(cv.cvtcolor_batch(&batch, ColorConversion::BgrToRgb, ImageFormat::Bgr8).map(drop));
            is_refused(cv.resize_batch(&batch, &[(5, 5)], Interpolation::Nearest).map(drop));
            is_refused(cv.padandstack(&batch, (8, 8), &[(0, 0)], Border::Constant, 7.0).map(drop));
            cv.flip(&image, Flip::Both)
        })
        .unwrap();
    recorded.run().unwrap();
    let expected = cv.flip(&image, Flip::Both).unwrap();
    assert!(cv.gpu().info().simulated || output.to_vec::<u8>() == expected.to_vec::<u8>());
}

#[test]
fn what_fails_leaves_nothing_and_the_handle_as_it_was() {
    let stand_in = StandIn::new("recorded-fails", &[]);
    let Some(cv) = stand_in.open() else { return };
    let (image, _) = counting(cv.gpu(), &[8, 8, 3], Layout::HWC);
    stand_in.fail_next("cvcudaFlipSubmit", 8, "on purpose");
    let failed = cv.record(|cv| {
        cv.flip(&image, Flip::Both)?;
        cv.flip(&image, Flip::Vertical)
    });
    assert!(failed.unwrap_err().to_string().contains("on purpose"));
    let mut escaped = None;
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        cv.record(|cv| -> Result<()> {
            escaped = Some(cv.clone());
            cv.flip(&image, Flip::Both)?;
            panic!("on purpose")
        })
    }));
    assert!(panicked.is_err());
    let error = escaped.take().unwrap().flip(&image, Flip::Both).unwrap_err();
    assert!(error.to_string().contains("has ended"), "{error}");
    let (recorded, _) = cv.record(|cv| cv.flip(&image, Flip::Both)).unwrap();
    recorded.run().unwrap();
    cv.flip(&image, Flip::Both).unwrap();
    drop((recorded, image, cv));
    stand_in.assert_nothing_lives();
}

#[test]
fn a_wait_for_the_whole_device_loses_the_recording_and_says_so() {
    // It would end what other tests record at the same time.
    if !is_alone("recorded::a_wait_for_the_whole_device_loses_the_recording_and_says_so") {
        return;
    }
    let Some(cv) = real_or_stand_in() else { return };
    let (image, _) = counting(cv.gpu(), &[8, 8, 3], Layout::HWC);
    let theirs = CudaContext::new(cv.gpu().info().ordinal).unwrap();
    let lost = cv.record(|cv| {
        let output = cv.flip(&image, Flip::Both)?;
        assert!(theirs.synchronize().is_err(), "cuCtxSynchronize");
        Ok(output)
    });
    let error = lost.map(drop).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { argument: "operators", .. }), "{error}");
    assert!(error.to_string().contains("cudaDeviceSynchronize"), "{error}");
    let (recorded, _) = cv.record(|cv| cv.flip(&image, Flip::Both)).unwrap();
    recorded.run().unwrap();
    cv.gpu().synchronize().unwrap();
}

#[test]
fn nothing_recorded_is_nothing_run() {
    let Some(cv) = real_or_stand_in() else { return };
    let (recorded, ()) = cv.record(|_| Ok(())).unwrap();
    assert_eq!(recorded.run(), Ok(()));
}

#[test]
fn threads_may_run_it_at_the_same_time() {
    let Some(cv) = real_or_stand_in() else { return };
    let (image, _) = counting(cv.gpu(), &[16, 16, 3], Layout::HWC);
    let (recorded, output) = cv.record(|cv| cv.flip(&image, Flip::Both)).unwrap();
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| (0..50).for_each(|_| recorded.run().unwrap()));
        }
        threads.spawn(|| {
            for _ in 0..20 {
                let (other, _) = cv.record(|cv| cv.flip(&image, Flip::Vertical)).unwrap();
                other.run().unwrap();
                drop(cv.tensor(&[16, 16, 3], DType::U8, Layout::HWC).unwrap());
            }
        });
    });
    let expected = cv.flip(&image, Flip::Both).unwrap();
    assert!(cv.gpu().info().simulated || output.to_vec::<u8>() == expected.to_vec::<u8>());
}
