//! `f32`, `f64` and conversions beside the processor's, in every rounding mode.

use super::hardware;
use super::random::Random;
use crate::arith::convert::{self, Integer};
use crate::arith::half::Half;
use crate::arith::rounding::Rounding;
use crate::arith::{double, integral, single};

const DRAWS: usize = 100_000;

#[track_caller]
fn same_f32(ours: f32, theirs: f32, operands: &[f32], rounding: Rounding) {
    let expected = if theirs.is_nan() { 0x7fff_ffff } else { theirs.to_bits() };
    let operands: Vec<_> = operands.iter().map(|value| (value, value.to_bits())).collect();
    assert_eq!(ours.to_bits(), expected, "{ours:e} {theirs:e} {operands:x?} {rounding:?}");
}

#[track_caller]
fn same_f64(ours: f64, theirs: f64, operands: &[f64], rounding: Rounding) {
    let expected = if theirs.is_nan() { nan(operands) } else { theirs.to_bits() };
    assert_eq!(ours.to_bits(), expected, "{ours:e} {theirs:e} {operands:?} {rounding:?}");
}

/// The first operand that is NaN, made quiet.
fn nan(operands: &[f64]) -> u64 {
    let first = operands.iter().find(|operand| operand.is_nan());
    first.map_or(0xfff8 << 48, |first| first.to_bits() | 1 << 51)
}

fn in_all_modes(mut check: impl FnMut(Rounding)) {
    Rounding::ALL.into_iter().for_each(&mut check);
}

type Pair<T> = fn(T, T, Rounding) -> T;

fn f32_pairs(seed: u64, ours: Pair<f32>, theirs: Pair<f32>) {
    let mut random = Random::new(seed);
    for _ in 0..DRAWS {
        let a = random.f32();
        let b = random.f32_beside(a);
        in_all_modes(|mode| same_f32(ours(a, b, mode), theirs(a, b, mode), &[a, b], mode));
    }
}

fn f64_pairs(seed: u64, ours: Pair<f64>, theirs: Pair<f64>) {
    let mut random = Random::new(seed);
    for _ in 0..DRAWS {
        let a = random.f64();
        let b = random.f64_beside(a);
        in_all_modes(|mode| same_f64(ours(a, b, mode), theirs(a, b, mode), &[a, b], mode));
    }
}

#[test]
fn f32_sums_are_the_processors() {
    f32_pairs(1, single::add, hardware::add_f32);
    f32_pairs(2, single::sub, hardware::sub_f32);
}

#[test]
fn f32_products_and_quotients_are_the_processors() {
    f32_pairs(3, single::mul, hardware::mul_f32);
    f32_pairs(4, single::div, hardware::div_f32);
    f32_pairs(5, |a, _, mode| single::rcp(a, mode), |a, _, mode| hardware::div_f32(1.0, a, mode));
}

#[test]
fn f64_sums_are_the_processors() {
    f64_pairs(6, double::add, hardware::add_f64);
    f64_pairs(7, double::sub, hardware::sub_f64);
}

#[test]
fn f64_products_and_quotients_are_the_processors() {
    f64_pairs(8, double::mul, hardware::mul_f64);
    f64_pairs(9, double::div, hardware::div_f64);
}

#[test]
fn f64_reciprocals_are_the_processors() {
    let mut random = Random::new(10);
    for _ in 0..DRAWS {
        let a = random.f64();
        in_all_modes(|mode| same_f64(double::rcp(a, mode), hardware::div_f64(1.0, a, mode), &[a], mode));
    }
}

#[test]
fn square_roots_are_the_processors() {
    let mut random = Random::new(11);
    for _ in 0..DRAWS {
        let (a, b) = (random.f32(), random.f64());
        for mode in Rounding::ALL {
            same_f32(single::sqrt(a, mode), hardware::sqrt_f32(a, mode), &[a], mode);
            same_f64(double::sqrt(b, mode), hardware::sqrt_f64(b, mode), &[b], mode);
            let square = b * b;
            same_f64(double::sqrt(square, mode), hardware::sqrt_f64(square, mode), &[square], mode);
        }
    }
}

