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

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [u32; 14] = [0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 255, 256, 0x1_0003];
    const WORDS: [u64; 5] =
        [0, u64::MAX, 0x8000_0000_8000_0000, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210];

    /// Bit by bit, as the document describes it.
    fn extracted(a: u64, width: u32, position: u32, length: u32, signed: bool) -> u64 {
        let (position, length, top) = (position & 255, length & 255, width - 1);
        let bit = |index: u32| a >> index & 1;
        let sign = if signed && length > 0 { bit((position + length - 1).min(top)) } else { 0 };
        (0..width).fold(0, |result, index| {
            let inside = index < length && position + index <= top;
            result | (if inside { bit(position + index) } else { sign }) << index
        })
    }

    fn inserted(a: u64, b: u64, width: u32, position: u32, length: u32) -> u64 {
        let (position, length) = (position & 255, length & 255);
        (0..length).filter(|index| position + index < width).fold(b, |result, index| {
            result & !(1 << (position + index)) | (a >> index & 1) << (position + index)
        })
    }

    fn for_all_fields(check: impl Fn(u64, u32, u32)) {
        for a in WORDS {
            for position in LENGTHS {
                LENGTHS.into_iter().for_each(|length| check(a, position, length));
            }
        }
    }

    #[test]
    fn fields_are_extracted_bit_by_bit() {
        for_all_fields(|a, position, length| {
            let word = a as u32;
            let of = |a, width, signed| extracted(a, width, position, length, signed);
            assert_eq!(u64::from(bfe_u32(word, position, length)), of(word.into(), 32, false));
            assert_eq!(bfe_s32(word as i32, position, length) as u32, of(word.into(), 32, true) as u32);
            assert_eq!(bfe_u64(a, position, length), of(a, 64, false));
            assert_eq!(
                bfe_s64(a as i64, position, length) as u64,
                of(a, 64, true),
                "{a:x} {position} {length}"
            );
        });
    }

    #[test]
    fn fields_are_inserted_bit_by_bit() {
        for_all_fields(|a, position, length| {
            for b in WORDS {
                let narrow = inserted((a as u32).into(), (b as u32).into(), 32, position, length);
                assert_eq!(u64::from(bfi_b32(a as u32, b as u32, position, length)), narrow);
                assert_eq!(bfi_b64(a, b, position, length), inserted(a, b, 64, position, length));
            }
        });
    }

    #[test]
    fn masks_clamp_or_wrap() {
        assert_eq!(bmsk(1, 2, Range::Wrap), 6);
        assert_eq!(bmsk(30, 5, Range::Wrap), 0xc000_0000);
        assert_eq!(bmsk(33, 34, Range::Wrap), 6);
        assert_eq!(bmsk(4, 32, Range::Wrap), 0);
        assert_eq!(bmsk(4, 32, Range::Clamp), 0xffff_fff0);
        assert_eq!(bmsk(0, 32, Range::Clamp), u32::MAX);
        assert_eq!(bmsk(32, 1, Range::Clamp), 0);
        assert_eq!(bmsk(u32::MAX, u32::MAX, Range::Clamp), 0);
        assert_eq!(bmsk(5, 0, Range::Clamp), 0);
    }

    #[test]
    fn extension_clamps_or_wraps() {
        assert_eq!(szext_u32(0xffff_ffff, 8, Range::Clamp), 0xff);
        assert_eq!(szext_u32(0xffff_ffff, 32, Range::Clamp), u32::MAX);
        assert_eq!(szext_u32(0xffff_ffff, 33, Range::Wrap), 1);
        assert_eq!(szext_u32(0xffff_ffff, 32, Range::Wrap), 0);
        assert_eq!(szext_s32(0x80, 8, Range::Clamp), -128);
        assert_eq!(szext_s32(0x80, 9, Range::Clamp), 128);
        assert_eq!(szext_s32(-5, 100, Range::Clamp), -5);
        assert_eq!(szext_s32(-5, 32, Range::Wrap), 0);
        assert_eq!(szext_s32(1, 33, Range::Wrap), -1);
        assert_eq!(szext_s32(-1, 0, Range::Clamp), 0);
    }
}
