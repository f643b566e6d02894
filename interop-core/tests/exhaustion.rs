//! What is kept is no reason to run out of memory. In a process of its own: the simulated device is a small one.

mod common;

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use interop_core::{CudaBuffer, DType, Error, Gpu, GpuOptions};

const MIB: usize = 1 << 20;

#[test]
fn what_is_kept_is_given_back_before_an_allocation_fails() {
    // SAFETY: the only test of this process, and nothing else runs in it yet.
    unsafe { std::env::set_var("CUDA_SIM_MEMORY_BYTES", (64 * MIB).to_string()) };
    let gpu = GpuOptions::new().cached_bytes(64 * MIB).open(0).unwrap();
    if !gpu.info().simulated {
        return;
    }
    let bytes = |len: usize| CudaBuffer::new(&gpu, &[len], DType::U8);

    // Case 49: a quarter of the device at a time, fifty times, through handles of several kinds.
    for _ in 0..50 {
        let buffer = bytes(16 * MIB).unwrap();
        let imported = CudaBuffer::from_cuda(buffer.cuda()).unwrap();
        drop(buffer);
        imported.free().unwrap();
    }
    // Sizes that the kept memory does not fit.
    for mib in [20, 30, 40, 50, 60] {
        drop(bytes(mib * MIB).unwrap());
    }
    // All but a little: there is no room for rounding up.
    let most = bytes(62 * MIB).unwrap();
    assert_eq!(gpu.memory_figures().live_bytes, 62 * MIB);
    let error = bytes(3 * MIB).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { requested, .. } if requested == 3 * MIB), "{error}");
    drop(most);
    bytes(3 * MIB).unwrap();

    // What one lane keeps, another can have.
    let lane = gpu.with_new_stream().unwrap();
    drop(bytes(40 * MIB).unwrap());
    assert!(gpu.memory_figures().cached_bytes >= 40 * MIB);
    let others = CudaBuffer::new(&lane, &[40 * MIB], DType::U8).unwrap();
    assert_eq!(gpu.memory_figures().cached_bytes, 0);
    let error = bytes(30 * MIB).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { requested, .. } if requested == 30 * MIB), "{error}");
    drop(others);
    bytes(30 * MIB).unwrap();

    an_allocation_waits_for_no_lane_that_keeps_nothing(&gpu);
    threads_that_need_half_of_it_are_never_refused(&gpu);
}

/// Whether the stream of [`an_allocation_waits_for_no_lane_that_keeps_nothing`] may go on.
static MAY_GO_ON: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn wait_to_go_on(_: *mut c_void) {
    while !MAY_GO_ON.load(Ordering::Acquire) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// It would wait for itself here: the lane's stream goes on when the allocation has failed.
fn an_allocation_waits_for_no_lane_that_keeps_nothing(gpu: &Gpu) {
    let lane = gpu.with_new_stream().unwrap();
    common::hold(lane.stream(), wait_to_go_on);
    for bytes in [65 * MIB, 1 << 50] {
        assert!(matches!(CudaBuffer::new(gpu, &[bytes], DType::U8), Err(Error::OutOfMemory { .. })));
    }
    let most = CudaBuffer::new(gpu, &[60 * MIB], DType::U8).unwrap();
    assert!(matches!(CudaBuffer::new(gpu, &[5 * MIB], DType::U8), Err(Error::OutOfMemory { .. })));
    MAY_GO_ON.store(true, Ordering::Release);
    drop(most);
}

/// Whatever the lanes keep meanwhile, and give back one after the other.
fn threads_that_need_half_of_it_are_never_refused(gpu: &Gpu) {
    let end = Instant::now() + Duration::from_secs(1);
    std::thread::scope(|threads| {
        for thread in 1..=3 {
            threads.spawn(move || {
                let lane = gpu.with_new_stream().unwrap();
                for round in 1.. {
                    if Instant::now() >= end {
                        break;
                    }
                    let bytes = (thread * round * 7919 * 4096) % (64 * MIB / 6) + 1;
                    drop(CudaBuffer::new(&lane, &[bytes], DType::U8).unwrap());
                }
            });
        }
    });
}
