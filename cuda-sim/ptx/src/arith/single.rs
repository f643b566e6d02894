//! Arithmetic on `f32`, rounded once. "Floating Point Instructions" of the PTX ISA.
//!
//! Every NaN result is [`NAN`]. `.ftz` and `.sat` are functions of their own, on operands and results.

use super::extremum::{self, Modifiers};
use super::format::Format;
use super::odd;
use super::rounding::Rounding;

const FORMAT: Format = Format::F32;

/// The canonical NaN.
pub const NAN: f32 = f32::from_bits(FORMAT.nan as u32);

/// `value`, or the canonical NaN for any NaN.
#[inline]
pub fn canonical(value: f32) -> f32 {
    if value.is_nan() { NAN } else { value }
}

/// `add`.
#[inline]
pub fn add(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return canonical(a + b);
    }
    let sum = odd::add(a.into(), b.into());
    narrow_sum(sum, a.is_sign_positive() && b.is_sign_positive(), rounding)
}

/// `sub`.
#[inline]
pub fn sub(a: f32, b: f32, rounding: Rounding) -> f32 {
    add(a, -b, rounding)
}

/// `mul`.
#[inline]
pub fn mul(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return canonical(a * b);
    }
    // 24 bits times 24 bits fit in 53, and no exponent is out of range: exact.
    from_f64(f64::from(a) * f64::from(b), rounding)
}

/// `div` with a rounding modifier.
#[inline]
pub fn div(a: f32, b: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return canonical(a / b);
    }
    from_f64(odd::div(a.into(), b.into()), rounding)
}

/// `rcp` with a rounding modifier.
#[inline]
pub fn rcp(a: f32, rounding: Rounding) -> f32 {
    div(1.0, a, rounding)
}

/// `fma`, and `mad` of this type: `a * b + c` with a single rounding.
#[inline]
pub fn fma(a: f32, b: f32, c: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return canonical(a.mul_add(b, c));
    }
    let product = f64::from(a) * f64::from(b);
    let sum = odd::add(product, c.into());
    narrow_sum(sum, product.is_sign_positive() && c.is_sign_positive(), rounding)
}

/// `sqrt` with a rounding modifier.
#[inline]
pub fn sqrt(a: f32, rounding: Rounding) -> f32 {
    if rounding == Rounding::Nearest {
        return canonical(a.sqrt());
    }
    from_f64(odd::sqrt(a.into()), rounding)
}

/// A sum as `f32`. A sum of nonzero numbers that is zero is negative where rounded down, and so is one of zeros
/// unless both are positive.
#[inline]
fn narrow_sum(sum: f64, positive: bool, rounding: Rounding) -> f32 {
    if sum == 0.0 && rounding == Rounding::Down && !positive {
        return -0.0;
    }
    from_f64(sum, rounding)
}

/// `cvt.f32.f64`.
#[inline]
pub fn from_f64(value: f64, rounding: Rounding) -> f32 {
    let nearest = canonical(value as f32);
    let wide = f64::from(nearest);
    match rounding {
        Rounding::Nearest => nearest,
        Rounding::Down if wide > value => nearest.next_down(),
        Rounding::Up if wide < value => nearest.next_up(),
        Rounding::Zero if wide.abs() > value.abs() => f32::from_bits(nearest.to_bits() - 1),
        _ => nearest,
    }
}

/// `min`.
#[inline]
pub fn min(a: f32, b: f32, modifiers: Modifiers) -> f32 {
    select(a, b, false, modifiers)
}

/// `max`.
#[inline]
pub fn max(a: f32, b: f32, modifiers: Modifiers) -> f32 {
    select(a, b, true, modifiers)
}

#[inline]
fn select(a: f32, b: f32, largest: bool, modifiers: Modifiers) -> f32 {
    let bits = extremum::pick(&FORMAT, a.to_bits().into(), b.to_bits().into(), largest, modifiers);
    f32::from_bits(bits as u32)
}

/// `.ftz`: a subnormal number becomes zero of its sign.
#[inline]
pub fn ftz(value: f32) -> f32 {
    if value.is_subnormal() { f32::from_bits(value.to_bits() & FORMAT.sign() as u32) } else { value }
}

