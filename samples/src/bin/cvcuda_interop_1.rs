//! Approach 1 with the real CV-CUDA: our buffer as its tensor, and the tensor back as a buffer.

use std::process::ExitCode;

use interop_core::cvcuda::Flip;
use interop_core::{CudaBuffer, DType, Gpu, Layout, as_tensor, cuda_memcpy_d2h, cuda_memcpy_h2d};
use ndarray::{Array3, s};
use samples::Outcome;

fn main() -> ExitCode {
    samples::run(lesson)
}

fn lesson(gpu: &Gpu) -> Outcome {
    let cv = samples::cvcuda::open(gpu)?;

    // CUDA to CV-CUDA. ANCHOR: to_cvcuda
    let host = Array3::from_shape_fn((10, 10, 3), |(y, x, c)| (y * 30 + x * 3 + c) as u8);
    let mut buffer = CudaBuffer::new(gpu, &[10, 10, 3], DType::U8)?;
    cuda_memcpy_h2d(&host, &mut buffer)?;

    let tensor = as_tensor(&buffer, Layout::HWC)?; // no copy
    // ANCHOR_END: to_cvcuda
    let handle = cv.share(&tensor)?;
    println!("as_tensor       same memory: {}", tensor.pointer() == buffer.pointer());
    println!("CV-CUDA's own   handle: {}, references: {}", !handle.is_null(), cv.references(&tensor)?);
    assert_eq!((tensor.pointer(), cv.references(&tensor)?), (buffer.pointer(), 1));

    // CV-CUDA to CUDA. ANCHOR: from_cvcuda
    let flipped = cv.flip(&tensor, Flip::Vertical)?; // returns at once
    let again = CudaBuffer::from_cuda(flipped.cuda())?; // no copy; ordered behind the flip
    // ANCHOR_END: from_cvcuda
    assert_eq!(again.pointer(), flipped.pointer());

    // The inputs may go: what the operator reads lives until it has.
    drop((tensor, buffer, flipped));
    let mut back = Array3::<u8>::zeros((10, 10, 3));
    cuda_memcpy_d2h(&again, &mut back)?;
    assert_eq!(back, host.slice(s![..;-1, .., ..]));
    println!("flip            upside down, every pixel equal; buffer and tensors were dropped before");
    println!("strides         {:?} bytes: rows padded as CV-CUDA pads them", again.strides());

    // What CV-CUDA would take and compute nonsense from, or fault on, is refused before it sees it.
    let planes = buffer_of(gpu, &host)?.permute(&[2, 0, 1])?;
    let refused = as_tensor(planes, Layout::CHW).err().ok_or("planes of pixels were taken")?;
    println!("refused         {refused}");
    Ok(())
}

fn buffer_of(gpu: &Gpu, host: &Array3<u8>) -> interop_core::Result<CudaBuffer> {
    CudaBuffer::from_host(gpu, host)
}
