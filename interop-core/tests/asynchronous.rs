//! Copies that run beside the caller. Each test runs again in processes whose simulated streams are slow, so
//! that what does not wait where it must is seen.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Mutex;

use common::gpu;
use interop_core::{
    CudaArray, CudaBuffer, CudaView, DType, Error, Gpu, HostArray, HostArrayMut, HostView, HostViewMut,
    Layout, PinnedBuffer, Tensor, as_tensor, cuda_memcpy_d2d_async, cuda_memcpy_d2h, cuda_memcpy_d2h_async,
    cuda_memcpy_h2d, cuda_memcpy_h2d_async,
};
use ndarray::Array2;

/// The variable that makes simulated streams slow, read once a process.
const DELAY: &str = "CUDA_SIM_STREAM_DELAY_US";

#[test]
fn all_holds_on_slow_streams() {
    if std::env::var_os(DELAY).is_some() {
        return;
    }
    // A thousand copies need not be that slow.
    let slow = &["--skip", "back_to_back"][..];
    for (delay, pools, options) in [("3000", "1", slow), ("1000", "0", slow), ("50", "1", &["back_to_back"])]
    {
        let mut tests = Command::new(std::env::current_exe().unwrap());
        let output =
            tests.env(DELAY, delay).env("CUDA_SIM_MEMORY_POOLS", pools).args(options).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

fn values(seed: u32, len: usize) -> Vec<u32> {
    (0..len as u32).map(|index| index.wrapping_mul(2_654_435_761) ^ seed).collect()
}

fn pinned(gpu: &Gpu, seed: u32, len: usize) -> PinnedBuffer<u32> {
    PinnedBuffer::from_slice(gpu, &values(seed, len)).unwrap()
}

// Case 39.
#[test]
fn a_download_is_there_when_it_was_waited_for() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::new(&gpu, &[100, 50], DType::U32).unwrap();
    let upload = cuda_memcpy_h2d_async(pinned(&gpu, 1, 5000), &mut buffer).unwrap();
    let download = cuda_memcpy_d2h_async(&buffer, PinnedBuffer::<u32>::zeros(&gpu, 5000).unwrap()).unwrap();
    assert_eq!(download.wait().unwrap()[..], values(1, 5000));
    assert!(upload.is_done().unwrap(), "the download was behind it");
    assert_eq!(upload.wait().unwrap()[..], values(1, 5000));
}

// Case 40: also a synchronous download is behind what is queued.
#[test]
fn a_download_to_ordinary_memory_is_behind_what_is_queued() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::zeros(&gpu, &[5000], DType::U32).unwrap();
    let upload = cuda_memcpy_h2d_async(pinned(&gpu, 2, 5000), &mut buffer).unwrap();
    let mut host = vec![0u32; 5000];
    cuda_memcpy_d2h(&buffer, &mut host).unwrap();
    assert_eq!(host, values(2, 5000));
    drop(upload);
}

// Case 42.
#[test]
fn back_to_back_uploads_from_temporary_buffers_leave_the_last_values() {
    let gpu = gpu();
    let mut buffers: Vec<_> = (0..10).map(|_| CudaBuffer::new(&gpu, &[1000], DType::U32).unwrap()).collect();
    for number in 0..1000u32 {
        let buffer = &mut buffers[number as usize % 10];
        drop(cuda_memcpy_h2d_async(pinned(&gpu, number, 1000), buffer).unwrap());
    }
    for (index, buffer) in buffers.iter().enumerate() {
        assert_eq!(buffer.to_vec::<u32>().unwrap(), values(990 + index as u32, 1000));
    }
    let mut all = Vec::new();
    for number in 0..1000u32 {
        all.push(cuda_memcpy_h2d_async(pinned(&gpu, !number, 1000), &mut buffers[0]).unwrap());
    }
    assert_eq!(buffers[0].to_vec::<u32>().unwrap(), values(!999, 1000));
    drop(all);
}

