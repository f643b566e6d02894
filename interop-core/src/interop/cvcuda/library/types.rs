//! CV-CUDA's C types, as its headers declare them (version 0.15; used unchanged by 0.19.0).

use std::ffi::{c_int, c_void};

/// What every function returns (`NVCVStatus`); 0 is success.
pub(in super::super) type Status = c_int;

/// `NVCV_TENSOR_MAX_RANK`.
pub(in super::super) const MAX_RANK: usize = 15;

/// `NVCV_MAX_PLANE_COUNT`.
pub(in super::super) const MAX_PLANES: usize = 6;

/// Kinds of blocks that [`Requirements`] counts: host, CUDA and pinned memory.
const RESOURCES: usize = 3;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(transparent)]
        pub(in super::super) struct $name(pub *mut c_void);

        impl $name {
            pub const NULL: Self = Self(std::ptr::null_mut());
        }

        // SAFETY: a handle is a number that the library looks up under its own locks (priv/HandleManager.hpp); it may
        // be used from every thread.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}
    )* };
}

handles! {
    /// `NVCVTensorHandle`
    TensorHandle;
    /// `NVCVAllocatorHandle`
    AllocatorHandle;
    /// `NVCVImageHandle`
    ImageHandle;
    /// `NVCVImageBatchHandle`
    ImageBatchHandle;
    /// `NVCVOperatorHandle`
    OperatorHandle;
}

/// `NVCVTensorLayout`: a letter for each axis; none where there is no layout.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in super::super) struct TensorLayout {
    pub letters: [u8; MAX_RANK + 1],
    pub rank: i32,
}

impl TensorLayout {
    /// That of no axes (`NVCV_TENSOR_NONE`).
    pub const NONE: Self = Self { letters: [0; MAX_RANK + 1], rank: 0 };
}

/// `NVCVTensorData` with a strided buffer in device memory, the only kind there is.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in super::super) struct TensorData {
    pub dtype: u64,
    pub layout: TensorLayout,
    pub rank: i32,
    pub shape: [i64; MAX_RANK],
    pub buffer_type: i32,
    /// Bytes.
    pub strides: [i64; MAX_RANK],
    pub first: *mut c_void,
}

/// `NVCV_TENSOR_BUFFER_STRIDED_CUDA` and `NVCV_IMAGE_BUFFER_STRIDED_CUDA`.
pub(in super::super) const STRIDED_CUDA: i32 = 1;

/// `NVCVRequirements`: how many blocks of each power of two, for host, CUDA and pinned memory.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in super::super) struct Requirements {
    blocks: [[i64; 32]; RESOURCES],
}

/// `NVCVTensorRequirements`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in super::super) struct TensorRequirements {
    pub dtype: u64,
    pub layout: TensorLayout,
    pub rank: i32,
    pub shape: [i64; MAX_RANK],
    /// Bytes.
    pub strides: [i64; MAX_RANK],
    /// Bytes that the base is a multiple of.
    pub alignment: i32,
    pub memory: Requirements,
}

/// `NVCVImageBatchVarShapeRequirements`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in super::super) struct ImageBatchRequirements {
    pub capacity: i32,
    pub alignment: i32,
    pub memory: Requirements,
}

/// `NVCVImagePlaneStrided`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in super::super) struct ImagePlane {
    pub width: i32,
    pub height: i32,
    /// Bytes.
    pub row_stride: i32,
    pub first: *mut c_void,
}

/// `NVCVImageData` with a strided buffer, a struct of its own: it begins at a multiple of 8 bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in super::super) struct ImageData {
    pub format: u64,
    pub buffer_type: i32,
    pub buffer: ImageBuffer,
}

/// `NVCVImageBufferStrided`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in super::super) struct ImageBuffer {
    pub planes_used: i32,
    pub planes: [ImagePlane; MAX_PLANES],
}

/// `NVCVImageBatchData`, which nobody looks into here; with room to spare.
#[repr(C)]
pub(in super::super) struct ImageBatchData([u64; 32]);

impl ImageBatchData {
    /// To be written by the library.
    pub fn zeroed() -> Self {
        Self([0; 32])
    }
}

/// `NVCVResourceAllocator`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in super::super) struct ResourceAllocator {
    pub context: *mut c_void,
    pub resource: i32,
    pub allocate: unsafe extern "C" fn(*mut c_void, i64, i32) -> *mut c_void,
    pub free: unsafe extern "C" fn(*mut c_void, *mut c_void, i64, i32),
    pub cleanup: Option<unsafe extern "C" fn(*mut c_void, *mut ResourceAllocator)>,
}

/// `NVCV_RESOURCE_MEM_CUDA`.
pub(in super::super) const RESOURCE_CUDA: i32 = 1;

/// What the library calls when the last reference to wrapped memory goes.
pub(in super::super) type TensorCleanup = unsafe extern "C" fn(*mut c_void, *const TensorData);
/// As [`TensorCleanup`], of an image.
pub(in super::super) type ImageCleanup = unsafe extern "C" fn(*mut c_void, *const ImageData);

/// `NVCVRectI`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(in super::super) struct RectI {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

/// `float4`.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(in super::super) struct Float4(pub [f32; 4]);

/// `double2`.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(in super::super) struct Double2 {
    pub x: f64,
    pub y: f64,
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    // Compiled from the headers of CV-CUDA 0.15 by gcc for x86-64.
    #[test]
    fn structs_are_laid_out_as_in_c() {
        assert_eq!((size_of::<TensorLayout>(), align_of::<TensorLayout>()), (20, 4));
        assert_eq!(size_of::<TensorData>(), 288);
        assert_eq!((offset_of!(TensorData, rank), offset_of!(TensorData, shape)), (28, 32));
        assert_eq!((offset_of!(TensorData, buffer_type), offset_of!(TensorData, strides)), (152, 160));
        assert_eq!(offset_of!(TensorData, first), 280);
        assert_eq!(size_of::<TensorRequirements>(), 1048);
        assert_eq!(offset_of!(TensorRequirements, strides), 152);
        assert_eq!(offset_of!(TensorRequirements, alignment), 272);
        assert_eq!(offset_of!(TensorRequirements, memory), 280);
        assert_eq!(size_of::<ImageBatchRequirements>(), 776);
        assert_eq!((size_of::<ImagePlane>(), size_of::<ImageData>()), (24, 168));
        assert_eq!((offset_of!(ImageData, buffer), offset_of!(ImageBuffer, planes)), (16, 8));
        assert_eq!((offset_of!(ImagePlane, row_stride), offset_of!(ImagePlane, first)), (8, 16));
        assert_eq!(size_of::<ResourceAllocator>(), 40);
        assert_eq!(size_of::<RectI>(), 16);
    }
}
