//! The functions of CV-CUDA's two libraries, each of the version that this crate was written to.
//!
//! Signatures: headers of CV-CUDA 0.15; versions: the symbols of 0.19.0. That of `cvcudaConvertToSubmit` changed in
//! 0.17 and is looked up by itself.

use std::ffi::{c_char, c_int, c_void};

use super::loaded::Loaded;
use super::types::*;

macro_rules! functions {
    ($(#[$doc:meta])* $table:ident { $($name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?, $version:literal;)* }) => {
        $(#[$doc])*
        #[allow(non_snake_case, reason = "the library's own names, so that a reader finds them again")]
        pub(in super::super) struct $table {
            $(pub $name: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
        }

        impl $table {
            /// Looks up every function; the error is the name and version of the first that is missing.
            pub(super) fn resolve(library: &Loaded) -> Result<Self, String> {
                Ok(Self { $(
                    // SAFETY: the type is the signature of this function in this version.
                    $name: unsafe { library.function(stringify!($name), $version) }
                        .ok_or_else(|| format!("{}@{}", stringify!($name), $version))?,
                )* })
            }
        }
    };
}

functions! {
    /// Of `libnvcv_types`: tensors, images, allocators, and what went wrong.
    Types {
        nvcvGetVersion() -> u32, "NVCV_0.0";
        nvcvStatusGetName(status: Status) -> *const c_char, "NVCV_0.0";
        nvcvGetLastErrorMessage(text: *mut c_char, len: i32) -> Status, "NVCV_0.0";
        nvcvTensorCalcRequirements(
            rank: i32, shape: *const i64, dtype: u64, layout: TensorLayout, base_alignment: i32, row_alignment: i32,
            requirements: *mut TensorRequirements
        ) -> Status, "NVCV_0.2";
        nvcvTensorConstruct(
            requirements: *const TensorRequirements, allocator: AllocatorHandle, tensor: *mut TensorHandle
        ) -> Status, "NVCV_0.2";
        nvcvTensorWrapDataConstruct(
            data: *const TensorData, cleanup: Option<TensorCleanup>, context: *mut c_void, tensor: *mut TensorHandle
        ) -> Status, "NVCV_0.2";
        nvcvTensorExportData(tensor: TensorHandle, data: *mut TensorData) -> Status, "NVCV_0.2";
        nvcvTensorIncRef(tensor: TensorHandle, count: *mut c_int) -> Status, "NVCV_0.3";
        nvcvTensorDecRef(tensor: TensorHandle, count: *mut c_int) -> Status, "NVCV_0.3";
        nvcvTensorRefCount(tensor: TensorHandle, count: *mut c_int) -> Status, "NVCV_0.3";
        nvcvAllocatorConstructCustom(
            allocators: *const ResourceAllocator, count: i32, allocator: *mut AllocatorHandle
        ) -> Status, "NVCV_0.2";
        nvcvAllocatorDecRef(allocator: AllocatorHandle, count: *mut c_int) -> Status, "NVCV_0.3";
        nvcvImageWrapDataConstruct(
            data: *const ImageData, cleanup: Option<ImageCleanup>, context: *mut c_void, image: *mut ImageHandle
        ) -> Status, "NVCV_0.2";
        nvcvImageDecRef(image: ImageHandle, count: *mut c_int) -> Status, "NVCV_0.3";
        nvcvImageBatchVarShapeCalcRequirements(capacity: i32, requirements: *mut ImageBatchRequirements) -> Status,
            "NVCV_0.0";
        nvcvImageBatchVarShapeConstruct(
            requirements: *const ImageBatchRequirements, allocator: AllocatorHandle, batch: *mut ImageBatchHandle
        ) -> Status, "NVCV_0.2";
        nvcvImageBatchVarShapePushImages(batch: ImageBatchHandle, images: *const ImageHandle, count: i32) -> Status,
            "NVCV_0.2";
        nvcvImageBatchExportData(batch: ImageBatchHandle, stream: *mut c_void, data: *mut ImageBatchData) -> Status,
            "NVCV_0.2";
        nvcvImageBatchDecRef(batch: ImageBatchHandle, count: *mut c_int) -> Status, "NVCV_0.3";
    }
}

functions! {
    /// Of `libcvcuda`: the operators.
    Operators {
        nvcvOperatorDestroy(operator: OperatorHandle), "CVCUDA_0.3";
        cvcudaResizeCreate(operator: *mut OperatorHandle) -> Status, "CVCUDA_0.0";
        cvcudaResizeSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: TensorHandle, output: TensorHandle, interpolation: i32
        ) -> Status, "CVCUDA_0.2";
        cvcudaResizeVarShapeSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: ImageBatchHandle, output: ImageBatchHandle,
            interpolation: i32
        ) -> Status, "CVCUDA_0.2";
        cvcudaCvtColorCreate(operator: *mut OperatorHandle) -> Status, "CVCUDA_0.2";
        cvcudaCvtColorSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: TensorHandle, output: TensorHandle, code: i32
        ) -> Status, "CVCUDA_0.2";
        cvcudaCvtColorVarShapeSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: ImageBatchHandle, output: ImageBatchHandle, code: i32
        ) -> Status, "CVCUDA_0.2";
        cvcudaConvertToCreate(operator: *mut OperatorHandle) -> Status, "CVCUDA_0.0";
        cvcudaNormalizeCreate(operator: *mut OperatorHandle) -> Status, "CVCUDA_0.0";
        cvcudaNormalizeSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: TensorHandle, base: TensorHandle, scale: TensorHandle,
            output: TensorHandle, global_scale: f32, shift: f32, epsilon: f32, flags: u32
        ) -> Status, "CVCUDA_0.2";
        cvcudaReformatCreate(operator: *mut OperatorHandle) -> Status, "CVCUDA_0.0";
        cvcudaReformatSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: TensorHandle, output: TensorHandle
        ) -> Status, "CVCUDA_0.2";
        cvcudaGaussianCreate(operator: *mut OperatorHandle, max_width: i32, max_height: i32, max_batch: i32) -> Status,
            "CVCUDA_0.2";
        cvcudaGaussianSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: TensorHandle, output: TensorHandle, width: i32,
            height: i32, sigma_x: f64, sigma_y: f64, border: i32
        ) -> Status, "CVCUDA_0.2";
        cvcudaFlipCreate(operator: *mut OperatorHandle, max_batch: i32) -> Status, "CVCUDA_0.2";
        cvcudaFlipSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: TensorHandle, output: TensorHandle, code: i32
        ) -> Status, "CVCUDA_0.2";
        cvcudaCustomCropCreate(operator: *mut OperatorHandle) -> Status, "CVCUDA_0.0";
        cvcudaCustomCropSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: TensorHandle, output: TensorHandle, rect: RectI
        ) -> Status, "CVCUDA_0.2";
        cvcudaCopyMakeBorderCreate(operator: *mut OperatorHandle) -> Status, "CVCUDA_0.2";
        cvcudaCopyMakeBorderSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: TensorHandle, output: TensorHandle, top: i32,
            left: i32, border: i32, value: Float4
        ) -> Status, "CVCUDA_0.2";
        cvcudaRotateCreate(operator: *mut OperatorHandle, max_batch: i32) -> Status, "CVCUDA_0.2";
        cvcudaRotateSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: TensorHandle, output: TensorHandle, degrees: f64,
            shift: Double2, interpolation: i32
        ) -> Status, "CVCUDA_0.2";
        cvcudaWarpAffineCreate(operator: *mut OperatorHandle, max_batch: i32) -> Status, "CVCUDA_0.2";
        cvcudaWarpAffineSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: TensorHandle, output: TensorHandle,
            matrix: *const f32, flags: i32, border: i32, value: Float4
        ) -> Status, "CVCUDA_0.2";
        cvcudaCompositeCreate(operator: *mut OperatorHandle) -> Status, "CVCUDA_0.2";
        cvcudaCompositeSubmit(
            operator: OperatorHandle, stream: *mut c_void, foreground: TensorHandle, background: TensorHandle,
            mask: TensorHandle, output: TensorHandle
        ) -> Status, "CVCUDA_0.2";
        cvcudaPadAndStackCreate(operator: *mut OperatorHandle) -> Status, "CVCUDA_0.0";
        cvcudaPadAndStackSubmit(
            operator: OperatorHandle, stream: *mut c_void, input: ImageBatchHandle, output: TensorHandle,
            top: TensorHandle, left: TensorHandle, border: i32, value: f32
        ) -> Status, "CVCUDA_0.2";
    }
}

