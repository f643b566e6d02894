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
