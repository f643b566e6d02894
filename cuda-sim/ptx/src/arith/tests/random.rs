//! Operands for tests, the same in every run: random bits, and what is likely to go wrong.

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    /// A value of a format with `width` bits, `fraction` of them the fraction's.
    fn float(&mut self, width: u32, fraction: u32) -> u64 {
        let (sign, implied) = (1u64 << (width - 1), 1u64 << fraction);
        let infinity = sign - implied;
        let random = self.bits() & (sign | (sign - 1));
        let mantissa = random & (implied - 1);
        let bias = (infinity >> fraction) / 2;
        let exponent = |field: u64| random & sign | field << fraction | mantissa;
        match self.below(12) {
            0..4 => random,
            4 => random & sign | mantissa,
            5 => random & sign | self.special(infinity, implied, bias << fraction),
            6 => exponent(bias - 12 + self.below(24)),
            7 => exponent(self.below(u64::from(fraction) + 4)),
            8 => exponent((infinity >> fraction) - 1 - self.below(4)),
            // The square root of the least and of the greatest numbers: products at the limits of the range.
            9 => exponent(bias / 2 - 6 + self.below(16)),
            10 => exponent(bias + bias / 2 - 4 + self.below(8)),
            // Few digits: exact results and ties.
            _ => exponent(bias - 8 + self.below(16)) >> (fraction - 4) << (fraction - 4),
        }
    }

    fn special(&mut self, infinity: u64, implied: u64, one: u64) -> u64 {
        let table = [0, 1, 2, implied - 1, implied, implied + 1, one, one - 1, one + 1];
        let table =
            [table, [infinity, infinity - 1, infinity - 2, infinity + 1, 3, 5, one * 2 / 2, one, one]];
        table[self.below(2) as usize][self.below(9) as usize]
    }

    pub fn f32(&mut self) -> f32 {
        f32::from_bits(self.float(32, 23) as u32)
    }

    pub fn f64(&mut self) -> f64 {
        f64::from_bits(self.float(64, 52))
    }

    /// An operand beside `other`, at times so near it that they cancel.
    pub fn f32_beside(&mut self, other: f32) -> f32 {
        match self.below(4) {
            0 => f32::from_bits(
                other.to_bits().wrapping_add(self.below(9) as u32).wrapping_sub(4) ^ self.sign() as u32,
            ),
            _ => self.f32(),
        }
    }

    /// An operand beside `other`, at times so near it that they cancel.
    pub fn f64_beside(&mut self, other: f64) -> f64 {
        match self.below(4) {
            0 => f64::from_bits(
                other.to_bits().wrapping_add(self.below(9)).wrapping_sub(4) ^ self.sign() << 32,
            ),
            _ => self.f64(),
        }
    }

    fn sign(&mut self) -> u64 {
        self.below(2) << 31
    }
}
