//! What the copy threads move: arrays of many blocks, in both directions, several at once.

mod common;

use common::{copies_by_threads, gpu};
use interop_core::{
    CopyPath, CudaBuffer, DType, Error, Gpu, GpuOptions, Layout, Tensor, cuda_memcpy_d2h, cuda_memcpy_h2d,
};
use ndarray::Array2;

const MIB: usize = 1 << 20;

/// Words of which no two are alike.
fn numbered(words: usize, seed: u32) -> Vec<u32> {
    (0..words as u32).map(|word| word.wrapping_mul(2_654_435_761) ^ seed).collect()
}

/// The first one is of memory that the system has yet to give, the next ones perhaps not.
#[test]
fn new_arrays_of_many_huge_pages_are_right() {
    let gpu = gpu();
    for (round, words) in [5 * MIB, 5 * MIB + 77, 2 * MIB, 12 * MIB - 3].into_iter().enumerate() {
        let host = numbered(words, round as u32);
        let buffer = CudaBuffer::from_host(&gpu, &host).unwrap();
        assert!(buffer.to_vec::<u32>().unwrap() == host, "{words} words");
        assert!(buffer.to_vec::<u32>().unwrap() == host, "{words} words, again");
    }
}

#[test]
fn transposed_and_padded_arrays_of_many_blocks_are_right() {
    let gpu = gpu();
    // The rows of the second one are whole cache lines, transposed or not: in both directions all of its tiles are
    // written past the caches, of the first one few to the host are.
    for (rows, columns) in [(1201, 3001), (1216, 3008)] {
        let packed = Array2::from_shape_vec((rows, columns), numbered(rows * columns, 5)).unwrap();
        let mut across = CudaBuffer::new(&gpu, &[columns, rows], DType::U32).unwrap();
        cuda_memcpy_h2d(&packed.t(), &mut across).unwrap();
        let seen = Array2::from_shape_vec((columns, rows), across.to_vec::<u32>().unwrap()).unwrap();
        assert!(seen == packed.t(), "{rows} x {columns}, transposed on the way there");
        let mut back = Array2::<u32>::zeros((rows, columns));
        cuda_memcpy_d2h(&across, &mut back.view_mut().reversed_axes()).unwrap();
        assert!(back == packed, "{rows} x {columns}, transposed on the way back");
        let mut padded = Tensor::new(&gpu, &[rows, columns], DType::U32, Layout::HW).unwrap();
        cuda_memcpy_h2d(&packed, &mut padded).unwrap();
        back.fill(0);
        cuda_memcpy_d2h(&padded, &mut back).unwrap();
        assert!(back == packed, "{rows} x {columns}, padded");
    }
}

#[test]
fn many_booleans_are_right_or_refused_as_a_whole() {
    let gpu = gpu();
    let (rows, columns) = (1500, 2100);
    let mut bytes: Vec<u8> = (0..rows * columns).map(|index| (index % 7 == 3).into()).collect();
    let mask =
        Array2::from_shape_vec((rows, columns), bytes.iter().map(|byte| *byte == 1).collect()).unwrap();
    let mut buffer = CudaBuffer::from_host(&gpu, &mask).unwrap();
    assert!(buffer.to_vec::<bool>().unwrap() == mask.as_slice().unwrap());
    let mut back = Array2::from_elem((columns, rows), true);
    cuda_memcpy_d2h(&buffer, &mut back.view_mut().reversed_axes()).unwrap();
    assert!(back.t() == mask);
    let last = bytes.len() - 1;
    bytes[last] = 2;
    let mut as_bytes =
        common::Part::of(CudaBuffer::from_cuda(&buffer).unwrap(), 0, &[last + 1], &[1], DType::U8);
    cuda_memcpy_h2d(&bytes, &mut as_bytes).unwrap();
    let refused = |operation| Err(Error::InvalidBool { operation, position: last, found: 2 });
    assert_eq!(buffer.to_vec::<bool>().map(drop), refused("to_vec"));
    let mut untouched = Array2::from_elem((rows, columns), true);
    assert_eq!(cuda_memcpy_d2h(&buffer, &mut untouched), refused("cuda_memcpy_d2h"));
    assert!(untouched.iter().all(|value| *value));
    buffer.fill(true).unwrap();
}

/// As many copies at once as there are callers, half of them uploads.
fn at_once(gpu: &Gpu, callers: u32, words: usize) {
    let uploaded: Vec<_> = (0..callers).map(|seed| numbered(words, seed)).collect();
    let there: Vec<_> = uploaded.iter().map(|host| CudaBuffer::from_host(gpu, host).unwrap()).collect();
    std::thread::scope(|threads| {
        for (host, device) in uploaded.iter().zip(&there) {
            threads.spawn(move || {
                let lane = gpu.with_new_stream().unwrap();
                let upload = CudaBuffer::from_host(&lane, host).unwrap();
                let mut back = vec![0u32; words];
                cuda_memcpy_d2h(device, &mut back).unwrap();
                assert!(&back == host);
                assert!(&upload.to_vec::<u32>().unwrap() == host);
            });
        }
    });
}

#[test]
fn copies_in_both_directions_at_once_are_right() {
    for block in [4 << 10, 64 << 10, 4 * MIB] {
        let gpu = GpuOptions::new().block_bytes(block).threads_from(1).open(0).unwrap();
        at_once(&gpu, 4, 700_001);
    }
}

#[test]
fn half_of_the_pinned_memory_is_for_each_direction() {
    let gpu = GpuOptions::new().pinned_bytes(2 * MIB).threads_from(1).open(0).unwrap();
    if !copies_by_threads(&gpu) {
        return;
    }
    assert!(matches!(gpu.copy_path(), CopyPath::Threads { pinned_bytes, .. } if pinned_bytes == 2 * MIB));
    let host = numbered(2 * MIB, 3);
    let buffer = CudaBuffer::from_host(&gpu, &host).unwrap();
    assert_eq!(gpu.memory_figures().pinned_bytes, MIB);
    assert!(buffer.to_vec::<u32>().unwrap() == host);
    assert_eq!(gpu.memory_figures().pinned_bytes, 2 * MIB);
}
