//! `f16` and `bf16`: all values, and results beside exact ones.

use super::random::Random;
use crate::arith::extremum::Modifiers;
use crate::arith::half::Half;
use crate::arith::rounding::Rounding;

/// A format described anew: exponent bits and fraction bits.
#[derive(Clone, Copy)]
struct Layout {
    half: Half,
    exponent: u32,
    fraction: u32,
}

const F16: Layout = Layout { half: Half::F16, exponent: 5, fraction: 10 };
const BF16: Layout = Layout { half: Half::BF16, exponent: 8, fraction: 7 };

impl Layout {
    fn infinity(self) -> u16 {
        0x7fff >> self.fraction << self.fraction
    }

    /// What magnitude bits stand for. Infinity counts as the number that would follow the finite ones.
    fn value(self, magnitude: u16) -> f64 {
        let (field, fraction) = (magnitude >> self.fraction, magnitude & ((1 << self.fraction) - 1));
        let bias = (1 << (self.exponent - 1)) - 1;
        let scale = 2f64.powi(i32::from(field.max(1)) - bias - self.fraction as i32);
        let implied = if field == 0 { 0 } else { 1 << self.fraction };
        f64::from(implied + fraction) * scale
    }

    /// The neighbours of a finite magnitude, or both the same, by bisection.
    fn neighbours(self, magnitude: f64) -> (u16, u16) {
        let (mut low, mut high) = (0, self.infinity());
        while high - low > 1 {
            let middle = low.midpoint(high);
            if self.value(middle) <= magnitude { low = middle } else { high = middle }
        }
        if self.value(low) == magnitude { (low, low) } else { (low, high) }
    }

    /// `value`, plus or minus something smaller than its last bit where `beyond` is not zero, rounded to nearest.
    fn nearest(self, value: f64, beyond: f64) -> u16 {
        if value.is_nan() {
            return 0x7fff;
        }
        let (sign, magnitude) = (if value.is_sign_negative() { 0x8000 } else { 0 }, value.abs());
        if magnitude >= self.value(self.infinity()) {
            return sign | self.infinity();
        }
        let (low, high) = self.neighbours(magnitude);
        let middle = self.value(low).midpoint(self.value(high));
        let beyond = if value < 0.0 { -beyond } else { beyond };
        let is_low = match magnitude.partial_cmp(&middle) {
            _ if low == high => true,
            Some(std::cmp::Ordering::Equal) if beyond == 0.0 => low & 1 == 0,
            Some(std::cmp::Ordering::Equal) => beyond < 0.0,
            order => order == Some(std::cmp::Ordering::Less),
        };
        sign | if is_low { low } else { high }
    }

    fn is_nan(self, bits: u16) -> bool {
        bits & 0x7fff > self.infinity()
    }

    /// Operands of which many are near each other, near the ends of the range, or subnormal.
    fn draw(self, random: &mut Random) -> u16 {
        let bits = random.bits() as u16;
        let bias = self.infinity() >> self.fraction >> 1;
        let field = match random.below(6) {
            0..3 => return bits,
            3 => bias - 5 + random.below(10) as u16,
            4 => random.below(3) as u16,
            _ => 2 * bias - random.below(3) as u16,
        };
        bits & !self.infinity() | field << self.fraction
    }
}

fn in_both(check: impl Fn(Layout)) {
    check(F16);
    check(BF16);
}

#[test]
fn all_values_widen_and_narrow_again() {
    in_both(|layout| {
        for bits in 0..=u16::MAX {
            let (wide, single) = (layout.half.to_f64(bits), layout.half.to_f32(bits));
            if layout.is_nan(bits) {
                assert!(wide.is_nan() && single.to_bits() == 0x7fff_ffff);
                assert_eq!(layout.half.from_f64(wide, Rounding::Up), 0x7fff);
                continue;
            }
            let magnitude = match bits & 0x7fff {
                magnitude if magnitude == layout.infinity() => f64::INFINITY,
                magnitude => layout.value(magnitude),
            };
            let expected = if bits >> 15 == 1 { -magnitude } else { magnitude };
            assert_eq!(wide.to_bits(), expected.to_bits(), "{bits:x}");
            assert_eq!(f64::from(single).to_bits(), expected.to_bits());
            for mode in Rounding::ALL {
                assert_eq!(layout.half.from_f64(wide, mode), bits);
                assert_eq!(layout.half.from_f32(single, mode), bits);
            }
        }
    });
}