type ConvertToWithoutRounding =
    unsafe extern "C" fn(OperatorHandle, *mut c_void, TensorHandle, TensorHandle, f64, f64) -> Status;
type ConvertToWithRounding =
    unsafe extern "C" fn(OperatorHandle, *mut c_void, TensorHandle, TensorHandle, f64, f64, i32) -> Status;

/// `cvcudaConvertToSubmit`, whose arguments version 0.17 changed under the same name (case 77).
#[derive(Clone, Copy)]
pub(in super::super) enum ConvertTo {
    /// Before 0.17.
    WithoutRounding(ConvertToWithoutRounding),
    /// From 0.17 on: how to round is the last argument.
    WithRounding(ConvertToWithRounding),
}

impl ConvertTo {
    /// Takes the one that the library has; the error is the name and the versions that were looked for.
    pub(super) fn resolve(library: &Loaded) -> Result<Self, String> {
        const NAME: &str = "cvcudaConvertToSubmit";
        // SAFETY: the type is the signature of this function in this version.
        if let Some(function) = unsafe { library.function(NAME, "CVCUDA_0.17") } {
            return Ok(Self::WithRounding(function));
        }
        // SAFETY: as above.
        let older = unsafe { library.function(NAME, "CVCUDA_0.2") };
        older.map(Self::WithoutRounding).ok_or_else(|| format!("{NAME}@CVCUDA_0.17 or @CVCUDA_0.2"))
    }
}
