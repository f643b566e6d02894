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
