//! The format `.tf32`: the upper 19 bits of `.f32`, the others zero.
//! "Data Movement and Conversion Instructions: cvt" of the PTX ISA.

use super::format::Format;
use super::rounding::Rounding;

const FORMAT: Format = Format::TF32;
/// What `.f32` has below a number of this format.
const BELOW: u32 = 13;

/// The canonical NaN.
pub const NAN: u32 = 0x7fff_ffff;

/// `cvt.tf32.f32`.
#[inline]
pub fn from_f32(value: f32, rounding: Rounding) -> u32 {
    match value {
        _ if value.is_nan() => NAN,
        _ if value.is_infinite() => value.to_bits(),
        _ => (FORMAT.pack(Format::F32.unpack(value.to_bits().into()), rounding) as u32) << BELOW,
    }
}

/// `cvt.rna.tf32.f32`: to nearest, ties away from zero.
#[inline]
pub fn from_f32_away(value: f32) -> u32 {
    if value.is_nan() {
        return NAN;
    }
    // The carry of a significand into the exponent is what it should be, up to infinity.
    let ties_carry = value.to_bits().wrapping_add(1 << (BELOW - 1));
    ties_carry >> BELOW << BELOW
}

/// `.relu`: what is negative becomes positive zero. A NaN becomes the canonical one.
#[inline]
pub fn relu(bits: u32) -> u32 {
    match f32::from_bits(bits) {
        value if value.is_nan() => NAN,
        value if value.is_sign_negative() => 0,
        _ => bits,
    }
}

/// `.satfinite`: an infinity becomes the largest finite number of its sign.
#[inline]
pub fn saturate_finite(bits: u32) -> u32 {
    if f32::from_bits(bits).is_infinite() { bits - (1 << BELOW) } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::arith::rounding::Rounding::{Down, Nearest, Up, Zero};

    fn of(bits: u32, rounding: Rounding) -> u32 {
        from_f32(f32::from_bits(bits), rounding)
    }

    #[test]
    fn ten_bits_of_fraction_are_kept() {
        assert_eq!(of(0x3f80_1000, Nearest), 0x3f80_0000);
        assert_eq!(of(0x3f80_1001, Nearest), 0x3f80_2000);
        assert_eq!(of(0x3f80_3000, Nearest), 0x3f80_4000);
        assert_eq!(of(0xbf80_1fff, Zero), 0xbf80_0000);
        assert_eq!(of(0xbf80_0001, Down), 0xbf80_2000);
        assert_eq!(of(0x0000_0001, Up), 0x0000_2000);
        assert_eq!(of(0x7f7f_ffff, Nearest), 0x7f80_0000);
        assert_eq!(of(0x7f7f_ffff, Zero), 0x7f7f_e000);
        assert_eq!(of(0xff80_0001, Zero), NAN);
        assert_eq!(of(0xff80_0000, Zero), 0xff80_0000);
    }

    #[test]
    fn ties_go_away_from_zero() {
        let of = |bits| from_f32_away(f32::from_bits(bits));
        assert_eq!(of(0x3f80_1000), 0x3f80_2000);
        assert_eq!(of(0xbf80_1000), 0xbf80_2000);
        assert_eq!(of(0x3f80_0fff), 0x3f80_0000);
        assert_eq!(of(0x7f7f_ffff), 0x7f80_0000);
        assert_eq!(of(0xff80_0000), 0xff80_0000);
        assert_eq!(of(0xffff_ffff), NAN);
    }

    #[test]
    fn results_are_limited() {
        assert_eq!(relu(0xbf80_0000), 0);
        assert_eq!(relu(0x3f80_0000), 0x3f80_0000);
        assert_eq!(relu(0xffff_e000), NAN);
        assert_eq!(saturate_finite(0xff80_0000), 0xff7f_e000);
        assert_eq!(saturate_finite(NAN), NAN);
        assert_eq!(saturate_finite(0x3f80_0000), 0x3f80_0000);
    }
}
