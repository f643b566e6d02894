//! A device without memory pools serves as well. In a process of its own, which has such a device.

use interop_core::{CudaBuffer, DType, Gpu};

#[test]
fn plain_allocations_serve_where_there_are_no_pools() {
    // SAFETY: the only test of this process, and nothing else runs in it yet.
    unsafe { std::env::set_var("CUDA_SIM_MEMORY_POOLS", "0") };
    let gpu = Gpu::open(0).unwrap();
    let first = CudaBuffer::from_host(&gpu, &[1u8, 2, 3]).unwrap();
    assert_eq!(first.to_vec::<u8>().unwrap(), [1, 2, 3]);
    let pointer = first.pointer();
    first.free().unwrap();
    assert!(gpu.memory_figures().cached_bytes >= 512);
    assert_eq!(CudaBuffer::new(&gpu, &[3], DType::U8).unwrap().pointer(), pointer);
    gpu.release_cached().unwrap();
    assert_eq!(gpu.memory_figures().cached_bytes, 0);
}
