//! Approach 2 with the real CV-CUDA: a tensor that it manages, as the buffer.

use std::process::ExitCode;

use interop_core::{CudaBuffer, DType, Gpu, Layout, Tensor, cuda_memcpy_d2h, cuda_memcpy_h2d};
use ndarray::Array3;
use samples::Outcome;

fn main() -> ExitCode {
    samples::run(lesson)
}

fn lesson(gpu: &Gpu) -> Outcome {
    let cv = samples::cvcuda::open(gpu)?;
    let before = gpu.memory_figures().live_bytes;

    // CUDA to CV-CUDA. ANCHOR: to_cvcuda
    let host = Array3::from_shape_fn((10, 10, 3), |(y, x, c)| (y * 30 + x * 3 + c) as u8);
    let mut tensor = cv.tensor(&[10, 10, 3], DType::U8, None)?; // CV-CUDA lays it out and owns it
    cuda_memcpy_h2d(&host, &mut tensor)?; // heeds its strides
    // ANCHOR_END: to_cvcuda
    println!("cv.tensor       {:?} {}, strides {:?} bytes", tensor.shape(), tensor.dtype(), tensor.strides());
    assert_eq!(tensor.strides(), [320, 32, 1]);
    assert_eq!(tensor.to_vec::<u8>()?, host.as_slice().unwrap_or_default());
    println!("copied          every pixel in its place");

    // What a flat copy of the same 300 bytes, as on the page, leaves in the tensor.
    let flat = flat_copy(&host, tensor.strides());
    let wrong = flat.iter().zip(&host).filter(|(found, expected)| found != expected).count();
    println!("a flat copy     would have put {wrong} of {} values in the wrong place", host.len());
    assert!(wrong > host.len() / 2);

    // The same rules make our own tensors, so that either serves.
    let ours = Tensor::new(gpu, &[10, 10, 3], DType::U8, None)?;
    assert_eq!(ours.strides(), tensor.strides());
    let pixels = cv.tensor(&[10, 10, 3], DType::U8, Layout::HWC)?;
    println!("with HWC        strides {:?} bytes", pixels.strides());
    assert_eq!(pixels.strides(), [32, 3, 1]);

    // CV-CUDA to CUDA: the buffer keeps CV-CUDA's tensor alive. ANCHOR: from_cvcuda
    let buffer = CudaBuffer::from_cuda(tensor.cuda())?;
    // ANCHOR_END: from_cvcuda
    println!("from_cuda       same memory: {}", buffer.pointer() == tensor.pointer());
    assert_eq!((buffer.pointer(), buffer.strides()), (tensor.pointer(), tensor.strides()));
    drop(tensor);
    let mut back = Array3::<u8>::zeros((10, 10, 3));
    cuda_memcpy_d2h(&buffer, &mut back)?;
    assert_eq!(back, host);
    println!("ownership       the tensor is gone, its memory is still valid");

    drop((buffer, ours, pixels));
    assert_eq!(gpu.memory_figures().live_bytes, before);
    println!("freed           by the last handle");
    Ok(())
}

/// The values that a reader finds who heeds the strides, after the bytes were copied flat.
fn flat_copy(host: &Array3<u8>, strides: &[isize]) -> Vec<u8> {
    let bytes = host.as_slice().unwrap_or_default();
    let offset = |(y, x, c): (usize, usize, usize)| y * strides[0] as usize + x * strides[1] as usize + c;
    host.indexed_iter().map(|(at, _)| bytes.get(offset(at)).copied().unwrap_or(0)).collect()
}
