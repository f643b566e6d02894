//! Copies give the right values whatever the strides, and write nothing else.

mod common;

use common::{Part, Random, gpu};
use interop_core::{
    CudaBuffer, DType, Element, Gpu, Layout, Tensor, cuda_memcpy_d2d, cuda_memcpy_d2h, cuda_memcpy_h2d,
};
use ndarray::{
    Array, Array2, Array3, ArrayBase, ArrayD, ArrayViewD, ArrayViewMutD, Axis, IxDyn, RawData, Slice, s,
};

fn numbered(shape: &[usize]) -> ArrayD<u32> {
    let len = shape.iter().product::<usize>() as u32;
    Array::from_shape_vec(IxDyn(shape), (1..=len).collect()).unwrap()
}

// Case 1.
#[test]
fn a_padded_tensor_gets_the_logical_values() {
    let gpu = gpu();
    let host = Array3::from_shape_fn((10, 10, 3), |(y, x, c)| (y * 30 + x * 3 + c) as u8);
    for layout in [None, Some(Layout::HWC), Some(Layout::CHW)] {
        let mut tensor = Tensor::new(&gpu, &[10, 10, 3], DType::U8, layout).unwrap();
        cuda_memcpy_h2d(&host, &mut tensor).unwrap();
        let mut back = Array3::<u8>::zeros((10, 10, 3));
        cuda_memcpy_d2h(&tensor, &mut back).unwrap();
        assert_eq!(back, host, "{layout:?}");
    }
}

// Case 7.
#[test]
fn a_transposed_array_is_copied_transposed() {
    let gpu = gpu();
    let host = Array2::from_shape_fn((3, 5), |(row, column)| (10 * row + column) as f32);
    let mut buffer = CudaBuffer::new(&gpu, &[5, 3], DType::F32).unwrap();
    cuda_memcpy_h2d(&host.t(), &mut buffer).unwrap();
    let expected: Vec<f32> = host.t().iter().copied().collect();
    assert_eq!(buffer.to_vec::<f32>().unwrap(), expected);
}

// Case 14.
#[test]
fn rows_of_every_width_between_different_pitches() {
    let gpu = gpu();
    for width in 1..=65 {
        let backing = Array2::from_shape_fn((4, 70), |(row, column)| (row * 70 + column) as u8);
        let host = backing.slice(s![.., 2..2 + width]);
        let mut tensor = Tensor::new(&gpu, &[4, width], DType::U8, Layout::HW).unwrap();
        cuda_memcpy_h2d(&host, &mut tensor).unwrap();
        let mut back = Array2::from_elem((4, 80), 255u8);
        cuda_memcpy_d2h(&tensor, &mut back.slice_mut(s![.., 3..3 + width])).unwrap();
        assert_eq!(back.slice(s![.., 3..3 + width]), host, "width {width}");
        let written = back.iter().filter(|byte| **byte != 255).count();
        assert!(written <= 4 * width, "width {width}: the gaps were written");
    }
}

// Case 10.
#[test]
fn arrays_without_elements_and_without_axes() {
    let gpu = gpu();
    for shape in [&[0][..], &[3, 0, 2], &[0, 0]] {
        let mut buffer = CudaBuffer::new(&gpu, shape, DType::F32).unwrap();
        cuda_memcpy_h2d(&ArrayD::<f32>::zeros(IxDyn(shape)), &mut buffer).unwrap();
        cuda_memcpy_d2h(&buffer, &mut ArrayD::<f32>::zeros(IxDyn(shape))).unwrap();
        cuda_memcpy_h2d(&Vec::<f32>::new(), &mut buffer).unwrap();
        let mut other = CudaBuffer::new(&gpu, shape, DType::F32).unwrap();
        cuda_memcpy_d2d(&buffer, &mut other).unwrap();
        assert!(buffer.to_vec::<f32>().unwrap().is_empty());
    }
    let mut scalar = CudaBuffer::new(&gpu, &[], DType::F64).unwrap();
    cuda_memcpy_h2d(&ndarray::arr0(2.5), &mut scalar).unwrap();
    let mut back = ndarray::arr0(0.0);
    cuda_memcpy_d2h(&scalar, &mut back).unwrap();
    assert_eq!((back.into_scalar(), scalar.to_vec::<f64>().unwrap()), (2.5, vec![2.5]));
}

