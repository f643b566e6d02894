//! Bad input is a typed error that names the operation, what was expected and what came; nothing is lost.

mod common;

use common::{Described, Part, gpu};
use interop_core::{
    CudaArray, CudaArrayInterface, CudaBuffer, DType, Error, Gpu, Layout, Memory, PinnedBuffer, RawInterface,
    StridedLayout, Tensor, as_tensor, cuda_memcpy_d2d, cuda_memcpy_d2h, cuda_memcpy_h2d, cuda_memcpy_h2d_raw,
};
use ndarray::Array2;

/// The parts that every message has.
fn assert_message(error: &Error, parts: &[&str]) {
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "{text:?} lacks {part:?}");
    }
    assert!(!text.contains('\n') && text.len() < 400, "{text:?}");
}

// Case 15.
#[test]
fn wrong_dtype() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::from_host(&gpu, &[1f32; 4]).unwrap();
    let error = cuda_memcpy_h2d(&[1i32; 4], &mut buffer).unwrap_err();
    let expected =
        Error::DTypeMismatch { operation: "cuda_memcpy_h2d", expected: DType::F32, found: DType::I32 };
    assert_eq!(error, expected);
    assert_message(&error, &["cuda_memcpy_h2d", "expected elements of f32", "got i32", "same type"]);
    let error = cuda_memcpy_d2h(&buffer, &mut [0f64; 4]).unwrap_err();
    assert!(matches!(error, Error::DTypeMismatch { expected: DType::F64, found: DType::F32, .. }));
    assert!(matches!(buffer.to_vec::<u32>(), Err(Error::DTypeMismatch { .. })));
    let mut integers = CudaBuffer::new(&gpu, &[4], DType::I32).unwrap();
    assert!(matches!(cuda_memcpy_d2d(&buffer, &mut integers), Err(Error::DTypeMismatch { .. })));
    assert_eq!(buffer.to_vec::<f32>().unwrap(), [1.0; 4]);
}

#[test]
fn wrong_shape() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::zeros(&gpu, &[2, 3], DType::F32).unwrap();
    let error = cuda_memcpy_h2d(&Array2::<f32>::ones((3, 2)), &mut buffer).unwrap_err();
    let (expected, found) = (vec![2, 3], vec![3, 2]);
    assert_eq!(error, Error::ShapeMismatch { operation: "cuda_memcpy_h2d", expected, found });
    assert_message(&error, &["cuda_memcpy_h2d", "expected shape [2, 3]", "got [3, 2]", "reshape"]);
    let mut back = Array2::<f32>::ones((6, 1));
    assert!(matches!(cuda_memcpy_d2h(&buffer, &mut back), Err(Error::ShapeMismatch { .. })));
    assert_eq!(back, Array2::<f32>::ones((6, 1)));
    let mut other = CudaBuffer::new(&gpu, &[3, 2], DType::F32).unwrap();
    assert!(matches!(cuda_memcpy_d2d(&buffer, &mut other), Err(Error::ShapeMismatch { .. })));
    assert_eq!(buffer.to_vec::<f32>().unwrap(), [0.0; 6]);
}

// Case 15.
#[test]
fn too_small_and_too_large_a_destination() {
    let gpu = gpu();
    let mut buffer = CudaBuffer::zeros(&gpu, &[75], DType::F32).unwrap();
    let error = cuda_memcpy_h2d(&[1f32; 100], &mut buffer).unwrap_err();
    assert_eq!(error, Error::SizeMismatch { operation: "cuda_memcpy_h2d", expected: 300, found: 400 });
    assert_message(&error, &["expected 300 bytes", "got 400"]);
    for len in [0, 74, 76] {
        assert!(matches!(cuda_memcpy_h2d(&vec![1f32; len], &mut buffer), Err(Error::SizeMismatch { .. })));
        assert!(matches!(cuda_memcpy_d2h(&buffer, &mut vec![1f32; len]), Err(Error::SizeMismatch { .. })));
    }
    assert_eq!(buffer.to_vec::<f32>().unwrap(), [0.0; 75]);
    // The page's flat copy to a raw address is held to the allocation.
    // SAFETY: refused where it is too large.
    let error = unsafe { cuda_memcpy_h2d_raw(&gpu, &vec![0u8; 1 << 22], buffer.pointer()) }.unwrap_err();
    assert!(matches!(error, Error::OutOfBounds { .. }), "{error}");
}

