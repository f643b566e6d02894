//! CV-CUDA: the real library on a GPU; on the simulated device a stand-in, which computes nothing.

#![cfg(all(feature = "cvcuda", target_os = "linux"))]

mod arguments;
mod batches;
mod children;
#[path = "../common/mod.rs"]
mod common;
mod errors;
mod foreign;
mod layout;
mod leaks;
mod lifetime;
mod loader;
mod order;
mod owners;
mod recorded;
mod refusals;
mod stand_in;
mod two;
mod values;

use std::fmt::Display;
use std::io::Write;
use std::panic::Location;

use interop_core::cvcuda::CvCuda;
use interop_core::{DType, Error, Gpu, HostArray, Layout, Tensor};

/// CV-CUDA itself on device 0. Where that cannot be, it says so.
#[track_caller]
fn real() -> Option<CvCuda> {
    let gpu = Gpu::open(0).expect("device 0");
    match CvCuda::open(&gpu) {
        Ok(cv) => Some(cv),
        Err(error @ (Error::CvCudaNeedsGpu | Error::CvCudaNotFound { .. })) => {
            waive(error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// CV-CUDA itself on a GPU, the stand-in on the simulated device: for tests that compare no computed values.
#[track_caller]
fn real_or_stand_in() -> Option<CvCuda> {
    match common::gpu().info().simulated {
        true => stand_in::shared().open(),
        false => real(),
    }
}

/// Says on standard error, past what the test harness keeps to itself, that the caller checks nothing: a test
/// that did not check must not look like one that did.
#[track_caller]
fn waive(reason: impl Display) {
    // Nobody may be there to be told.
    let _ = writeln!(std::io::stderr(), "waived: {}: {reason}", Location::caller());
}

#[test]
fn beside_a_gpu_the_tests_of_the_stand_in_run_too() {
    if !common::gpu().info().simulated {
        common::run_again_with("INTEROP_SIMULATE", "1");
    }
}

/// A tensor of bytes that count up.
fn counting(gpu: &Gpu, shape: &[usize], layout: Layout) -> (Tensor, Vec<u8>) {
    let host: Vec<u8> = (0..shape.iter().product()).map(|at: usize| (at * 7 % 251) as u8).collect();
    let mut tensor = Tensor::new(gpu, shape, DType::U8, layout).expect("a tensor");
    upload(&host, &mut tensor);
    (tensor, host)
}

fn upload(host: &(impl HostArray + ?Sized), tensor: &mut Tensor) {
    interop_core::cuda_memcpy_h2d(host, tensor).expect("an upload");
}
