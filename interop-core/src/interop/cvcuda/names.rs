//! Element types and layouts in the library's numbers.

use super::library::TensorLayout;
use crate::{DType, Error, Layout, Result};

/// The first version that takes 16-bit floats (pull request 278 of CV-CUDA).
const KNOWS_F16: (u32, u32, u32) = (0, 18, 0);

/// `NVCVDataType` of one channel (`nvcv/DataType.h`).
pub(super) fn dtype(operation: &'static str, dtype: DType, version: (u32, u32, u32)) -> Result<u64> {
    let unknown = |remedy| Error::InvalidArgument {
        operation,
        argument: "dtype",
        expected: format!("one that CV-CUDA {}.{}.{} knows", version.0, version.1, version.2),
        found: dtype.to_string(),
        remedy,
    };
    Ok(match dtype {
        DType::U8 => 0x27_ffff_0081,
        DType::I8 => 0x2000_0027_ffff_0081,
        DType::U16 => 0x107_ffff_0081,
        DType::I16 => 0x2000_0107_ffff_0081,
        DType::U32 => 0x307_ffff_0081,
        DType::I32 => 0x2000_0307_ffff_0081,
        DType::U64 => 0x507_ffff_0081,
        DType::I64 => 0x2000_0507_ffff_0081,
        DType::F16 if version < KNOWS_F16 => return Err(unknown("use f32, or CV-CUDA 0.18 or newer")),
        DType::F16 => 0x4000_0107_ffff_0081,
        DType::F32 => 0x4000_0307_ffff_0081,
        DType::F64 => 0x4000_0507_ffff_0081,
        DType::C64 => 0x6000_0507_ffff_0081,
        DType::C128 => 0x6000_0707_ffff_0081,
        DType::Bool => return Err(unknown("share the memory as u8, of values 0 and 1")),
    })
}

/// `NVCVTensorLayout`.
pub(super) fn layout(layout: Option<Layout>) -> TensorLayout {
    let Some(layout) = layout else { return TensorLayout::NONE };
    let mut native = TensorLayout { rank: layout.rank() as i32, ..TensorLayout::NONE };
    native.letters[..layout.rank()].copy_from_slice(layout.as_str().as_bytes());
    native
}
