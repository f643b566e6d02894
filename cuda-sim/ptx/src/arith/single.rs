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
