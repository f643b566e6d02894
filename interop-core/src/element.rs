//! [`Element`]: the Rust types that an array on the GPU can hold.

use crate::DType;

/// A Rust type that has the same bytes on the host and on the GPU.
///
/// Implemented for the integers, floats and `bool`; for `half::f16` with the feature `half`, and for
/// `num_complex::Complex` with the feature `num-complex`.
///
/// # Safety
/// The type has no padding bytes, and its size is `DTYPE.size()`. Every bit pattern is a value of it; if `DTYPE`
/// is [`DType::Bool`], whose downloads are checked byte by byte, the bytes 0 and 1 are.
///
/// ```
/// use interop_core::{DType, Element};
/// assert_eq!(f32::DTYPE, DType::F32);
/// ```
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The dtype of arrays of this element.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($rust:ty => $dtype:ident),* $(,)?) => { $(
        // SAFETY: a primitive number has no padding, and every bit pattern is a value; `bool` has no padding,
        // and its dtype is `Bool`.
        unsafe impl Element for $rust {
            const DTYPE: DType = DType::$dtype;
        }
    )* };
}

elements! {
    bool => Bool, u8 => U8, u16 => U16, u32 => U32, u64 => U64, i8 => I8, i16 => I16, i32 => I32, i64 => I64,
    f32 => F32, f64 => F64,
}

// SAFETY: `f16` is a transparent wrapper of `u16`: two bytes, no padding, every bit pattern valid.
#[cfg(feature = "half")]
unsafe impl Element for half::f16 {
    const DTYPE: DType = DType::F16;
}

// SAFETY: `Complex` is `repr(C)` with two `f32`: eight bytes, no padding, every bit pattern valid.
#[cfg(feature = "num-complex")]
unsafe impl Element for num_complex::Complex<f32> {
    const DTYPE: DType = DType::C64;
}

// SAFETY: `Complex` is `repr(C)` with two `f64`: sixteen bytes, no padding, every bit pattern valid.
#[cfg(feature = "num-complex")]
unsafe impl Element for num_complex::Complex<f64> {
    const DTYPE: DType = DType::C128;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size_agrees<T: Element>() {
        assert_eq!(size_of::<T>(), T::DTYPE.size());
        assert_eq!(align_of::<T>(), T::DTYPE.alignment());
    }

    #[test]
    fn sizes_and_alignments_are_those_of_the_dtype() {
        size_agrees::<bool>();
        size_agrees::<u8>();
        size_agrees::<u16>();
        size_agrees::<u32>();
        size_agrees::<u64>();
        size_agrees::<i8>();
        size_agrees::<i16>();
        size_agrees::<i32>();
        size_agrees::<i64>();
        size_agrees::<f32>();
        size_agrees::<f64>();
    }

    #[cfg(feature = "half")]
    #[test]
    fn half_agrees() {
        size_agrees::<half::f16>();
    }

    #[cfg(feature = "num-complex")]
    #[test]
    fn complex_agrees() {
        size_agrees::<num_complex::Complex<f32>>();
        size_agrees::<num_complex::Complex<f64>>();
    }
}
