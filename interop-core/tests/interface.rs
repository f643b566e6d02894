//! What is exported keeps the specification of the CUDA Array Interface, version 3, and what is imported is read
//! by it.

mod common;

use common::{Part, gpu};
use interop_core::{CudaArray, CudaArrayInterface, CudaBuffer, DType, Layout, RawInterface, Tensor};

// Case 16.
#[test]
fn exported_fields_are_as_specified() {
    let gpu = gpu();
    let packed = CudaBuffer::new(&gpu, &[4, 5], DType::F32).unwrap().cuda_array_interface();
    assert_eq!((packed.strides(), packed.version(), packed.typestr()), (None, 3, "<f4"));
    assert!(packed.data().0 != 0 && !packed.data().1);
    let padded = Tensor::new(&gpu, &[4, 5], DType::U8, Layout::HW).unwrap().cuda_array_interface();
    assert_eq!(padded.strides(), Some(&[32, 1][..]));
    let empty = CudaBuffer::new(&gpu, &[0, 5], DType::U8).unwrap().cuda_array_interface();
    assert_eq!((empty.data(), empty.strides()), ((0, false), None));
    for interface in [packed, padded, empty] {
        assert_eq!(interface.stream(), Some(gpu.stream()));
        assert!(gpu.stream().to_raw() > 2);
    }
}

// Cases 17 and 18.
#[test]
fn no_strides_and_explicit_c_strides_are_the_same_array() {
    let json = |strides: &str| {
        format!(r#"{{"shape":[2,3],"typestr":"<f4","data":[4096,true],"version":3{strides}}}"#)
    };
    let read = |strides: &str| CudaArrayInterface::from_json(&json(strides)).unwrap();
    let absent = read("");
    assert_eq!((absent.strides(), absent.layout().strides()), (None, &[12, 4][..]));
    assert!(absent.is_read_only() && absent.stream().is_none());
    assert_eq!(read(r#","strides":null"#), absent);
    assert_eq!(read(r#","strides":[12,4]"#), absent);
    assert_ne!(read(r#","strides":[16,4]"#), absent);
}

// Case 20.
#[test]
fn an_empty_part_of_a_live_buffer_exports_address_zero() {
    let gpu = gpu();
    let buffer = CudaBuffer::zeros(&gpu, &[8], DType::U8).unwrap();
    let part = Part::of(buffer, 4, &[0], &[1], DType::U8);
    assert_eq!(part.cuda_array_interface().data().0, 0);
    let again = CudaBuffer::from_cuda(&part).unwrap();
    assert_eq!((again.shape(), again.pointer(), again.is_empty()), (&[0][..], 0, true));
    // SAFETY: it describes no memory.
    let bare = unsafe { CudaBuffer::from_interface(&gpu, part.cuda_array_interface()) }.unwrap();
    assert!(bare.to_vec::<u8>().unwrap().is_empty());
}

#[test]
fn every_exported_descriptor_survives_json() {
    let gpu = gpu();
    for dtype in DType::all() {
        let tensor = Tensor::new(&gpu, &[2, 3, 3], dtype, Layout::HWC).unwrap();
        let interface = tensor.cuda_array_interface();
        assert_eq!(CudaArrayInterface::from_json(&interface.to_json()).unwrap(), interface);
        assert_eq!(CudaArrayInterface::try_from(RawInterface::from(&interface)).unwrap(), interface);
    }
}

#[test]
fn version_2_knows_no_stream() {
    let raw = RawInterface { version: 2, stream: Some(0), ..RawInterface::default() };
    let interface = CudaArrayInterface::try_from(raw).unwrap();
    assert_eq!((interface.stream(), interface.version()), (None, 3));
}

// Case 9.
#[test]
fn negative_strides_point_at_the_first_element() {
    let gpu = gpu();
    let buffer = CudaBuffer::from_host(&gpu, &[1i64, 2, 3, 4]).unwrap();
    let reversed = Part::of(buffer, 24, &[4], &[-8], DType::I64);
    let taken = CudaBuffer::from_cuda(&reversed).unwrap();
    assert_eq!(taken.to_vec::<i64>().unwrap(), [4, 3, 2, 1]);
    assert_eq!(taken.cuda_array_interface().strides(), Some(&[-8][..]));
}