fn round_trip<T: Element + PartialEq + std::fmt::Debug>(gpu: &Gpu, values: &[T]) {
    let buffer = CudaBuffer::from_host(gpu, values).unwrap();
    assert_eq!(buffer.dtype(), T::DTYPE);
    assert_eq!(buffer.to_vec::<T>().unwrap(), values);
}

#[test]
fn every_element_type_goes_there_and_back() {
    let gpu = gpu();
    round_trip(&gpu, &[true, false, true]);
    round_trip(&gpu, &[u8::MAX, 1]);
    round_trip(&gpu, &[u16::MAX, 1]);
    round_trip(&gpu, &[u32::MAX, 1]);
    round_trip(&gpu, &[u64::MAX, 1]);
    round_trip(&gpu, &[i8::MIN, 1]);
    round_trip(&gpu, &[i16::MIN, 1]);
    round_trip(&gpu, &[i32::MIN, 1]);
    round_trip(&gpu, &[i64::MIN, 1]);
    round_trip(&gpu, &[f32::MIN_POSITIVE, -0.0]);
    round_trip(&gpu, &[f64::MAX, f64::INFINITY]);
    #[cfg(feature = "half")]
    round_trip(&gpu, &[half::f16::from_f32(0.1), half::f16::MAX]);
    #[cfg(feature = "num-complex")]
    round_trip(&gpu, &[num_complex::Complex::new(1f32, -2.0), num_complex::Complex::new(0.5, 0.25)]);
    #[cfg(feature = "num-complex")]
    round_trip(&gpu, &[num_complex::Complex::new(1f64, -2.0)]);
}

#[test]
fn a_shared_ndarray_is_made_unique_before_it_is_written() {
    let gpu = gpu();
    let buffer = CudaBuffer::from_host(&gpu, &[7i32; 4]).unwrap();
    let mut first = ndarray::arr1(&[1, 2, 3, 4]).into_shared();
    let second = first.clone();
    cuda_memcpy_d2h(&buffer, &mut first).unwrap();
    assert_eq!((first.to_vec(), second.to_vec()), (vec![7; 4], vec![1, 2, 3, 4]));
}

#[test]
fn a_broadcast_host_array_is_read_and_a_broadcast_device_array_too() {
    let gpu = gpu();
    let row = ndarray::arr1(&[1u16, 2, 3]);
    let host = row.broadcast((4, 3)).unwrap();
    let mut buffer = CudaBuffer::new(&gpu, &[4, 3], DType::U16).unwrap();
    cuda_memcpy_h2d(&host, &mut buffer).unwrap();
    assert_eq!(buffer.to_vec::<u16>().unwrap(), [1, 2, 3].repeat(4));

    let broadcast = Part::of(buffer, 0, &[5, 3], &[0, 2], DType::U16);
    let mut back = Array2::<u16>::zeros((5, 3));
    cuda_memcpy_d2h(&broadcast, &mut back).unwrap();
    assert_eq!(back, row.broadcast((5, 3)).unwrap());
}

/// How a view is cut out of an array: axes sliced with steps, reversed and permuted.
struct Cut {
    axes: Vec<(Slice, bool)>,
    swaps: Vec<(usize, usize)>,
}

impl Cut {
    fn random(random: &mut Random, shape: &[usize]) -> Self {
        let mut slice = |&len: &usize| {
            let start = random.below(len);
            let end = start + 1 + random.below(len - start);
            let slice = Slice::new(start as isize, Some(end as isize), 1 + random.below(3) as isize);
            (slice, random.chance())
        };
        let axes = shape.iter().map(&mut slice).collect();
        let swaps = (1..shape.len()).map(|axis| (axis, random.below(axis + 1))).collect();
        Self { axes, swaps }
    }

