//! A fill sets every element and no byte between them, whatever the strides.

mod common;

use std::time::Duration;

use common::{Described, Part, Random, gpu, hold, nap};
use interop_core::{
    CudaArray, CudaArrayInterface, CudaBuffer, DType, Element, Error, Gpu, HostArray, HostArrayMut, HostView,
    HostViewMut, Layout, StridedLayout, Tensor, as_tensor, cuda_fill,
};

/// How elements may lie in memory: shape, and strides in elements or in steps of their alignment.
type Arrangement = (&'static [usize], &'static [isize], Unit);

#[derive(Clone, Copy)]
enum Unit {
    Element,
    /// Added to one element.
    Gap,
}

const ARRANGEMENTS: &[Arrangement] = &[
    (&[], &[], Unit::Element),
    (&[1], &[7], Unit::Element),
    (&[2, 0, 3], &[3, 3, 1], Unit::Element),
    (&[4, 5, 3], &[15, 3, 1], Unit::Element),
    (&[5, 4, 3], &[3, 15, 1], Unit::Element),
    (&[7, 5], &[8, 1], Unit::Element),
    (&[7, 5], &[-8, -1], Unit::Element),
    (&[100], &[2], Unit::Element),
    (&[100], &[-3], Unit::Element),
    (&[3, 4, 5], &[1, 15, 3], Unit::Element),
    // Slices of rows, few and many; slices that are no whole number of rows; a loop over blocks.
    (&[3, 4, 5], &[60, 10, 1], Unit::Element),
    (&[20, 2, 3], &[12, 4, 1], Unit::Element),
    (&[3, 4, 5], &[43, 10, 1], Unit::Element),
    (&[3, 4, 5, 2], &[431, 101, 17, 3], Unit::Element),
    // More than is filled without copying.
    (&[40_001], &[1], Unit::Element),
    (&[3, 17_000], &[17_001, 1], Unit::Element),
    (&[17_000, 3], &[5, 1], Unit::Element),
    (&[70_003], &[2], Unit::Element),
    // Aligned no better than an element must be.
    (&[100], &[1], Unit::Gap),
    (&[9_001], &[3], Unit::Gap),
];

/// What no test fills with.
fn noise(len: usize) -> Vec<u8> {
    let mut random = Random(len as u64);
    (0..len).map(|_| 0x40 | random.below(32) as u8).collect()
}

/// Fills the elements that are described in the midst of noise, by the library and by plain arithmetic.
fn check<T: Element>(gpu: &Gpu, value: T, (shape, strides, unit): Arrangement) {
    let (item, align) = (T::DTYPE.size(), T::DTYPE.alignment());
    let bytes = |stride: isize| match unit {
        Unit::Element => stride * item as isize,
        Unit::Gap => item as isize + stride * align as isize,
    };
    let strides: Vec<isize> = strides.iter().map(|&stride| bytes(stride)).collect();
    let extent = StridedLayout::strided(shape, &strides, item).unwrap().extent();
    let first = 16 + align + extent.start.unsigned_abs();
    let mut expected = noise(first + extent.end as usize + 50);
    let backing = CudaBuffer::from_host(gpu, &expected).unwrap();
    cuda_fill(&mut Part::of(shared(&backing), first, shape, &strides, T::DTYPE), value).unwrap();
    // SAFETY: an element has no padding bytes, and `value` outlives the slice.
    let value = unsafe { std::slice::from_raw_parts((&raw const value).cast::<u8>(), item) };
    let mut offsets = vec![first as isize];
    for (&len, &stride) in shape.iter().zip(&strides) {
        let steps = |start| (0..len as isize).map(move |index| start + index * stride);
        offsets = offsets.into_iter().flat_map(steps).collect();
    }
    for offset in offsets {
        expected[offset as usize..][..item].copy_from_slice(value);
    }
    let found = backing.to_vec::<u8>().unwrap();
    let wrong = (0..found.len()).find(|&index| found[index] != expected[index]);
    assert_eq!(wrong, None, "{} {shape:?} with strides {strides:?} at {first}, {value:?}", T::DTYPE);
}

fn shared(array: impl CudaArray) -> CudaBuffer {
    CudaBuffer::from_cuda(array).unwrap()
}

fn check_all<T: Element>(gpu: &Gpu, values: &[T]) {
    for value in values {
        ARRANGEMENTS.iter().for_each(|arrangement| check(gpu, *value, *arrangement));
    }
}