// Cases 43 and 45.
#[test]
fn arrays_that_are_dropped_at_once_are_copied_all_the_same() {
    let (one, other) = (gpu(), gpu().with_new_stream().unwrap());
    for round in 0..5 {
        let source = CudaBuffer::from_host(&one, &values(round, 4096)).unwrap();
        let mut target = Tensor::new(&other, &[4096], DType::U32, None).unwrap();
        let copy = cuda_memcpy_d2d_async(&source, &mut target).unwrap();
        drop(source);
        // Takes the same memory, were it free already.
        let usurper = CudaBuffer::zeros(&one, &[4096], DType::U32).unwrap();
        assert_eq!(target.to_vec::<u32>().unwrap(), values(round, 4096));
        let download =
            cuda_memcpy_d2h_async(&target, PinnedBuffer::<u32>::zeros(&other, 4096).unwrap()).unwrap();
        drop(target);
        assert_eq!(download.wait().unwrap()[..], values(round, 4096));
        copy.wait().unwrap();
        assert_eq!(usurper.to_vec::<u32>().unwrap(), [0; 4096]);
    }
}

#[test]
fn strides_of_the_device_side_are_heeded() {
    let gpu = gpu();
    let host = Array2::from_shape_fn((40, 70), |(y, x)| (y * 70 + x) as u32);
    // Padded rows; and every second element, which goes through packed memory.
    let padded = Tensor::new(&gpu, &[40, 70], DType::U32, None).unwrap();
    let wide = CudaBuffer::zeros(&gpu, &[40, 140], DType::U32).unwrap();
    let sparse = common::Part::of(wide, 0, &[40, 70], &[560, 8], DType::U32);
    for array in [&mut padded.cuda() as &mut dyn CudaArray, &mut { sparse }] {
        let source = PinnedBuffer::<u32>::from_host(&gpu, &host).unwrap();
        let upload = cuda_memcpy_h2d_async(source, array).unwrap();
        let download =
            cuda_memcpy_d2h_async(&*array, PinnedBuffer::<u32>::zeros(&gpu, 2800).unwrap()).unwrap();
        assert_eq!(download.wait().unwrap().view((40, 70)).unwrap(), host);
        let progress = upload.progress().unwrap();
        assert_eq!((progress.done, progress.total), (11200, 11200));
    }
}

#[test]
fn a_copy_onto_itself_goes_through_a_temporary_one() {
    let gpu = gpu();
    let buffer = CudaBuffer::from_host(&gpu, &[1u8, 2, 3, 4, 5]).unwrap();
    let head = common::Part::of(CudaBuffer::from_cuda(&buffer).unwrap(), 0, &[4], &[1], DType::U8);
    let mut tail = common::Part::of(CudaBuffer::from_cuda(&buffer).unwrap(), 1, &[4], &[1], DType::U8);
    cuda_memcpy_d2d_async(&head, &mut tail).unwrap().wait().unwrap();
    assert_eq!(buffer.to_vec::<u8>().unwrap(), [1, 1, 2, 3, 4]);
}

#[test]
fn progress_rises_to_the_whole() {
    let gpu = gpu();
    let bytes = 64 << 20;
    let mut buffer = CudaBuffer::new(&gpu, &[bytes], DType::U8).unwrap();
    let upload = cuda_memcpy_h2d_async(PinnedBuffer::<u8>::zeros(&gpu, bytes).unwrap(), &mut buffer).unwrap();
    let mut last = 0;
    while !upload.is_done().unwrap() {
        let progress = upload.progress().unwrap();
        assert!(progress.done >= last && progress.total == bytes, "{progress:?} after {last}");
        last = progress.done;
    }
    assert_eq!(upload.progress().unwrap().fraction(), 1.0);
    if gpu.info().simulated && std::env::var_os(DELAY).is_some() {
        assert!(last > 0, "eight steps of some milliseconds");
    }
}

/// Also where the copy is of padded rows or of slices, which move in pieces of whole ones.
#[test]
fn large_blocks_of_rows_and_slices_are_copied_in_pieces() {
    let gpu = gpu();
    let room = CudaBuffer::zeros(&gpu, &[7, 620, 900], DType::U32).unwrap();
    for part in [room.slice(0, 1..2).unwrap(), room.slice(0, 1..).unwrap()] {
        let mut inner = part.slice(1, 10..610).unwrap().slice(2, 100..).unwrap();
        let len = inner.len();
        let upload = cuda_memcpy_h2d_async(pinned(&gpu, 3, len), &mut inner).unwrap();
        let download = cuda_memcpy_d2h_async(&inner, PinnedBuffer::<u32>::zeros(&gpu, len).unwrap()).unwrap();
        assert!(download.wait().unwrap()[..] == values(3, len));
        assert_eq!(upload.progress().unwrap().fraction(), 1.0);
        assert!(inner.to_vec::<u32>().unwrap() == values(3, len));
        inner.fill(0u32).unwrap();
    }
    assert!(room.to_vec::<u32>().unwrap().iter().all(|word| *word == 0), "nothing around them was written");
}

