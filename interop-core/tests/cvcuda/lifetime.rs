//! Who keeps what alive, and until when.

use std::sync::atomic::{AtomicBool, Ordering};

use interop_core::cvcuda::{CvCuda, Flip, Interpolation};
use interop_core::{CudaBuffer, DType, Gpu, Layout, Tensor, cuda_memcpy_h2d};

use crate::children::is_alone;
use crate::common::{hold, nap};
use crate::stand_in::{Live, StandIn};
use crate::{counting, foreign, real_or_stand_in};

/// For `hold`: takes a while, then says that it was passed.
macro_rules! nap_then_set {
    ($flag:ident) => {{
        unsafe extern "C" fn run(nothing: *mut std::ffi::c_void) {
            // SAFETY: it takes anything.
            unsafe { $crate::common::nap(nothing) };
            $flag.store(true, std::sync::atomic::Ordering::SeqCst);
        }
        run
    }};
}
pub(crate) use nap_then_set;

// Cases 24 and 46.
#[test]
fn a_wrapped_buffer_is_shared_and_released_once() {
    let Some(cv) = real_or_stand_in() else { return };
    let (tensor, drops) = foreign::counted(cv.gpu(), &[4, 4, 3]);
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
    let Some(cv) = real_or_stand_in() else { return };
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
    let Some(cv) = real_or_stand_in() else { return };
    let before = cv.gpu().memory_figures().live_bytes;
    let (tensor, _) = counting(cv.gpu(), &[4, 4, 3], Layout::HWC);
    cv.share(&tensor).unwrap();
    assert_eq!(tensor.free(), Ok(()));
    cv.tensor(&[4, 4], DType::U8, Layout::HW).unwrap().free().unwrap();
    assert_eq!(cv.gpu().memory_figures().live_bytes, before);
}

#[test]
fn another_objects_memory_is_kept_until_the_stream_has_passed() {
    if !is_alone("lifetime::another_objects_memory_is_kept_until_the_stream_has_passed") {
        return;
    }
    let Some(cv) = real_or_stand_in() else { return };
    let (image, drops) = foreign::counted(cv.gpu(), &[8, 8, 3]);
    hold(cv.gpu().stream(), nap);
    cv.flip(&image, Flip::Both).unwrap();
    drop(image);
    assert_eq!(drops.load(Ordering::SeqCst), 0, "the stream has not passed it");
    cv.gpu().synchronize().unwrap();
    // The next that is kept has what is done released.
    let (next, _) = foreign::counted(cv.gpu(), &[8, 8, 3]);
    cv.flip(&next, Flip::Both).unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn dropping_the_last_handle_waits_and_releases() {
    static PASSED: AtomicBool = AtomicBool::new(false);
    static RELEASED_BEHIND: AtomicBool = AtomicBool::new(false);
    let Some(cv) = real_or_stand_in() else { return };
    let note = || RELEASED_BEHIND.store(PASSED.load(Ordering::SeqCst), Ordering::SeqCst);
    let image = foreign::owned_by(cv.gpu(), &[8, 8, 3], foreign::OnDrop::new(note));
    hold(cv.gpu().stream(), nap_then_set!(PASSED));
    cv.flip(&image, Flip::Both).unwrap();
    drop((image, cv));
    assert!(RELEASED_BEHIND.load(Ordering::SeqCst));
}

/// A tensor on a lane of its own, and that.
fn on_another_lane(cv: &CvCuda) -> (Gpu, Tensor) {
    let lane = cv.gpu().with_new_stream().unwrap();
    let mut image = Tensor::new(&lane, &[32, 32, 1], DType::U8, Layout::HWC).unwrap();
    image.fill(1u8).unwrap();
    lane.synchronize().unwrap();
    (lane, image)
}

// Case 36.
#[test]
fn an_operator_waits_for_the_lane_of_its_input() {
    if !is_alone("lifetime::an_operator_waits_for_the_lane_of_its_input") {
        return;
    }
    static PASSED: AtomicBool = AtomicBool::new(false);
    let Some(cv) = real_or_stand_in() else { return };
    let (lane, image) = on_another_lane(&cv);
    // The first call of an operator takes long: its kernel is loaded.
    cv.resize(&image, (16, 16), Interpolation::Nearest).unwrap();
    hold(lane.stream(), nap_then_set!(PASSED));
    cv.resize(&image, (16, 16), Interpolation::Nearest).unwrap();
    assert!(!PASSED.load(Ordering::SeqCst), "it returns at once");
    cv.gpu().synchronize().unwrap();
    assert!(PASSED.load(Ordering::SeqCst));
}

// Case 37.
#[test]
fn a_free_on_another_lane_waits_for_the_operator() {
    if !is_alone("lifetime::a_free_on_another_lane_waits_for_the_operator") {
        return;
    }
    static PASSED: AtomicBool = AtomicBool::new(false);
    let Some(cv) = real_or_stand_in() else { return };
    let (lane, image) = on_another_lane(&cv);
    // The first call of an operator takes long: its kernel is loaded.
    cv.resize(&image, (16, 16), Interpolation::Nearest).unwrap();
    hold(cv.gpu().stream(), nap_then_set!(PASSED));
    cv.resize(&image, (16, 16), Interpolation::Nearest).unwrap();
    drop(image);
    assert!(!PASSED.load(Ordering::SeqCst), "nothing of that waits on the host");
    // Whoever gets the block next writes to it on the lane.
    let mut other = Tensor::new(&lane, &[32, 32, 1], DType::U8, Layout::HWC).unwrap();
    other.fill(77u8).unwrap();
    lane.synchronize().unwrap();
    assert!(PASSED.load(Ordering::SeqCst));
}

#[test]
fn threads_may_share_it() {
    let stand_in = StandIn::new("threads", &[]);
    let Some(cv) = stand_in.open() else { return };
    let (image, _) = counting(cv.gpu(), &[16, 16, 3], Layout::HWC);
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..50 {
                    let managed = cv.tensor(&[16, 16, 3], DType::U8, Layout::HWC).unwrap();
                    cv.flip(&managed, Flip::Both).unwrap();
                    cv.flip(&image, Flip::Both).unwrap();
                }
            });
        }
    });
    assert_eq!(stand_in.calls("cvcudaFlipSubmit"), 8 * 50 * 2);
    assert_eq!((stand_in.live(Live::Operators), stand_in.live(Live::Allocators)), (1, 1), "made once");
    assert_eq!(stand_in.live(Live::Tensors), 1, "the image's");
    drop((cv, image));
    stand_in.assert_nothing_lives();
}
