//! What a handle took is given back with it. In a process of its own: it counts all that the driver has.

use interop_core::{CudaBuffer, DType, Gpu, PinnedBuffer};

// Cases 58 and 59.
#[test]
fn the_driver_has_few_allocations_meanwhile_and_none_in_the_end() {
    let gpu = Gpu::open(0).unwrap();
    if !gpu.info().simulated {
        return;
    }
    let allocations = || cuda_sim::stats().unwrap().device_allocations;
    for round in 0..10_000 {
        let buffer = CudaBuffer::new(&gpu, &[1 + round % 5000], DType::F32).unwrap();
        let pinned = (round % 1000 == 0).then(|| PinnedBuffer::<u8>::zeros(&gpu, 100).unwrap());
        drop((buffer, pinned));
    }
    // One for each size that is kept: 8 up to 4096 bytes, and 19 from there to 20000.
    assert!(allocations() <= 27, "{}", allocations());
    let cached = gpu.memory_figures().cached_bytes as u64;
    let held = cuda_sim::stats().unwrap().device_bytes;
    assert!((cached..cached + 27 * 512).contains(&held), "{held} bytes, of which {cached} are counted");
    let view = CudaBuffer::new(&gpu, &[77], DType::U8).unwrap().cuda();
    drop(gpu);
    assert!(allocations() > 0, "the view keeps the device open");
    drop(view);
    assert_eq!(cuda_sim::stats().unwrap(), cuda_sim::Stats::default());
}
