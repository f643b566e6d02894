//! Shifts. An amount of the width or more shifts everything out. "Logic and Shift Instructions" of the PTX ISA.

use super::Range;

/// `shl.b16`.
#[inline]
pub fn shl_b16(a: u16, amount: u32) -> u16 {
    a.checked_shl(amount).unwrap_or(0)
}

/// `shl.b32`.
#[inline]
pub fn shl_b32(a: u32, amount: u32) -> u32 {
    a.checked_shl(amount).unwrap_or(0)
}

/// `shl.b64`.
#[inline]
pub fn shl_b64(a: u64, amount: u32) -> u64 {
    a.checked_shl(amount).unwrap_or(0)
}

/// `shr.u16` and `shr.b16`.
#[inline]
pub fn shr_u16(a: u16, amount: u32) -> u16 {
    a.checked_shr(amount).unwrap_or(0)
}

/// `shr.u32` and `shr.b32`.
#[inline]
pub fn shr_u32(a: u32, amount: u32) -> u32 {
    a.checked_shr(amount).unwrap_or(0)
}

/// `shr.u64` and `shr.b64`.
#[inline]
pub fn shr_u64(a: u64, amount: u32) -> u64 {
    a.checked_shr(amount).unwrap_or(0)
}

/// `shr.s16`: the sign fills.
#[inline]
pub fn shr_s16(a: i16, amount: u32) -> i16 {
    a >> amount.min(15)
}

/// `shr.s32`: the sign fills.
#[inline]
pub fn shr_s32(a: i32, amount: u32) -> i32 {
    a >> amount.min(31)
}

/// `shr.s64`: the sign fills.
#[inline]
pub fn shr_s64(a: i64, amount: u32) -> i64 {
    a >> amount.min(63)
}

/// `shf.l.b32`: the upper word of `b` and `a`, `b` above, shifted left.
#[inline]
pub fn shf_left(a: u32, b: u32, amount: u32, range: Range) -> u32 {
    ((pair(a, b) << limited(amount, range)) >> 32) as u32
}

/// `shf.r.b32`: the lower word of `b` and `a`, `b` above, shifted right.
#[inline]
pub fn shf_right(a: u32, b: u32, amount: u32, range: Range) -> u32 {
    (pair(a, b) >> limited(amount, range)) as u32
}

#[inline]
fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[inline]
fn limited(amount: u32, range: Range) -> u32 {
    match range {
        Range::Clamp => amount.min(32),
        Range::Wrap => amount & 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_beyond_the_width_shift_everything_out() {
        for amount in [16, 31, 32, 1 << 16, u32::MAX] {
            assert_eq!((shl_b16(0xffff, amount), shr_u16(0xffff, amount)), (0, 0));
            assert_eq!((shr_s16(-2, amount), shr_s16(2, amount)), (-1, 0));
        }
        for amount in [32, 33, 256, u32::MAX] {
            assert_eq!((shl_b32(u32::MAX, amount), shr_u32(u32::MAX, amount)), (0, 0));
            assert_eq!((shr_s32(i32::MIN, amount), shr_s32(i32::MAX, amount)), (-1, 0));
        }
        for amount in [64, 65, u32::MAX] {
            assert_eq!((shl_b64(u64::MAX, amount), shr_u64(u64::MAX, amount)), (0, 0));
            assert_eq!((shr_s64(i64::MIN, amount), shr_s64(i64::MAX, amount)), (-1, 0));
        }
    }

    #[test]
    fn amounts_within_the_width_are_taken_as_they_are() {
        assert_eq!((shl_b16(3, 15), shr_u16(0x8000, 15), shr_s16(i16::MIN, 14)), (0x8000, 1, -2));
        assert_eq!((shl_b32(3, 31), shr_u32(1 << 31, 31), shr_s32(-8, 2)), (1 << 31, 1, -2));
        assert_eq!((shl_b64(3, 63), shr_u64(1 << 63, 63), shr_s64(-8, 2)), (1 << 63, 1, -2));
    }

    #[test]
    fn funnels_clamp_or_wrap() {
        let (a, b) = (0x89ab_cdef, 0x0123_4567);
        assert_eq!(shf_left(a, b, 8, Range::Wrap), 0x2345_6789);
        assert_eq!(shf_right(a, b, 8, Range::Wrap), 0x6789_abcd);
        assert_eq!((shf_left(a, b, 0, Range::Clamp), shf_right(a, b, 0, Range::Clamp)), (b, a));
        assert_eq!((shf_left(a, b, 32, Range::Wrap), shf_right(a, b, 32, Range::Wrap)), (b, a));
        assert_eq!((shf_left(a, b, 99, Range::Clamp), shf_right(a, b, 99, Range::Clamp)), (a, b));
        assert_eq!(shf_left(a, b, 36, Range::Wrap), 0x1234_5678);
    }
}