// Case 11.
#[test]
fn a_size_that_overflows() {
    let gpu = gpu();
    let error = CudaBuffer::new(&gpu, &[1 << 33, 1 << 33], DType::F64).unwrap_err();
    assert!(matches!(error, Error::SizeOverflow { itemsize: 8, .. }));
    assert_message(&error, &["below 2^63 bytes", "[8589934592, 8589934592]"]);
    let error = CudaBuffer::new(&gpu, &[0, 1 << 63], DType::U8).unwrap_err();
    assert!(matches!(error, Error::SizeOverflow { .. }), "{error}");
    let error = Tensor::new(&gpu, &[usize::MAX, 3], DType::U8, Layout::HW).unwrap_err();
    assert!(matches!(error, Error::SizeOverflow { .. }));
    assert!(matches!(CudaBuffer::new(&gpu, &[1; 65], DType::U8), Err(Error::RankTooLarge { found: 65, .. })));
}

#[test]
fn out_of_memory() {
    let gpu = gpu();
    let error = CudaBuffer::new(&gpu, &[1 << 50], DType::U8).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { requested: 0x4_0000_0000_0000, .. }), "{error}");
    assert_message(&error, &["CudaBuffer::new", "out of memory", "bytes free"]);
    // The device is as good as before.
    assert_eq!(CudaBuffer::from_host(&gpu, &[5u8; 3]).unwrap().to_vec::<u8>().unwrap(), [5; 3]);
}

#[test]
fn no_such_device() {
    let error = Gpu::open(4096).unwrap_err();
    assert!(matches!(error, Error::NoDevice { ordinal: 4096, available } if available > 0));
    assert_message(&error, &["Gpu::open", "device 4096", "CUDA_VISIBLE_DEVICES"]);
    assert!(matches!(Gpu::open(usize::MAX), Err(Error::NoDevice { .. })));
}

#[test]
fn a_host_address_as_device_memory() {
    let gpu = gpu();
    let host = vec![0f32; 4];
    let address = host.as_ptr() as u64;
    // SAFETY: refused.
    let error = unsafe { CudaBuffer::from_raw_pointer(&gpu, address, &[4], DType::F32) }.unwrap_err();
    assert_eq!(error, Error::NotDeviceMemory { operation: "CudaBuffer::from_raw_pointer", address });
    // SAFETY: refused.
    let error = unsafe { cuda_memcpy_h2d_raw(&gpu, &host, address) }.unwrap_err();
    assert_message(&error, &["host address"]);
}

// Case 23.
#[test]
fn a_read_only_destination() {
    let gpu = gpu();
    let buffer = CudaBuffer::from_host(&gpu, &[3u8; 6]).unwrap();
    let mut part = Part::of(buffer, 0, &[6], &[1], DType::U8).read_only();
    let error = cuda_memcpy_h2d(&[1u8; 6], &mut part).unwrap_err();
    assert_eq!(error, Error::ReadOnly { operation: "cuda_memcpy_h2d" });
    // The flag survives being handed on.
    let mut again = as_tensor(CudaBuffer::from_cuda(&part).unwrap().cuda(), None).unwrap().cuda();
    assert!(matches!(cuda_memcpy_h2d(&[1u8; 6], &mut again), Err(Error::ReadOnly { .. })));
    assert!(matches!(cuda_memcpy_d2d(&part.buffer, &mut again), Err(Error::ReadOnly { .. })));
    let mut back = [0u8; 6];
    cuda_memcpy_d2h(&again, &mut back).unwrap();
    assert_eq!(back, [3; 6]);
}

// Case 3.
#[test]
fn strides_that_leave_the_allocation() {
    let gpu = gpu();
    let bytes = || CudaBuffer::from_host(&gpu, &[9u8; 300]).unwrap();
    for (offset, strides) in [(0, [320, 32, 1]), (0, [31, 3, 1]), (1, [30, 3, 1]), (0, [-30, 3, 1])] {
        let mut part = Part::of(bytes(), offset, &[10, 10, 3], &strides, DType::U8);
        let error = cuda_memcpy_h2d(&[1u8; 300], &mut part).unwrap_err();
        assert!(
            matches!(error, Error::OutOfBounds { operation: "cuda_memcpy_h2d", .. }),
            "{strides:?}: {error}"
        );
        assert!(matches!(as_tensor(&part, Layout::HWC), Err(Error::OutOfBounds { .. })));
        assert!(matches!(CudaBuffer::from_cuda(&part), Err(Error::OutOfBounds { .. })));
        assert_eq!(part.buffer.to_vec::<u8>().unwrap(), [9; 300]);
    }
    // A bare descriptor is held to what the driver knows of the allocation.
    let buffer = bytes();
    let layout = StridedLayout::strided(&[2], &[1 << 40], 1).unwrap();
    let interface = CudaArrayInterface::new(DType::U8, layout, buffer.pointer(), false, None).unwrap();
    // SAFETY: refused.
    let error = unsafe { CudaBuffer::from_interface(&gpu, interface) }.unwrap_err();
    assert_message(&error, &["CudaBuffer::from_interface", "expected addresses within"]);
}