#[test]
fn what_is_refused_loses_nothing() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::zeros(&gpu, &[10], DType::U32).unwrap();
    let rejected = cuda_memcpy_h2d_async(pinned(&gpu, 3, 11), &mut buffer).unwrap_err();
    let expected = Error::SizeMismatch { operation: "cuda_memcpy_h2d_async", expected: 40, found: 44 };
    assert_eq!(*rejected.error, expected);
    let rejected = cuda_memcpy_d2h_async(&buffer, rejected.buffer.unwrap()).unwrap_err();
    assert_eq!(rejected.buffer.unwrap()[..], values(3, 11));
    let floats = PinnedBuffer::<f32>::zeros(&gpu, 10).unwrap();
    let rejected = cuda_memcpy_h2d_async(floats, &mut buffer).unwrap_err();
    assert!(matches!(Error::from(rejected), Error::DTypeMismatch { .. }));
    let mut read_only = common::Part::of(buffer, 0, &[10], &[4], DType::U32).read_only();
    let rejected = cuda_memcpy_h2d_async(pinned(&gpu, 3, 10), &mut read_only).unwrap_err();
    assert!(matches!(*rejected.error, Error::ReadOnly { .. }));
    let other = CudaBuffer::zeros(&gpu, &[9], DType::U32).unwrap();
    let mut target = CudaBuffer::zeros(&gpu, &[10], DType::U32).unwrap();
    assert!(matches!(cuda_memcpy_d2d_async(&other, &mut target), Err(Error::ShapeMismatch { .. })));
}

#[test]
fn booleans_are_checked_when_they_are_waited_for() {
    let gpu = gpu();
    let bytes = CudaBuffer::from_host(&gpu, &[0u8, 1, 2]).unwrap();
    let booleans = common::Part::of(bytes, 0, &[3], &[1], DType::Bool);
    let download = cuda_memcpy_d2h_async(&booleans, PinnedBuffer::<bool>::zeros(&gpu, 3).unwrap()).unwrap();
    let expected = Error::InvalidBool { operation: "PinnedCopy::wait", position: 2, found: 2 };
    let rejected = download.wait().unwrap_err();
    assert_eq!(*rejected.error, expected);
    assert_eq!(rejected.buffer.unwrap()[..], [false; 3]);
}

#[test]
fn nothing_is_copied_without_elements() {
    let gpu = gpu();
    let mut empty = CudaBuffer::new(&gpu, &[0, 4], DType::F32).unwrap();
    let upload = cuda_memcpy_h2d_async(PinnedBuffer::<f32>::zeros(&gpu, 0).unwrap(), &mut empty).unwrap();
    assert!(upload.is_done().unwrap() && upload.progress().unwrap().fraction() == 1.0);
    assert!(upload.wait().unwrap().is_empty());
    let mut other = CudaBuffer::new(&gpu, &[0, 4], DType::F32).unwrap();
    cuda_memcpy_d2d_async(&empty, &mut other).unwrap().wait().unwrap();
    let mut host: Vec<f32> = Vec::new();
    gpu.scope(|scope| scope.download(&empty, &mut host).map(drop)).unwrap().unwrap();
}

#[test]
fn forgotten_handles_leave_nothing_running_into_freed_memory() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::new(&gpu, &[5000], DType::U32).unwrap();
    let mut other = CudaBuffer::new(&gpu, &[5000], DType::U32).unwrap();
    std::mem::forget(cuda_memcpy_h2d_async(pinned(&gpu, 4, 5000), &mut buffer).unwrap());
    std::mem::forget(cuda_memcpy_d2d_async(&buffer, &mut other).unwrap());
    let target = PinnedBuffer::<u32>::zeros(&gpu, 5000).unwrap();
    std::mem::forget(cuda_memcpy_d2h_async(&other, target).unwrap());
    assert_eq!(other.to_vec::<u32>().unwrap(), values(4, 5000));
    drop((buffer, other));
    let source = values(5, 5000);
    let mut host = vec![0u32; 5000];
    let mut buffer = CudaBuffer::new(&gpu, &[5000], DType::U32).unwrap();
    gpu.scope(|scope| std::mem::forget(scope.upload(&source, &mut buffer).unwrap())).unwrap();
    gpu.scope(|scope| std::mem::forget(scope.download(&buffer, &mut host).unwrap())).unwrap();
    assert_eq!(host, source);
}

