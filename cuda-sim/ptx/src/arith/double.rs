//! Arithmetic on `f64`, rounded once. "Floating Point Instructions" of the PTX ISA.
//!
//! A NaN operand's payload is kept, of the first such operand, as a quiet NaN; which payload hardware keeps is not
//! documented. Invalid operations give `0xfff8000000000000`.

use super::exact;
use super::extremum::{self, Modifiers};
use super::format::Format;
use super::rounding::Rounding;

const FORMAT: Format = Format::F64;
const QUIET: u64 = 1 << 51;

/// What invalid operations give.
pub const NAN: f64 = f64::from_bits(FORMAT.nan);

/// `add`.
#[inline]
pub fn add(a: f64, b: f64, rounding: Rounding) -> f64 {
    let sum = a + b;
    if sum.is_nan() {
        return invalid(&[a, b]);
    }
    if rounding == Rounding::Nearest || !a.is_finite() || !b.is_finite() {
        return sum;
    }
    exact::add(a, b, rounding)
}

/// `sub`.
#[inline]
pub fn sub(a: f64, b: f64, rounding: Rounding) -> f64 {
    // Negation would change the payload of a NaN.
    add(a, if b.is_nan() { b } else { -b }, rounding)
}

/// `mul`.
#[inline]
pub fn mul(a: f64, b: f64, rounding: Rounding) -> f64 {
    let product = a * b;
    if product.is_nan() {
        return invalid(&[a, b]);
    }
    if rounding == Rounding::Nearest || !a.is_finite() || !b.is_finite() {
        return product;
    }
    exact::mul(a, b, rounding)
}

/// `div` with a rounding modifier.
#[inline]
pub fn div(a: f64, b: f64, rounding: Rounding) -> f64 {
    let quotient = a / b;
    if quotient.is_nan() {
        return invalid(&[a, b]);
    }
    if rounding == Rounding::Nearest || !a.is_finite() || !b.is_finite() || b == 0.0 {
        return quotient;
    }
    exact::div(a, b, rounding)
}

/// `rcp` with a rounding modifier.
#[inline]
pub fn rcp(a: f64, rounding: Rounding) -> f64 {
    div(1.0, a, rounding)
}

/// `fma`, and `mad` of this type: `a * b + c` with a single rounding.
#[inline]
pub fn fma(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    let sum = a.mul_add(b, c);
    if sum.is_nan() {
        return invalid(&[a, b, c]);
    }
    if rounding == Rounding::Nearest || !a.is_finite() || !b.is_finite() || !c.is_finite() {
        return sum;
    }
    exact::fma(a, b, c, rounding)
}

/// `sqrt` with a rounding modifier.
#[inline]
pub fn sqrt(a: f64, rounding: Rounding) -> f64 {
    let root = a.sqrt();
    if root.is_nan() {
        return invalid(&[a]);
    }
    if rounding == Rounding::Nearest || !a.is_finite() {
        return root;
    }
    exact::sqrt(a, rounding)
}

/// `min`.
#[inline]
pub fn min(a: f64, b: f64) -> f64 {
    select(a, b, false)
}

/// `max`.
#[inline]
pub fn max(a: f64, b: f64) -> f64 {
    select(a, b, true)
}

fn select(a: f64, b: f64, largest: bool) -> f64 {
    if a.is_nan() && b.is_nan() {
        return invalid(&[a]);
    }
    f64::from_bits(extremum::pick(&FORMAT, a.to_bits(), b.to_bits(), largest, Modifiers::default()))
}

/// `.sat`: clamps to 0..=1. NaN gives positive zero, and so does negative zero.
#[inline]
pub fn saturate(value: f64) -> f64 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// `cvt.f64.f32`, which is exact. A NaN keeps its payload.
#[inline]
pub fn from_f32(value: f32) -> f64 {
    if value.is_nan() {
        let bits = u64::from(value.to_bits());
        let (sign, fraction) = ((bits >> 31) << 63, (bits & 0x007f_ffff) << 29);
        return f64::from_bits(sign | FORMAT.infinity() | QUIET | fraction);
    }
    f64::from(value)
}

/// A NaN as operations give it, its payload kept.
#[inline]
pub(super) fn quiet(nan: f64) -> f64 {
    f64::from_bits(nan.to_bits() | QUIET)
}

/// The NaN that an operation on these operands gives.
#[cold]
fn invalid(operands: &[f64]) -> f64 {
    let nan = operands.iter().find(|operand| operand.is_nan());
    nan.map_or(NAN, |nan| quiet(*nan))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAYLOAD: f64 = f64::from_bits(0xfff0_0000_0000_0007);
    const QUIETED: u64 = 0xfff8_0000_0000_0007;

    #[test]
    fn the_first_nans_payload_is_kept() {
        let other = f64::from_bits(0x7ff8_0000_0000_0009);
        for mode in Rounding::ALL {
            let results = [
                add(1.0, PAYLOAD, mode),
                sub(1.0, PAYLOAD, mode),
                mul(PAYLOAD, other, mode),
                div(PAYLOAD, 0.0, mode),
                rcp(PAYLOAD, mode),
                sqrt(PAYLOAD, mode),
                fma(f64::INFINITY, 0.0, PAYLOAD, mode),
            ];
            assert_eq!(results.map(f64::to_bits), [QUIETED; 7], "{mode:?}");
            assert_eq!(fma(other, PAYLOAD, 0.0, mode).to_bits(), other.to_bits());
        }
    }

    #[test]
    fn invalid_operations_give_the_documented_nan() {
        for mode in Rounding::ALL {
            let results = [
                add(f64::INFINITY, f64::NEG_INFINITY, mode),
                mul(0.0, f64::INFINITY, mode),
                div(f64::INFINITY, f64::INFINITY, mode),
                sqrt(-1.0, mode),
                fma(0.0, f64::INFINITY, 1.0, mode),
            ];
            assert_eq!(results.map(f64::to_bits), [0xfff8_0000_0000_0000; 5], "{mode:?}");
        }
    }

    #[test]
    fn the_lesser_and_the_greater_prefer_numbers() {
        assert_eq!((min(PAYLOAD, 2.0), max(2.0, PAYLOAD)), (2.0, 2.0));
        assert_eq!(min(PAYLOAD, f64::NAN).to_bits(), QUIETED);
        assert_eq!((min(0.0, -0.0).to_bits(), max(-0.0, 0.0).to_bits()), (1 << 63, 0));
        assert_eq!((min(-1.0, 1.0), max(f64::NEG_INFINITY, f64::MIN)), (-1.0, f64::MIN));
    }

    #[test]
    fn widening_keeps_values_and_payloads() {
        for bits in [0, 0x8000_0000, 1, 0x807f_ffff, 0x3f80_0001, 0x7f80_0000, 0xff7f_ffff] {
            let value = f32::from_bits(bits);
            assert_eq!(from_f32(value).to_bits(), f64::from(value).to_bits());
        }
        assert_eq!(from_f32(f32::from_bits(0xff80_0001)).to_bits(), 0xfff8_0000_2000_0000);
    }

    #[test]
    fn saturation_has_no_negative_zero_and_no_nan() {
        let bits = [f64::NAN, -0.0, -1.0, 0.25, 7.0].map(|value| saturate(value).to_bits());
        assert_eq!(bits, [0, 0, 0, 0x3fd0 << 48, 0x3ff0 << 48]);
    }
}
