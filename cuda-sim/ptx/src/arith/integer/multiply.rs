//! Products, and sums of absolute differences.

/// `mul.hi.u16`.
#[inline]
pub fn mul_hi_u16(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b)) >> 16) as u16
}

/// `mul.hi.s16`.
#[inline]
pub fn mul_hi_s16(a: i16, b: i16) -> i16 {
    ((i32::from(a) * i32::from(b)) >> 16) as i16
}

/// `mul.hi.u32`.
#[inline]
pub fn mul_hi_u32(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// `mul.hi.s32`.
#[inline]
pub fn mul_hi_s32(a: i32, b: i32) -> i32 {
    ((i64::from(a) * i64::from(b)) >> 32) as i32
}

/// `mul.hi.u64`.
#[inline]
pub fn mul_hi_u64(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// `mul.hi.s64`.
#[inline]
pub fn mul_hi_s64(a: i64, b: i64) -> i64 {
    ((i128::from(a) * i128::from(b)) >> 64) as i64
}

/// `mad.hi.sat.s32`: the sum saturates.
#[inline]
pub fn mad_hi_saturating_s32(a: i32, b: i32, c: i32) -> i32 {
    mul_hi_s32(a, b).saturating_add(c)
}

/// `mul24.lo.u32`: the lower 32 bits of the product of the operands' lower 24.
#[inline]
pub fn mul24_lo_u32(a: u32, b: u32) -> u32 {
    product24_u32(a, b) as u32
}

/// `mul24.lo.s32`: the lower 32 bits of the product of the operands' lower 24.
#[inline]
pub fn mul24_lo_s32(a: i32, b: i32) -> i32 {
    product24_s32(a, b) as i32
}

/// `mul24.hi.u32`: the upper 32 of the product's 48 bits.
#[inline]
pub fn mul24_hi_u32(a: u32, b: u32) -> u32 {
    (product24_u32(a, b) >> 16) as u32
}

/// `mul24.hi.s32`: the upper 32 of the product's 48 bits.
#[inline]
pub fn mul24_hi_s32(a: i32, b: i32) -> i32 {
    (product24_s32(a, b) >> 16) as i32
}

/// `mad24.lo.u32`.
#[inline]
pub fn mad24_lo_u32(a: u32, b: u32, c: u32) -> u32 {
    mul24_lo_u32(a, b).wrapping_add(c)
}

/// `mad24.lo.s32`.
#[inline]
pub fn mad24_lo_s32(a: i32, b: i32, c: i32) -> i32 {
    mul24_lo_s32(a, b).wrapping_add(c)
}

/// `mad24.hi.u32`.
#[inline]
pub fn mad24_hi_u32(a: u32, b: u32, c: u32) -> u32 {
    mul24_hi_u32(a, b).wrapping_add(c)
}

/// `mad24.hi.s32`.
#[inline]
pub fn mad24_hi_s32(a: i32, b: i32, c: i32) -> i32 {
    mul24_hi_s32(a, b).wrapping_add(c)
}

/// `mad24.hi.sat.s32`: the sum saturates.
#[inline]
pub fn mad24_hi_saturating_s32(a: i32, b: i32, c: i32) -> i32 {
    mul24_hi_s32(a, b).saturating_add(c)
}

#[inline]
fn product24_u32(a: u32, b: u32) -> u64 {
    u64::from(a & 0x00ff_ffff) * u64::from(b & 0x00ff_ffff)
}

#[inline]
fn product24_s32(a: i32, b: i32) -> i64 {
    i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)
}

/// `sad.u16`: `c` and the absolute difference of `a` and `b`. Wraps.
#[inline]
pub fn sad_u16(a: u16, b: u16, c: u16) -> u16 {
    c.wrapping_add(a.abs_diff(b))
}

/// `sad.s16`: see [`sad_u16`].
#[inline]
pub fn sad_s16(a: i16, b: i16, c: i16) -> i16 {
    c.wrapping_add_unsigned(a.abs_diff(b))
}

/// `sad.u32`: see [`sad_u16`].
#[inline]
pub fn sad_u32(a: u32, b: u32, c: u32) -> u32 {
    c.wrapping_add(a.abs_diff(b))
}

/// `sad.s32`: see [`sad_u16`].
#[inline]
pub fn sad_s32(a: i32, b: i32, c: i32) -> i32 {
    c.wrapping_add_unsigned(a.abs_diff(b))
}

/// `sad.u64`: see [`sad_u16`].
#[inline]
pub fn sad_u64(a: u64, b: u64, c: u64) -> u64 {
    c.wrapping_add(a.abs_diff(b))
}

/// `sad.s64`: see [`sad_u16`].
#[inline]
pub fn sad_s64(a: i64, b: i64, c: i64) -> i64 {
    c.wrapping_add_unsigned(a.abs_diff(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_halves_follow_the_sign() {
        assert_eq!((mul_hi_u16(0xffff, 0xffff), mul_hi_s16(-1, -1)), (0xfffe, 0));
        assert_eq!((mul_hi_s16(i16::MIN, i16::MIN), mul_hi_s16(-1, 1)), (0x4000, -1));
        assert_eq!((mul_hi_u32(u32::MAX, u32::MAX), mul_hi_s32(-1, -1)), (u32::MAX - 1, 0));
        assert_eq!((mul_hi_s32(i32::MIN, i32::MIN), mul_hi_s32(-1, 1)), (1 << 30, -1));
        assert_eq!((mul_hi_u64(u64::MAX, u64::MAX), mul_hi_s64(-1, -1)), (u64::MAX - 1, 0));
        assert_eq!((mul_hi_s64(i64::MIN, i64::MIN), mul_hi_s64(-1, 1)), (1 << 62, -1));
    }

    #[test]
    fn sums_of_upper_halves_saturate() {
        assert_eq!(mad_hi_saturating_s32(i32::MIN, i32::MIN, i32::MAX), i32::MAX);
        assert_eq!(mad_hi_saturating_s32(i32::MIN, i32::MAX, i32::MIN), i32::MIN);
        assert_eq!(mad_hi_saturating_s32(1 << 16, 1 << 16, 2), 3);
        assert_eq!(mad24_hi_saturating_s32(0x7f_ffff, 0x7f_ffff, i32::MAX), i32::MAX);
        assert_eq!(mad24_hi_s32(0x7f_ffff, 0x7f_ffff, i32::MAX), i32::MIN + 0x3fff_feff);
    }

    #[test]
    fn products_of_24_bits_ignore_the_upper_byte() {
        assert_eq!(mul24_lo_u32(0xff00_0003, 0x7f00_0005), 15);
        assert_eq!(mul24_lo_s32(0x00ff_ffff, 5), -5);
        assert_eq!(mul24_hi_u32(0xffff_ffff, 0xffff_ffff), 0xffff_fe00);
        assert_eq!(mul24_hi_s32(0x0080_0000, 0x0080_0000), 0x4000_0000);
        assert_eq!(mul24_hi_s32(-1, 1), -1);
        assert_eq!(mul24_lo_u32(0xff_ffff, 0xff_ffff), 0xfe00_0001);
        assert_eq!((mad24_lo_u32(2, 3, u32::MAX), mad24_lo_s32(-2, 3, 1)), (5, -5));
        assert_eq!(mad24_hi_u32(1 << 16, 1, 7), 8);
    }

    #[test]
    fn absolute_differences_are_summed() {
        assert_eq!((sad_u16(1, 4, 10), sad_u16(4, 1, u16::MAX)), (13, 2));
        assert_eq!(sad_s16(i16::MIN, i16::MAX, 1), 0);
        assert_eq!((sad_u32(0, u32::MAX, 2), sad_s32(-3, 4, -1)), (1, 6));
        assert_eq!(sad_s32(i32::MIN, i32::MAX, 0), -1);
        assert_eq!((sad_u64(0, u64::MAX, 2), sad_s64(-3, 4, -1)), (1, 6));
    }
}
