//! Views of parts of an array share its memory, and agree with ndarray's.

mod common;

use common::{Part, Random, gpu};
use interop_core::{
    CudaArray, CudaBuffer, CudaView, DType, Error, Layout, Tensor, as_tensor, cuda_memcpy_d2h,
    cuda_memcpy_h2d,
};
use ndarray::{Array, ArrayD, ArrayViewD, ArrayViewMutD, Axis, IxDyn, Slice};

fn numbered(shape: &[usize]) -> ArrayD<u32> {
    let len = shape.iter().product::<usize>() as u32;
    Array::from_shape_vec(IxDyn(shape), (1..=len).collect()).unwrap()
}

/// One step of making a view.
#[derive(Clone, Debug)]
enum Make {
    Slice(usize, std::ops::Range<usize>),
    Step(usize, isize),
    Permute(Vec<usize>),
}

impl Make {
    fn random(random: &mut Random, shape: &[usize]) -> Self {
        let axis = random.below(shape.len());
        match random.below(3) {
            0 => {
                let start = random.below(shape[axis] + 1);
                Self::Slice(axis, start..start + random.below(shape[axis] - start + 1))
            }
            1 => Self::Step(axis, [-3, -2, -1, 1, 2, 3][random.below(6)]),
            _ => {
                let mut axes: Vec<usize> = (0..shape.len()).collect();
                (1..axes.len()).for_each(|axis| axes.swap(axis, random.below(axis + 1)));
                Self::Permute(axes)
            }
        }
    }

    fn of_device(&self, view: &CudaView) -> CudaView {
        match self {
            Self::Slice(axis, range) => view.slice(*axis, range.clone()),
            Self::Step(axis, step) => view.step(*axis, *step),
            Self::Permute(axes) => view.permute(axes),
        }
        .unwrap()
    }

    fn of_host<'a>(&self, view: ArrayViewMutD<'a, u32>) -> ArrayViewMutD<'a, u32> {
        let (axis, slice) = match self {
            Self::Slice(axis, range) => (*axis, Slice::from(range.clone())),
            Self::Step(axis, step) => (*axis, Slice::new(0, None, *step)),
            Self::Permute(axes) => return view.permuted_axes(IxDyn(axes)),
        };
        let mut view = view;
        view.slice_axis_inplace(Axis(axis), slice);
        view
    }
}

fn downloaded(view: &CudaView) -> ArrayD<u32> {
    let mut host = ArrayD::<u32>::zeros(IxDyn(view.shape()));
    cuda_memcpy_d2h(view, &mut host).unwrap();
    host
}

#[test]
fn random_views_of_views_agree_with_ndarray() {
    let gpu = gpu();
    let mut random = Random(4);
    for round in 0..1000 {
        let shape: Vec<usize> = (0..1 + random.below(4)).map(|_| 1 + random.below(7)).collect();
        let mut host = numbered(&shape);
        let buffer = CudaBuffer::from_host(&gpu, &host).unwrap();
        let (mut view, mut reference, mut made) = (buffer.cuda(), host.view_mut(), Vec::new());
        for _ in 0..random.below(6) {
            let make = Make::random(&mut random, view.shape());
            (view, reference) = (make.of_device(&view), make.of_host(reference));
            made.push(make);
        }
        assert_eq!(downloaded(&view), reference, "round {round}: {made:?}");
        // Written through the view: the rest of the array stays.
        let new = numbered(reference.shape()).mapv(|value| value + 1000);
        cuda_memcpy_h2d(&new, &mut view).unwrap();
        reference.assign(&new);
        assert_eq!(downloaded(&buffer), host, "round {round}: {made:?}");
    }
}

/// A random shape of as many elements, not none.
fn refactored(random: &mut Random, mut len: usize) -> Vec<usize> {
    let mut shape = Vec::new();
    while len > 1 {
        let divisors: Vec<usize> = (1..=len).filter(|divisor| len.is_multiple_of(*divisor)).collect();
        let factor = divisors[random.below(divisors.len())];
        shape.push(factor);
        len /= factor;
    }
    shape
}

/// ndarray reshapes without a copy in fewer cases: all elements are looked up instead.
fn in_shape(view: &ArrayViewD<'_, u32>, shape: &[usize]) -> ArrayD<u32> {
    Array::from_shape_vec(IxDyn(shape), view.iter().copied().collect()).unwrap()
}

#[test]
fn random_reshapes_keep_the_order_or_are_refused_for_a_reason() {
    let gpu = gpu();
    let mut random = Random(5);
    let (mut done, mut refused) = (0, 0);
    for round in 0..1000 {
        let shape: Vec<usize> = (0..1 + random.below(3)).map(|_| 1 + random.below(6)).collect();
        let mut host = numbered(&shape);
        let buffer = CudaBuffer::from_host(&gpu, &host).unwrap();
        let (mut view, mut reference) = (buffer.cuda(), host.view_mut());
        for _ in 0..random.below(3) {
            let make = Make::random(&mut random, view.shape());
            (view, reference) = (make.of_device(&view), make.of_host(reference));
        }
        let reference = reference.view();
        let target = if view.is_empty() { vec![3, 0] } else { refactored(&mut random, view.len()) };
        let expected = in_shape(&reference, &target);
        match view.reshape(&target) {
            Ok(reshaped) => {
                done += 1;
                assert_eq!(downloaded(&reshaped), expected, "round {round}");
            }
            Err(error) => {
                refused += 1;
                let context = format!("round {round}: {:?} to {target:?}: {error}", view.strides());
                assert!(error.to_string().contains("to_contiguous"), "{context}");
                assert!(!is_regular(&view, &target), "{context}");
                let copied = view.to_contiguous().unwrap().reshape(&target).unwrap();
                assert_eq!(downloaded(&copied), expected, "{context}");
            }
        }
    }
    assert!(done > 300 && refused > 50, "{done} done, {refused} refused");
}

