//! What small copies, which go through pinned memory of the stream, hold on slow devices and where pinned memory is
//! short: an upload that returned was read, and need not have arrived. And how far a copy beside the caller is.

mod common;

use common::{copies_by_threads, gpu, hold, nap, run_again_with};
use interop_core::{
    CopyPath, CudaBuffer, DType, GpuOptions, cuda_memcpy_d2h, cuda_memcpy_d2h_raw, cuda_memcpy_h2d,
};
use ndarray::Array2;

/// What these tests hold under: a device that is slow to begin, and pinned memory for one stage and no thread.
const ENVIRONMENTS: [(&str, &str); 2] =
    [("CUDA_SIM_STREAM_DELAY_US", "3000"), ("CUDA_SIM_PINNED_BYTES", "2300000")];

#[test]
fn all_holds_on_slow_devices_and_where_pinned_memory_is_short() {
    if ENVIRONMENTS.iter().any(|(name, _)| std::env::var_os(name).is_some()) {
        return;
    }
    for (name, value) in ENVIRONMENTS {
        run_again_with(name, value);
    }
}

#[test]
fn an_upload_was_read_when_it_returns() {
    let gpu = gpu();
    for len in [1, 4096, 300_000, 1_500_000] {
        let mut buffer = CudaBuffer::new(&gpu, &[len], DType::U8).unwrap();
        let mut host = vec![5u8; len];
        cuda_memcpy_h2d(&host, &mut buffer).unwrap();
        host.fill(6);
        assert!(buffer.to_vec::<u8>().unwrap().iter().all(|byte| *byte == 5), "{len} bytes");
    }
}

#[test]
fn more_copies_than_the_stage_holds_are_right() {
    let gpu = gpu();
    let lens = [7, 100_000, 262_144, 262_145, 700_000];
    // No two pieces hold the same bytes.
    let values =
        |index: usize, len: usize| -> Vec<u8> { (0..len).map(|at| (at / 251 + at + index) as u8).collect() };
    let mut buffers = Vec::new();
    for (index, len) in lens.into_iter().cycle().take(40).enumerate() {
        buffers.push(CudaBuffer::from_host(&gpu, &values(index, len)).unwrap());
    }
    for (index, buffer) in buffers.iter().enumerate() {
        let mut back = vec![0u8; buffer.len()];
        cuda_memcpy_d2h(buffer, &mut back).unwrap();
        assert!(back == values(index, buffer.len()), "copy {index} of {} bytes", back.len());
    }
}

/// More than three times round the stage, faster than a slow stream empties it: a segment that is filled again before
/// the copy from it was made shows in what arrives.
#[test]
fn transposed_uploads_in_a_row_do_not_overwrite_each_other() {
    let gpu = gpu();
    // Transposed, so that they are no rows that are copied one by one; of bytes that repeat neither within one nor in
    // the next.
    let values = |seed: u32| {
        let byte = |(y, x)| ((y * 500 + x) as u32 ^ (seed << 20)).wrapping_mul(2_654_435_761) >> 24;
        Array2::from_shape_fn((400, 500), |at| byte(at) as u8)
    };
    let hosts: Vec<_> = (0..30).map(values).collect();
    let new_buffer = |_: &_| CudaBuffer::new(&gpu, &[500, 400], DType::U8).unwrap();
    let mut buffers: Vec<_> = hosts.iter().map(new_buffer).collect();
    for (host, buffer) in hosts.iter().zip(&mut buffers) {
        cuda_memcpy_h2d(&host.t(), buffer).unwrap();
    }
    for (index, (host, buffer)) in hosts.iter().zip(&buffers).enumerate() {
        assert!(host.t().iter().eq(&buffer.to_vec::<u8>().unwrap()), "upload {index}");
    }
}

