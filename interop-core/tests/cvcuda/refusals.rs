//! What CV-CUDA would accept wrongly, crash on, or refuse obscurely is refused by us, with the remedy.

use interop_core::cvcuda::{
    Border, ColorConversion, Gaussian, Interpolation, Margins, Rect, Round, Scale, WarpInterpolation,
};
use interop_core::{CudaBuffer, DType, Error, Layout, Tensor, as_tensor};

use crate::{real, real_or_stand_in};

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, argument: &str) {
    match result {
        Err(Error::InvalidArgument { argument: found, .. }) if found == argument => (),
        other => panic!("{other:?}"),
    }
}

#[test]
fn operators_refuse_what_they_do_not_take() {
    let Some(cv) = real_or_stand_in() else { return };
    let new = |shape: &[usize], dtype, layout: Layout| Tensor::new(cv.gpu(), shape, dtype, layout).unwrap();
    let image = new(&[8, 8, 3], DType::U8, Layout::HWC);
    let mut output = new(&[4, 4, 3], DType::U8, Layout::HWC);
    let linear = Interpolation::Linear;

    refused(cv.resize(&new(&[8, 8], DType::U8, Layout::HW), (4, 4), linear), "input");
    refused(cv.resize(&new(&[8, 8, 3], DType::F64, Layout::HWC), (4, 4), linear), "input");
    refused(cv.resize(&new(&[8, 8, 2], DType::U8, Layout::HWC), (4, 4), linear), "input");
    refused(cv.resize(&new(&[0, 8, 3], DType::U8, Layout::HWC), (4, 4), linear), "input");
    refused(cv.resize(&Tensor::new(cv.gpu(), &[8, 8, 3], DType::U8, None).unwrap(), (4, 4), linear), "input");
    refused(cv.resize(&image, (0, 4), linear), "size");
    refused(cv.resize_into(&image, &mut new(&[4, 4, 3], DType::F32, Layout::HWC), linear), "output");
    refused(cv.resize_into(&image, &mut new(&[4, 4, 1], DType::U8, Layout::HWC), linear), "output");
    refused(cv.resize_into(&image, &mut new(&[2, 4, 4, 3], DType::U8, Layout::NHWC), linear), "output");
    refused(cv.flip_into(&image, &mut output, interop_core::cvcuda::Flip::Both), "output");
    refused(cv.convertto(&image, DType::Bool, 1.0, 0.0, Round::default()), "dtype");
    refused(cv.convertto(&image, DType::I32, 1.0, 0.0, Round::NearestWrap), "round");
    refused(cv.reformat(&image, Layout::HW), "layout");
    let two = new(&[2, 8, 8, 3], DType::U8, Layout::NHWC);
    refused(cv.reformat(&two, Layout::CHW), "layout");
    refused(cv.cvtcolor(&image, ColorConversion::GrayToRgb), "input");
    for rect in [
        Rect { x: 0, y: 0, width: 9, height: 8 },
        Rect { x: 7, y: 0, width: 2, height: 1 },
        Rect { x: usize::MAX, y: 0, width: 2, height: 1 },
        Rect { x: 0, y: 0, width: 0, height: 1 },
    ] {
        refused(cv.customcrop(&image, rect), "rect");
    }
    refused(cv.copymakeborder_into(&image, &mut output, (0, 0), Border::Constant, [0.0; 4]), "output");
    refused(cv.copymakeborder(&image, Margins::all(usize::MAX), Border::Constant, [0.0; 4]), "margins");
    for kernel in [0, -1, 2, 4, 1025, 65_537, i32::MAX] {
        refused(cv.gaussian(&image, &Gaussian::square(kernel, 1.0)), "kernel");
    }
    let text = cv.gaussian(&image, &Gaussian::square(1025, 1.0)).unwrap_err().to_string();
    assert!(text.contains("1 to 1023"), "{text}");
    for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(cv.gaussian(&image, &Gaussian::square(3, sigma)), "sigma");
    }
    for (degrees, x) in [(f64::NAN, 0.0), (1.0, 3e9), (1.0, f64::INFINITY)] {
        refused(cv.rotate(&image, degrees, (x, 0.0), WarpInterpolation::Linear), "degrees and shift");
    }
    let zeros = [[0.0; 3]; 2];
    refused(cv.warp_affine(&image, zeros, WarpInterpolation::Linear, Border::Constant, [0.0; 4]), "matrix");
    refused(cv.normalization(&[0.0; 2], &[1.0; 2], Scale::Factor), "base and scale");
    let four = cv.normalization(&[0.0; 4], &[1.0; 4], Scale::Factor).unwrap();
    refused(cv.normalize(&image, &four), "normalization");
    refused(cv.composite(&image, &image, &image), "mask");
    // Nothing of all that harmed the device.
    assert!(cv.resize(&image, (4, 4), linear).unwrap().to_vec::<u8>().is_ok());
}

#[test]
fn an_output_that_shares_memory_with_an_input_is_refused() {
    let Some(cv) = real_or_stand_in() else { return };
    let buffer = CudaBuffer::zeros(cv.gpu(), &[8, 8, 3], DType::U8).unwrap();
    let image = as_tensor(&buffer, Layout::HWC).unwrap();
    let mut same = as_tensor(&buffer, Layout::HWC).unwrap();
    refused(cv.flip_into(&image, &mut same, interop_core::cvcuda::Flip::Both), "output");
}

