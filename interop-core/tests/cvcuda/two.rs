//! Several handles, and several copies of the library, in one process; and which of handle and tensor goes
//! first.

use interop_core::cvcuda::{Border, CvCuda, Flip, ImageFormat, Interpolation};
use interop_core::{CudaBuffer, DType, Layout};

use crate::counting;
use crate::stand_in::{Live, StandIn};

#[test]
fn tensors_serve_handles_that_were_opened_separately() {
    let stand_in = StandIn::new("separately", &[]);
    let (Some(first), Some(second)) = (stand_in.open(), stand_in.open()) else { return };
    let managed = first.tensor(&[8, 8, 3], DType::U8, Layout::HWC).unwrap();
    let (image, _) = counting(first.gpu(), &[8, 8, 3], Layout::HWC);
    for tensor in [&managed, &image] {
        let handle = first.share(tensor).unwrap();
        assert_eq!(second.share(tensor).unwrap(), handle, "the library is the same");
        assert_eq!(first.references(tensor), second.references(tensor));
        first.flip(&second.flip(tensor, Flip::Both).unwrap(), Flip::Both).unwrap();
    }
    assert_eq!(stand_in.live(Live::Operators), 2, "each has its own");
    drop(first);
    second.flip(&managed, Flip::Both).unwrap();
    drop((second, managed, image));
    stand_in.assert_nothing_lives();
}

// They know nothing of each other's handles.
#[test]
fn tensors_serve_two_copies_of_the_library() {
    let copies = [StandIn::new("one-copy", &[]), StandIn::new("another-copy", &[])];
    let (Some(first), Some(second)) = (copies[0].open(), copies[1].open()) else { return };
    let managed = first.tensor(&[8, 8, 3], DType::U8, Layout::HWC).unwrap();
    let kept = first.share(&managed).unwrap();
    let flipped = second.flip(&managed, Flip::Both).unwrap();
    assert_eq!(copies[1].live(Live::Tensors), 2, "the output's, and its own of the first's");
    let second_handle = second.share(&managed).unwrap();
    assert_eq!((second.share(&managed), second.references(&managed)), (Ok(second_handle), Ok(1)));
    assert_eq!(copies[1].calls("nvcvTensorWrapDataConstruct"), 2, "made once");
    assert_eq!(first.share(&managed).unwrap(), kept, "it still is the first's");
    assert_eq!(first.references(&managed), Ok(2));
    first.flip(&flipped, Flip::Both).unwrap();
    drop((first, second, managed, flipped));
    copies.iter().for_each(StandIn::assert_nothing_lives);
}

#[test]
fn two_copies_may_wrap_a_tensor_at_the_same_time() {
    let copies = [StandIn::new("at-once", &[]), StandIn::new("at-once-too", &[])];
    let (Some(first), Some(second)) = (copies[0].open(), copies[1].open()) else { return };
    for _ in 0..200 {
        let (image, _) = counting(first.gpu(), &[8, 8, 3], Layout::HWC);
        let start = std::sync::Barrier::new(2);
        std::thread::scope(|threads| {
            for cv in [&first, &second] {
                threads.spawn(|| {
                    start.wait();
                    // A handle of the other copy is refused there as one that is not live.
                    cv.flip(&image, Flip::Both).unwrap();
                });
            }
        });
    }
    drop((first, second));
    copies.iter().for_each(StandIn::assert_nothing_lives);
}

#[test]
fn images_serve_two_copies_and_batches_one() {
    let copies = [StandIn::new("images", &[]), StandIn::new("images-too", &[])];
    let (Some(first), Some(second)) = (copies[0].open(), copies[1].open()) else { return };
    let (tensor, _) = counting(first.gpu(), &[8, 8, 3], Layout::HWC);
    let image = first.image(&tensor, ImageFormat::Rgb8).unwrap();
    let batch = second.image_batch([image.clone()]).unwrap();
    let resized = second.resize_batch(&batch, &[(4, 4)], Interpolation::Nearest).unwrap();
    let text = first.resize_batch(&batch, &[(4, 4)], Interpolation::Nearest).unwrap_err().to_string();
    assert!(text.contains("a batch of CV-CUDA") && text.contains("make the batch with"), "{text}");
    let corner = [(0, 0)];
    assert!(first.padandstack(&batch, (8, 8), &corner, Border::Constant, 0.0).is_err());
    drop((first, second, image, batch, resized));
    copies.iter().for_each(StandIn::assert_nothing_lives);
}

#[test]
fn the_handle_and_its_tensors_may_go_in_any_order() {
    let stand_in = StandIn::new("any-order", &[]);
    let Some(cv) = stand_in.open() else { return };
    let gpu = cv.gpu().clone();
    let make = |cv: &CvCuda| {
        let managed = cv.tensor(&[8, 8, 3], DType::U8, Layout::HWC).unwrap();
        let flipped = cv.flip(&managed, Flip::Both).unwrap();
        (managed, flipped)
    };
    drop(make(&cv));
    let (managed, flipped) = make(&cv);
    let buffer = CudaBuffer::from_cuda(managed.cuda()).unwrap();
    drop(cv);
    assert_eq!((stand_in.live(Live::Operators), stand_in.live(Live::Tensors)), (0, 2));
    drop(managed);
    assert_eq!(stand_in.live(Live::Allocators), 1, "the buffer keeps the tensor, and that the allocator");
    assert!(buffer.to_vec::<u8>().is_ok());
    // On another thread, where no device is current.
    std::thread::spawn(move || drop((buffer, flipped))).join().unwrap();
    stand_in.assert_nothing_lives();
    assert_eq!((gpu.memory_figures().live_bytes, gpu.take_drop_error()), (0, None));
}

// The allocator is one of the handle; its memory is that of the handle's lane.
#[test]
fn lanes_have_allocators_and_operators_of_their_own() {
    let stand_in = StandIn::new("lanes", &[]);
    let Some(cv) = stand_in.open() else { return };
    let lane = cv.with_gpu(&cv.gpu().with_new_stream().unwrap());
    let here = cv.tensor(&[8, 8, 3], DType::U8, Layout::HWC).unwrap();
    let there = lane.tensor(&[8, 8, 3], DType::U8, Layout::HWC).unwrap();
    assert_eq!(stand_in.live(Live::Allocators), 2);
    assert!(lane.gpu().memory_figures().live_bytes >= 8 * 8 * 3);
    cv.flip(&there, Flip::Both).unwrap();
    lane.flip(&here, Flip::Both).unwrap();
    assert_eq!(stand_in.live(Live::Operators), 2);
    drop((cv, lane, here, there));
    stand_in.assert_nothing_lives();
}