#[test]
fn destinations_whose_elements_share_bytes() {
    let gpu = gpu();
    let mut broadcast =
        Part::of(CudaBuffer::zeros(&gpu, &[3], DType::U8).unwrap(), 0, &[4, 3], &[0, 1], DType::U8);
    let error = cuda_memcpy_h2d(&[1u8; 12], &mut broadcast).unwrap_err();
    assert_message(&error, &["cuda_memcpy_h2d", "lie apart", "[0, 1]"]);
}

// Case 23, for memory that is itself read-only, whatever the description says.
#[test]
fn read_only_memory_cannot_be_laundered() {
    let gpu = gpu();
    let theirs = CudaBuffer::from_host(&gpu, &[3u8; 6]).unwrap();
    // SAFETY: `theirs` outlives the memory.
    let memory = unsafe { Memory::from_owner(&gpu, theirs.pointer(), 6, true, None, ()) }.unwrap();
    let mut part = Described { memory, interface: theirs.cuda_array_interface() };
    assert!(!part.interface.is_read_only());
    assert!(matches!(cuda_memcpy_h2d(&[1u8; 6], &mut part), Err(Error::ReadOnly { .. })));
    assert!(CudaBuffer::from_cuda(&part).unwrap().cuda_array_interface().is_read_only());

    let layout = StridedLayout::packed(&[6], 1).unwrap();
    let interface = CudaArrayInterface::new(DType::U8, layout, theirs.pointer(), true, None).unwrap();
    // SAFETY: `theirs` outlives the buffer.
    let bare = unsafe { CudaBuffer::from_interface(&gpu, interface) }.unwrap();
    assert!(bare.memory().is_read_only());
    let mut part = Described { memory: bare.memory(), interface: theirs.cuda_array_interface() };
    assert!(matches!(cuda_memcpy_h2d(&[1u8; 6], &mut part), Err(Error::ReadOnly { .. })));
}

#[test]
fn errors_name_the_operation_that_was_called() {
    let gpu = gpu();
    let begins = |error: Error, operation: &str| {
        let text = error.to_string();
        assert!(text.starts_with(&format!("{operation}: expected ")), "{text}");
    };
    let huge = [1 << 40, 1 << 40];
    begins(CudaBuffer::new(&gpu, &huge, DType::F32).unwrap_err(), "CudaBuffer::new");
    begins(CudaBuffer::zeros(&gpu, &[1 << 50], DType::F32).unwrap_err(), "CudaBuffer::zeros");
    begins(Tensor::new(&gpu, &huge, DType::F32, None).unwrap_err(), "Tensor::new");
    begins(Tensor::packed(&gpu, &huge, DType::F32, None).unwrap_err(), "Tensor::packed");
    begins(PinnedBuffer::<f32>::zeros(&gpu, usize::MAX).unwrap_err(), "PinnedBuffer::zeros");
    begins(Tensor::from_host(&gpu, &[0u8; 3], Layout::HWC).unwrap_err(), "Tensor::from_host");
    begins(CudaBuffer::zeros(&gpu, &[3], DType::F32).unwrap().to_vec::<u8>().unwrap_err(), "to_vec");
    begins(StridedLayout::packed(&huge, 8).unwrap_err(), "StridedLayout");
    // SAFETY: refused.
    let null = unsafe { CudaBuffer::from_raw_pointer(&gpu, 0, &[3], DType::F32) }.unwrap_err();
    begins(null, "CudaBuffer::from_raw_pointer");
    // SAFETY: refused.
    let null = unsafe { cuda_memcpy_h2d_raw(&gpu, &[1f32], 0) }.unwrap_err();
    begins(null, "cuda_memcpy_h2d_raw");
}

