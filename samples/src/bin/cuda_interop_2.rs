//! Approach 2: let a tensor allocate, and use it as the buffer. Its rows are padded.

use std::process::ExitCode;

use interop_core::{CudaArray, CudaBuffer, DType, Gpu, Layout, Tensor, cuda_memcpy_d2h, cuda_memcpy_h2d};
use ndarray::Array3;
use samples::Outcome;

fn main() -> ExitCode {
    samples::run(lesson)
}

fn lesson(gpu: &Gpu) -> Outcome {
    // CUDA to tensor. ANCHOR: to_tensor
    let host = Array3::from_shape_fn((10, 10, 3), |(y, x, c)| (y * 30 + x * 3 + c) as u8);
    let mut tensor = Tensor::new(gpu, &[10, 10, 3], DType::U8, Layout::HWC)?;
    cuda_memcpy_h2d(&host, &mut tensor)?;
    // ANCHOR_END: to_tensor
    println!("host array      {:?} u8, strides [30, 3, 1]", host.shape());
    println!("Tensor HWC      {:?} {}, strides {:?} bytes", tensor.shape(), tensor.dtype(), tensor.strides());
    assert_eq!(tensor.strides(), [32, 3, 1]);

    // Tensor to CUDA: the buffer shares the memory and keeps the strides. ANCHOR: from_tensor
    let buffer = CudaBuffer::from_cuda(tensor.cuda())?;
    // ANCHOR_END: from_tensor
    println!(
        "from_cuda       strides {:?}, same memory: {}",
        buffer.strides(),
        buffer.pointer() == tensor.pointer()
    );
    assert_eq!(buffer.strides(), tensor.strides());

    let mut back = Array3::<u8>::zeros((10, 10, 3));
    cuda_memcpy_d2h(&buffer, &mut back)?;
    assert_eq!(back, host);
    println!("copied back     every pixel equal");

    // Without a layout each pixel is a row of its own and is padded to 32 bytes.
    let mut unnamed = Tensor::new(gpu, &[10, 10, 3], DType::U8, None)?;
    cuda_memcpy_h2d(&host, &mut unnamed)?;
    println!("without layout  strides {:?} bytes", unnamed.strides());
    assert_eq!(unnamed.strides(), [320, 32, 1]);
    assert_eq!(unnamed.to_vec::<u8>()?, host.as_slice().unwrap_or_default());

    // A copy in C order without gaps, for whoever needs one.
    let packed = buffer.to_contiguous()?;
    println!("to_contiguous   strides {:?} bytes", packed.strides());
    assert!(packed.cuda_array_interface().strides().is_none());
    assert_eq!(packed.to_vec::<u8>()?, host.as_slice().unwrap_or_default());
    Ok(())
}
