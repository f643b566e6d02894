//! The 16-bit formats `.f16` and `.bf16`, as bits. "Half Precision Floating Point Instructions" of the PTX ISA.
//!
//! Arithmetic rounds once, to nearest, as its instructions do. Every NaN result is `0x7fff`. `.ftz`, `.sat`, `.relu`
//! and `.satfinite` are functions of their own, on operands and results.

use super::extremum::{self, Modifiers};
use super::format::{Format, Number};
use super::integral;
use super::odd;
use super::rounding::Rounding;

/// One of the two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Half {
    format: Format,
}

impl Half {
    /// `.f16`: 5 bits of exponent, 11 of significand.
    pub const F16: Self = Self { format: Format::F16 };
    /// `.bf16`: 8 bits of exponent, 8 of significand.
    pub const BF16: Self = Self { format: Format::BF16 };
    /// The canonical NaN.
    pub const NAN: u16 = 0x7fff;

    /// The value as `f64`, which is exact.
    #[inline]
    pub fn to_f64(self, bits: u16) -> f64 {
        let (magnitude, negative) = self.parts(bits);
        let value = if magnitude >= self.format.infinity() {
            if self.is_nan(bits) { f64::NAN } else { f64::INFINITY }
        } else {
            self.finite(magnitude)
        };
        if negative { -value } else { value }
    }

    /// The value as `f32`, which is exact. A NaN becomes the canonical one.
    #[inline]
    pub fn to_f32(self, bits: u16) -> f32 {
        super::single::from_f64(self.to_f64(bits), Rounding::Nearest)
    }

    /// `cvt` from `.f64`.
    #[inline]
    pub fn from_f64(self, value: f64, rounding: Rounding) -> u16 {
        if value.is_nan() {
            return Self::NAN;
        }
        if value.is_infinite() {
            return self.format.with_sign(self.format.infinity(), value < 0.0) as u16;
        }
        self.format.pack(Format::F64.unpack(value.to_bits()), rounding) as u16
    }

    /// `cvt` from `.f32`.
    #[inline]
    pub fn from_f32(self, value: f32, rounding: Rounding) -> u16 {
        self.from_f64(value.into(), rounding)
    }

    /// `cvt` from a signed integer of any width.
    #[inline]
    pub fn from_i64(self, value: i64, rounding: Rounding) -> u16 {
        self.format.pack(Number::from_i64(value), rounding) as u16
    }

    /// `cvt` from an unsigned integer of any width.
    #[inline]
    pub fn from_u64(self, value: u64, rounding: Rounding) -> u16 {
        self.format.pack(Number::from_u64(value), rounding) as u16
    }

    /// `cvt.rni` and the like: to an integral value of the same format.
    #[inline]
    pub fn round_integral(self, bits: u16, rounding: Rounding) -> u16 {
        self.from_f64(integral::round(self.to_f64(bits), rounding), Rounding::Nearest)
    }

    /// `add`.
    #[inline]
    pub fn add(self, a: u16, b: u16) -> u16 {
        self.from_f64(odd::add(self.to_f64(a), self.to_f64(b)), Rounding::Nearest)
    }

    /// `sub`.
    #[inline]
    pub fn sub(self, a: u16, b: u16) -> u16 {
        self.add(a, self.neg(b))
    }

    /// `mul`.
    #[inline]
    pub fn mul(self, a: u16, b: u16) -> u16 {
        // Exact as `f64`.
        self.from_f64(self.to_f64(a) * self.to_f64(b), Rounding::Nearest)
    }

    /// `fma`: `a * b + c`.
    #[inline]
    pub fn fma(self, a: u16, b: u16, c: u16) -> u16 {
        let product = self.to_f64(a) * self.to_f64(b);
        self.from_f64(odd::add(product, self.to_f64(c)), Rounding::Nearest)
    }

    /// `neg`: of a NaN too, the sign alone changes.
    #[inline]
    pub fn neg(self, bits: u16) -> u16 {
        bits ^ 0x8000
    }

    /// `abs`: of a NaN too, the sign alone changes.
    #[inline]
    pub fn abs(self, bits: u16) -> u16 {
        bits & 0x7fff
    }

    /// `min`.
    #[inline]
    pub fn min(self, a: u16, b: u16, modifiers: Modifiers) -> u16 {
        extremum::pick(&self.format, a.into(), b.into(), false, modifiers) as u16
    }

    /// `max`.
    #[inline]
    pub fn max(self, a: u16, b: u16, modifiers: Modifiers) -> u16 {
        extremum::pick(&self.format, a.into(), b.into(), true, modifiers) as u16
    }

    /// `tanh.approx`, here rounded to nearest.
    #[inline]
    pub fn tanh(self, bits: u16) -> u16 {
        self.from_f64(self.to_f64(bits).tanh(), Rounding::Nearest)
    }

    /// `ex2.approx`, here rounded to nearest.
    #[inline]
    pub fn ex2(self, bits: u16) -> u16 {
        self.from_f64(self.to_f64(bits).exp2(), Rounding::Nearest)
    }

    /// `.ftz`: a subnormal number becomes zero of its sign.
    #[inline]
    pub fn ftz(self, bits: u16) -> u16 {
        if self.format.is_subnormal(bits.into()) { bits & 0x8000 } else { bits }
    }

    /// `.sat`: clamps to 0..=1. NaN gives positive zero, and so does negative zero.
    #[inline]
    pub fn saturate(self, bits: u16) -> u16 {
        let (magnitude, negative) = self.parts(bits);
        if negative || self.is_nan(bits) { 0 } else { magnitude.min(self.one()) as u16 }
    }

    /// `.relu`: what is negative becomes positive zero, and so does negative zero. A NaN becomes the canonical one.
    #[inline]
    pub fn relu(self, bits: u16) -> u16 {
        match (self.is_nan(bits), self.format.is_negative(bits.into())) {
            (true, _) => Self::NAN,
            (false, true) => 0,
            (false, false) => bits,
        }
    }

    /// `.satfinite`: an infinity becomes the largest finite number of its sign.
    #[inline]
    pub fn saturate_finite(self, bits: u16) -> u16 {
        bits - u16::from(self.parts(bits).0 == self.format.infinity())
    }

    /// Whether the bits are a NaN.
    #[inline]
    pub fn is_nan(self, bits: u16) -> bool {
        self.format.is_nan(bits.into())
    }

    #[inline]
    fn parts(self, bits: u16) -> (u64, bool) {
        (self.format.magnitude(bits.into()), self.format.is_negative(bits.into()))
    }

    /// The bits moved to where `f64` has them. The bias that is missing then is a factor, for subnormal numbers too.
    #[inline]
    fn finite(self, magnitude: u64) -> f64 {
        let bias = i64::from(self.format.lowest) - i64::from(Format::F64.lowest)
            + i64::from(self.format.precision)
            - i64::from(Format::F64.precision);
        let factor = f64::from_bits(((1023 + bias) as u64) << 52);
        f64::from_bits(magnitude << (Format::F64.precision - self.format.precision)) * factor
    }

    #[inline]
    fn one(self) -> u64 {
        self.format.pack(Number::from_u64(1), Rounding::Nearest)
    }
}