#[test]
fn bytes_and_pairs_of_bytes() {
    let gpu = gpu();
    check_all(&gpu, &[true, false]);
    check_all(&gpu, &[0u8, 0x12]);
    check_all(&gpu, &[-3i8]);
    check_all(&gpu, &[0x1234u16, 0x1212]);
    check_all(&gpu, &[-2i16]);
    #[cfg(feature = "half")]
    check_all(&gpu, &[half::f16::from_f32(-1.5), half::f16::NAN]);
}

#[test]
fn words() {
    let gpu = gpu();
    check_all(&gpu, &[0u32, 0x1234_5678, 0x1212_1212]);
    check_all(&gpu, &[-2i32]);
    check_all(&gpu, &[1.5f32, -0.0, f32::from_bits(0x7fa0_0001), f32::NEG_INFINITY]);
}

#[test]
fn double_words_that_repeat_a_word_and_that_do_not() {
    let gpu = gpu();
    check_all(&gpu, &[0x1234_5678_9abc_def0u64, 0x1234_5678_1234_5678]);
    check_all(&gpu, &[-1i64, i64::MIN]);
    check_all(&gpu, &[1.5f64, -0.0, f64::from_bits(0x7ff4_0000_0000_0001)]);
    #[cfg(feature = "num-complex")]
    check_all(&gpu, &[num_complex::Complex::new(1.5f32, -0.0), num_complex::Complex::new(2.5, 2.5)]);
}

#[cfg(feature = "num-complex")]
#[test]
fn four_words_that_repeat_one_or_two_and_that_do_not() {
    let gpu = gpu();
    let same = f64::from_bits(0x1234_5678_1234_5678);
    let values = [(1.5, -0.0), (0.0, 0.0), (1.5, 1.5), (same, same), (same, 1.0)];
    check_all(&gpu, &values.map(|(re, im)| num_complex::Complex::new(re, im)));
}

/// The bytes of an array's whole memory.
fn raw(array: &impl CudaArray) -> Described {
    let memory = array.memory();
    let range = memory.range();
    let layout = StridedLayout::packed(&[(range.end - range.start) as usize], 1).unwrap();
    let interface = CudaArrayInterface::new(DType::U8, layout, range.start, false, None).unwrap();
    Described { memory, interface }
}

#[test]
fn the_padding_of_a_tensor_is_left_alone() {
    let gpu = gpu();
    let mut tensor = Tensor::new(&gpu, &[5, 3, 3], DType::F64, Layout::HWC).unwrap();
    assert_eq!(tensor.strides(), [96, 24, 8]);
    let mut bytes = shared(raw(&tensor));
    bytes.fill(0xeeu8).unwrap();
    tensor.fill(1.5f64).unwrap();
    let row = [[1.5f64.to_ne_bytes(); 9].concat(), vec![0xee; 24]].concat();
    assert_eq!(bytes.to_vec::<u8>().unwrap(), row.repeat(5));
    assert_eq!(tensor.to_vec::<f64>().unwrap(), [1.5; 45]);
}

#[test]
fn a_view_fills_its_part_of_the_array() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::new(&gpu, &[4, 6], DType::I16).unwrap();
    buffer.fill(1i16).unwrap();
    let mut part = buffer.permute(&[1, 0]).unwrap().slice(0, 1..5).unwrap().step(1, -2).unwrap();
    part.fill(-7i16).unwrap();
    let rows = [[1; 6], [1, -7, -7, -7, -7, 1]];
    assert_eq!(buffer.to_vec::<i16>().unwrap(), rows.concat().repeat(2));
}

