//! What kind of number a floating-point value is, and its sign.

/// What `testp` asks. "Floating Point Instructions: testp" of the PTX ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Neither infinite nor NaN.
    Finite,
    /// Infinite, of either sign.
    Infinite,
    /// Not NaN.
    Number,
    /// NaN.
    NotANumber,
    /// Finite and not subnormal. Zeros count as normal.
    Normal,
    /// Subnormal.
    Subnormal,
}

/// `testp.f32`.
#[inline]
pub fn test_f32(property: Property, value: f32) -> bool {
    match property {
        Property::Finite => value.is_finite(),
        Property::Infinite => value.is_infinite(),
        Property::Number => !value.is_nan(),
        Property::NotANumber => value.is_nan(),
        Property::Normal => value.is_normal() || value == 0.0,
        Property::Subnormal => value.is_subnormal(),
    }
}

/// `testp.f64`.
#[inline]
pub fn test_f64(property: Property, value: f64) -> bool {
    match property {
        Property::Finite => value.is_finite(),
        Property::Infinite => value.is_infinite(),
        Property::Number => !value.is_nan(),
        Property::NotANumber => value.is_nan(),
        Property::Normal => value.is_normal() || value == 0.0,
        Property::Subnormal => value.is_subnormal(),
    }
}

/// `copysign.f32`: `b` with the sign of `a`. Most languages have the operands the other way round.
#[inline]
pub fn copysign_f32(a: f32, b: f32) -> f32 {
    b.copysign(a)
}

/// `copysign.f64`: `b` with the sign of `a`. Most languages have the operands the other way round.
#[inline]
pub fn copysign_f64(a: f64, b: f64) -> f64 {
    b.copysign(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROPERTIES: [Property; 6] = [
        Property::Finite,
        Property::Infinite,
        Property::Number,
        Property::NotANumber,
        Property::Normal,
        Property::Subnormal,
    ];

    #[test]
    fn every_kind_has_its_properties() {
        for (bits, expected) in [
            (0x8000_0000, [true, false, true, false, true, false]),
            (0x3f80_0000, [true, false, true, false, true, false]),
            (0x8000_0001, [true, false, true, false, false, true]),
            (0x007f_ffff, [true, false, true, false, false, true]),
            (0xff80_0000, [false, true, true, false, false, false]),
            (0x7f80_0001, [false, false, false, true, false, false]),
        ] {
            let value = f32::from_bits(bits);
            assert_eq!(PROPERTIES.map(|property| test_f32(property, value)), expected, "{value}");
            let wide = if value.is_subnormal() { 5e-324 } else { value.into() };
            assert_eq!(PROPERTIES.map(|property| test_f64(property, wide)), expected, "{value}");
        }
    }

    #[test]
    fn the_first_operand_gives_the_sign() {
        assert_eq!(copysign_f32(-0.0, 3.0), -3.0);
        assert_eq!(copysign_f64(1.0, -3.0), 3.0);
        assert_eq!(copysign_f32(f32::from_bits(0xffff_ffff), 0.0).to_bits(), 0x8000_0000);
    }
}