#[test]
fn strides_that_leave_the_allocation_downward_are_no_host_address() {
    let gpu = gpu();
    let buffer = CudaBuffer::zeros(&gpu, &[64], DType::U8).unwrap();
    let layout = StridedLayout::strided(&[2], &[-(1 << 30)], 1).unwrap();
    let interface = CudaArrayInterface::new(DType::U8, layout, buffer.pointer(), false, None).unwrap();
    // SAFETY: refused.
    let error = unsafe { CudaBuffer::from_interface(&gpu, interface) }.unwrap_err();
    assert!(matches!(error, Error::OutOfBounds { .. }), "{error}");
}

fn raw() -> RawInterface {
    RawInterface {
        shape: vec![2, 3],
        typestr: "<f4".into(),
        data: (0x1000, false),
        ..RawInterface::default()
    }
}

// Cases 28, 29, 38, and what the interface's specification disallows.
#[test]
fn descriptors_that_break_the_specification() {
    let refused = |raw: RawInterface| CudaArrayInterface::try_from(raw).unwrap_err();
    for version in [i64::MIN, -1, 0, 1, 4] {
        assert_eq!(refused(RawInterface { version, ..raw() }), Error::UnsupportedVersion { found: version });
    }
    assert_eq!(refused(RawInterface { has_mask: true, ..raw() }), Error::Masked);
    for typestr in [">f4", "<V2", "|O", "", "<M8[s]", "nonsense"] {
        let error = refused(RawInterface { typestr: typestr.into(), ..raw() });
        assert!(
            matches!(&error, Error::UnsupportedTypestr { typestr: found, .. } if found == typestr),
            "{error}"
        );
    }
    for (field, bad) in [
        ("stream", RawInterface { stream: Some(0), ..raw() }),
        ("stream", RawInterface { stream: Some(-1), ..raw() }),
        ("data", RawInterface { data: (0, false), ..raw() }),
        ("data", RawInterface { data: (0x1001, false), ..raw() }),
        ("shape", RawInterface { shape: vec![2, -3], ..raw() }),
        ("strides", RawInterface { strides: Some(vec![13, 4]), ..raw() }),
    ] {
        let error = refused(bad);
        assert!(
            matches!(error, Error::InvalidInterface { field: found, .. } if found == field),
            "{field}: {error}"
        );
    }
    let strides = RawInterface { strides: Some(vec![4]), ..raw() };
    assert!(matches!(refused(strides), Error::InvalidStrides { .. }));
    let wide = RawInterface { shape: vec![i64::MAX, i64::MAX], ..raw() };
    assert!(matches!(refused(wide), Error::SizeOverflow { .. }));
    let low = RawInterface { strides: Some(vec![-0x10000, 4]), ..raw() };
    assert!(matches!(refused(low), Error::OutOfBounds { .. }));
    let high = RawInterface { data: (u64::MAX - 7, false), ..raw() };
    assert!(matches!(refused(high), Error::OutOfBounds { .. }));
}

#[test]
fn json_that_is_no_descriptor() {
    for (text, field) in [
        ("", "the interface"),
        ("[]", "the interface"),
        (r#"{"typestr":"|u1","data":[4096,false],"version":3}"#, "shape"),
        (r#"{"shape":[2.5],"typestr":"|u1","data":[4096,false],"version":3}"#, "shape"),
        (r#"{"shape":[2],"typestr":7,"data":[4096,false],"version":3}"#, "typestr"),
        (r#"{"shape":[2],"typestr":"|u1","data":null,"version":3}"#, "data"),
        (r#"{"shape":[2],"typestr":"|u1","data":[-1,false],"version":3}"#, "data"),
        (r#"{"shape":[2],"typestr":"|u1","data":[4096],"version":3}"#, "data"),
        (r#"{"shape":[2],"typestr":"|u1","data":[4096,false]}"#, "version"),
        (r#"{"shape":[2],"typestr":"|u1","data":[4096,false],"version":3,"strides":"x"}"#, "strides"),
        (r#"{"shape":[2],"typestr":"|u1","data":[4096,false],"version":3,"stream":"x"}"#, "stream"),
    ] {
        let error = CudaArrayInterface::from_json(text).unwrap_err();
        assert!(
            matches!(error, Error::InvalidInterface { field: found, .. } if found == field),
            "{text}: {error}"
        );
    }
    let masked = r#"{"shape":[2],"typestr":"|u1","data":[4096,false],"version":3,"mask":{}}"#;
    assert_eq!(CudaArrayInterface::from_json(masked), Err(Error::Masked));
}
