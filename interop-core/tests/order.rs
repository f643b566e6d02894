//! Work on one stream is ordered before what needs it on another.

mod common;

use common::{gpu, hold, nap};
use cudarc::driver::CudaContext;
use interop_core::{
    CudaArray, CudaArrayInterface, CudaBuffer, DType, PinnedBuffer, StreamHandle, StridedLayout,
    cuda_memcpy_d2d, cuda_memcpy_d2h, cuda_memcpy_h2d_async,
};

// Case 43, and the order between two handles of one device.
#[test]
fn a_copy_waits_for_the_stream_of_its_source() {
    let (one, other) = (gpu(), gpu());
    let mut target = CudaBuffer::from_host(&other, &[2u8; 64]).unwrap();
    hold(one.stream(), nap);
    let source = CudaBuffer::zeros(&one, &[64], DType::U8).unwrap();
    cuda_memcpy_d2d(&source, &mut target).unwrap();
    assert_eq!(target.to_vec::<u8>().unwrap(), [0; 64]);
}

// Where both may share bytes, the copy goes through memory in between, behind both streams all the same.
#[test]
fn a_copy_within_an_array_waits_for_the_stream_of_its_target() {
    let gpu = gpu();
    let lane = gpu.with_new_stream().unwrap();
    let ours = CudaBuffer::zeros(&gpu, &[65], DType::U8).unwrap();
    gpu.synchronize().unwrap();
    // SAFETY: `ours` outlives it; what each of both streams does meanwhile is ordered below.
    let mut theirs = unsafe { CudaBuffer::from_interface(&lane, ours.cuda_array_interface()) }.unwrap();
    let ones = PinnedBuffer::from_slice(&gpu, &[1u8; 65]).unwrap();
    hold(lane.stream(), nap);
    let upload = cuda_memcpy_h2d_async(ones, &mut theirs).unwrap();
    cuda_memcpy_d2d(&ours.slice(0, ..64).unwrap(), &mut theirs.slice(0, 1..).unwrap()).unwrap();
    assert_eq!(theirs.to_vec::<u8>().unwrap(), [1; 65]);
    upload.wait().unwrap();
}

// As a reversed array is copied, by way of the host: its source is read in the order of its own stream.
#[test]
fn a_copy_through_the_host_waits_for_the_stream_of_its_target() {
    let gpu = gpu();
    let lane = gpu.with_new_stream().unwrap();
    let mut ours = CudaBuffer::zeros(&gpu, &[1000], DType::U8).unwrap();
    gpu.synchronize().unwrap();
    // SAFETY: `ours` outlives it; the copy below is ordered behind what is queued on `ours`.
    let theirs = unsafe { CudaBuffer::from_interface(&lane, ours.cuda_array_interface()) }.unwrap();
    lane.synchronize().unwrap();
    let mut target = CudaBuffer::zeros(&gpu, &[1000], DType::U8).unwrap();
    hold(gpu.stream(), nap);
    ours.fill(7u8).unwrap();
    cuda_memcpy_d2d(&theirs.step(0, -1).unwrap(), &mut target).unwrap();
    assert_eq!(target.to_vec::<u8>().unwrap(), [7; 1000]);
}

// Case 36: the producer says on which stream its work is.
#[test]
fn a_foreign_stream_is_waited_for_when_its_memory_is_taken_in() {
    let gpu = gpu();
    let theirs = CudaContext::new(0).unwrap().new_stream().unwrap();
    let mut slice = theirs.clone_htod(&[1u8; 64]).unwrap();
    theirs.synchronize().unwrap();
    let stream = StreamHandle::from_raw(theirs.cu_stream() as u64);
    hold(stream, nap);
    theirs.memset_zeros(&mut slice).unwrap();
    let pointer = cudarc::driver::DevicePtr::device_ptr(&slice, &theirs).0;
    let layout = StridedLayout::packed(&[64], 1).unwrap();
    let interface = CudaArrayInterface::new(DType::U8, layout, pointer, false, Some(stream)).unwrap();
    // SAFETY: `slice` outlives the buffer, and its stream is live.
    let ours = unsafe { CudaBuffer::from_interface(&gpu, interface) }.unwrap();
    assert_eq!(ours.to_vec::<u8>().unwrap(), [0; 64]);
    drop(ours);
}

// Cases 43 and 58: freed memory is used again at once, behind what is still queued on it.
#[test]
fn memory_that_is_used_again_waits_for_what_used_it_before() {
    let gpu = gpu();
    drop(CudaBuffer::new(&gpu, &[4096], DType::U8).unwrap());
    hold(gpu.stream(), nap);
    let first = CudaBuffer::zeros(&gpu, &[4096], DType::U8).unwrap();
    let pointer = first.pointer();
    drop(first);
    let second = CudaBuffer::from_host(&gpu, &[7u8; 4096]).unwrap();
    assert_eq!(second.pointer(), pointer, "the same memory");
    assert_eq!(second.to_vec::<u8>().unwrap(), [7; 4096]);
}

#[test]
fn a_copy_is_complete_when_it_returns() {
    let gpu = gpu();
    let buffer = CudaBuffer::from_host(&gpu, &vec![7u8; 1 << 20]).unwrap();
    let mut pinned = PinnedBuffer::<u8>::zeros(&gpu, 1 << 20).unwrap();
    hold(gpu.stream(), nap);
    cuda_memcpy_d2h(&buffer, &mut pinned).unwrap();
    assert!(pinned.iter().all(|byte| *byte == 7));
}
