//! CV-CUDA: the real library on a GPU.

#![cfg(all(feature = "cvcuda", target_os = "linux"))]

mod batches;
#[path = "../common/mod.rs"]
mod common;
mod layout;
mod leaks;
mod lifetime;
mod refusals;
mod values;

use std::io::Write;
use std::panic::Location;

use interop_core::cvcuda::CvCuda;
use interop_core::{DType, Error, Gpu, HostArray, Layout, Tensor};

/// CV-CUDA on device 0. Where that cannot be, it says so on standard error, past what the test harness keeps to itself: a
/// test that did not check must not look like one that did.
#[track_caller]
fn cv() -> Option<CvCuda> {
    let gpu = Gpu::open(0).expect("device 0");
    match CvCuda::open(&gpu) {
        Ok(cv) => Some(cv),
        Err(error @ (Error::CvCudaNeedsGpu | Error::CvCudaNotFound { .. })) => {
            // Nobody may be there to be told.
            let _ = writeln!(std::io::stderr(), "waived: {}: {error}", Location::caller());
            None
        }
        Err(error) => panic!("{error}"),
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
