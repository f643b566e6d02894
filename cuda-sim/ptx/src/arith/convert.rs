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

#[cfg(test)]
mod tests {
    use super::*;

    use crate::arith::rounding::Rounding::{Down, Nearest, Up, Zero};

    #[test]
    fn halves_go_where_the_mode_says() {
        for (value, expected) in [
            (2.5, [2, 2, 2, 3]),
            (3.5, [4, 3, 3, 4]),
            (-2.5, [-2, -2, -3, -2]),
            (0.3, [0, 0, 0, 1]),
            (-0.7, [-1, 0, -1, 0]),
        ] {
            for (mode, expected) in Rounding::ALL.into_iter().zip(expected) {
                assert_eq!(f64_to_integer(value, Integer::S32, mode) as i32, expected, "{value} {mode:?}");
                assert_eq!(f32_to_integer(value as f32, Integer::S8, mode) as i8, expected as i8);
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_clamped() {
        for to in Integer::ALL {
            let (lowest, highest) = (to.clamp(i128::MIN), to.clamp(i128::MAX));
            for value in [1e30, f64::MAX, f64::INFINITY] {
                assert_eq!(f64_to_integer(value, to, Nearest), highest, "{to:?}");
                assert_eq!(f32_to_integer(value as f32, to, Up), highest);
                assert_eq!(f64_to_integer(-value, to, Zero), lowest);
                assert_eq!(f32_to_integer(-value as f32, to, Down), lowest);
            }
        }
        assert_eq!(f64_to_integer(-0.5, Integer::U32, Down), 0);
        assert_eq!(f64_to_integer(255.5, Integer::U8, Nearest), 255);
        assert_eq!(f64_to_integer(127.5, Integer::S8, Zero), 127);
        assert_eq!(f64_to_integer(2147483646.5, Integer::S32, Up), 0x7fff_ffff);
        assert_eq!(f64_to_integer(-129.0, Integer::S8, Zero) as i64, -128);
        assert_eq!(f32_to_integer(2f32.powi(63), Integer::U64, Zero), 1 << 63);
    }

    #[test]
    fn nan_depends_on_both_types() {
        for to in Integer::ALL {
            let upper_bit = to.extend(1 << (to.bits() - 1));
            assert_eq!(f64_to_integer(f64::NAN, to, Nearest), upper_bit);
            assert_eq!(f32_to_integer(-f32::NAN, to, Nearest), if to.bits() == 64 { upper_bit } else { 0 });
        }
        assert_eq!(f64_to_integer(f64::NAN, Integer::S32, Zero) as i64, i32::MIN.into());
        assert_eq!(f64_to_integer(f64::NAN, Integer::U32, Zero), 0x8000_0000);
    }

    #[test]
    fn integers_are_cut_or_clamped() {
        let cases = [
            (0xffff_ff80, Integer::S32, Integer::S8, 0x80, 0x80),
            (0xffff_ff7f, Integer::S32, Integer::S8, 0x7f, 0x80),
            (200, Integer::U32, Integer::S8, 200, 0x7f),
            (0xffff_ffff, Integer::S32, Integer::U8, 0xff, 0),
            (0x1_0000, Integer::U32, Integer::U16, 0, 0xffff),
            (u64::MAX, Integer::U64, Integer::S64, u64::MAX, i64::MAX as u64),
            (u64::MAX, Integer::S64, Integer::U64, u64::MAX, 0),
            (u64::MAX, Integer::U64, Integer::S32, 0xffff_ffff, 0x7fff_ffff),
        ];
        for (bits, from, to, cut, clamped) in cases {
            assert_eq!(integer(bits, from, to, false), to.extend(cut), "{bits:x} {from:?} {to:?}");
            assert_eq!(integer(bits, from, to, true), to.extend(clamped), "{bits:x} {from:?} {to:?}");
        }
    }

    #[test]
    fn the_result_is_extended_and_the_operands_upper_bits_ignored() {
        assert_eq!(integer(0xdead_00ff, Integer::S8, Integer::S32, false), u64::MAX);
        assert_eq!(integer(0xdead_00ff, Integer::U8, Integer::S32, false), 0xff);
        assert_eq!(integer(0xff, Integer::S8, Integer::U32, false), 0xffff_ffff);
        assert_eq!(integer(0x80, Integer::U32, Integer::S8, false), 0x80_u8 as i8 as u64);
    }

    #[test]
    fn unsigned_integers_above_the_signed_round_once() {
        // All modes, of a tie and of a number just above one.
        for (value, expected) in [
            (u64::MAX, [0x5f80_0000, 0x5f7f_ffff, 0x5f7f_ffff, 0x5f80_0000]),
            (0x8000_0080_0000_0000, [0x5f00_0000, 0x5f00_0000, 0x5f00_0000, 0x5f00_0001]),
            (0x8000_0080_0000_0001, [0x5f00_0001, 0x5f00_0000, 0x5f00_0000, 0x5f00_0001]),
        ] {
            for (mode, expected) in Rounding::ALL.into_iter().zip(expected) {
                assert_eq!(u64_to_f32(value, mode).to_bits(), expected, "{value:x} {mode:?}");
            }
        }
        assert_eq!(u64_to_f64(u64::MAX, Zero), 18446744073709549568.0);
        assert_eq!(u64_to_f64(u64::MAX, Up), 18446744073709551616.0);
        assert_eq!(i64_to_f64(i64::MIN, Down), -9223372036854775808.0);
        assert_eq!(i64_to_f32(-16777217, Down), -16777218.0);
        assert_eq!(i64_to_f32(-16777217, Up), -16777216.0);
        assert_eq!(u64_to_f64(0, Down).to_bits(), 0);
    }
}