    fn apply<S: RawData>(&self, view: &mut ArrayBase<S, IxDyn>) {
        for (axis, (slice, reverse)) in self.axes.iter().enumerate() {
            view.slice_axis_inplace(Axis(axis), *slice);
            if *reverse {
                view.invert_axis(Axis(axis));
            }
        }
        for (axis, other) in &self.swaps {
            view.swap_axes(*axis, *other);
        }
    }

    fn of<'a>(&self, array: &'a ArrayD<u32>) -> ArrayViewD<'a, u32> {
        let mut view = array.view();
        self.apply(&mut view);
        view
    }

    fn of_mut<'a>(&self, array: &'a mut ArrayD<u32>) -> ArrayViewMutD<'a, u32> {
        let mut view = array.view_mut();
        self.apply(&mut view);
        view
    }
}

/// A part of a device buffer with the given shape: axes in a random order, with random gaps, some reversed.
fn random_part(random: &mut Random, gpu: &Gpu, shape: &[usize]) -> Part {
    let mut order: Vec<usize> = (0..shape.len()).collect();
    for axis in (1..order.len()).rev() {
        order.swap(axis, random.below(axis + 1));
    }
    let (mut strides, mut next, mut offset) = (vec![0isize; shape.len()], 4, 4 * random.below(3));
    for &axis in &order {
        next += 4 * random.below(3);
        strides[axis] = next as isize;
        let reach = next * (shape[axis] - 1);
        if random.below(4) == 0 {
            strides[axis] = -strides[axis];
            offset += reach;
        }
        next += reach;
    }
    let poison = vec![0xEEu8; next + offset + 64];
    Part::of(CudaBuffer::from_host(gpu, &poison).unwrap(), offset, shape, &strides, DType::U32)
}

/// What the whole buffer must hold once `host` was copied to the part: gaps as they were.
fn expected_bytes(part: &Part, host: &ArrayViewD<'_, u32>) -> Vec<u8> {
    let mut bytes = vec![0xEEu8; part.buffer.len()];
    let start = (part.interface.pointer() - part.buffer.pointer()) as isize;
    let strides = part.interface.layout().strides();
    for (index, value) in host.indexed_iter() {
        let offset: isize = (0..strides.len()).map(|axis| index[axis] as isize * strides[axis]).sum();
        let at = (start + offset) as usize;
        bytes[at..at + 4].copy_from_slice(&value.to_ne_bytes());
    }
    bytes
}

#[test]
fn random_strides_on_both_sides_agree_with_a_reference() {
    let gpu = gpu();
    let mut random = Random(1);
    for round in 0..2000 {
        let rank = random.below(5);
        let shape: Vec<usize> = (0..rank).map(|_| 1 + random.below(7)).collect();
        let backing = numbered(&shape);
        let cut = Cut::random(&mut random, &shape);
        let host = cut.of(&backing);
        let mut part = random_part(&mut random, &gpu, host.shape());

        cuda_memcpy_h2d(&host, &mut part).unwrap();
        let found = part.buffer.to_vec::<u8>().unwrap();
        let context =
            format!("round {round}: {:?} {:?} to {:?}", host.shape(), host.strides(), part.interface);
        assert_eq!(found, expected_bytes(&part, &host), "{context}");

        // Back into a view of another array: only the view's elements change.
        let mut target = backing.mapv(|_| 0);
        let mut expected = target.clone();
        cuda_memcpy_d2h(&part, &mut cut.of_mut(&mut target)).unwrap();
        cut.of_mut(&mut expected).assign(&host);
        assert_eq!(target, expected, "{context}");
    }
}

#[test]
fn random_strides_within_the_device_agree_with_a_reference() {
    let gpu = gpu();
    let mut random = Random(2);
    for round in 0..1000 {
        let shape: Vec<usize> = (0..random.below(5)).map(|_| 1 + random.below(6)).collect();
        let host = numbered(&shape);
        let mut source = random_part(&mut random, &gpu, &shape);
        let mut target = random_part(&mut random, &gpu, &shape);
        cuda_memcpy_h2d(&host, &mut source).unwrap();
        cuda_memcpy_d2d(&source, &mut target).unwrap();
        let found = target.buffer.to_vec::<u8>().unwrap();
        assert_eq!(found, expected_bytes(&target, &host.view()), "round {round}");
    }
}

