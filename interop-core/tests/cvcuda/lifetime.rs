//! Who keeps what alive, and until when.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use interop_core::cvcuda::{Flip, Interpolation};
use interop_core::{CudaBuffer, DType, Gpu, Layout, Memory, Tensor, as_tensor, cuda_memcpy_h2d};

use crate::common::{hold, nap};
use crate::{counting, cv};

/// Counts how often it was dropped.
struct Owner {
    _buffer: CudaBuffer,
    drops: Arc<AtomicUsize>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
    }
}

/// Memory of another object, as a tensor, and how often that was dropped.
fn foreign(gpu: &Gpu, shape: &[usize]) -> (Tensor, Arc<AtomicUsize>) {
    let drops = Arc::new(AtomicUsize::new(0));
    let buffer = CudaBuffer::zeros(gpu, shape, DType::U8).unwrap();
    let (address, bytes, stream) = (buffer.pointer(), buffer.size_bytes(), gpu.stream());
    let owner = Owner { _buffer: buffer, drops: drops.clone() };
    // SAFETY: the owner keeps the buffer, whose stream is live.
    let memory = unsafe { Memory::from_owner(gpu, address, bytes, false, Some(stream), owner) }.unwrap();
    let layout = interop_core::StridedLayout::packed(shape, 1).unwrap();
    let interface = interop_core::CudaArrayInterface::new(DType::U8, layout, address, false, None).unwrap();
    let tensor = as_tensor(crate::common::Described { memory, interface }, Layout::HWC).unwrap();
    (tensor, drops)
}

// Cases 24 and 46.
#[test]
fn a_wrapped_buffer_is_shared_and_released_once() {
    let Some(cv) = cv() else { return };
    let (tensor, drops) = foreign(cv.gpu(), &[4, 4, 3]);
    let pointer = tensor.pointer();
    let handle = cv.share(&tensor).unwrap();
    assert_eq!(cv.share(&tensor).unwrap(), handle, "one handle a tensor");
    assert_eq!((tensor.pointer(), cv.references(&tensor)), (pointer, Ok(1)));
    let view = tensor.cuda();
    drop(tensor);
    assert_eq!(drops.load(Ordering::SeqCst), 0, "the view keeps the memory");
    drop(view);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

// Approach 2, as the page means it.
#[test]
fn what_cv_cuda_manages_is_kept_by_whatever_is_made_of_it() {
    let Some(cv) = cv() else { return };
    let before = cv.gpu().memory_figures().live_bytes;
    let host: Vec<u8> = (0..=255).cycle().take(300).collect();
    let mut tensor = cv.tensor(&[10, 10, 3], DType::U8, None).unwrap();
    assert_eq!(tensor.strides(), [320, 32, 1]);
    cuda_memcpy_h2d(&host, &mut tensor).unwrap();
    assert_eq!(tensor.to_vec::<u8>().unwrap(), host);
    assert_eq!(cv.references(&tensor), Ok(2), "the tensor's and the memory's");
    let buffer = CudaBuffer::from_cuda(tensor.cuda()).unwrap();
    assert_eq!((buffer.pointer(), buffer.strides()), (tensor.pointer(), &[320, 32, 1][..]));
    assert!(cv.gpu().memory_figures().live_bytes >= before + 300);
    drop(tensor);
    assert_eq!(buffer.to_vec::<u8>().unwrap(), host);
    assert!(cv.gpu().memory_figures().live_bytes > before);
    drop(buffer);
    assert_eq!(cv.gpu().memory_figures().live_bytes, before);
}

#[test]
fn freeing_a_tensor_gives_its_memory_back() {
    let Some(cv) = cv() else { return };
    let before = cv.gpu().memory_figures().live_bytes;
    let (tensor, _) = counting(cv.gpu(), &[4, 4, 3], Layout::HWC);
    cv.share(&tensor).unwrap();
    assert_eq!(tensor.free(), Ok(()));
    cv.tensor(&[4, 4], DType::U8, Layout::HW).unwrap().free().unwrap();
    assert_eq!(cv.gpu().memory_figures().live_bytes, before);
}

// Cases 43 and 45.
#[test]
fn inputs_may_be_dropped_at_once() {
    let Some(cv) = cv() else { return };
    let gpu = cv.gpu();
    for round in 0..20 {
        let (image, host) = counting(gpu, &[64, 64, 3], Layout::HWC);
        hold(gpu.stream(), nap_briefly);
        let flipped = cv.flip(&image, Flip::Vertical).unwrap();
        drop(image);
        // Of the same size, so that it gets the block that was just given back.
        let mut other = Tensor::new(gpu, &[64, 64, 3], DType::U8, Layout::HWC).unwrap();
        other.fill(0xEEu8).unwrap();
        let expected: Vec<u8> = host.chunks(64 * 3).rev().flatten().copied().collect();
        assert_eq!(flipped.to_vec::<u8>().unwrap(), expected, "round {round}");
    }
}

unsafe extern "C" fn nap_briefly(_: *mut std::ffi::c_void) {
    std::thread::sleep(std::time::Duration::from_millis(5));
}

#[test]
fn another_objects_memory_is_kept_until_the_stream_has_passed() {
    let Some(cv) = cv() else { return };
    let (image, drops) = foreign(cv.gpu(), &[8, 8, 3]);
    hold(cv.gpu().stream(), nap);
    let flipped = cv.flip(&image, Flip::Both).unwrap();
    drop(image);
    assert_eq!(drops.load(Ordering::SeqCst), 0, "the stream has not passed it");
    assert_eq!(flipped.to_vec::<u8>().unwrap(), [0; 8 * 8 * 3]);
    // The next that is kept has what is done released.
    let (next, _) = foreign(cv.gpu(), &[8, 8, 3]);
    cv.flip(&next, Flip::Both).unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    drop(cv);
}

// Cases 36 and 37.
#[test]
fn work_on_another_lane_is_ordered_before_and_behind() {
    let Some(cv) = cv() else { return };
    let lane = cv.gpu().with_new_stream().unwrap();
    let mut image = Tensor::new(&lane, &[32, 32, 1], DType::U8, Layout::HWC).unwrap();
    image.fill(1u8).unwrap();
    hold(lane.stream(), nap);
    image.fill(9u8).unwrap();
    let small = cv.resize(&image, (16, 16), Interpolation::Nearest).unwrap();
    // Freed and filled anew on its own lane, which must not come before the resize has read it.
    drop(image);
    let mut other = Tensor::new(&lane, &[32, 32, 1], DType::U8, Layout::HWC).unwrap();
    other.fill(77u8).unwrap();
    assert_eq!(small.to_vec::<u8>().unwrap(), [9; 256]);
}

#[test]
fn threads_may_share_it() {
    let Some(cv) = cv() else { return };
    let (image, host) = counting(cv.gpu(), &[16, 16, 3], Layout::HWC);
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..50 {
                    let twice = cv.flip(&cv.flip(&image, Flip::Both).unwrap(), Flip::Both).unwrap();
                    assert_eq!(twice.to_vec::<u8>().unwrap(), host);
                }
            });
        }
    });
}