#[test]
fn a_scope_gives_back_what_was_waited_for() {
    let gpu = gpu();
    let source = Array2::from_shape_fn((60, 50), |(y, x)| (y * 50 + x) as f32);
    let mut tensor = Tensor::new(&gpu, &[60, 50], DType::F32, Layout::HW).unwrap();
    let mut back = Array2::<f32>::zeros((50, 60));
    let mut transposed = back.view_mut().reversed_axes();
    let sum = gpu.scope(|scope| {
        let upload = scope.upload(&source, &mut tensor).unwrap();
        let tensor = upload.wait().unwrap();
        let download = scope.download(&*tensor, &mut transposed).unwrap();
        let transposed = download.wait().unwrap();
        transposed[[0, 0]] += 1.0;
        source.sum() // which is only read
    });
    assert_eq!(sum.unwrap(), source.sum());
    let mut expected = source.t().to_owned();
    expected[[0, 0]] += 1.0;
    assert_eq!(back, expected);
}

#[test]
fn many_copies_of_a_scope_are_over_at_its_end() {
    let gpu = gpu();
    let sources: Vec<Vec<u32>> = (0..40).map(|seed| values(seed, 500)).collect();
    let mut buffers: Vec<_> =
        sources.iter().map(|_| CudaBuffer::new(&gpu, &[500], DType::U32).unwrap()).collect();
    let mut targets = vec![vec![0u32; 500]; 40];
    gpu.scope(|scope| {
        for (source, buffer) in sources.iter().zip(&mut buffers) {
            scope.upload(source, buffer).unwrap();
        }
    })
    .unwrap();
    gpu.scope(|scope| {
        for (buffer, target) in buffers.iter().zip(&mut targets) {
            scope.download(buffer, target).unwrap();
        }
    })
    .unwrap();
    assert_eq!(targets, sources);
}

#[test]
fn other_handles_of_the_memory_wait_for_a_copy_of_a_scope() {
    let gpu = gpu();
    let source = values(6, 1 << 16);
    let mut buffer = CudaBuffer::zeros(&gpu, &[1 << 16], DType::U32).unwrap();
    let (shared, mut written) = (as_tensor(&buffer, None).unwrap(), CudaBuffer::from_cuda(&buffer).unwrap());
    let mut host = vec![0u32; 1 << 16];
    gpu.scope(|scope| {
        scope.upload(&source, &mut buffer).unwrap();
        assert_eq!(shared.to_vec::<u32>().unwrap(), source);
        written.fill(1u32).unwrap();
    })
    .unwrap();
    gpu.scope(|scope| {
        scope.upload(&source, &mut buffer).unwrap();
        assert_eq!(shared.to_array::<u32>().unwrap().as_slice().unwrap(), source);
        // And what reads is not overtaken by what writes.
        scope.download(&shared, &mut host).unwrap();
        cuda_memcpy_h2d(&values(7, 1 << 16), &mut written).unwrap();
    })
    .unwrap();
    assert_eq!(host, source);
    assert_eq!(buffer.to_vec::<u32>().unwrap(), values(7, 1 << 16));
}

#[test]
fn a_panic_in_a_scope_waits_for_its_copies() {
    let gpu = gpu();
    let source = values(8, 1 << 16);
    let mut buffer = CudaBuffer::zeros(&gpu, &[1 << 16], DType::U32).unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        gpu.scope(|scope| {
            scope.upload(&source, &mut buffer).unwrap();
            panic!("on purpose");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(buffer.to_vec::<u32>().unwrap(), source);
}

#[test]
fn an_error_that_nobody_waited_for_is_the_scopes() {
    let gpu = gpu();
    let bytes = CudaBuffer::from_host(&gpu, &[0u8, 1, 2]).unwrap();
    let booleans = common::Part::of(bytes, 0, &[3], &[1], DType::Bool);
    let expected = Error::InvalidBool { operation: "CopyScope::download", position: 2, found: 2 };
    let mut host = [true; 3];
    let result = gpu.scope(|scope| scope.download(&booleans, &mut host).map(drop));
    assert_eq!(result.unwrap_err(), expected);
    assert_eq!(host, [true; 3]);
    let result = gpu.scope(|scope| scope.download(&booleans, &mut host).unwrap().wait().unwrap_err());
    assert_eq!(result, Ok(expected), "an error that was waited for is not the scope's, too");
    let mut small = [true; 2];
    let result = gpu.scope(|scope| scope.download(&booleans, &mut small).map(drop));
    assert!(matches!(result, Ok(Err(Error::SizeMismatch { .. }))));
}

/// Changes its mind about its size, as safe code may.
struct Fickle(Mutex<u32>);

impl HostArray for Fickle {
    fn host_view(&self) -> HostView<'_> {
        let mut asked = self.0.lock().unwrap();
        *asked += 1;
        HostView::from_slice(if *asked == 1 { &[1u8, 2, 3] } else { &[1, 2] })
    }
}

/// Looks at the memory that it is copied to, whenever it is asked.
struct Looks<'a>(&'a [u8], CudaView);

