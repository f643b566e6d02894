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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_carried() {
        assert_eq!(add_u32(u32::MAX, 0, true), (0, true));
        assert_eq!(add_u32(u32::MAX, u32::MAX, true), (u32::MAX, true));
        assert_eq!(add_u32(1, 2, true), (4, false));
        assert_eq!(add_u64(u64::MAX, 0, true), (0, true));
        assert_eq!(add_u64(u64::MAX, u64::MAX, false), (u64::MAX - 1, true));
        assert_eq!(add_u64(u64::MAX - 1, 0, true), (u64::MAX, false));
    }

    #[test]
    fn what_is_missing_is_borrowed() {
        assert_eq!(sub_u32(0, 0, true), (u32::MAX, true));
        assert_eq!(sub_u32(0, u32::MAX, true), (0, true));
        assert_eq!(sub_u32(5, 4, true), (0, false));
        assert_eq!(sub_u64(0, 1, false), (u64::MAX, true));
        assert_eq!(sub_u64(1 << 32, 1, true), ((1 << 32) - 2, false));
    }

    #[test]
    fn words_carry_as_a_wide_sum_does() {
        let (a, b) = (0xffff_ffff_8000_0001_u64, 0x0000_0001_7fff_ffff_u64);
        let (low, carry) = add_u32(a as u32, b as u32, false);
        let (high, carry) = add_u32((a >> 32) as u32, (b >> 32) as u32, carry);
        assert_eq!((u64::from(high) << 32 | u64::from(low), carry), a.overflowing_add(b));
        let (low, borrow) = sub_u32(b as u32, a as u32, false);
        let (high, borrow) = sub_u32((b >> 32) as u32, (a >> 32) as u32, borrow);
        assert_eq!((u64::from(high) << 32 | u64::from(low), borrow), b.overflowing_sub(a));
    }

    #[test]
    fn sums_saturate() {
        assert_eq!(add_saturating_s32(i32::MAX, 1), i32::MAX);
        assert_eq!(sub_saturating_s32(i32::MIN, 1), i32::MIN);
        assert_eq!(sub_saturating_s32(0, i32::MIN), i32::MAX);
    }
}