#[test]
fn values_between_all_neighbours_round_by_mode() {
    in_both(|layout| {
        for low in 0..layout.infinity() {
            let (below, above) = (layout.value(low), layout.value(low + 1));
            let middle = below.midpoint(above);
            let even = low + (low & 1);
            check_between(layout, low, below.next_up(), low);
            check_between(layout, low, middle.next_down(), low);
            check_between(layout, low, middle, even);
            check_between(layout, low, middle.next_up(), low + 1);
            check_between(layout, low, above.next_down(), low + 1);
        }
    });
}

/// `value` lies between `low` and its successor, which is infinity at the end of the range.
fn check_between(layout: Layout, low: u16, value: f64, nearest: u16) {
    let (half, high) = (layout.half, low + 1);
    assert_eq!(half.from_f64(value, Rounding::Nearest), nearest, "{value:e}");
    assert_eq!(half.from_f64(value, Rounding::Zero), low, "{value:e}");
    assert_eq!(half.from_f64(value, Rounding::Down), low, "{value:e}");
    assert_eq!(half.from_f64(value, Rounding::Up), high, "{value:e}");
    assert_eq!(half.from_f64(-value, Rounding::Nearest), nearest | 0x8000);
    assert_eq!(half.from_f64(-value, Rounding::Zero), low | 0x8000);
    assert_eq!(half.from_f64(-value, Rounding::Down), high | 0x8000);
    assert_eq!(half.from_f64(-value, Rounding::Up), low | 0x8000);
}

#[test]
fn values_out_of_range_overflow_by_mode() {
    in_both(|layout| {
        let (half, infinity) = (layout.half, layout.infinity());
        for value in [layout.value(infinity), f64::MAX, 1e300] {
            assert_eq!(half.from_f64(value, Rounding::Nearest), infinity);
            assert_eq!(half.from_f64(value, Rounding::Zero), infinity - 1);
            assert_eq!(half.from_f64(value, Rounding::Down), infinity - 1);
            assert_eq!(half.from_f64(-value, Rounding::Up), (infinity - 1) | 0x8000);
            assert_eq!(half.from_f64(-value, Rounding::Down), infinity | 0x8000);
        }
        for value in [f64::from_bits(1), f64::MIN_POSITIVE, layout.value(1) / 4.0] {
            assert_eq!(half.from_f64(value, Rounding::Nearest), 0);
            assert_eq!(half.from_f64(value, Rounding::Up), 1);
            assert_eq!(half.from_f64(-value, Rounding::Zero), 0x8000);
            assert_eq!(half.from_f64(-value, Rounding::Down), 0x8001);
        }
    });
}

#[test]
fn integers_round_once() {
    let mut random = Random::new(20);
    for _ in 0..20_000 {
        let value = (random.bits() >> random.below(64)) as i64;
        for layout in [F16, BF16] {
            // Through `f64` towards zero, with what is lost: as good as exact.
            let wide = value as f64;
            let beyond = (i128::from(value) - wide as i128) as f64;
            let expected = if value == 0 { 0 } else { layout.nearest(wide, beyond) };
            assert_eq!(layout.half.from_i64(value, Rounding::Nearest), expected, "{value}");
            let negative = layout.half.from_i64(-value.max(-i64::MAX), Rounding::Down);
            let positive = layout.half.from_i64(value.max(-i64::MAX), Rounding::Up);
            assert_eq!(negative, if value == 0 { 0 } else { positive ^ 0x8000 });
        }
    }
    assert_eq!(Half::F16.from_u64(65519, Rounding::Nearest), 0x7bff);
    assert_eq!(Half::F16.from_u64(65520, Rounding::Nearest), 0x7c00);
    assert_eq!(Half::BF16.from_u64(u64::MAX, Rounding::Zero), 0x5f7f);
    assert_eq!(Half::BF16.from_u64(u64::MAX, Rounding::Nearest), 0x5f80);
    assert_eq!(Half::BF16.from_i64(i64::MIN, Rounding::Nearest), 0xdf00);
}

/// `value * 2^48`, an integer for every finite `f16`.
fn scaled(bits: u16) -> i128 {
    (layout_value(bits) * 2f64.powi(48)) as i128
}