#[test]
fn new_zeros_are_zero_where_other_bytes_were() {
    let gpu = gpu();
    for dtype in DType::all() {
        drop(CudaBuffer::from_host(&gpu, &[0xffu8; 4096]).unwrap());
        let zeros = CudaBuffer::zeros(&gpu, &[4096 / dtype.size()], dtype).unwrap();
        assert_eq!(shared(raw(&zeros)).to_vec::<u8>().unwrap(), [0; 4096], "{dtype}");
        assert!(CudaBuffer::zeros(&gpu, &[3, 0], dtype).unwrap().is_empty());
    }
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_written() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::from_host(&gpu, &[1f32, 2.0, 3.0]).unwrap();
    let mismatch = |operation, found| Error::DTypeMismatch { operation, expected: DType::F32, found };
    assert_eq!(cuda_fill(&mut buffer, 1u32), Err(mismatch("cuda_fill", DType::U32)));
    assert_eq!(buffer.fill(1f64), Err(mismatch("CudaBuffer::fill", DType::F64)));
    assert_eq!(buffer.cuda().fill(true), Err(mismatch("CudaView::fill", DType::Bool)));
    assert_eq!(as_tensor(&buffer, None).unwrap().fill(1i32), Err(mismatch("Tensor::fill", DType::I32)));
    let part = |shape: &[usize], strides: &[isize]| Part::of(shared(&buffer), 0, shape, strides, DType::F32);
    let mut read_only = part(&[3], &[4]).read_only();
    assert_eq!(cuda_fill(&mut read_only, 9f32), Err(Error::ReadOnly { operation: "cuda_fill" }));
    let broadcast = cuda_fill(&mut part(&[2, 3], &[0, 4]), 9f32);
    let (shape, strides) = (vec![2, 3], vec![0, 4]);
    assert_eq!(broadcast, Err(Error::OverlappingElements { operation: "cuda_fill", shape, strides }));
    let outside = cuda_fill(&mut part(&[4], &[4]), 9f32);
    assert!(matches!(outside, Err(Error::OutOfBounds { operation: "cuda_fill", .. })), "{outside:?}");
    assert!(matches!(cuda_fill(&mut part(&[0], &[4]), 9u8), Err(Error::DTypeMismatch { .. })));
    assert_eq!(buffer.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0]);
    let array: &mut dyn CudaArray = &mut buffer;
    cuda_fill(array, 4f32).unwrap();
    assert_eq!(buffer.to_vec::<f32>().unwrap(), [4.0; 3]);
}

#[test]
fn memory_that_is_dropped_at_once_is_not_filled_later() {
    let gpu = gpu();
    let mut first = CudaBuffer::new(&gpu, &[4096], DType::F64).unwrap();
    let pointer = first.pointer();
    hold(gpu.stream(), nap);
    first.fill(1.5f64).unwrap();
    drop(first);
    let second = CudaBuffer::from_host(&gpu, &[7f64; 4096]).unwrap();
    assert_eq!(second.pointer(), pointer, "the same memory");
    assert_eq!(second.to_vec::<f64>().unwrap(), [7.0; 4096]);
}

#[test]
fn a_fill_of_foreign_memory_is_complete_on_return() {
    let (gpu, other) = (gpu(), gpu());
    let theirs = CudaBuffer::from_host(&gpu, &[1f64; 9000]).unwrap();
    gpu.synchronize().unwrap();
    let imported = |gpu: &Gpu| {
        // SAFETY: `theirs` outlives what is imported, and is ready: its stream was waited for.
        unsafe { CudaBuffer::from_raw_pointer(gpu, theirs.pointer(), &[9000], DType::F64) }.unwrap()
    };
    let (mut ours, seen) = (imported(&gpu), imported(&other));
    hold(gpu.stream(), nap);
    ours.fill(1.25f64).unwrap();
    // This stream waits for nobody.
    assert_eq!(seen.to_vec::<f64>().unwrap(), [1.25; 9000]);
}

/// A host array that lets a copy which has begun wait.
struct Slow(Vec<u32>);

impl HostArray for Slow {
    fn host_view(&self) -> HostView<'_> {
        std::thread::sleep(Duration::from_millis(50));
        HostView::from_slice(&self.0)
    }
}

impl HostArrayMut for Slow {
    fn host_view_mut(&mut self) -> HostViewMut<'_> {
        std::thread::sleep(Duration::from_millis(50));
        HostViewMut::from_slice(&mut self.0)
    }
}

#[test]
fn a_fill_waits_for_copies_of_a_scope() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::from_host(&gpu, &[1u32; 1000]).unwrap();
    let mut other = shared(&buffer);
    let (source, mut target) = (Slow(vec![2; 1000]), Slow(vec![0; 1000]));
    gpu.scope(|scope| {
        scope.download(&buffer, &mut target).unwrap();
        other.fill(3u32).unwrap();
    })
    .unwrap();
    assert_eq!(target.0, [1; 1000], "what is read is not overtaken");
    gpu.scope(|scope| {
        scope.upload(&source, &mut buffer).unwrap();
        other.fill(4u32).unwrap();
    })
    .unwrap();
    assert_eq!(buffer.to_vec::<u32>().unwrap(), [4; 1000]);
}
