//! Pinned memory: our own, and the caller's for a while.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::gpu;
use interop_core::{CudaBuffer, DType, Error, PinnedBuffer, cuda_memcpy_d2h, cuda_memcpy_h2d};
use ndarray::{Array2, s};

#[test]
fn views_have_the_shape_asked_for_or_are_refused() {
    let gpu = gpu();
    let mut pinned = PinnedBuffer::from_slice(&gpu, &[1u16, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(pinned.view((2, 3)).unwrap()[[1, 0]], 4);
    pinned.view_mut([3, 2]).unwrap()[[2, 1]] = 9;
    assert_eq!(pinned[5], 9);
    assert_eq!(
        pinned.view(5).unwrap_err().to_string(),
        "PinnedBuffer::view: expected a shape of the buffer's 6 elements, got [5] with 5 elements; \
         give a shape that all elements fill, or take a part of the buffer first",
    );
    let refused = pinned.view_mut((2, 4)).unwrap_err();
    assert!(matches!(refused, Error::InvalidView { operation: "PinnedBuffer::view_mut", .. }), "{refused}");
    assert!(matches!(pinned.view((usize::MAX, 2)), Err(Error::SizeOverflow { .. })));
    let empty = PinnedBuffer::<f32>::zeros(&gpu, 0).unwrap();
    assert_eq!(empty.view((0, 7)).unwrap().len(), 0);
    let uncountable = empty.view((0, 1 << 62, 4)).unwrap_err().to_string();
    assert!(uncountable.contains("fewer than 2^63 elements, got shape [0, "), "{uncountable}");
    let device = CudaBuffer::new(&gpu, &[0, 1 << 62, 4], DType::F32).unwrap();
    assert!(matches!(device.to_array::<f32>(), Err(Error::InvalidView { operation: "to_array", .. })));
}

#[test]
fn a_pinned_copy_of_an_array_is_packed_and_of_its_type() {
    let gpu = gpu();
    let array = Array2::from_shape_fn((7, 9), |(y, x)| (y * 9 + x) as f64);
    let part = array.slice(s![1..;2, ..;-3]);
    let pinned = PinnedBuffer::<f64>::from_host(&gpu, &part).unwrap();
    assert_eq!(pinned.view(part.raw_dim()).unwrap(), part);
    assert!(matches!(PinnedBuffer::<f32>::from_host(&gpu, &array), Err(Error::DTypeMismatch { .. })));
    assert!(PinnedBuffer::<u8>::from_host(&gpu, &[0u8; 0]).unwrap().is_empty());
}

#[test]
fn an_array_is_pinned_for_the_length_of_the_call() {
    let gpu = gpu();
    let mut host: Vec<u32> = (0..10_000).collect();
    let mut buffer = CudaBuffer::zeros(&gpu, &[10_000], DType::U32).unwrap();
    for _ in 0..2 {
        let before = gpu.memory_figures().pinned_bytes;
        let during = gpu.pinned(&mut host, |_| gpu.memory_figures().pinned_bytes).unwrap();
        assert_eq!((during, gpu.memory_figures().pinned_bytes), (before + 40_000, before));
        let copied = gpu.pinned(&mut host, |host| {
            cuda_memcpy_h2d(host, &mut buffer)?;
            host.fill(0);
            cuda_memcpy_d2h(&buffer, host)
        });
        copied.unwrap().unwrap();
    }
    assert!((0..10_000).eq(host));
    assert_eq!(gpu.pinned(&mut [0u8; 0], |none| none.len()), Ok(0));
}

#[test]
fn a_strided_array_is_pinned_too() {
    let gpu = gpu();
    let mut host = Array2::<u8>::zeros((100, 50));
    let buffer = CudaBuffer::from_host(&gpu, &Array2::<u8>::ones((50, 25))).unwrap();
    let mut part = host.slice_mut(s![..;-2, ..;2]);
    gpu.pinned_array(&mut part, |mut part| cuda_memcpy_d2h(&buffer, &mut part)).unwrap().unwrap();
    assert_eq!(host.iter().map(|value| usize::from(*value)).sum::<usize>(), 50 * 25);
    assert!(host.slice(s![1..;2, ..;2]).iter().all(|value| *value == 1), "the last row goes first");
}

#[test]
fn a_panic_unpins() {
    let gpu = gpu();
    let mut host = vec![0u8; 5000];
    let panicked = catch_unwind(AssertUnwindSafe(|| gpu.pinned(&mut host, |_| panic!("on purpose"))));
    assert!(panicked.is_err());
    assert_eq!(gpu.pinned(&mut host, |host| host.len()), Ok(5000));
}

#[test]
fn pinned_memory_is_not_pinned_again() {
    let gpu = gpu();
    let mut pinned = PinnedBuffer::<u8>::zeros(&gpu, 5000).unwrap();
    let refused = gpu.pinned(&mut pinned, |_| ());
    assert!(matches!(refused, Err(Error::AlreadyPinned { .. })), "{refused:?}");
    let mut host = vec![0u8; 5000];
    let inner = gpu.pinned(&mut host, |host| gpu.pinned(&mut host[100..], |_| unreachable!())).unwrap();
    assert!(matches!(inner, Err(Error::AlreadyPinned { operation: "Gpu::pinned", .. })), "{inner:?}");
    let outer = gpu.pinned(&mut host[100..200], |_| ());
    assert_eq!(outer, Ok(()), "unlocked again");
}