#[test]
fn f32_fused_sums_are_the_processors() {
    if !std::is_x86_feature_detected!("fma") {
        return;
    }
    let mut random = Random::new(12);
    for _ in 0..DRAWS {
        let a = random.f32();
        let b = random.f32_beside(a);
        let c = random.f32_beside(-(a * b));
        for mode in Rounding::ALL {
            same_f32(single::fma(a, b, c, mode), hardware::fma_f32(c, a, b, mode), &[a, b, c], mode);
        }
    }
}

#[test]
fn f64_fused_sums_are_the_processors() {
    if !std::is_x86_feature_detected!("fma") {
        return;
    }
    let mut random = Random::new(13);
    for _ in 0..DRAWS {
        let a = random.f64();
        let b = random.f64_beside(a);
        let c = random.f64_beside(-(a * b));
        for mode in Rounding::ALL {
            same_f64(double::fma(a, b, c, mode), hardware::fma_f64(c, a, b, mode), &[a, b, c], mode);
        }
    }
}

#[test]
fn narrowing_is_the_processors() {
    let mut random = Random::new(14);
    for _ in 0..DRAWS {
        // As many near the narrow format's range as beyond it.
        let narrow = f64::from(random.f32());
        let near = f64::from_bits(narrow.to_bits() ^ random.below(1 << 30));
        for (value, mode) in
            [random.f64(), narrow, near].into_iter().flat_map(|v| Rounding::ALL.map(|m| (v, m)))
        {
            let theirs = hardware::f32_of_f64(value, mode);
            same_f32(single::from_f64(value, mode), theirs, &[], mode);
        }
    }
}

#[test]
fn f16_conversions_are_the_processors() {
    if !std::is_x86_feature_detected!("f16c") {
        return;
    }
    let mut random = Random::new(15);
    for _ in 0..DRAWS {
        let value = random.f32();
        let near = f32::from_bits(value.to_bits() & !(0xff << 23) | (100 + random.below(46) as u32) << 23);
        for (value, mode) in [value, near].into_iter().flat_map(|v| Rounding::ALL.map(|m| (v, m))) {
            let theirs = hardware::f16_of_f32(value, mode);
            let expected = if value.is_nan() { 0x7fff } else { theirs };
            assert_eq!(Half::F16.from_f32(value, mode), expected, "{value:e} {mode:?}");
        }
    }
}

#[test]
fn integers_become_floats_as_the_processors() {
    let mut random = Random::new(16);
    for _ in 0..DRAWS {
        let value = (random.bits() >> random.below(64)) as i64;
        let value = if random.below(2) == 0 { value } else { value.wrapping_neg() };
        for mode in Rounding::ALL {
            same_f32(convert::i64_to_f32(value, mode), hardware::f32_of_i64(value, mode), &[], mode);
            same_f64(convert::i64_to_f64(value, mode), hardware::f64_of_i64(value, mode), &[], mode);
            if let Ok(value) = u64::try_from(value) {
                same_f32(
                    convert::u64_to_f32(value, mode),
                    convert::i64_to_f32(value as i64, mode),
                    &[],
                    mode,
                );
                same_f64(
                    convert::u64_to_f64(value, mode),
                    convert::i64_to_f64(value as i64, mode),
                    &[],
                    mode,
                );
            }
        }
    }
}

#[test]
fn floats_become_integers_as_the_processors() {
    // What the processor gives for all it cannot represent.
    const OUT_OF_RANGE: i64 = i64::MIN;
    let mut random = Random::new(17);
    for _ in 0..DRAWS {
        let value = random.f64();
        let near = f64::from_bits(value.to_bits() & !(0x7ff << 52) | (0x3f0 + random.below(80)) << 52);
        for (value, mode) in [value, near].into_iter().flat_map(|v| Rounding::ALL.map(|m| (v, m))) {
            let (theirs, narrow) = (hardware::i64_of_f64(value, mode), value as f32);
            if theirs != OUT_OF_RANGE {
                assert_eq!(
                    convert::f64_to_integer(value, Integer::S64, mode) as i64,
                    theirs,
                    "{value} {mode:?}"
                );
                assert_eq!(integral::round_f64(value, mode), theirs as f64);
            }
            let theirs = hardware::i64_of_f32(narrow, mode);
            if theirs != OUT_OF_RANGE {
                assert_eq!(convert::f32_to_integer(narrow, Integer::S64, mode) as i64, theirs);
                assert_eq!(integral::round_f32(narrow, mode), theirs as f32);
            }
        }
    }
}
