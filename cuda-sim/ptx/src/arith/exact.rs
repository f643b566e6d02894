//! Arithmetic on `f64` with the exact result at hand, for the directed rounding modes.
//!
//! Error-free transforms fail where the error itself underflows. Integers of 128 bits do not, and these modes are
//! rare for `f64`.

use super::format::{Format, Number};
use super::rounding::Rounding;

const FORMAT: Format = Format::F64;

/// A finite number with room for a product, or for a quotient's digits beyond those of a format.
#[derive(Clone, Copy, Debug)]
struct Wide {
    negative: bool,
    significand: u128,
    exponent: i32,
}

/// Where [`Wide::normalized`] puts the leading bit: a sum has one bit more.
const LEADING: u32 = 126;

impl Wide {
    fn of(value: f64) -> Self {
        let Number { negative, significand, exponent } = FORMAT.unpack(value.to_bits());
        Self { negative, significand: significand.into(), exponent }
    }

    /// The same number with its leading bit at [`LEADING`]. Not for zero.
    fn normalized(self) -> Self {
        let shift = self.significand.leading_zeros() as i32 - (127 - LEADING as i32);
        let significand =
            if shift < 0 { jam(self.significand, shift.unsigned_abs()) } else { self.significand << shift };
        Self { significand, exponent: self.exponent - shift, ..self }
    }

    fn product(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            significand: self.significand * other.significand,
            exponent: self.exponent + other.exponent,
        }
    }

    /// The sum. Where bits are lost, the smaller number is so small that no digit that counts cancels.
    fn sum(self, other: Self, rounding: Rounding) -> Self {
        if self.significand == 0 || other.significand == 0 {
            return self.sum_with_zero(other, rounding);
        }
        let (a, b) = (self.normalized(), other.normalized());
        let (large, small) =
            if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
        let aligned = jam(small.significand, (large.exponent - small.exponent).unsigned_abs());
        if large.negative == small.negative {
            return Self { significand: large.significand + aligned, ..large };
        }
        let significand = large.significand - aligned;
        let negative = if significand == 0 { rounding == Rounding::Down } else { large.negative };
        Self { negative, significand, exponent: large.exponent }
    }

    fn sum_with_zero(self, other: Self, rounding: Rounding) -> Self {
        match (self.significand, other.significand) {
            (0, 0) if self.negative != other.negative => {
                Self { negative: rounding == Rounding::Down, ..self }
            }
            (0, _) => other,
            _ => self,
        }
    }

    fn rounded(self, rounding: Rounding) -> f64 {
        let Self { negative, significand, exponent } = self;
        let excess = 64u32.saturating_sub(significand.leading_zeros());
        let number = Number {
            negative,
            significand: jam(significand, excess) as u64,
            exponent: exponent + excess as i32,
        };
        f64::from_bits(FORMAT.pack(number, rounding))
    }
}

/// `value / 2^shift`, its last bit set where anything nonzero was shifted out.
fn jam(value: u128, shift: u32) -> u128 {
    match shift {
        0 => value,
        1..128 => value >> shift | u128::from(value << (128 - shift) != 0),
        _ => u128::from(value != 0),
    }
}

/// `a * b + c` of finite numbers.
pub(super) fn fma(a: f64, b: f64, c: f64, rounding: Rounding) -> f64 {
    Wide::of(a).product(Wide::of(b)).sum(Wide::of(c), rounding).rounded(rounding)
}

/// `a + b` of finite numbers.
pub(super) fn add(a: f64, b: f64, rounding: Rounding) -> f64 {
    Wide::of(a).sum(Wide::of(b), rounding).rounded(rounding)
}

/// `a * b` of finite numbers.
pub(super) fn mul(a: f64, b: f64, rounding: Rounding) -> f64 {
    Wide::of(a).product(Wide::of(b)).rounded(rounding)
}

/// `a / b` of finite numbers. Zero where `b` is zero, which is the caller's case.
pub(super) fn div(a: f64, b: f64, rounding: Rounding) -> f64 {
    let (a, b) = (Wide::of(a), Wide::of(b));
    let negative = a.negative != b.negative;
    if a.significand == 0 || b.significand == 0 {
        return f64::from_bits(FORMAT.with_sign(0, negative));
    }
    let a = a.normalized();
    let (quotient, rest) = (a.significand / b.significand, a.significand % b.significand);
    let significand = quotient | u128::from(rest != 0);
    Wide { negative, significand, exponent: a.exponent - b.exponent }.rounded(rounding)
}

/// The square root of a finite number that is not negative.
pub(super) fn sqrt(value: f64, rounding: Rounding) -> f64 {
    let wide = Wide::of(value);
    if wide.significand == 0 {
        return value;
    }
    let mut wide = wide.normalized();
    if wide.exponent % 2 != 0 {
        wide = Wide { significand: wide.significand << 1, exponent: wide.exponent - 1, ..wide };
    }
    let root = wide.significand.isqrt();
    let significand = root | u128::from(root * root != wide.significand);
    Wide { significand, exponent: wide.exponent / 2, ..wide }.rounded(rounding)
}
