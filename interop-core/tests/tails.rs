//! Large uploads that returned and are still on their way: what is queued next runs behind them, what is copied next does
//! not use their pinned memory too soon, and nothing that they need goes before.

mod common;

use std::process::Command;

use common::gpu;
use interop_core::{
    CudaBuffer, DType, Gpu, GpuOptions, cuda_memcpy_d2h_raw, cuda_memcpy_h2d, cuda_memcpy_h2d_raw,
};

const MIB: usize = 1 << 20;
/// What these tests hold under: a device that is slow to begin, and pinned memory for the blocks of one direction.
const SLOW: (&str, &str) = ("CUDA_SIM_STREAM_DELAY_US", "3000");
const SHORT: (&str, &str) = ("CUDA_SIM_PINNED_BYTES", "600000");

/// Bytes that repeat neither within a copy nor in the next.
fn bytes(len: usize, seed: u32) -> Vec<u8> {
    let byte = |at: usize| (at as u32 ^ (seed << 27)).wrapping_mul(2_654_435_761) >> 24;
    (0..len).map(|at| byte(at) as u8).collect()
}

/// Every copy by threads, through 8 small pinned blocks.
fn few_blocks() -> Gpu {
    GpuOptions::new().block_bytes(64 << 10).pinned_bytes(MIB).threads_from(1).open(0).unwrap()
}

#[test]
fn all_holds_on_slow_devices_and_where_pinned_memory_is_short() {
    if std::env::var_os(SLOW.0).is_some() {
        return;
    }
    for environment in [vec![SLOW], vec![SLOW, SHORT]] {
        let mut tests = Command::new(std::env::current_exe().unwrap());
        tests.envs(environment.iter().copied()).env("INTEROP_SIMULATE", "1").env("CUDA_SIM_LOG", "0");
        let output = tests.arg("--test-threads=1").output().unwrap();
        assert!(output.status.success(), "{environment:?}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_host_array_was_read() {
    let gpu = gpu();
    let mut host = bytes(16 * MIB, 1);
    let mut buffer = CudaBuffer::new(&gpu, &[host.len()], DType::U8).unwrap();
    cuda_memcpy_h2d(&host, &mut buffer).unwrap();
    host.fill(0);
    assert!(buffer.to_vec::<u8>().unwrap() == bytes(16 * MIB, 1));
}

#[test]
fn what_is_queued_next_runs_behind() {
    let gpu = gpu();
    let host = bytes(64 * MIB, 2);
    let mut buffer = CudaBuffer::zeros(&gpu, &[host.len()], DType::U8).unwrap();
    cuda_memcpy_h2d(&host, &mut buffer).unwrap();
    // The last to arrive.
    let end = buffer.slice(0, host.len() - 1000..).unwrap().to_contiguous().unwrap();
    assert_eq!(end.to_vec::<u8>().unwrap(), host[host.len() - 1000..]);
}

#[test]
fn copies_on_other_streams_wait_for_pinned_blocks() {
    let gpu = few_blocks();
    let lanes: Vec<Gpu> = (0..4).map(|_| gpu.with_new_stream().unwrap()).collect();
    let hosts: Vec<_> = (0..12).map(|seed| bytes(700_001, seed)).collect();
    let lane_of = |index: usize| &lanes[index % lanes.len()];
    let uploaded = |(index, host)| CudaBuffer::from_host(lane_of(index), host).unwrap();
    let buffers: Vec<CudaBuffer> = hosts.iter().enumerate().map(uploaded).collect();
    for (index, (host, buffer)) in hosts.iter().zip(&buffers).enumerate() {
        assert!(&buffer.to_vec::<u8>().unwrap() == host, "upload {index}");
    }
}

#[test]
fn pinned_memory_goes_after_the_copies_from_it() {
    let host = bytes(500_000, 3);
    let keeper = gpu();
    for _ in 0..5 {
        let gpu = few_blocks();
        // Memory of another handle, which outlives the threads'.
        let mut buffer = CudaBuffer::zeros(&keeper, &[host.len()], DType::U8).unwrap();
        keeper.synchronize().unwrap();
        let interface = interop_core::CudaArray::cuda_array_interface(&buffer);
        // SAFETY: `buffer` outlives it.
        let mut theirs = unsafe { CudaBuffer::from_interface(&gpu, interface) }.unwrap();
        cuda_memcpy_h2d(&host, &mut theirs).unwrap();
        let own = CudaBuffer::from_host(&gpu, &host).unwrap();
        drop((theirs, own, gpu));
        assert!(buffer.to_vec::<u8>().unwrap() == host);
        buffer.fill(0u8).unwrap();
    }
}

/// Where there is none for the other direction, the threads are dismissed and their blocks given back.
#[test]
fn blocks_are_given_back_after_the_copies_from_them() {
    let host = bytes(500_000, 5);
    for _ in 0..5 {
        let gpu = few_blocks();
        let other = gpu.with_new_stream().unwrap();
        let there = CudaBuffer::zeros(&other, &[100_000], DType::U8).unwrap();
        other.synchronize().unwrap();
        let buffer = CudaBuffer::from_host(&gpu, &host).unwrap();
        assert!(there.to_vec::<u8>().unwrap().iter().all(|byte| *byte == 0));
        assert!(buffer.to_vec::<u8>().unwrap() == host);
    }
}

#[test]
fn uploads_to_memory_that_nobody_keeps_have_arrived() {
    let (gpu, other) = (gpu(), gpu());
    let host = bytes(8 * MIB, 4);
    let buffer = CudaBuffer::zeros(&gpu, &[host.len()], DType::U8).unwrap();
    gpu.synchronize().unwrap();
    let mut back = vec![0u8; 1000];
    let end = buffer.pointer() + (host.len() - back.len()) as u64;
    // SAFETY: `buffer` holds so many bytes, and nobody else uses them.
    unsafe { cuda_memcpy_h2d_raw(&gpu, &host, buffer.pointer()) }.unwrap();
    // SAFETY: as above; nobody writes them now.
    unsafe { cuda_memcpy_d2h_raw(&other, end, &mut back[..]) }.unwrap();
    assert_eq!(back, host[host.len() - 1000..]);
}
