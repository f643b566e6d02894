//! A fill has its place in the queue of a stream.
//!
//! In a process of its own: what other tests free makes a real driver wait for all that is queued, and this one's
//! calls wait for the driver meanwhile.

mod common;

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{gpu, hold};
use interop_core::{
    CudaBuffer, DType, PinnedBuffer, cuda_memcpy_d2d, cuda_memcpy_d2h_async, cuda_memcpy_h2d_async,
};

/// Whether a stream that `hold` holds up may go on.
static GO: AtomicBool = AtomicBool::new(false);

unsafe extern "C" fn wait_for_go(_: *mut c_void) {
    let start = Instant::now();
    while !GO.load(Ordering::Acquire) && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_fill_runs_on_the_stream_of_its_memory_and_is_not_waited_for() {
    let (gpu, other) = (gpu(), gpu());
    let mut buffer = CudaBuffer::from_host(&gpu, &[1u64; 100]).unwrap();
    let mut copy = CudaBuffer::zeros(&other, &[100], DType::U64).unwrap();
    let source = PinnedBuffer::from_slice(&gpu, &[2u64; 100]).unwrap();
    let download = PinnedBuffer::<u64>::zeros(&gpu, 100).unwrap();
    // Once before: a real driver loads the kernel of a fill when it is first used, which may wait for the device.
    buffer.fill(0u64).unwrap();
    buffer.step(0, 2).unwrap().fill(0u64).unwrap();
    gpu.synchronize().unwrap();
    hold(gpu.stream(), wait_for_go);
    let upload = cuda_memcpy_h2d_async(source, &mut buffer).unwrap();
    buffer.fill(3u64).unwrap();
    let download = cuda_memcpy_d2h_async(&buffer, download).unwrap();
    buffer.step(0, 2).unwrap().fill(4u64).unwrap();
    assert!(!upload.is_done().unwrap() && !download.is_done().unwrap(), "all of it is only queued");
    GO.store(true, Ordering::Release);
    assert_eq!(download.wait().unwrap()[..], [3; 100]);
    cuda_memcpy_d2d(&buffer, &mut copy).unwrap();
    assert_eq!(copy.to_vec::<u64>().unwrap(), [4, 3].repeat(50));
    upload.wait().unwrap();
}