#[test]
fn large_arrays_take_the_block_copies() {
    let gpu = gpu();
    // Wide rows: one 2-D copy. Slices with gaps: one 3-D copy. Transposed: gathered.
    let backing = Array3::from_shape_fn((5, 40, 700), |(z, y, x)| (z * 28000 + y * 700 + x) as u16);
    let views = [
        backing.slice(s![.., .., 10..600]),
        backing.slice(s![..;2, 3..33, 10..600]),
        backing.view().permuted_axes([2, 1, 0]),
        backing.slice(s![..;-1, .., ..]),
    ];
    for view in views {
        let shape = view.shape().to_vec();
        let mut tensor = Tensor::new(&gpu, &shape, DType::U16, Layout::CHW).unwrap();
        cuda_memcpy_h2d(&view, &mut tensor).unwrap();
        let mut back = Array3::<u16>::zeros(view.raw_dim());
        cuda_memcpy_d2h(&tensor, &mut back).unwrap();
        assert_eq!(back, view);
        let packed = CudaBuffer::from_cuda(&tensor).unwrap().to_contiguous().unwrap();
        assert_eq!(packed.to_vec::<u16>().unwrap(), view.iter().copied().collect::<Vec<_>>());
    }
}

#[test]
fn backward_and_broadcast_device_arrays_are_read_in_few_pieces() {
    let gpu = gpu();
    let host: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let buffer = || CudaBuffer::from_host(&gpu, &host).unwrap();
    let backward = Part::of(buffer(), (1 << 20) - 1, &[1 << 20], &[-1], DType::U8);
    let reversed: Vec<u8> = host.iter().rev().copied().collect();
    assert_eq!(CudaBuffer::from_cuda(&backward).unwrap().to_vec::<u8>().unwrap(), reversed);
    let broadcast = Part::of(buffer(), 9, &[1 << 20], &[0], DType::U8);
    assert_eq!(CudaBuffer::from_cuda(&broadcast).unwrap().to_vec::<u8>().unwrap(), vec![9; 1 << 20]);
    let mut backward = backward;
    cuda_memcpy_h2d(&host, &mut backward).unwrap();
    assert_eq!(backward.buffer.to_vec::<u8>().unwrap(), reversed);
}

#[test]
fn backward_and_broadcast_arrays_are_copied_within_the_device() {
    let gpu = gpu();
    // Elements that do not repeat along the array.
    let host: Vec<u32> = (0..1 << 16).map(|index: u32| index.wrapping_mul(0x9E37_79B1)).collect();
    let reversed: Vec<u32> = host.iter().rev().copied().collect();
    let buffer = CudaBuffer::from_host(&gpu, &host).unwrap();
    let mut backward = buffer.step(0, -1).unwrap();
    assert_eq!(backward.to_contiguous().unwrap().to_vec::<u32>().unwrap(), reversed);
    // Onto itself, and into every second element of an array.
    cuda_memcpy_d2d(&buffer.cuda(), &mut backward).unwrap();
    assert_eq!(buffer.to_vec::<u32>().unwrap(), reversed);
    let twice = CudaBuffer::zeros(&gpu, &[1 << 17], DType::U32).unwrap();
    cuda_memcpy_d2d(&backward, &mut twice.step(0, 2).unwrap()).unwrap();
    let expected: Vec<u32> = host.iter().flat_map(|value| [*value, 0]).collect();
    assert_eq!(twice.to_vec::<u32>().unwrap(), expected);
    // One row for all.
    let rows = Part::of(CudaBuffer::from_host(&gpu, &host).unwrap(), 0, &[1000, 64], &[0, 4], DType::U32);
    let mut target = CudaBuffer::new(&gpu, &[1000, 64], DType::U32).unwrap();
    cuda_memcpy_d2d(&rows, &mut target).unwrap();
    assert!(target.to_vec::<u32>().unwrap().chunks(64).all(|row| row == &host[..64]));
}

