//! Where the system gives too little pinned memory, copies go on without. Each test runs in processes whose
//! simulated driver refuses it from the first block on, or from a later one.

mod common;

use common::{copies_by_threads, run_again_with};
use interop_core::{
    CopyPath, CudaBuffer, DType, Error, Gpu, GpuOptions, PinnedBuffer, Tensor, cuda_memcpy_d2d,
    cuda_memcpy_d2h, cuda_memcpy_h2d,
};
use ndarray::{Array2, s};

/// The variable that bounds what the simulated driver pins, read once a process.
const LIMIT: &str = "CUDA_SIM_PINNED_BYTES";
/// What the copy threads pin at a time, a dozen times for each direction; each copy here is of several.
const BLOCK: usize = 64 << 10;
const SHAPE: (usize, usize) = (500, 500);

#[test]
fn all_holds_however_little_may_be_pinned() {
    if limit().is_some() {
        return;
    }
    for limit in [0, BLOCK - 1, BLOCK, 2 * BLOCK] {
        run_again_with(LIMIT, &limit.to_string());
    }
}

/// None in the process that starts the others.
fn limit() -> Option<usize> {
    std::env::var(LIMIT).ok().map(|limit| limit.parse().unwrap())
}

/// A device that copies by threads; None in the first process, or where it has none to start with, which is told.
#[track_caller]
fn with_threads() -> Option<Gpu> {
    limit()?;
    let gpu = GpuOptions::new().block_bytes(BLOCK).threads_from(1).open(0).unwrap();
    copies_by_threads(&gpu).then_some(gpu)
}

/// One that never pins.
fn plain() -> Gpu {
    GpuOptions::new().copy_threads(0).open(0).unwrap()
}

fn values(seed: u32) -> Array2<u32> {
    Array2::from_shape_fn(SHAPE, |(y, x)| (y * 4096 + x) as u32 ^ (seed << 24))
}

fn assert_gave_up(gpu: &Gpu) {
    let CopyPath::Driver { reason } = gpu.copy_path() else { panic!("{:?}", gpu.copy_path()) };
    assert!(reason.starts_with("pinned memory was refused: ") && reason.contains("bytes"), "{reason}");
    assert_eq!(gpu.memory_figures().pinned_bytes, 0, "what was granted is given back");
}

#[test]
fn uploads_are_right() {
    let packed = values(1);
    let wide = Array2::from_shape_fn((500, 1000), |(y, x)| packed[[y, x / 2]]);
    let strided = wide.slice(s![.., ..;2]);
    for host in [packed.view(), strided, packed.t()] {
        let Some(gpu) = with_threads() else { return };
        let mut target = CudaBuffer::new(&plain(), &[500, 500], DType::U32).unwrap();
        let mut padded = Tensor::new(&gpu, &[500, 500], DType::U32, None).unwrap();
        cuda_memcpy_h2d(&host, &mut padded).unwrap();
        assert_gave_up(&gpu);
        cuda_memcpy_d2d(&padded, &mut target).unwrap();
        assert!(host.iter().eq(&target.to_vec::<u32>().unwrap()));
        // And a later one, of other values.
        let again = values(2);
        cuda_memcpy_h2d(&again, &mut padded).unwrap();
        let mut back = Array2::<u32>::zeros(SHAPE);
        cuda_memcpy_d2h(&padded, &mut back).unwrap();
        assert_eq!(back, again);
        assert_gave_up(&gpu);
    }
}

#[test]
fn downloads_are_right() {
    let expected = values(3);
    for step in [1, 2] {
        let Some(gpu) = with_threads() else { return };
        let mut source = Tensor::new(&gpu, &[500, 500], DType::U32, None).unwrap();
        let uploaded = CudaBuffer::from_host(&plain(), &expected).unwrap();
        cuda_memcpy_d2d(&uploaded, &mut source).unwrap();
        let mut wide = Array2::from_elem((500, 500 * step), 7u32);
        cuda_memcpy_d2h(&source, &mut wide.slice_mut(s![.., ..;step])).unwrap();
        assert_gave_up(&gpu);
        assert_eq!(wide.slice(s![.., ..;step]), expected);
        assert!(wide.slice(s![.., step - 1..;step]).iter().all(|&gap| step == 1 || gap == 7));
        assert_eq!(source.step(1, step as isize).unwrap().to_vec::<u32>().unwrap().len(), 250_000 / step);
    }
    let Some(gpu) = with_threads() else { return };
    let source = CudaBuffer::from_cuda(CudaBuffer::from_host(&gpu, &expected).unwrap()).unwrap();
    assert!(expected.iter().eq(&source.to_vec::<u32>().unwrap()), "to memory that is new");
    assert_gave_up(&gpu);
}