impl HostArray for Looks<'_> {
    fn host_view(&self) -> HostView<'_> {
        assert_eq!(self.1.to_vec::<u8>().unwrap().len(), self.0.len());
        HostView::from_slice(self.0)
    }
}

struct Bomb([u8; 3], bool);

impl HostArray for Bomb {
    fn host_view(&self) -> HostView<'_> {
        HostView::from_slice(&self.0)
    }
}

impl HostArrayMut for Bomb {
    fn host_view_mut(&mut self) -> HostViewMut<'_> {
        assert!(!std::mem::replace(&mut self.1, true), "on purpose");
        HostViewMut::from_slice(&mut self.0)
    }
}

#[test]
fn odd_host_arrays_break_nothing() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::zeros(&gpu, &[3], DType::U8).unwrap();
    let fickle = Fickle(Mutex::default());
    let result = gpu.scope(|scope| scope.upload(&fickle, &mut buffer).unwrap().wait().map(drop));
    assert_eq!(result, Ok(Ok(())), "asked once: what was checked is what is copied");
    assert_eq!(buffer.to_vec::<u8>().unwrap(), [1, 2, 3]);
    let looks = Looks(&[7, 8, 9], buffer.cuda());
    gpu.scope(|scope| scope.upload(&looks, &mut buffer).unwrap().wait().map(drop)).unwrap().unwrap();
    assert_eq!(buffer.to_vec::<u8>().unwrap(), [7, 8, 9]);
    let mut bomb = Bomb([9; 3], false);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        gpu.scope(|scope| scope.download(&buffer, &mut bomb).unwrap().wait().map(drop))
    }));
    assert!(panicked.is_err());
    // The memory is not held up by what panicked.
    let mut back = [9u8; 3];
    gpu.scope(|scope| scope.upload(&[4u8, 5, 6], &mut buffer).map(drop)).unwrap().unwrap();
    cuda_memcpy_d2h(&buffer, &mut back).unwrap();
    assert_eq!(back, [4, 5, 6]);
}

#[test]
fn lanes_share_the_device_and_not_the_stream() {
    let gpu = gpu();
    let lane = gpu.with_new_stream().unwrap();
    assert_ne!(lane.stream(), gpu.stream());
    assert_eq!(lane.info(), gpu.info());
    let (start, other) = (gpu.timestamp().unwrap(), lane.timestamp().unwrap());
    let buffer = CudaBuffer::from_host(&gpu, &values(9, 5000)).unwrap();
    drop(gpu);
    let mut copy = CudaBuffer::new(&lane, &[5000], DType::U32).unwrap();
    let copied = cuda_memcpy_d2d_async(&buffer, &mut copy).unwrap();
    let end = lane.timestamp().unwrap();
    copied.wait().unwrap();
    assert!(end.since(&other).unwrap() > std::time::Duration::ZERO);
    assert!(end.since(&start).unwrap() > std::time::Duration::ZERO);
    assert_eq!(other.since(&end).unwrap(), std::time::Duration::ZERO);
    assert_eq!(copy.to_vec::<u32>().unwrap(), values(9, 5000));
}

#[test]
fn handles_can_be_waited_for_on_another_thread() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::new(&gpu, &[5000], DType::U32).unwrap();
    let upload = cuda_memcpy_h2d_async(pinned(&gpu, 10, 5000), &mut buffer).unwrap();
    let back = std::thread::spawn(move || upload.wait().unwrap()).join().unwrap();
    assert_eq!(back[..], values(10, 5000));
}
