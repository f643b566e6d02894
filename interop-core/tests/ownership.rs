//! Who frees, who keeps alive, and on which thread.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Described, gpu};
use interop_core::{CudaArray, CudaBuffer, DType, Gpu, Layout, Memory, Tensor, as_tensor, cuda_memcpy_d2h};

// Case 24.
#[test]
fn sharing_is_no_copy() {
    let gpu = gpu();
    let buffer = CudaBuffer::from_host(&gpu, &[1u8, 2, 3]).unwrap();
    let tensor = as_tensor(&buffer, Layout::W).unwrap();
    let mut again = CudaBuffer::from_cuda(tensor.cuda()).unwrap();
    assert_eq!([tensor.pointer(), again.pointer()], [buffer.pointer(); 2]);
    interop_core::cuda_memcpy_h2d(&[7u8, 8, 9], &mut again).unwrap();
    assert_eq!(buffer.to_vec::<u8>().unwrap(), [7, 8, 9]);
}

#[test]
fn the_last_handle_frees() {
    let gpu = gpu();
    let buffer = CudaBuffer::from_host(&gpu, &[5u16; 64]).unwrap();
    let view = buffer.cuda();
    let tensor = as_tensor(&view, None).unwrap();
    assert_eq!(buffer.memory().handles(), 4, "buffer, view, tensor, and the one just taken");
    drop(buffer);
    view.memory();
    drop(view);
    assert_eq!(tensor.to_vec::<u16>().unwrap(), [5; 64]);
    assert_eq!(tensor.memory().handles(), 2);
    tensor.free().unwrap();
    gpu.synchronize().unwrap();
    assert_eq!(gpu.take_drop_error(), None);
}

struct CountsDrops(Arc<AtomicUsize>);

impl Drop for CountsDrops {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

// Case 46.
#[test]
fn a_foreign_owner_is_dropped_once_and_last() {
    let gpu = gpu();
    let theirs = CudaBuffer::from_host(&gpu, &[1f32, 2.0]).unwrap();
    let drops = Arc::new(AtomicUsize::new(0));
    let owner = CountsDrops(drops.clone());
    // SAFETY: `theirs` outlives all of it.
    let memory = unsafe { Memory::from_owner(&gpu, theirs.pointer(), 8, false, None, owner) }.unwrap();
    let part = Described { memory, interface: theirs.cuda_array_interface() };
    let tensor = as_tensor(&part, None).unwrap();
    let buffer = CudaBuffer::from_cuda(&tensor).unwrap();
    drop(part);
    drop(tensor);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    assert_eq!(buffer.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    drop(buffer);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    assert_eq!(theirs.to_vec::<f32>().unwrap(), [1.0, 2.0], "what we do not own, we do not free");
}

#[test]
fn a_wrapped_pointer_is_not_freed() {
    let gpu = gpu();
    let theirs = CudaBuffer::from_host(&gpu, &[3i32; 8]).unwrap();
    for _ in 0..3 {
        // SAFETY: `theirs` outlives the buffer.
        let ours = unsafe { CudaBuffer::from_raw_pointer(&gpu, theirs.pointer(), &[8], DType::I32) }.unwrap();
        assert_eq!(ours.to_vec::<i32>().unwrap(), [3; 8]);
        ours.free().unwrap();
    }
    assert_eq!(theirs.to_vec::<i32>().unwrap(), [3; 8]);
}

// Case 61.
#[test]
fn buffers_move_between_threads() {
    let gpu = gpu();
    let buffer = CudaBuffer::from_host(&gpu, &[6u64; 16]).unwrap();
    let seen = std::thread::spawn(move || {
        let mut host = [0u64; 16];
        cuda_memcpy_d2h(&buffer, &mut host).unwrap();
        drop(buffer);
        host
    });
    assert_eq!(seen.join().unwrap(), [6; 16]);
    assert_eq!(gpu.take_drop_error(), None);
}

#[test]
fn the_device_stays_open_as_long_as_a_buffer_lives() {
    let buffer = {
        let gpu = gpu();
        CudaBuffer::from_host(&gpu, &[4u8; 4]).unwrap()
    };
    assert_eq!(buffer.to_vec::<u8>().unwrap(), [4; 4]);
}

#[test]
fn threads_share_a_gpu() {
    let gpu = gpu();
    std::thread::scope(|scope| {
        for seed in 0..8u32 {
            let gpu: &Gpu = &gpu;
            scope.spawn(move || {
                for round in 0..50 {
                    let host: Vec<u32> = (0..100).map(|index| index + 1000 * seed + round).collect();
                    let tensor = {
                        let mut tensor = Tensor::new(gpu, &[10, 10], DType::U32, Layout::HW).unwrap();
                        interop_core::cuda_memcpy_h2d(&host, &mut tensor).unwrap();
                        tensor
                    };
                    assert_eq!(tensor.to_vec::<u32>().unwrap(), host);
                }
            });
        }
    });
}

// Case 68.
#[test]
fn no_elements_take_no_memory() {
    let gpu = gpu();
    let empty = CudaBuffer::zeros(&gpu, &[0, 3], DType::F32).unwrap();
    assert_eq!((empty.pointer(), empty.memory().range()), (0, 0..0));
    empty.free().unwrap();
    let tensor = Tensor::new(&gpu, &[0, 3], DType::F32, None).unwrap();
    assert_eq!(tensor.pointer(), 0);
}

#[test]
fn addresses_are_aligned_as_cv_cuda_aligns_them() {
    let gpu = gpu();
    let buffers: Vec<CudaBuffer> =
        (1..40).map(|len| CudaBuffer::new(&gpu, &[len], DType::U8).unwrap()).collect();
    assert!(buffers.iter().all(|buffer| buffer.pointer() % 512 == 0));
    let tensors: Vec<Tensor> =
        (1..40).map(|len| Tensor::new(&gpu, &[len, 3], DType::U8, None).unwrap()).collect();
    assert!(tensors.iter().all(|tensor| tensor.pointer() % 512 == 0));
}

#[test]
fn the_last_row_has_its_padding_too() {
    let gpu = gpu();
    let tensor = Tensor::new(&gpu, &[10, 10, 3], DType::U8, Layout::HWC).unwrap();
    let range = tensor.memory().range();
    assert_eq!(range.end - range.start, 10 * 32);
}

#[test]
fn pinned_memory_begins_as_zeros() {
    let gpu = gpu();
    for len in [0, 1, 5000] {
        let pinned = interop_core::PinnedBuffer::<u32>::zeros(&gpu, len).unwrap();
        assert_eq!(pinned[..], vec![0; len]);
    }
}
