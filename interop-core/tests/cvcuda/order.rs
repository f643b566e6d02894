//! Pixels come out right whatever is dropped and re-used meanwhile: the real library only.

use interop_core::cvcuda::{Flip, Interpolation};
use interop_core::{CudaBuffer, DType, Layout, Tensor};

use crate::common::{hold, nap};
use crate::{counting, foreign, real};

// Cases 43 and 45.
#[test]
fn inputs_may_be_dropped_at_once() {
    let Some(cv) = real() else { return };
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
fn another_objects_memory_is_read_before_it_goes() {
    let Some(cv) = real() else { return };
    let gpu = cv.gpu().clone();
    let buffer = CudaBuffer::from_host(&gpu, &[5u8; 8 * 8 * 3]).unwrap();
    let lane = gpu.with_new_stream().unwrap();
    // SAFETY: the owner holds it, and with it the buffer.
    let bytes = unsafe { CudaBuffer::from_raw_pointer(&lane, buffer.pointer(), &[8 * 8 * 3], DType::U8) };
    let mut bytes = bytes.unwrap();
    // An owner that has other uses for the memory once nobody needs it: at once, on a stream of its own.
    let owner = foreign::OnDrop::new(move || bytes.fill(99u8).unwrap());
    let image = foreign::of_buffer(&gpu, buffer, &[8, 8, 3], owner);
    hold(gpu.stream(), nap);
    let flipped = cv.flip(&image, Flip::Both).unwrap();
    drop(image);
    assert_eq!(flipped.to_vec::<u8>().unwrap(), [5; 8 * 8 * 3]);
}

// Cases 36 and 37.
#[test]
fn work_on_another_lane_is_ordered_before_and_behind() {
    let Some(cv) = real() else { return };
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
fn threads_get_their_own_pixels() {
    let Some(cv) = real() else { return };
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