fn layout_value(bits: u16) -> f64 {
    let magnitude = F16.value(bits & 0x7fff);
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// An exact sum or product, `value / 2^48`, as `f16`.
fn f16_of(value: i128, zero: u16) -> u16 {
    if value == 0 {
        return zero;
    }
    let wide = value as f64;
    let beyond = (value - wide as i128) as f64;
    F16.nearest(wide / 2f64.powi(48), beyond)
}

fn finite_f16(random: &mut Random) -> u16 {
    loop {
        let bits = F16.draw(random);
        if bits & 0x7fff < F16.infinity() {
            return bits;
        }
    }
}

/// The sign of a sum that is zero, rounded to nearest.
fn zero_of_sum(a: u16, b: u16) -> u16 {
    a & b & 0x8000
}

#[test]
fn f16_results_are_exact_ones_rounded() {
    let mut random = Random::new(21);
    let half = Half::F16;
    for _ in 0..60_000 {
        let (a, b) = (finite_f16(&mut random), finite_f16(&mut random));
        let sign = (a ^ b) & 0x8000;
        let exact = (scaled(a) >> 24) * (scaled(b) >> 24);
        // A third operand near the product, so that it cancels; at times far off.
        let near = half.mul(a, b) ^ 0x8000 ^ random.below(4) as u16;
        let c = if random.below(2) == 0 && near & 0x7fff < F16.infinity() {
            near
        } else {
            finite_f16(&mut random)
        };
        assert_eq!(half.add(a, b), f16_of(scaled(a) + scaled(b), zero_of_sum(a, b)), "{a:x} + {b:x}");
        assert_eq!(
            half.sub(a, b),
            f16_of(scaled(a) - scaled(b), zero_of_sum(a, b ^ 0x8000)),
            "{a:x} - {b:x}"
        );
        assert_eq!(half.mul(a, b), f16_of(exact, sign), "{a:x} * {b:x}");
        let zero = if exact == 0 { zero_of_sum(sign, c) } else { 0 };
        assert_eq!(half.fma(a, b, c), f16_of(exact + scaled(c), zero), "{a:x} * {b:x} + {c:x}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn bf16_results_are_exact_ones_rounded() {
    use super::hardware::add_f64;
    let mut random = Random::new(22);
    let half = Half::BF16;
    // Rounded down and up as `f64`, a sum is bounded closely enough: what is a tie there is so exactly.
    let sum = |a: f64, b: f64| {
        let (low, high) = (add_f64(a, b, Rounding::Down), add_f64(a, b, Rounding::Up));
        if low == high { BF16.nearest(a + b, 0.0) } else { BF16.nearest(low, 1.0) }
    };
    for _ in 0..60_000 {
        let (a, b, c) = (BF16.draw(&mut random), BF16.draw(&mut random), BF16.draw(&mut random));
        let c = if random.below(2) == 0 { half.mul(a, b) ^ 0x8000 ^ random.below(4) as u16 } else { c };
        let wide = |bits| f64::from(f32::from_bits(u32::from(bits) << 16));
        let (x, y, z) = (wide(a), wide(b), wide(c));
        assert_eq!(half.add(a, b), sum(x, y), "{a:x} + {b:x}");
        assert_eq!(half.sub(a, b), sum(x, -y), "{a:x} - {b:x}");
        assert_eq!(half.mul(a, b), BF16.nearest(x * y, 0.0), "{a:x} * {b:x}");
        assert_eq!(half.fma(a, b, c), sum(x * y, z), "{a:x} * {b:x} + {c:x}");
    }
}

#[test]
fn a_product_that_is_nearly_a_tie_is_rounded_once() {
    // The product is 1 + 2^-11, a tie. With 2^-24 it is none, but `f32` loses that.
    let (a, b, tiny) = (0x4200, 0x3556, 0x0001);
    assert_eq!(Half::F16.mul(a, b), 0x3c00);
    assert_eq!(Half::F16.fma(a, b, tiny), 0x3c01);
    assert_eq!(Half::F16.fma(a, b, tiny | 0x8000), 0x3c00);
    // Half the last bit of 1: with anything more, the sum rounds up.
    assert_eq!(Half::F16.fma(0x1000, 0x3c00, 0x3c00), 0x3c00);
    assert_eq!(Half::F16.fma(0x1001, 0x3c00, 0x3c00), 0x3c01);
}

#[test]
fn functions_round_the_exact_result() {
    in_both(|layout| {
        for bits in (0..=u16::MAX).step_by(7) {
            let value = f64::from(layout.half.to_f32(bits));
            assert_eq!(layout.half.tanh(bits), layout.nearest(value.tanh(), 0.0));
            assert_eq!(layout.half.ex2(bits), layout.nearest(value.exp2(), 0.0));
        }
        let infinity = layout.infinity();
        assert_eq!(layout.half.ex2(infinity), infinity);
        assert_eq!(layout.half.ex2(infinity | 0x8000), 0);
        assert_eq!(layout.half.to_f32(layout.half.tanh(infinity | 0x8000)), -1.0);
        assert_eq!(layout.half.tanh(0x8000), 0x8000);
    });
}

#[test]
fn modifiers_change_results_as_documented() {
    in_both(|layout| {
        let (half, infinity) = (layout.half, layout.infinity());
        let one = half.from_f64(1.0, Rounding::Nearest);
        for bits in 0..=u16::MAX {
            let value = half.to_f64(bits);
            let subnormal = bits & 0x7fff != 0 && bits & 0x7fff < 1 << layout.fraction;
            assert_eq!(half.ftz(bits), if subnormal { bits & 0x8000 } else { bits });
            let saturated = if value > 0.0 { half.from_f64(value.min(1.0), Rounding::Nearest) } else { 0 };
            assert_eq!(half.saturate(bits), saturated);
            let relu = if value > 0.0 { bits } else { 0 };
            assert_eq!(half.relu(bits), if value.is_nan() { 0x7fff } else { relu });
            let finite = if value.is_infinite() { bits - 1 } else { bits };
            assert_eq!(half.saturate_finite(bits), finite);
            assert_eq!(half.neg(bits), bits ^ 0x8000);
            assert_eq!(half.abs(bits), bits & 0x7fff);
        }
        assert_eq!(half.saturate(infinity), one);
        let nan = infinity + 1;
        assert_eq!(half.add(nan, one), 0x7fff);
        assert_eq!(half.add(infinity, infinity | 0x8000), 0x7fff);
        assert_eq!(half.mul(infinity, 0), 0x7fff);
        assert_eq!(half.fma(infinity, one, infinity | 0x8000), 0x7fff);
    });
}

#[test]
fn integral_values_are_found_in_all_modes() {
    in_both(|layout| {
        let half = layout.half;
        for bits in (0..=u16::MAX).filter(|bits| !layout.is_nan(*bits)) {
            let value = half.to_f64(bits);
            let checks = [
                (Rounding::Nearest, value.round_ties_even()),
                (Rounding::Zero, value.trunc()),
                (Rounding::Down, value.floor()),
                (Rounding::Up, value.ceil()),
            ];
            for (mode, expected) in checks {
                assert_eq!(half.to_f64(half.round_integral(bits, mode)).to_bits(), expected.to_bits());
            }
        }
        assert_eq!(half.round_integral(0xffff, Rounding::Zero), 0x7fff);
    });
}

#[test]
fn the_lesser_and_the_greater_follow_the_values() {
    let mut random = Random::new(23);
    in_both(|layout| {
        let half = layout.half;
        let plain = Modifiers::default();
        assert_eq!(half.min(0, 0x8000, plain), 0x8000);
        assert_eq!(half.max(0x8000, 0, plain), 0);
        assert_eq!(half.min(0xffff, 0x8000, plain), 0x8000);
        assert_eq!(half.max(0xffff, 0x7fff, plain), 0x7fff);
        assert_eq!(half.max(0xffff, 1, Modifiers { nan: true, ..plain }), 0x7fff);
        let xorsign = Modifiers { abs: true, xorsign: true, ..plain };
        assert_eq!(half.min(0x8001, 2, xorsign), 0x8001);
        assert_eq!(half.max(0x8001, 0x8002, xorsign), 2);
    });
    for _ in 0..20_000 {
        let (a, b) = (F16.draw(&mut random), F16.draw(&mut random));
        let (x, y) = (Half::F16.to_f64(a), Half::F16.to_f64(b));
        if x < y || (y.is_nan() && !x.is_nan()) {
            assert_eq!(Half::F16.min(a, b, Modifiers::default()), a);
            assert_eq!(Half::F16.min(b, a, Modifiers::default()), a);
        }
        if x > y || (y.is_nan() && !x.is_nan()) {
            assert_eq!(Half::F16.max(a, b, Modifiers::default()), a);
            assert_eq!(Half::F16.max(b, a, Modifiers::default()), a);
        }
    }
}
