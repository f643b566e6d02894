//! The layout of a binary floating-point format, and packing a number into one with a single rounding.

use super::rounding::Rounding;

/// A binary format: a sign, an exponent, a significand whose leading bit is implied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    /// Bits of the significand, the implied one included.
    pub precision: u32,
    /// The exponent of a subnormal number's last bit.
    pub lowest: i32,
    /// All bits.
    pub width: u32,
    /// What invalid operations give.
    pub nan: u64,
}

/// A finite number: `significand * 2^exponent`, negated where `negative`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub negative: bool,
    pub significand: u64,
    pub exponent: i32,
}

impl Number {
    #[inline]
    pub fn from_i64(value: i64) -> Self {
        Self { negative: value < 0, significand: value.unsigned_abs(), exponent: 0 }
    }

    #[inline]
    pub fn from_u64(value: u64) -> Self {
        Self { negative: false, significand: value, exponent: 0 }
    }
}

impl Format {
    pub const F16: Self = Self { precision: 11, lowest: -24, width: 16, nan: 0x7fff };
    pub const BF16: Self = Self { precision: 8, lowest: -133, width: 16, nan: 0x7fff };
    pub const F32: Self = Self { precision: 24, lowest: -149, width: 32, nan: 0x7fff_ffff };
    /// The upper 19 bits of `F32`.
    pub const TF32: Self = Self { precision: 11, lowest: -136, width: 19, nan: 0x3ffff };
    pub const F64: Self = Self { precision: 53, lowest: -1074, width: 64, nan: 0xfff8 << 48 };

    /// The sign bit.
    #[inline]
    pub const fn sign(&self) -> u64 {
        1 << (self.width - 1)
    }

    /// Every bit but the sign.
    #[inline]
    pub const fn magnitude(&self, bits: u64) -> u64 {
        bits & (self.sign() - 1)
    }

    /// Positive infinity. The bits below it are the largest finite number.
    #[inline]
    pub const fn infinity(&self) -> u64 {
        self.sign() - (1 << (self.precision - 1))
    }

    /// The implied bit of a normal number's significand; as bits, the smallest normal number.
    #[inline]
    pub const fn implied(&self) -> u64 {
        1 << (self.precision - 1)
    }

    #[inline]
    pub const fn is_negative(&self, bits: u64) -> bool {
        bits & self.sign() != 0
    }

    #[inline]
    pub const fn is_nan(&self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity()
    }

    #[inline]
    pub const fn is_subnormal(&self, bits: u64) -> bool {
        let magnitude = self.magnitude(bits);
        magnitude != 0 && magnitude < self.implied()
    }

    /// `bits` with the sign given.
    #[inline]
    pub const fn with_sign(&self, bits: u64, negative: bool) -> u64 {
        self.magnitude(bits) | if negative { self.sign() } else { 0 }
    }

    /// The number that finite `bits` stand for.
    #[inline]
    pub fn unpack(&self, bits: u64) -> Number {
        let (field, fraction) = (self.magnitude(bits) >> (self.precision - 1), bits & (self.implied() - 1));
        let negative = self.is_negative(bits);
        if field == 0 {
            return Number { negative, significand: fraction, exponent: self.lowest };
        }
        let exponent = self.lowest + field as i32 - 1;
        Number { negative, significand: fraction | self.implied(), exponent }
    }

    /// The nearest representation in the direction of `rounding`. The significand's last bit may stand for
    /// anything nonzero below it, provided that it lies at least two bits below the format's last.
    #[inline]
    pub fn pack(&self, number: Number, rounding: Rounding) -> u64 {
        let Number { negative, significand, exponent } = number;
        if significand == 0 {
            return self.with_sign(0, negative);
        }
        let length = 64 - significand.leading_zeros();
        let last = (exponent + length as i32 - self.precision as i32).max(self.lowest);
        let kept = shift_rounded(significand, last - exponent, negative, rounding);
        // An exponent field of one is that of subnormal numbers, less the implied bit: no case of its own.
        let field = i64::from(last) - i64::from(self.lowest);
        if field >= (self.infinity() >> (self.precision - 1)) as i64 {
            return self.overflow(negative, rounding);
        }
        let magnitude = ((field as u64) << (self.precision - 1)) + kept;
        if magnitude >= self.infinity() {
            return self.overflow(negative, rounding);
        }
        self.with_sign(magnitude, negative)
    }

    /// What a number too large for the format becomes.
    fn overflow(&self, negative: bool, rounding: Rounding) -> u64 {
        let inward = rounding != Rounding::Nearest && !rounding.is_outward(negative);
        self.with_sign(self.infinity() - u64::from(inward), negative)
    }
}

/// `significand / 2^drop`, rounded to an integer.
#[inline]
fn shift_rounded(significand: u64, drop: i32, negative: bool, rounding: Rounding) -> u64 {
    if drop <= 0 {
        return significand << drop.unsigned_abs().min(63);
    }
    let (significand, drop) = match drop {
        ..64 => (significand, drop),
        64 => (significand >> 1 | significand & 1, 63),
        // Beyond the significand, the remainder is below one half, however far.
        65.. => (1, 2),
    };
    let (kept, rest, half) = (significand >> drop, significand & ((1 << drop) - 1), 1 << (drop - 1));
    let up = match rounding {
        Rounding::Nearest => rest > half || (rest == half && kept & 1 == 1),
        directed => rest != 0 && directed.is_outward(negative),
    };
    kept + u64::from(up)
}
