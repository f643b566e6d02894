//! Arithmetic on `f64` rounded to odd: an inexact result has an odd significand.
//!
//! Rounding such a result again, to a format with two bits fewer or less, in any mode, gives what a single rounding
//! of the exact result would. For operands that are `f32`, `f16` or `bf16` widened, or a product of two such: errors
//! are then far from underflow.

/// `value` or its neighbour in the direction of the exact result, `error` beyond it; whichever is odd.
#[inline]
fn to_odd(value: f64, error: f64) -> f64 {
    if error == 0.0 || !error.is_finite() || value.to_bits() & 1 == 1 {
        value
    } else if error > 0.0 {
        value.next_up()
    } else {
        value.next_down()
    }
}

/// `a + b`.
#[inline]
pub(super) fn add(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // Knuth's TwoSum.
    let from_b = sum - a;
    let from_a = sum - from_b;
    to_odd(sum, (a - from_a) + (b - from_b))
}

/// `a / b`.
#[inline]
pub(super) fn div(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    let rest = (-quotient).mul_add(b, a);
    to_odd(quotient, if b < 0.0 { -rest } else { rest })
}

/// The square root.
#[inline]
pub(super) fn sqrt(value: f64) -> f64 {
    let root = value.sqrt();
    to_odd(root, (-root).mul_add(root, value))
}
