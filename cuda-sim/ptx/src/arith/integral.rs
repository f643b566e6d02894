//! Rounding to integral values: the integer rounding modifiers of `cvt`.
//! "Data Movement and Conversion Instructions: cvt" of the PTX ISA.

use super::double;
use super::rounding::Rounding;
use super::single;

/// `cvt.rni.f64.f64` and, by rounding, `rzi`, `rmi` and `rpi`. The sign of a zero result is the operand's.
#[inline]
pub fn round_f64(value: f64, rounding: Rounding) -> f64 {
    if value.is_nan() { double::quiet(value) } else { round(value, rounding) }
}

/// `cvt.rni.f32.f32` and, by rounding, `rzi`, `rmi` and `rpi`. The sign of a zero result is the operand's.
#[inline]
pub fn round_f32(value: f32, rounding: Rounding) -> f32 {
    let rounded = match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    };
    single::canonical(rounded)
}

#[inline]
pub(super) fn round(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    }
}
