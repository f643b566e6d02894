//! Conversions from and to integers. "Data Movement and Conversion Instructions: cvt" of the PTX ISA.
//!
//! An integer of any type travels as 64 bits, extended as its type asks. That is what `cvt` writes to a register
//! wider than its type.

use super::format::{Format, Number};
use super::integral;
use super::rounding::Rounding;

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integer {
    /// `.u8`
    U8,
    /// `.u16`
    U16,
    /// `.u32`
    U32,
    /// `.u64`
    U64,
    /// `.s8`
    S8,
    /// `.s16`
    S16,
    /// `.s32`
    S32,
    /// `.s64`
    S64,
}

impl Integer {
    /// All types.
    pub const ALL: [Self; 8] =
        [Self::U8, Self::U16, Self::U32, Self::U64, Self::S8, Self::S16, Self::S32, Self::S64];

    /// The width.
    #[inline]
    pub const fn bits(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 8,
            Self::U16 | Self::S16 => 16,
            Self::U32 | Self::S32 => 32,
            Self::U64 | Self::S64 => 64,
        }
    }

    /// Whether there is a sign.
    #[inline]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    /// The type's lower bits of `bits`, extended by zeros or by the sign.
    #[inline]
    pub const fn extend(self, bits: u64) -> u64 {
        match self {
            Self::U8 => bits as u8 as u64,
            Self::U16 => bits as u16 as u64,
            Self::U32 => bits as u32 as u64,
            Self::S8 => bits as i8 as u64,
            Self::S16 => bits as i16 as u64,
            Self::S32 => bits as i32 as u64,
            Self::U64 | Self::S64 => bits,
        }
    }

    /// The value that the type's lower bits of `bits` stand for.
    #[inline]
    pub const fn value(self, bits: u64) -> i128 {
        let bits = self.extend(bits);
        if self.is_signed() { bits as i64 as i128 } else { bits as i128 }
    }

    /// The nearest value of the type.
    #[inline]
    pub const fn clamp(self, value: i128) -> u64 {
        let (lowest, highest) = match self.is_signed() {
            true => (-1 << (self.bits() - 1), (1 << (self.bits() - 1)) - 1),
            false => (0, (1 << self.bits()) - 1),
        };
        if value < lowest {
            lowest as u64
        } else if value > highest {
            highest as u64
        } else {
            value as u64
        }
    }
}

/// `cvt` between integer types, with `.sat` where `saturate`. Without it, upper bits are dropped.
#[inline]
pub fn integer(bits: u64, from: Integer, to: Integer, saturate: bool) -> u64 {
    if saturate { to.clamp(from.value(bits)) } else { to.extend(from.extend(bits)) }
}

/// `cvt` from `.f64`. Clamps to the type's range; NaN gives the type's upper bit alone.
#[inline]
pub fn f64_to_integer(value: f64, to: Integer, rounding: Rounding) -> u64 {
    if value.is_nan() { nan(to) } else { clamped(value, to, rounding) }
}

/// `cvt` from `.f32`, and from what converts to it exactly. Clamps to the type's range; NaN gives 0, for types of
/// 64 bits their upper bit alone.
#[inline]
pub fn f32_to_integer(value: f32, to: Integer, rounding: Rounding) -> u64 {
    if value.is_nan() {
        return if to.bits() == 64 { nan(to) } else { 0 };
    }
    clamped(value.into(), to, rounding)
}

#[inline]
fn nan(to: Integer) -> u64 {
    to.extend(1 << (to.bits() - 1))
}

/// The language's casts truncate and clamp.
#[inline]
fn clamped(value: f64, to: Integer, rounding: Rounding) -> u64 {
    let value = if rounding == Rounding::Zero { value } else { integral::round(value, rounding) };
    match to {
        Integer::U8 => (value as u8).into(),
        Integer::U16 => (value as u16).into(),
        Integer::U32 => (value as u32).into(),
        Integer::U64 => value as u64,
        Integer::S8 => value as i8 as u64,
        Integer::S16 => value as i16 as u64,
        Integer::S32 => value as i32 as u64,
        Integer::S64 => value as i64 as u64,
    }
}

/// `cvt.f32` from a signed integer of any width.
#[inline]
pub fn i64_to_f32(value: i64, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return value as f32;
    }
    f32::from_bits(Format::F32.pack(Number::from_i64(value), rounding) as u32)
}

/// `cvt.f32` from an unsigned integer of any width.
#[inline]
pub fn u64_to_f32(value: u64, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return value as f32;
    }
    f32::from_bits(Format::F32.pack(Number::from_u64(value), rounding) as u32)
}

/// `cvt.f64` from a signed integer of any width.
#[inline]
pub fn i64_to_f64(value: i64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Nearest {
        return value as f64;
    }
    f64::from_bits(Format::F64.pack(Number::from_i64(value), rounding))
}

/// `cvt.f64` from an unsigned integer of any width.
#[inline]
pub fn u64_to_f64(value: u64, rounding: Rounding) -> f64 {
    if rounding == Rounding::Nearest {
        return value as f64;
    }
    f64::from_bits(Format::F64.pack(Number::from_u64(value), rounding))
}