#[test]
fn an_upload_has_arrived_when_its_stream_was_waited_for() {
    let gpu = gpu();
    let other = gpu.with_new_stream().unwrap();
    let mut buffer = CudaBuffer::zeros(&gpu, &[1000], DType::U8).unwrap();
    let (host, mut back) = ([9u8; 1000], [0u8; 1000]);
    hold(gpu.stream(), nap);
    cuda_memcpy_h2d(&host[..], &mut buffer).unwrap();
    gpu.synchronize().unwrap();
    // Memory that a raw address names carries no stream: nothing else orders the other handle behind the upload.
    // SAFETY: `buffer` holds so many bytes, and nobody writes them now.
    unsafe { cuda_memcpy_d2h_raw(&other, buffer.pointer(), &mut back[..]) }.unwrap();
    assert_eq!(back, host);
}

#[test]
fn a_scoped_upload_that_is_over_has_arrived() {
    let gpu = gpu();
    let host = vec![9u8; 1000];
    let mut buffer = CudaBuffer::zeros(&gpu, &[1000], DType::U8).unwrap();
    gpu.synchronize().unwrap();
    gpu.scope(|scope| scope.upload(&host, &mut buffer)?.wait().map(drop)).unwrap().unwrap();
    // Memory that a raw address names carries no stream: nothing orders the other handle behind the upload.
    let other = gpu.with_new_stream().unwrap();
    let mut back = vec![0u8; 1000];
    // SAFETY: `buffer` holds so many bytes, and nobody writes them now.
    unsafe { cuda_memcpy_d2h_raw(&other, buffer.pointer(), &mut back) }.unwrap();
    assert_eq!(back, host);
}

#[test]
fn a_stage_goes_on_where_the_threads_are_refused() {
    if std::env::var_os("CUDA_SIM_PINNED_BYTES").is_none() {
        return;
    }
    let gpu = GpuOptions::new().copy_threads(2).open(0).unwrap();
    if !copies_by_threads(&gpu) {
        return;
    }
    let small = CudaBuffer::from_host(&gpu, &[3u8; 100_000]).unwrap();
    let staged = gpu.memory_figures().pinned_bytes;
    assert_eq!(staged, 2 << 20);
    let large = CudaBuffer::from_host(&gpu, &vec![4u8; 4 << 20]).unwrap();
    assert!(matches!(gpu.copy_path(), CopyPath::Driver { .. }));
    assert_eq!(gpu.memory_figures().pinned_bytes, staged, "what the threads were granted is given back");
    assert!(large.to_vec::<u8>().unwrap().iter().all(|byte| *byte == 4));
    assert!(small.to_vec::<u8>().unwrap().iter().all(|byte| *byte == 3));
    // Another stream gets no stage, and copies all the same.
    let lane = gpu.with_new_stream().unwrap();
    assert_eq!(CudaBuffer::from_host(&lane, &[5u8; 10]).unwrap().to_vec::<u8>().unwrap(), [5; 10]);
    assert_eq!(gpu.memory_figures().pinned_bytes, staged);
}

#[test]
fn the_progress_of_a_large_scoped_copy_rises_part_by_part() {
    let gpu = GpuOptions::new().block_bytes(64 << 10).threads_from(1).open(0).unwrap();
    let host: Vec<u8> = (0..2u32 << 20).map(|index| (index / 251 + index) as u8).collect();
    let mut back = vec![0u8; 2 << 20];
    let mut buffer = CudaBuffer::new(&gpu, &[2 << 20], DType::U8).unwrap();
    let seen = gpu.scope(|scope| {
        let mut seen = Vec::new();
        let upload = scope.upload(&host, &mut buffer).unwrap();
        while !upload.is_done() {
            seen.push(upload.progress().done);
        }
        assert_eq!(upload.progress().fraction(), 1.0);
        let buffer = upload.wait().unwrap();
        let download = scope.download(&*buffer, &mut back).unwrap();
        while !download.is_done() {
            seen.push(download.progress().done);
        }
        seen
    });
    let seen = seen.unwrap();
    assert!(back == host && seen.iter().all(|done| *done <= 2 << 20));
    let is_slow = std::env::var_os("CUDA_SIM_STREAM_DELAY_US").is_some();
    if is_slow && copies_by_threads(&gpu) {
        let between = seen.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!(between > 10, "seen to rise {between} times");
    }
}
