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
