//! Dot products of bytes and half words.

/// Which bytes of its second operand `dp2a` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// `.lo`
    Low,
    /// `.hi`
    High,
}

/// `dp4a`: four products of bytes, and `c`. Each operand has a sign where its flag says so. Wraps.
#[inline]
pub fn dp4a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..4)
        .fold(c, |sum, lane| sum.wrapping_add(byte(a, lane, a_signed).wrapping_mul(byte(b, lane, b_signed))))
}

/// `dp2a`: two products of half words of `a` with bytes of `b`, and `c`. Each operand has a sign where its flag says
/// so. Wraps.
#[inline]
pub fn dp2a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, part: Part) -> u32 {
    let first = if part == Part::Low { 0 } else { 2 };
    (0..2).fold(c, |sum, lane| {
        sum.wrapping_add(half(a, lane, a_signed).wrapping_mul(byte(b, first + lane, b_signed)))
    })
}

#[inline]
fn byte(word: u32, lane: u32, signed: bool) -> u32 {
    let byte = (word >> (8 * lane)) as u8;
    if signed { byte as i8 as u32 } else { byte.into() }
}

#[inline]
fn half(word: u32, lane: u32, signed: bool) -> u32 {
    let half = (word >> (16 * lane)) as u16;
    if signed { half as i16 as u32 } else { half.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_a_sign_where_asked() {
        let (a, b) = (0xff02_8001, 0x0203_ff80);
        let signed = -2 + 6 + 128 - 128;
        assert_eq!(dp4a(a, b, 5, true, true), (5 + signed) as u32);
        assert_eq!(dp4a(a, b, 5, false, false), 5 + 255 * 2 + 6 + 128 * 255 + 128);
        assert_eq!(dp4a(a, b, 0, true, false), (-2 + 6 - 128 * 255 + 128) as u32);
        assert_eq!(dp4a(a, b, 0, false, true), (510 + 6 - 128 - 128) as u32);
        assert_eq!(dp4a(0x0101_0101, 0x0101_0101, u32::MAX, true, true), 3);
    }

    #[test]
    fn half_words_meet_the_bytes_of_a_part() {
        let (a, b) = (0x8000_0003, 0x02ff_04fe);
        assert_eq!(dp2a(a, b, 1, true, true, Part::Low), (1 - 6 - 32768 * 4) as u32);
        assert_eq!(dp2a(a, b, 1, false, false, Part::Low), 1 + 3 * 254 + 32768 * 4);
        assert_eq!(dp2a(a, b, 0, true, true, Part::High), (-3 - 65536) as u32);
        assert_eq!(dp2a(a, b, 0, false, true, Part::High), 65536 - 3);
        assert_eq!(dp2a(a, b, 0, true, false, Part::High), (3 * 255 - 65536) as u32);
    }
}
