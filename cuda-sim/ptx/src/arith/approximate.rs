//! The `.approx` and `.full` instructions. "Floating Point Instructions" of the PTX ISA bounds their errors.
//!
//! What they give here is the exact result rounded to nearest, or nearly: within all bounds, but hardware differs in
//! the last bits. `.ftz` is for the caller to apply, but for the instructions that always have it.

use super::double;
use super::single::{NAN, canonical};

/// `rcp.approx.f32`.
#[inline]
pub fn rcp(a: f32) -> f32 {
    canonical(1.0 / a)
}

/// `sqrt.approx.f32`.
#[inline]
pub fn sqrt(a: f32) -> f32 {
    canonical(a.sqrt())
}

/// `rsqrt.approx.f32`. Of negative zero, negative infinity.
#[inline]
pub fn rsqrt(a: f32) -> f32 {
    narrow(1.0 / f64::from(a).sqrt())
}

/// `sin.approx.f32`.
#[inline]
pub fn sin(a: f32) -> f32 {
    narrow(f64::from(a).sin())
}

/// `cos.approx.f32`.
#[inline]
pub fn cos(a: f32) -> f32 {
    narrow(f64::from(a).cos())
}

/// `lg2.approx.f32`.
#[inline]
pub fn lg2(a: f32) -> f32 {
    narrow(f64::from(a).log2())
}

/// `ex2.approx.f32`.
#[inline]
pub fn ex2(a: f32) -> f32 {
    narrow(f64::from(a).exp2())
}

/// `tanh.approx.f32`.
#[inline]
pub fn tanh(a: f32) -> f32 {
    narrow(f64::from(a).tanh())
}

/// `div.approx.f32`. It multiplies by the reciprocal, which is zero for a divisor above 2^126.
#[inline]
pub fn div(a: f32, b: f32) -> f32 {
    const LARGEST: f32 = f32::from_bits(0x7e80_0000);
    if b.abs() <= LARGEST || !b.is_finite() {
        return canonical(a / b);
    }
    canonical(a * 0f32.copysign(b))
}

/// `div.full.f32`.
#[inline]
pub fn div_full(a: f32, b: f32) -> f32 {
    canonical(a / b)
}

/// `rcp.approx.ftz.f64`: from and to the upper word alone.
#[inline]
pub fn rcp_ftz_f64(a: f64) -> f64 {
    upper(1.0 / flushed(truncated(a)))
}

/// `rsqrt.approx.ftz.f64`: from and to the upper word alone.
#[inline]
pub fn rsqrt_ftz_f64(a: f64) -> f64 {
    upper(1.0 / flushed(truncated(a)).sqrt())
}

/// `rsqrt.approx.f64`.
#[inline]
pub fn rsqrt_f64(a: f64) -> f64 {
    match 1.0 / a.sqrt() {
        root if !root.is_nan() => root,
        _ if a.is_nan() => double::quiet(a),
        _ => double::NAN,
    }
}

#[inline]
fn narrow(value: f64) -> f32 {
    if value.is_nan() { NAN } else { value as f32 }
}

const LOWER: u64 = 0xffff_ffff;

/// The upper word. It does not tell a NaN whose payload is in the lower word from an infinity.
#[inline]
fn truncated(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & !LOWER)
}

#[inline]
fn flushed(value: f64) -> f64 {
    if value.is_subnormal() { 0f64.copysign(value) } else { value }
}

/// `value` rounded to what the upper word holds.
#[inline]
fn upper(value: f64) -> f64 {
    if value.is_nan() {
        return f64::from_bits(0x7fff_ffff << 32);
    }
    let bits = flushed(value).to_bits();
    f64::from_bits((bits + (LOWER >> 1) + (bits >> 32 & 1)) & !LOWER)
}