/// `.sat`: clamps to 0..=1. NaN gives positive zero, and so does negative zero.
#[inline]
pub fn saturate(value: f32) -> f32 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Modifiers = Modifiers { nan: false, abs: false, xorsign: false };

    #[test]
    fn invalid_operations_give_the_canonical_nan() {
        for mode in Rounding::ALL {
            let results = [
                add(f32::INFINITY, f32::NEG_INFINITY, mode),
                mul(0.0, f32::INFINITY, mode),
                div(0.0, -0.0, mode),
                sqrt(-1.0, mode),
                fma(f32::INFINITY, 1.0, f32::NEG_INFINITY, mode),
                sub(f32::from_bits(0xff80_0001), 1.0, mode),
                from_f64(-f64::NAN, mode),
            ];
            assert_eq!(results.map(f32::to_bits), [0x7fff_ffff; 7], "{mode:?}");
        }
    }

    #[test]
    fn zeros_of_sums_are_negative_rounded_down_alone() {
        for mode in Rounding::ALL {
            let sign = if mode == Rounding::Down { 0x8000_0000 } else { 0 };
            assert_eq!(add(1.5, -1.5, mode).to_bits(), sign);
            assert_eq!(sub(0.0, 0.0, mode).to_bits(), sign);
            assert_eq!(fma(2.0, 3.0, -6.0, mode).to_bits(), sign);
            assert_eq!(add(0.0, 0.0, mode).to_bits(), 0);
            assert_eq!(add(-0.0, -0.0, mode).to_bits(), 0x8000_0000);
        }
    }

    #[test]
    fn a_nan_loses_unless_asked_for() {
        assert_eq!((min(f32::NAN, 2.0, PLAIN), max(-3.0, f32::NAN, PLAIN)), (2.0, -3.0));
        assert_eq!(min(-f32::NAN, f32::NAN, PLAIN).to_bits(), 0x7fff_ffff);
        assert_eq!(max(-f32::NAN, 2.0, Modifiers { nan: true, ..PLAIN }).to_bits(), 0x7fff_ffff);
    }

    #[test]
    fn negative_zero_is_the_lesser() {
        assert_eq!((min(0.0, -0.0, PLAIN).to_bits(), min(-0.0, 0.0, PLAIN).to_bits()), (1 << 31, 1 << 31));
        assert_eq!((max(0.0, -0.0, PLAIN).to_bits(), max(-0.0, 0.0, PLAIN).to_bits()), (0, 0));
        assert_eq!((min(-1.0, 2.0, PLAIN), max(-1.0, -2.0, PLAIN)), (-1.0, -1.0));
    }

    #[test]
    fn signs_multiply_where_asked() {
        let xorsign = Modifiers { abs: true, xorsign: true, nan: false };
        assert_eq!((min(-3.0, 2.0, xorsign), max(-3.0, 2.0, xorsign)), (-2.0, -3.0));
        assert_eq!((min(-3.0, -2.0, xorsign), max(3.0, f32::NAN, xorsign)), (2.0, 3.0));
        assert_eq!(max(-f32::NAN, f32::NAN, xorsign).to_bits(), 0x7fff_ffff);
        assert_eq!(max(-3.0, 2.0, Modifiers { abs: true, ..PLAIN }), 3.0);
    }

    #[test]
    fn subnormal_numbers_alone_are_flushed() {
        let cases =
            [(0x807f_ffff, 0x8000_0000), (1, 0), (0x0080_0000, 0x0080_0000), (0xff80_0001, 0xff80_0001)];
        for (bits, expected) in cases {
            assert_eq!(ftz(f32::from_bits(bits)).to_bits(), expected);
        }
    }

    #[test]
    fn saturation_has_no_negative_zero_and_no_nan() {
        let bits = [f32::NAN, -0.0, -1.0, f32::NEG_INFINITY, 0.25, 1.5, f32::INFINITY]
            .map(|v| saturate(v).to_bits());
        assert_eq!(bits, [0, 0, 0, 0, 0x3e80_0000, 0x3f80_0000, 0x3f80_0000]);
    }
}
