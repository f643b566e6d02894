//! Freed memory is kept for the next allocation, within limits, and counted.

mod common;

use common::{Random, gpu};
use interop_core::{CudaArray, CudaBuffer, DType, Gpu, GpuOptions, PinnedBuffer};

const KIB: usize = 1 << 10;

fn caching(bytes: usize) -> Gpu {
    GpuOptions::new().cached_bytes(bytes).open(0).unwrap()
}

fn bytes(gpu: &Gpu, len: usize) -> CudaBuffer {
    CudaBuffer::new(gpu, &[len], DType::U8).unwrap()
}

// Cases 58 and 59.
#[test]
fn ten_thousand_cycles_leave_the_figures_flat() {
    let gpu = gpu();
    let mut random = Random(3);
    let sizes: Vec<usize> = (0..20).map(|_| 1 + random.below(100 * KIB)).collect();
    let cycle = |size: usize| bytes(&gpu, size).free().unwrap();
    sizes.iter().for_each(|size| cycle(*size));
    let warm = gpu.memory_figures();
    assert_eq!((warm.live_bytes, warm.pinned_bytes), (0, 0));
    for round in 0..10_000 {
        cycle(sizes[round % sizes.len()]);
    }
    assert_eq!(gpu.memory_figures(), warm);
}

#[test]
fn the_same_memory_serves_again_and_its_range_is_what_was_asked_for() {
    let gpu = gpu();
    let first = bytes(&gpu, 10_000);
    let pointer = first.pointer();
    drop(first);
    // Of the same size class, but not the same size.
    let second = bytes(&gpu, 9_999);
    assert_eq!(second.memory().range(), pointer..pointer + 9_999);
    assert_ne!(bytes(&gpu, 10_000).pointer(), pointer, "what lives is not given twice");
}

#[test]
fn live_bytes_are_those_asked_for() {
    let gpu = gpu();
    let buffers: Vec<CudaBuffer> = [1, 700, 5000].into_iter().map(|len| bytes(&gpu, len)).collect();
    assert_eq!(gpu.memory_figures().live_bytes, 5701);
    let view = buffers[2].cuda();
    drop(buffers);
    assert_eq!(gpu.memory_figures().live_bytes, 5000, "the view keeps its own");
    drop(view);
    assert_eq!(gpu.memory_figures().live_bytes, 0);
}

#[test]
fn no_more_than_the_limit_is_kept_and_the_oldest_goes_first() {
    let gpu = caching(10 * KIB);
    let buffers: Vec<CudaBuffer> = (0..3).map(|_| bytes(&gpu, 4 * KIB)).collect();
    let pointers: Vec<u64> = buffers.iter().map(|buffer| buffer.pointer()).collect();
    drop(buffers);
    assert!(gpu.memory_figures().cached_bytes >= 8 * KIB);
    let again: Vec<u64> = (0..2).map(|_| bytes(&gpu, 4 * KIB)).map(|buffer| buffer.pointer()).collect();
    assert!(again.iter().all(|pointer| pointers[1..].contains(pointer)), "{again:?} of {pointers:?}");
    // Larger than the limit: not kept, and nothing goes for it.
    let before = gpu.memory_figures().cached_bytes;
    drop(bytes(&gpu, 11 * KIB));
    gpu.synchronize().unwrap();
    if gpu.info().simulated {
        assert_eq!(gpu.memory_figures().cached_bytes, before);
    }
}

#[test]
fn nothing_is_kept_where_nothing_may_be() {
    let gpu = caching(0);
    for len in [1, 512, 1 << 20] {
        drop(bytes(&gpu, len));
    }
    gpu.synchronize().unwrap();
    assert_eq!(gpu.memory_figures().cached_bytes, 0);
}

#[test]
fn what_is_kept_can_be_given_back() {
    let gpu = gpu();
    let live = bytes(&gpu, KIB);
    drop((bytes(&gpu, KIB), bytes(&gpu, 64 * KIB)));
    let before = gpu.memory_figures();
    assert!(before.cached_bytes >= 65 * KIB, "{before:?}");
    gpu.release_cached().unwrap();
    let after = gpu.memory_figures();
    assert_eq!(after.live_bytes, KIB);
    // The driver may keep the rest of what it took from the system for the live one.
    assert!(after.cached_bytes <= before.cached_bytes);
    drop(live);
    gpu.release_cached().unwrap();
    assert_eq!(gpu.memory_figures().cached_bytes, 0);
}

#[test]
fn pinned_memory_is_counted_while_it_lives() {
    let gpu = gpu();
    let pinned = PinnedBuffer::<u32>::zeros(&gpu, 1000).unwrap();
    assert_eq!(gpu.memory_figures().pinned_bytes, 4000);
    drop(pinned);
    assert_eq!(gpu.memory_figures().pinned_bytes, 0);
}

#[test]
fn threads_allocate_and_free_at_once() {
    let gpu = caching(256 * KIB);
    std::thread::scope(|scope| {
        for seed in 0..8u8 {
            let gpu = &gpu;
            scope.spawn(move || {
                let mut random = Random(u64::from(seed));
                let mut held: Vec<(CudaBuffer, Vec<u8>)> = Vec::new();
                for _ in 0..300 {
                    let content = vec![seed; 1 + random.below(8 * KIB)];
                    held.push((CudaBuffer::from_host(gpu, &content).unwrap(), content));
                    if held.len() > 4 {
                        let (buffer, content) = held.swap_remove(random.below(4));
                        assert_eq!(buffer.to_vec::<u8>().unwrap(), content);
                    }
                }
            });
        }
    });
    assert_eq!(gpu.memory_figures().live_bytes, 0);
    assert_eq!(gpu.take_drop_error(), None);
}
