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
