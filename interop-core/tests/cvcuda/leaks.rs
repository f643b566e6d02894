//! Handles and memory stay flat.

use std::time::Duration;

use interop_core::cvcuda::{CvCuda, Gaussian, Interpolation};
use interop_core::{CudaBuffer, DType, Layout, as_tensor};

use crate::children::is_alone;
use crate::common::Random;
use crate::real_or_stand_in;
use crate::stand_in::{Live, shared};

/// Resident memory of this process in bytes.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages: usize = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number");
    pages * 4096
}

/// Bytes of the device's memory that a round may leave.
const DEVICE_SLACK: usize = 1 << 20;

/// How often a round is made again where the device has less free memory than before. That is everybody's: other tests
/// and programs take of it meanwhile, but what a round leaves is missing after each.
const ROUNDS: usize = 20;

/// Fails where a round leaves something; in host memory, more than `host_slack` bytes.
fn assert_flat(cv: &CvCuda, host_slack: usize, mut round: impl FnMut()) {
    let gpu = cv.gpu();
    let free = || gpu.memory_info().unwrap().0;
    let mut missing = Vec::new();
    // In the stand-in's books; CV-CUDA's own cannot be read.
    let tensors = || gpu.info().simulated.then(|| shared().live(Live::Tensors));
    let (live, open, host) = (gpu.memory_figures().live_bytes, tensors(), resident());
    for _ in 0..ROUNDS {
        let before = free();
        round();
        assert_eq!((gpu.memory_figures().live_bytes, tensors()), (live, open));
        let grown = resident().saturating_sub(host);
        assert!(grown < host_slack, "{grown} bytes of host memory");
        missing.push(before.saturating_sub(free()));
        if missing.last() <= Some(&DEVICE_SLACK) {
            return;
        }
        std::thread::sleep(Duration::from_millis(300));
    }
    panic!("bytes of the device's memory that each round left: {missing:?}");
}

// Case 47.
#[test]
fn wrapping_and_dropping_leaves_nothing() {
    if !is_alone("leaks::wrapping_and_dropping_leaves_nothing") {
        return;
    }
    let Some(cv) = real_or_stand_in() else { return };
    let buffer = CudaBuffer::zeros(cv.gpu(), &[64, 64, 3], DType::U8).unwrap();
    let cycle = || {
        let tensor = as_tensor(&buffer, Layout::HWC).unwrap();
        cv.share(&tensor).unwrap();
        assert_eq!(cv.references(&tensor), Ok(1));
    };
    (0..10_000).for_each(|_| cycle());
    assert_flat(&cv, 1 << 20, || (0..100_000).for_each(|_| cycle()));
}

// Case 48.
#[test]
fn many_shapes_leave_nothing() {
    if !is_alone("leaks::many_shapes_leave_nothing") {
        return;
    }
    let Some(cv) = real_or_stand_in() else { return };
    let (mut random, gpu) = (Random(7), cv.gpu());
    let mut round = |count: usize| {
        for _ in 0..count {
            let (height, width) = (2 + random.below(700), 2 + random.below(700));
            let image = cv.tensor(&[height, width, 3], DType::U8, Layout::HWC).unwrap();
            let size = (1 + random.below(300), 1 + random.below(300));
            cv.resize(&image, size, Interpolation::Linear).unwrap();
        }
        gpu.synchronize().unwrap();
        gpu.release_cached().unwrap();
    };
    round(50);
    assert_flat(&cv, 4 << 20, || round(500));
}

#[test]
fn recording_leaves_nothing() {
    if !is_alone("leaks::recording_leaves_nothing") {
        return;
    }
    let Some(cv) = real_or_stand_in() else { return };
    let image = cv.tensor(&[64, 64, 3], DType::U8, Layout::HWC).unwrap();
    let round = |count: usize| {
        for _ in 0..count {
            let (recorded, _) = cv
                .record(|cv| {
                    let small = cv.resize(&image, (32, 48), Interpolation::Linear)?;
                    cv.gaussian(&small, &Gaussian::square(5, 1.0))
                })
                .unwrap();
            (0..3).for_each(|_| recorded.run().unwrap());
        }
        cv.gpu().synchronize().unwrap();
        cv.gpu().release_cached().unwrap();
    };
    round(100);
    assert_flat(&cv, 4 << 20, || round(500));
}
