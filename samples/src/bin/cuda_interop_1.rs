//! Approach 1: allocate with CUDA, share the buffer with a tensor, and take the tensor back as a buffer.

use std::process::ExitCode;

use interop_core::{CudaBuffer, DType, Gpu, as_tensor, cuda_memcpy_d2h, cuda_memcpy_h2d};
use ndarray::Array2;
use samples::Outcome;

fn main() -> ExitCode {
    samples::run(lesson)
}

fn lesson(gpu: &Gpu) -> Outcome {
    // CUDA to tensor. ANCHOR: to_tensor
    let host = Array2::from_shape_fn((10, 10), |(row, column)| row as f32 + column as f32 / 10.0);
    let mut buffer = CudaBuffer::new(gpu, &[10, 10], DType::F32)?;
    cuda_memcpy_h2d(&host, &mut buffer)?;

    let tensor = as_tensor(&buffer, None)?;
    // ANCHOR_END: to_tensor
    println!("host array      {:?} {}", host.shape(), buffer.dtype());
    println!("CudaBuffer      {:?} {}, {} bytes", buffer.shape(), buffer.dtype(), buffer.size_bytes());
    println!("as_tensor       same memory: {}", tensor.pointer() == buffer.pointer());
    assert_eq!(tensor.pointer(), buffer.pointer());

    // Tensor to CUDA. ANCHOR: from_tensor
    let again = CudaBuffer::from_cuda(tensor.cuda())?;
    // ANCHOR_END: from_tensor
    println!("from_cuda       same memory: {}", again.pointer() == buffer.pointer());
    assert_eq!(again.pointer(), buffer.pointer());

    // What is written through one handle is read through the others.
    let doubled = host.mapv(|value| value * 2.0);
    cuda_memcpy_h2d(&doubled, &mut buffer)?;
    let mut back = Array2::<f32>::zeros((10, 10));
    cuda_memcpy_d2h(&again, &mut back)?;
    assert_eq!(back, doubled);
    println!("shared          written through the buffer, read through the other: equal");

    // The memory lives as long as any handle to it.
    drop(buffer);
    drop(tensor);
    cuda_memcpy_d2h(&again, &mut back)?;
    assert_eq!(back, doubled);
    println!("ownership       buffer and tensor are gone, their memory is still valid");

    again.free()?;
    println!("freed           by the last handle");
    Ok(())
}
