//! Handles and memory stay flat.

use interop_core::cvcuda::{CvCuda, Interpolation};
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

/// Fails where the stand-in's books have a tensor left. CV-CUDA's own cannot be read.
fn check_books(cv: &CvCuda) {
    if cv.gpu().info().simulated {
        assert_eq!(shared().live(Live::Tensors), 0);
    }
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
    let (host, handles) = (resident(), buffer.cuda().gpu().memory_figures().live_bytes);
    let free = cv.gpu().memory_info().unwrap().0;
    (0..100_000).for_each(|_| cycle());
    let grown = resident().saturating_sub(host);
    assert!(grown < 1 << 20, "{grown} bytes of host memory");
    assert_eq!(cv.gpu().memory_figures().live_bytes, handles);
    assert!(free.abs_diff(cv.gpu().memory_info().unwrap().0) <= 1 << 20);
    check_books(&cv);
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
    let (live, free, host) = (gpu.memory_figures().live_bytes, gpu.memory_info().unwrap().0, resident());
    round(500);
    assert_eq!(gpu.memory_figures().live_bytes, live);
    let now = gpu.memory_info().unwrap().0;
    assert!(free.saturating_sub(now) <= 1 << 20, "{free} bytes were free, {now} are");
    let grown = resident().saturating_sub(host);
    assert!(grown < 4 << 20, "{grown} bytes of host memory");
    check_books(&cv);
}
