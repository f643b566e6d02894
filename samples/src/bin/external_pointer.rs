//! Memory that another library allocated: borrowed for a while, or shared together with its owner.

use std::process::ExitCode;

use cudarc::driver::{CudaContext, CudaSlice, DevicePtr};
use interop_core::{CudaArrayInterface, CudaBuffer, DType, Gpu, StridedLayout, as_tensor, cuda_memcpy_h2d};
use samples::Outcome;

fn main() -> ExitCode {
    samples::run(lesson)
}

fn lesson(gpu: &Gpu) -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();

    // The library's memory, and its address.
    let theirs: CudaSlice<f32> = stream.clone_htod(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    let pointer = theirs.device_ptr(&stream).0;
    stream.synchronize()?;
    println!("cudarc          allocated 6 x f32 and wrote 1 to 6");

    // Borrowed: we neither own nor free it. ANCHOR: borrow
    // SAFETY: `theirs` outlives `borrowed`, and its stream was waited for.
    let mut borrowed = unsafe { CudaBuffer::from_raw_pointer(gpu, pointer, &[2, 3], DType::F32) }?;
    // ANCHOR_END: borrow
    assert_eq!(borrowed.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    println!("borrowed        {:?} {} at the same address", borrowed.shape(), borrowed.dtype());

    cuda_memcpy_h2d(&[10f32, 20.0, 30.0, 40.0, 50.0, 60.0], &mut borrowed)?;
    drop(borrowed);
    let seen = stream.clone_dtoh(&theirs)?;
    assert_eq!(seen, [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
    println!("                written through it, then dropped: cudarc reads 10 to 60");

    // Owned together: our handle keeps their object alive, and frees nothing itself. ANCHOR: own
    let layout = StridedLayout::packed(&[theirs.len()], size_of::<f32>())?;
    let interface = CudaArrayInterface::new(DType::F32, layout, pointer, false, None)?;
    // SAFETY: `theirs` owns the memory and moves in as its owner; what was queued on it is done.
    let shared = unsafe { CudaBuffer::from_owner(gpu, interface, theirs) }?;
    // ANCHOR_END: own
    let tensor = as_tensor(&shared, None)?;
    drop(shared);
    assert_eq!(tensor.to_vec::<f32>()?, seen);
    println!("shared          the tensor keeps cudarc's slice alive: still 10 to 60");
    drop(tensor);
    println!("                dropped: cudarc freed its memory");

    // An address that is not the GPU's, or more than is there, is refused.
    let ours = CudaBuffer::zeros(gpu, &[4], DType::F32)?;
    let host = [0f32; 4];
    for (what, address, len) in
        [("host address", host.as_ptr() as u64, 4), ("too many elements", ours.pointer(), 1 << 40)]
    {
        // SAFETY: refused, so that nothing is ever read or written there.
        let refused = unsafe { CudaBuffer::from_raw_pointer(gpu, address, &[len], DType::F32) };
        let error = refused.err().ok_or("a bad pointer was taken")?;
        println!("refused         {what}: {}", kind(&error));
    }
    Ok(())
}

/// The first half of a message, without the addresses, which differ from run to run.
fn kind(error: &interop_core::Error) -> &'static str {
    match error {
        interop_core::Error::NotDeviceMemory { .. } => "not memory that the GPU can reach",
        interop_core::Error::OutOfBounds { .. } => "beyond the end of the allocation",
        _ => "another error",
    }
}
