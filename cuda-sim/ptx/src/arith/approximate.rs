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

#[cfg(test)]
mod tests {
    use super::*;

    const NEGATIVE_ZERO: u32 = 0x8000_0000;

    #[track_caller]
    fn check(function: fn(f32) -> f32, cases: &[(f32, f32)]) {
        for (operand, expected) in cases {
            let result = function(*operand);
            assert_eq!(result.to_bits(), expected.to_bits(), "{operand}: {result}, not {expected}");
        }
    }

    #[test]
    fn special_operands_give_what_the_tables_say() {
        let (inf, sub) = (f32::INFINITY, f32::from_bits(1));
        check(rcp, &[(-inf, -0.0), (-0.0, -inf), (0.0, inf), (inf, 0.0), (-f32::NAN, NAN), (4.0, 0.25)]);
        check(sqrt, &[(-inf, NAN), (-1.0, NAN), (-0.0, -0.0), (0.0, 0.0), (inf, inf), (9.0, 3.0)]);
        check(rsqrt, &[(-inf, NAN), (-1.0, NAN), (-0.0, -inf), (0.0, inf), (inf, 0.0), (4.0, 0.5)]);
        check(sin, &[(-inf, NAN), (-0.0, -0.0), (0.0, 0.0), (inf, NAN), (sub, sub), (-f32::NAN, NAN)]);
        check(cos, &[(-inf, NAN), (-0.0, 1.0), (sub, 1.0), (inf, NAN)]);
        check(
            lg2,
            &[(-inf, NAN), (-1.0, NAN), (-0.0, -inf), (0.0, -inf), (inf, inf), (sub, -149.0), (8.0, 3.0)],
        );
        check(
            ex2,
            &[(-inf, 0.0), (-0.0, 1.0), (sub, 1.0), (inf, inf), (-149.0, sub), (3.0, 8.0), (128.0, inf)],
        );
        check(tanh, &[(-inf, -1.0), (-0.0, -0.0), (sub, sub), (inf, 1.0), (-f32::NAN, NAN)]);
    }

    #[test]
    fn division_by_a_great_number_gives_zero() {
        let great = f32::from_bits(0x7e80_0001);
        assert_eq!(div(-1.0e38, great).to_bits(), NEGATIVE_ZERO);
        assert_eq!(div(f32::INFINITY, great).to_bits(), 0x7fff_ffff);
        assert_eq!(div(1.0e38, great.next_down()), 1.0e38 / great.next_down());
        assert_eq!((div(1.0, 0.0), div(6.0, -3.0), div(1.0, f32::INFINITY)), (f32::INFINITY, -2.0, 0.0));
        assert_eq!(div_full(1.0e38, 2.0e38), 0.5);
        assert_eq!(div_full(0.0, 0.0).to_bits(), 0x7fff_ffff);
    }

    #[test]
    fn gross_reciprocals_are_upper_words() {
        let bits = |function: fn(f64) -> f64, value: f64| function(value).to_bits();
        assert_eq!(rcp_ftz_f64(4.0), 0.25);
        assert_eq!(bits(rcp_ftz_f64, 3.0), 0x3fd5_5555_0000_0000);
        // The lower word does not count.
        assert_eq!(bits(rcp_ftz_f64, 3.0f64.next_up()), 0x3fd5_5555_0000_0000);
        assert_eq!(rcp_ftz_f64(-f64::from_bits(1 << 40)), f64::NEG_INFINITY);
        assert_eq!(bits(rcp_ftz_f64, -f64::MAX), 1 << 63);
        assert_eq!(bits(rcp_ftz_f64, f64::NEG_INFINITY), 1 << 63);
        assert_eq!(bits(rcp_ftz_f64, f64::NAN), 0x7fff_ffff_0000_0000);
        assert_eq!(bits(rsqrt_ftz_f64, -1.0), 0x7fff_ffff_0000_0000);
        assert_eq!((rsqrt_ftz_f64(16.0), rsqrt_ftz_f64(-0.0)), (0.25, f64::NEG_INFINITY));
    }

    #[test]
    fn the_reciprocal_root_keeps_payloads() {
        assert_eq!(rsqrt_f64(16.0), 0.25);
        assert_eq!(rsqrt_f64(-1.0).to_bits(), 0xfff8 << 48);
        assert_eq!(rsqrt_f64(f64::from_bits(0x7ff0_0000_0000_0001)).to_bits(), 0x7ff8_0000_0000_0001);
        assert_eq!(rsqrt_f64(f64::from_bits(4)), 2f64.powi(536));
    }
}
