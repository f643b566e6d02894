//! Sums and differences that carry, or saturate.
//!
//! "Extended-Precision Integer Arithmetic Instructions" of the PTX ISA. The flag `CC.CF` is a carry after an addition,
//! a borrow after a subtraction.

/// `addc.cc.u32`, and with no carry in, `add.cc.u32`. The carry out beside the sum.
#[inline]
pub fn add_u32(a: u32, b: u32, carry: bool) -> (u32, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry.into());
    (sum, first | second)
}

/// `addc.cc.u64`, and with no carry in, `add.cc.u64`. The carry out beside the sum.
#[inline]
pub fn add_u64(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry.into());
    (sum, first | second)
}

/// `subc.cc.u32`, and with no borrow in, `sub.cc.u32`. The borrow out beside the difference.
#[inline]
pub fn sub_u32(a: u32, b: u32, borrow: bool) -> (u32, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow.into());
    (difference, first | second)
}

/// `subc.cc.u64`, and with no borrow in, `sub.cc.u64`. The borrow out beside the difference.
#[inline]
pub fn sub_u64(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow.into());
    (difference, first | second)
}

/// `add.sat.s32`.
#[inline]
pub fn add_saturating_s32(a: i32, b: i32) -> i32 {
    a.saturating_add(b)
}

/// `sub.sat.s32`.
#[inline]
pub fn sub_saturating_s32(a: i32, b: i32) -> i32 {
    a.saturating_sub(b)
}