#[test]
fn copies_at_once_are_right() {
    for round in 0..10 {
        let Some(gpu) = with_threads() else { return };
        let lanes = [gpu.clone(), gpu.with_new_stream().unwrap(), gpu.with_new_stream().unwrap()];
        std::thread::scope(|threads| {
            for (lane, seed) in lanes.iter().zip(round..) {
                threads.spawn(move || {
                    let buffer = CudaBuffer::from_host(lane, &values(seed)).unwrap();
                    assert!(values(seed).iter().eq(&buffer.to_vec::<u32>().unwrap()));
                });
            }
        });
        assert_gave_up(&gpu);
    }
}

#[test]
fn a_copy_beside_the_caller_is_right() {
    let Some(gpu) = with_threads() else { return };
    let (host, mut back) = (values(4), Array2::<u32>::zeros(SHAPE));
    let mut buffer = CudaBuffer::new(&gpu, &[500, 500], DType::U32).unwrap();
    let copied = gpu.scope(|scope| {
        let buffer = scope.upload(&host, &mut buffer)?.wait()?;
        scope.download(&*buffer, &mut back)?.wait().map(drop)
    });
    copied.unwrap().unwrap();
    assert_eq!(back, host);
    assert_gave_up(&gpu);
}

#[test]
fn pinned_memory_that_is_asked_for_is_an_error_and_leaves_nothing() {
    let Some(limit) = limit() else { return };
    let gpu = plain();
    let refused = |error: Error, called: &str, bytes: usize| {
        let is_typed = matches!(&error, Error::OutOfMemory { operation, requested, .. }
            if *operation == called && *requested == bytes);
        assert!(is_typed, "{error}");
        assert!(error.to_string().ends_with("; free buffers or ask for less"), "{error}");
        assert_eq!(gpu.memory_figures().pinned_bytes, 0);
    };
    refused(PinnedBuffer::<u8>::zeros(&gpu, limit + 1).unwrap_err(), "PinnedBuffer::zeros", limit + 1);
    let host = vec![1u8; limit + 1];
    let from_slice = PinnedBuffer::from_slice(&gpu, &host).unwrap_err();
    refused(from_slice, "PinnedBuffer::from_slice", limit + 1);
    let mut host = host;
    refused(gpu.pinned(&mut host, |_| ()).unwrap_err(), "Gpu::pinned", limit + 1);
    // As much as there is serves.
    let mut pinned = PinnedBuffer::<u8>::zeros(&gpu, limit).unwrap();
    assert_eq!(gpu.memory_figures().pinned_bytes, limit);
    pinned.fill(3);
    assert_eq!(CudaBuffer::from_host(&gpu, &pinned).unwrap().to_vec::<u8>().unwrap(), pinned[..]);
    drop(pinned);
    assert_eq!(gpu.memory_figures().pinned_bytes, 0);
}

/// The stage of one thread is refused while another thread starts the copy threads.
#[test]
fn threads_that_start_while_pinned_memory_is_refused_keep_none() {
    if limit().is_none() {
        return;
    }
    for _ in 0..200 {
        let gpu = GpuOptions::new().block_bytes(4096).threads_from(1000).open(0).unwrap();
        let begin = std::sync::Barrier::new(2);
        std::thread::scope(|threads| {
            for bytes in [100, 100_000] {
                let (gpu, begin) = (&gpu, &begin);
                threads.spawn(move || {
                    begin.wait();
                    let host = vec![bytes as u8; bytes];
                    assert_eq!(CudaBuffer::from_host(gpu, &host).unwrap().to_vec::<u8>().unwrap(), host);
                });
            }
        });
        if let CopyPath::Driver { .. } = gpu.copy_path() {
            assert_eq!(gpu.memory_figures().pinned_bytes, 0, "{:?}", gpu.copy_path());
        }
    }
}
