//! What freeing memory meets. In a process of its own: it breaks what other tests rely on.

use cudarc::driver::sys;
use interop_core::{CudaArray, CudaBuffer, DType, Error, GpuOptions};

// Case 64.
#[test]
fn a_memory_error_in_a_free_is_returned_and_in_a_drop_is_kept() {
    // What is kept for the next allocation is not given to the driver yet, and so meets no error.
    let gpu = GpuOptions::new().cached_bytes(0).open(0).unwrap();
    let freed_behind_our_back = || {
        let buffer = CudaBuffer::zeros(&gpu, &[512], DType::U8).unwrap();
        let stream = gpu.stream().to_raw() as sys::CUstream;
        // SAFETY: the address is that of a pool allocation on this stream, which is live.
        let status = unsafe { sys::cuMemFreeAsync(buffer.memory().range().start, stream) };
        (status == sys::CUresult::CUDA_SUCCESS).then_some(buffer)
    };
    // A context is needed for the call above.
    let context = cudarc::driver::CudaContext::new(0).unwrap();
    context.bind_to_thread().unwrap();
    // An allocation that had to be aligned does not begin where the buffer does: take one that does.
    let buffer = (0..4).find_map(|_| freed_behind_our_back()).expect("an aligned allocation");
    assert!(matches!(buffer.free(), Err(Error::Driver { operation: "CudaBuffer::free", .. })));
    assert_eq!(gpu.take_drop_error(), None);
    drop((0..4).find_map(|_| freed_behind_our_back()).expect("an aligned allocation"));
    assert!(matches!(gpu.take_drop_error(), Some(Error::Driver { operation: "drop of a buffer", .. })));
    assert_eq!(gpu.take_drop_error(), None);
}