/// Whether the elements in C order lie in the target shape at fixed strides, found by trying all of them.
fn is_regular(view: &CudaView, target: &[usize]) -> bool {
    let mut offsets = vec![0isize];
    for (&len, &stride) in view.shape().iter().zip(view.strides()) {
        let along = |base: isize| (0..len as isize).map(move |index| base + index * stride);
        offsets = offsets.into_iter().flat_map(along).collect();
    }
    let mut block = offsets.len();
    target.iter().all(|&len| {
        let step = block / len;
        let stride = if len > 1 { offsets[step] - offsets[0] } else { 0 };
        let regular = (0..offsets.len())
            .filter(|at| (at / step) % len + 1 < len)
            .all(|at| offsets[at + step] - offsets[at] == stride);
        block = step;
        regular
    })
}

#[test]
fn arrays_without_elements_and_without_axes_have_views_too() {
    let gpu = gpu();
    let scalar = CudaBuffer::from_host(&gpu, &ndarray::arr0(5u32)).unwrap();
    assert_eq!(scalar.permute(&[]).unwrap().to_vec::<u32>().unwrap(), [5]);
    let reshaped = scalar.reshape(&[1, 1]).unwrap();
    assert_eq!((reshaped.shape(), reshaped.reshape(&[]).unwrap().shape()), (&[1, 1][..], &[][..]));
    assert!(matches!(scalar.slice(0, ..), Err(Error::InvalidView { operation: "slice", .. })));
    assert!(matches!(scalar.step(0, 1), Err(Error::InvalidView { operation: "step", .. })));

    let empty = CudaBuffer::new(&gpu, &[4, 0, 3], DType::U32).unwrap();
    let view = empty.slice(0, 1..3).unwrap().step(2, -2).unwrap().permute(&[2, 0, 1]).unwrap();
    assert_eq!((view.shape(), view.pointer()), (&[2, 2, 0][..], 0));
    assert_eq!(view.reshape(&[0, 9]).unwrap().shape(), [0, 9]);
    assert!(view.to_vec::<u32>().unwrap().is_empty());
    let buffer = CudaBuffer::from_host(&gpu, &[1u32, 2]).unwrap();
    assert_eq!(buffer.slice(0, 2..).unwrap().pointer(), 0, "no elements, no address");
}

#[test]
fn what_does_not_exist_is_refused() {
    let gpu = gpu();
    let buffer = CudaBuffer::zeros(&gpu, &[4, 6], DType::F32).unwrap();
    let refused = |result: interop_core::Result<CudaView>, text: &str| {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::InvalidView { .. }), "{error}");
        assert!(error.to_string().contains(text), "{error}");
    };
    refused(buffer.slice(2, ..), "axis below 2, got 2");
    refused(buffer.slice(1, 2..7), "within 0..6 of axis 1, got 2..7");
    refused(buffer.slice(0, 3..=usize::MAX), "within 0..4");
    #[allow(clippy::reversed_empty_ranges, reason = "that is what must be refused")]
    refused(buffer.slice(0, 3..2), "got 3..2");
    refused(buffer.step(1, 0), "not 0");
    refused(buffer.permute(&[0]), "each of the 2 axes");
    refused(buffer.permute(&[1, 1]), "[1, 1]");
    refused(buffer.permute(&[0, 2]), "[0, 2]");
    refused(buffer.reshape(&[5, 5]), "24 elements");
    assert!(matches!(
        buffer.reshape(&[usize::MAX, 2]),
        Err(Error::SizeOverflow { operation: "reshape", .. })
    ));
    assert!(matches!(buffer.reshape(&[1; 65]), Err(Error::RankTooLarge { operation: "reshape", .. })));
    refused(buffer.reshape(&[0, isize::MAX as usize]), "24 elements");
}

#[test]
fn a_view_keeps_the_memory_and_what_is_known_of_it() {
    let gpu = gpu();
    let buffer = CudaBuffer::from_host(&gpu, &[1u8, 2, 3, 4]).unwrap();
    let view = CudaView::new(Part::of(buffer, 0, &[4], &[1], DType::U8).read_only()).unwrap();
    let mut part = view.slice(0, 1..3).unwrap();
    drop(view);
    assert_eq!(part.to_vec::<u8>().unwrap(), [2, 3]);
    assert_eq!(part.cuda_array_interface().stream(), Some(gpu.stream()));
    let error = cuda_memcpy_h2d(&[0u8; 2], &mut part).unwrap_err();
    assert_eq!(error, Error::ReadOnly { operation: "cuda_memcpy_h2d" });
}

#[test]
fn a_crop_of_a_tensor_is_a_tensor() {
    let gpu = gpu();
    let host = ndarray::Array3::from_shape_fn((6, 5, 3), |(y, x, c)| (y * 15 + x * 3 + c) as u8);
    let tensor = Tensor::from_host(&gpu, &host, Layout::HWC).unwrap();
    let crop = tensor.slice(0, 2..5).unwrap().slice(1, 1..4).unwrap();
    let crop = as_tensor(crop, Layout::HWC).unwrap();
    let expected: Vec<u8> = host.slice(ndarray::s![2..5, 1..4, ..]).iter().copied().collect();
    assert_eq!(crop.to_vec::<u8>().unwrap(), expected);
    assert_eq!(crop.strides(), tensor.strides());
}
