//! Quotients and remainders. "Integer Arithmetic Instructions: div" and "rem" of the PTX ISA leave division by zero
//! to the machine.
//!
//! Here, a quotient by zero is all ones, -1 if signed, and the remainder is the dividend, so that quotient times
//! divisor plus remainder is the dividend still. The one quotient that overflows, of the least number by -1, wraps
//! to the dividend, with remainder zero.

/// `div.u16`.
#[inline]
pub fn div_u16(a: u16, b: u16) -> u16 {
    a.checked_div(b).unwrap_or(u16::MAX)
}

/// `div.u32`.
#[inline]
pub fn div_u32(a: u32, b: u32) -> u32 {
    a.checked_div(b).unwrap_or(u32::MAX)
}

/// `div.u64`.
#[inline]
pub fn div_u64(a: u64, b: u64) -> u64 {
    a.checked_div(b).unwrap_or(u64::MAX)
}

/// `div.s16`.
#[inline]
pub fn div_s16(a: i16, b: i16) -> i16 {
    if b == 0 { -1 } else { a.wrapping_div(b) }
}

/// `div.s32`.
#[inline]
pub fn div_s32(a: i32, b: i32) -> i32 {
    if b == 0 { -1 } else { a.wrapping_div(b) }
}

/// `div.s64`.
#[inline]
pub fn div_s64(a: i64, b: i64) -> i64 {
    if b == 0 { -1 } else { a.wrapping_div(b) }
}

/// `rem.u16`.
#[inline]
pub fn rem_u16(a: u16, b: u16) -> u16 {
    a.checked_rem(b).unwrap_or(a)
}

/// `rem.u32`.
#[inline]
pub fn rem_u32(a: u32, b: u32) -> u32 {
    a.checked_rem(b).unwrap_or(a)
}

/// `rem.u64`.
#[inline]
pub fn rem_u64(a: u64, b: u64) -> u64 {
    a.checked_rem(b).unwrap_or(a)
}

/// `rem.s16`: the sign is the dividend's.
#[inline]
pub fn rem_s16(a: i16, b: i16) -> i16 {
    if b == 0 { a } else { a.wrapping_rem(b) }
}

/// `rem.s32`: the sign is the dividend's.
#[inline]
pub fn rem_s32(a: i32, b: i32) -> i32 {
    if b == 0 { a } else { a.wrapping_rem(b) }
}

/// `rem.s64`: the sign is the dividend's.
#[inline]
pub fn rem_s64(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { a.wrapping_rem(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_by_zero_gives_all_ones_and_the_dividend() {
        assert_eq!((div_u16(7, 0), div_u32(7, 0), div_u64(7, 0)), (u16::MAX, u32::MAX, u64::MAX));
        assert_eq!((div_s16(7, 0), div_s32(-7, 0), div_s64(i64::MIN, 0)), (-1, -1, -1));
        assert_eq!((rem_u16(7, 0), rem_u32(7, 0), rem_u64(7, 0)), (7, 7, 7));
        assert_eq!((rem_s16(7, 0), rem_s32(-7, 0), rem_s64(i64::MIN, 0)), (7, -7, i64::MIN));
    }

    #[test]
    fn the_quotient_that_overflows_wraps() {
        assert_eq!((div_s16(i16::MIN, -1), rem_s16(i16::MIN, -1)), (i16::MIN, 0));
        assert_eq!((div_s32(i32::MIN, -1), rem_s32(i32::MIN, -1)), (i32::MIN, 0));
        assert_eq!((div_s64(i64::MIN, -1), rem_s64(i64::MIN, -1)), (i64::MIN, 0));
    }

    #[test]
    fn quotients_truncate_and_remainders_have_the_dividends_sign() {
        assert_eq!((div_s32(-7, 2), rem_s32(-7, 2)), (-3, -1));
        assert_eq!((div_s64(7, -2), rem_s64(7, -2)), (-3, 1));
        assert_eq!((div_u32(u32::MAX, 2), rem_u32(u32::MAX, 2)), (0x7fff_ffff, 1));
        assert_eq!((div_u16(9, 4), rem_u16(9, 4)), (2, 1));
        assert_eq!((div_u64(1 << 63, 3), rem_u64(1 << 63, 3)), (0x2aaa_aaaa_aaaa_aaaa, 2));
    }
}
