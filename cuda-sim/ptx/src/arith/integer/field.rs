//! Bit fields. Of a position or a length, the lower eight bits count.

use super::Range;

/// `bfe.u32`: `length` bits from `position` on. Bits beyond the operand are zero.
#[inline]
pub fn bfe_u32(a: u32, position: u32, length: u32) -> u32 {
    bfe_u64(a.into(), position, length) as u32
}

/// `bfe.u64`: see [`bfe_u32`].
#[inline]
pub fn bfe_u64(a: u64, position: u32, length: u32) -> u64 {
    a.checked_shr(position & 0xff).unwrap_or(0) & ones(length & 0xff)
}

/// `bfe.s32`: extended by the field's upper bit, or the operand's where the field ends beyond it. Of a field of no
/// bits, zero.
#[inline]
pub fn bfe_s32(a: i32, position: u32, length: u32) -> i32 {
    bfe_s64(a.into(), position, length) as i32
}

/// `bfe.s64`: see [`bfe_s32`].
#[inline]
pub fn bfe_s64(a: i64, position: u32, length: u32) -> i64 {
    // An arithmetic shift brings in the operand's upper bit, which is what a field that ends beyond it has there.
    let shifted = a >> (position & 0xff).min(63);
    match length & 0xff {
        0 => 0,
        length @ 1..64 => shifted << (64 - length) >> (64 - length),
        _ => shifted,
    }
}

/// `bfi.b32`: `b` with `length` bits from `position` on replaced by the lower ones of `a`.
#[inline]
pub fn bfi_b32(a: u32, b: u32, position: u32, length: u32) -> u32 {
    bfi_b64(a.into(), b.into(), position, length) as u32
}

/// `bfi.b64`: see [`bfi_b32`].
#[inline]
pub fn bfi_b64(a: u64, b: u64, position: u32, length: u32) -> u64 {
    let position = position & 0xff;
    let mask = ones(length & 0xff).checked_shl(position).unwrap_or(0);
    b & !mask | a.checked_shl(position).unwrap_or(0) & mask
}

#[inline]
fn ones(length: u32) -> u64 {
    !u64::MAX.checked_shl(length).unwrap_or(0)
}

/// `bmsk.b32`: `length` ones from `position` on.
#[inline]
pub fn bmsk(position: u32, length: u32, range: Range) -> u32 {
    let (position, length) = match range {
        Range::Clamp => (position, length.min(32)),
        Range::Wrap => (position & 31, length & 31),
    };
    // Neither is above 63 where it matters: a field of 64 bits has room for both.
    (ones(length).checked_shl(position).unwrap_or(0)) as u32
}

/// `szext.u32`: the lower `length` bits.
#[inline]
pub fn szext_u32(a: u32, length: u32, range: Range) -> u32 {
    a & ones(limited(length, range)) as u32
}

/// `szext.s32`: the lower `length` bits, extended by the upper one of them. Of no bits, zero.
#[inline]
pub fn szext_s32(a: i32, length: u32, range: Range) -> i32 {
    match limited(length, range) {
        0 => 0,
        length => a << (32 - length) >> (32 - length),
    }
}

#[inline]
fn limited(length: u32, range: Range) -> u32 {
    match range {
        Range::Clamp => length.min(32),
        Range::Wrap => length & 31,
    }
}
