//! Single bits: counted, found, reversed, combined.

/// What searches give where there is nothing to find.
pub const NONE: u32 = u32::MAX;

/// `popc.b32`.
#[inline]
pub fn popc_b32(a: u32) -> u32 {
    a.count_ones()
}

/// `popc.b64`.
#[inline]
pub fn popc_b64(a: u64) -> u32 {
    a.count_ones()
}

/// `clz.b32`.
#[inline]
pub fn clz_b32(a: u32) -> u32 {
    a.leading_zeros()
}

/// `clz.b64`.
#[inline]
pub fn clz_b64(a: u64) -> u32 {
    a.leading_zeros()
}

/// `brev.b32`.
#[inline]
pub fn brev_b32(a: u32) -> u32 {
    a.reverse_bits()
}

/// `brev.b64`.
#[inline]
pub fn brev_b64(a: u64) -> u64 {
    a.reverse_bits()
}

/// `cnot.b16`: 1 for zero, else 0.
#[inline]
pub fn cnot_b16(a: u16) -> u16 {
    (a == 0).into()
}

/// `cnot.b32`: 1 for zero, else 0.
#[inline]
pub fn cnot_b32(a: u32) -> u32 {
    (a == 0).into()
}

/// `cnot.b64`: 1 for zero, else 0.
#[inline]
pub fn cnot_b64(a: u64) -> u64 {
    (a == 0).into()
}

/// `bfind.u32`: the highest set bit. With `.shiftamt`, the shift that makes it the top bit. [`NONE`] for zero.
#[inline]
pub fn bfind_u32(a: u32, shift_amount: bool) -> u32 {
    find(a.leading_zeros(), 32, shift_amount)
}

/// `bfind.s32`: of a negative number, the highest bit that is not set.
#[inline]
pub fn bfind_s32(a: i32, shift_amount: bool) -> u32 {
    bfind_u32((a ^ (a >> 31)) as u32, shift_amount)
}

/// `bfind.u64`: see [`bfind_u32`].
#[inline]
pub fn bfind_u64(a: u64, shift_amount: bool) -> u32 {
    find(a.leading_zeros(), 64, shift_amount)
}

/// `bfind.s64`: see [`bfind_s32`].
#[inline]
pub fn bfind_s64(a: i64, shift_amount: bool) -> u32 {
    bfind_u64((a ^ (a >> 63)) as u64, shift_amount)
}

#[inline]
fn find(leading_zeros: u32, width: u32, shift_amount: bool) -> u32 {
    match (leading_zeros, shift_amount) {
        (zeros, _) if zeros == width => NONE,
        (zeros, true) => zeros,
        (zeros, false) => width - 1 - zeros,
    }
}

/// `fns.b32`: the `offset`-th set bit of `mask`, counted from bit `base` on, `base` included: upwards for a positive
/// `offset`, downwards for a negative one. For zero, `base` if that bit is set. [`NONE`] if there is no such bit, and
/// for a `base` beyond the mask.
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return NONE;
    }
    let candidates = match offset {
        0 => mask & 1 << base,
        1.. => mask & u32::MAX << base,
        _ => mask & u32::MAX >> (31 - base),
    };
    let skipped = offset.unsigned_abs().saturating_sub(1);
    if skipped >= candidates.count_ones() {
        return NONE;
    }
    if offset < 0 { 31 - nth(candidates.reverse_bits(), skipped) } else { nth(candidates, skipped) }
}

/// The lowest set bit after `skipped` others. There are that many.
fn nth(bits: u32, skipped: u32) -> u32 {
    (0..skipped).fold(bits, |rest, _| rest & rest.wrapping_sub(1)).trailing_zeros()
}

/// `lop3.b32`: bit `4a + 2b + c` of `table`, for each bit of the operands.
#[inline]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let mut result = 0;
    for row in 0..8 {
        let wanted = |operand: u32, bit: u8| if row & bit == 0 { !operand } else { operand };
        let selected = u32::from(table >> row & 1).wrapping_neg();
        result |= selected & wanted(a, 4) & wanted(b, 2) & wanted(c, 1);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bit_that_is_not_the_sign_is_found() {
        assert_eq!(bfind_u32(0, false), NONE);
        assert_eq!(bfind_u32(0, true), NONE);
        assert_eq!(bfind_u32(1, false), 0);
        assert_eq!(bfind_u32(1, true), 31);
        assert_eq!(bfind_u32(0x8000_0000, false), 31);
        assert_eq!(bfind_s32(-1, false), NONE);
        assert_eq!(bfind_s32(-2, false), 0);
        assert_eq!(bfind_s32(i32::MIN, false), 30);
        assert_eq!(bfind_s32(i32::MIN, true), 1);
        assert_eq!(bfind_u64(1 << 40, false), 40);
        assert_eq!(bfind_u64(1 << 40, true), 23);
        assert_eq!(bfind_s64(-1, true), NONE);
        assert_eq!(bfind_s64(i64::MAX, false), 62);
    }

    #[test]
    fn zero_alone_is_false() {
        assert_eq!((cnot_b16(0), cnot_b32(0), cnot_b64(0)), (1, 1, 1));
        assert_eq!((cnot_b16(0x8000), cnot_b32(2), cnot_b64(1 << 63)), (0, 0, 0));
    }

    #[test]
    fn bits_are_counted_and_reversed() {
        assert_eq!((popc_b32(0xf0f0), popc_b64(u64::MAX)), (8, 64));
        assert_eq!((clz_b32(0), clz_b32(1), clz_b64(0), clz_b64(1 << 62)), (32, 31, 64, 1));
        assert_eq!((brev_b32(1), brev_b64(2)), (1 << 31, 1 << 62));
    }

    /// Step by step, as the document describes it.
    fn fns_by_steps(mask: u32, base: u32, offset: i32) -> u32 {
        let step = if offset < 0 { -1 } else { 1 };
        let mut left = if offset == 0 { 1 } else { i64::from(offset).abs() };
        let mut position = i64::from(base);
        while (0..32).contains(&position) {
            left -= i64::from(mask >> position & 1);
            if left == 0 {
                return position as u32;
            }
            if offset == 0 {
                break;
            }
            position += step;
        }
        NONE
    }

    #[test]
    fn the_nth_set_bit_is_found_in_both_directions() {
        for mask in [0, 1, 0x8000_0000, 0xa5a5_0f31, u32::MAX, 0x0010_0400] {
            for base in (0..34).chain([u32::MAX]) {
                for offset in (-34..=34).chain([i32::MIN, i32::MAX]) {
                    let expected = fns_by_steps(mask, base, offset);
                    assert_eq!(fns(mask, base, offset), expected, "{mask:x} {base} {offset}");
                }
            }
        }
    }

    #[test]
    fn every_table_is_looked_up_bit_by_bit() {
        let (a, b, c) = (0xf0f0_1234, 0xcccc_5678, 0xaaaa_9abc);
        for table in 0..=u8::MAX {
            let expected = (0..32).fold(0, |result, bit| {
                let row = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
                result | u32::from(table >> row & 1) << bit
            });
            assert_eq!(lop3(a, b, c, table), expected, "{table:x}");
        }
        assert_eq!(lop3(a, b, c, 0xf0 & 0xcc | 0xaa), a & b | c);
    }
}