#[test]
fn pixels_that_are_rows_of_their_own_take_the_detour() {
    let gpu = gpu();
    let host = Array3::from_shape_fn((60, 80, 3), |(y, x, c)| (y * 7 + x * 3 + c) as u8);
    let mut tensor = Tensor::new(&gpu, &[60, 80, 3], DType::U8, None).unwrap();
    let poison = vec![0xEEu8; 60 * 80 * 32];
    let mut whole = Part::of(CudaBuffer::from_cuda(&tensor).unwrap(), 0, &[poison.len()], &[1], DType::U8);
    cuda_memcpy_h2d(&poison, &mut whole).unwrap();
    cuda_memcpy_h2d(&host, &mut tensor).unwrap();
    assert_eq!(tensor.to_vec::<u8>().unwrap(), host.as_slice().unwrap());
    let bytes = CudaBuffer::from_cuda(&whole).unwrap().to_vec::<u8>().unwrap();
    assert!(bytes.chunks(32).all(|pixel| pixel[3..].iter().all(|byte| *byte == 0xEE)), "padding was written");
}

#[test]
fn parts_of_one_array_are_copied_onto_each_other() {
    let gpu = gpu();
    let image = CudaBuffer::from_host(&gpu, &ndarray::array![[1u8, 2, 3, 4], [5, 6, 7, 8]]).unwrap();
    let part = |offset| Part::of(CudaBuffer::from_cuda(&image).unwrap(), offset, &[2, 2], &[4, 1], DType::U8);
    // The left half to the right: apart, though their addresses interleave.
    cuda_memcpy_d2d(&part(0), &mut part(2)).unwrap();
    assert_eq!(image.to_vec::<u8>().unwrap(), [1, 2, 1, 2, 5, 6, 5, 6]);
    // One column further: they share one.
    cuda_memcpy_d2d(&part(0), &mut part(1)).unwrap();
    assert_eq!(image.to_vec::<u8>().unwrap(), [1, 1, 2, 2, 5, 5, 6, 6]);
}

#[test]
fn references_and_boxes_are_host_arrays_too() {
    let gpu = gpu();
    let slice: &[f32] = &[1.0, 2.0];
    assert_eq!(CudaBuffer::from_host(&gpu, &slice).unwrap().to_vec::<f32>().unwrap(), slice);
    let mut boxed: Box<[f32]> = slice.into();
    let buffer = CudaBuffer::from_host(&gpu, &boxed).unwrap();
    boxed.fill(0.0);
    cuda_memcpy_d2h(&buffer, &mut boxed).unwrap();
    assert_eq!(*boxed, *slice);
}

#[test]
fn bytes_that_are_no_booleans_are_refused_and_nothing_is_written() {
    let gpu = gpu();
    let bytes = CudaBuffer::from_host(&gpu, &[0u8, 1, 1, 7, 0, 9]).unwrap();
    // Transposed on the device: elements count in C order, whatever the order in memory.
    let booleans = Part::of(bytes, 0, &[3, 2], &[1, 3], DType::Bool);
    let mut host = Array2::from_elem((3, 2), true);
    let error = cuda_memcpy_d2h(&booleans, &mut host).unwrap_err();
    assert_eq!(
        error,
        interop_core::Error::InvalidBool { operation: "cuda_memcpy_d2h", position: 1, found: 7 }
    );
    assert!(host.iter().all(|value| *value));
}

#[test]
fn a_download_makes_a_new_array_of_the_same_shape() {
    let gpu = gpu();
    for shape in [&[][..], &[0], &[3, 0, 2], &[7], &[700, 900], &[40, 1, 30, 50]] {
        let host = numbered(shape);
        let mut tensor = CudaBuffer::new(&gpu, shape, DType::U32).unwrap();
        cuda_memcpy_h2d(&host, &mut tensor).unwrap();
        assert_eq!(tensor.to_array::<u32>().unwrap(), host);
        let wrong = tensor.to_array::<f32>().unwrap_err();
        assert!(wrong.to_string().contains("to_array"), "{wrong}");
    }
}