// Case 23.
#[test]
fn a_read_only_output_is_refused() {
    let Some(cv) = real_or_stand_in() else { return };
    let buffer = CudaBuffer::zeros(cv.gpu(), &[8, 8, 3], DType::U8).unwrap();
    let part = crate::common::Part::of(buffer, 0, &[8, 8, 3], &[24, 3, 1], DType::U8).read_only();
    let mut output = as_tensor(part, Layout::HWC).unwrap();
    let (image, _) = crate::counting(cv.gpu(), &[8, 8, 3], Layout::HWC);
    let refused = cv.flip_into(&image, &mut output, interop_core::cvcuda::Flip::Both);
    assert_eq!(refused, Err(Error::ReadOnly { operation: "CvCuda::flip_into" }));
    // As an input it serves.
    assert!(cv.flip(&output, interop_core::cvcuda::Flip::Both).is_ok());
}

// Case 35: CV-CUDA takes them, and the kernel faults.
#[test]
fn pixels_that_are_not_aligned_are_refused() {
    let Some(cv) = real_or_stand_in() else { return };
    let buffer = CudaBuffer::zeros(cv.gpu(), &[8 * 64], DType::U8).unwrap();
    let part = |offset, row| {
        crate::common::Part::of(
            CudaBuffer::from_cuda(&buffer).unwrap(),
            offset,
            &[4, 4, 4],
            &[row, 4, 1],
            DType::U8,
        )
    };
    for (offset, row) in [(1, 32), (2, 32), (0, 33), (0, 34)] {
        let tensor = as_tensor(part(offset, row), Layout::HWC).unwrap();
        let result = cv.flip(&tensor, interop_core::cvcuda::Flip::Both);
        let text = result.unwrap_err().to_string();
        assert!(text.contains("multiples of 4 bytes") && text.contains("to_contiguous"), "{text}");
    }
    let aligned = as_tensor(part(4, 36), Layout::HWC).unwrap();
    assert!(cv.flip(&aligned, interop_core::cvcuda::Flip::Both).unwrap().to_vec::<u8>().is_ok());
}

// Cases 27 and 28.
#[test]
fn dtypes_that_cv_cuda_lacks_are_refused_by_name() {
    let Some(cv) = real_or_stand_in() else { return };
    let flags = Tensor::new(cv.gpu(), &[4], DType::Bool, None).unwrap();
    let text = cv.share(&flags).unwrap_err().to_string();
    assert!(text.contains("bool") && text.contains("as u8"), "{text}");
    let halves = Tensor::new(cv.gpu(), &[4], DType::F16, None).unwrap();
    assert_eq!(cv.share(&halves).is_ok(), cv.library().version >= (0, 18, 0));
}

// Case 34.
#[test]
fn shapes_that_crash_cv_cuda_are_refused() {
    let Some(cv) = real_or_stand_in() else { return };
    for rank in [16, 20, 400] {
        let error = cv.tensor(&vec![1; rank], DType::U8, None).unwrap_err();
        assert_eq!(error, Error::RankTooLarge { operation: "CvCuda::tensor", max: 15, found: rank });
    }
    assert!(matches!(cv.tensor(&[], DType::U8, None), Err(Error::InvalidLayout { .. })));
    assert!(matches!(cv.tensor(&[4, 4], DType::U8, Layout::HWC), Err(Error::InvalidLayout { .. })));
    refused(cv.tensor(&[4, 0], DType::U8, None), "shape");
    let huge = cv.tensor(&[1 << 40, 1 << 40], DType::U8, None);
    assert!(matches!(huge, Err(Error::SizeOverflow { .. })), "{huge:?}");
}

// CV-CUDA says success, and gives a tensor at the address 0.
#[test]
fn a_tensor_for_which_there_is_no_memory_is_refused() {
    let Some(cv) = real_or_stand_in() else { return };
    let error = cv.tensor(&[1 << 45], DType::U8, None).unwrap_err();
    let expected = (1 << 45, "CvCuda::tensor");
    let Error::OutOfMemory { requested, operation, .. } = error else { panic!("{error}") };
    assert_eq!((requested, operation), expected);
}

// Who finds memory must not be told of another thread's want.
#[test]
fn only_who_found_no_memory_is_refused() {
    let Some(cv) = real_or_stand_in() else { return };
    std::thread::scope(|threads| {
        let in_want = threads.spawn(|| {
            for _ in 0..3000 {
                assert!(matches!(cv.tensor(&[1 << 45], DType::U8, None), Err(Error::OutOfMemory { .. })));
            }
        });
        while !in_want.is_finished() {
            cv.tensor(&[4, 4], DType::U8, Layout::HW).unwrap();
        }
    });
}

#[test]
fn cv_cudas_own_refusal_comes_with_its_message() {
    let Some(cv) = real() else { return };
    // A picture of one pixel, which linear interpolation does not take.
    let one = Tensor::new(cv.gpu(), &[1, 1, 3], DType::U8, Layout::HWC).unwrap();
    let error = cv.resize(&one, (4, 4), Interpolation::Linear).unwrap_err();
    let Error::CvCuda { function, name, message, .. } = &error else { panic!("{error}") };
    assert_eq!((*function, name.as_str()), ("cvcudaResizeSubmit", "NVCV_ERROR_INVALID_ARGUMENT"));
    assert!(message.contains("at least 2x2"), "{message}");
}
