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
