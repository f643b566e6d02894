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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_keep_the_operands_sign() {
        for mode in Rounding::ALL {
            assert_eq!(round_f32(-0.0, mode).to_bits(), 0x8000_0000);
            assert_eq!(round_f64(0.0, mode).to_bits(), 0);
        }
        assert_eq!(round_f32(-0.5, Rounding::Nearest).to_bits(), 0x8000_0000);
        assert_eq!(round_f64(-0.9, Rounding::Up).to_bits(), 1 << 63);
    }

    #[test]
    fn ties_are_even_and_other_modes_directed() {
        let of = |value: f32| Rounding::ALL.map(|mode| round_f32(value, mode));
        assert_eq!(of(2.5), [2.0, 2.0, 2.0, 3.0]);
        assert_eq!(of(-1.5), [-2.0, -1.0, -2.0, -1.0]);
        assert_eq!(of(8388608.0), [8388608.0; 4]);
        assert_eq!(Rounding::ALL.map(|mode| round_f64(-0.5, mode)), [0.0, 0.0, -1.0, 0.0]);
    }

    #[test]
    fn a_nan_is_canonical_or_keeps_its_payload() {
        assert_eq!(round_f32(f32::from_bits(0xff80_0001), Rounding::Down).to_bits(), 0x7fff_ffff);
        let payload = f64::from_bits(0xfff0_0000_0000_0005);
        assert_eq!(round_f64(payload, Rounding::Down).to_bits(), 0xfff8_0000_0000_0005);
        assert_eq!(round_f64(f64::NEG_INFINITY, Rounding::Up), f64::NEG_INFINITY);
    }
}
