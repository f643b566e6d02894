//! `prmt`: bytes picked from two registers.
//! "Data Movement and Conversion Instructions: prmt" of the PTX ISA.

/// The modes of `prmt` in which the selector is a number from 0 to 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// `.f4e`: four bytes upwards from the selected one.
    Forward,
    /// `.b4e`: four bytes downwards from the selected one, around the ends.
    Backward,
    /// `.rc8`: the selected byte four times.
    Replicate8,
    /// `.ecl`: each byte of the first register, or the selected one if that is above.
    ClampLeft,
    /// `.ecr`: each byte of the first register, or the selected one if that is below.
    ClampRight,
    /// `.rc16`: the selected half word twice, by the selector's lowest bit.
    Replicate16,
}

/// `prmt.b32` without a mode: each byte of the result has four bits of `selector`. Three number a byte, of `a` from 0
/// and of `b` from 4; the upper one asks for that byte's sign in its place.
#[inline]
pub fn prmt(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |result, lane| {
        let control = selector >> (4 * lane) & 15;
        let byte = (bytes >> (8 * (control & 7))) as u8;
        let byte = if control & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
        result | u32::from(byte) << (8 * lane)
    })
}

/// `prmt.b32` with a mode. Of `selector`, the lower two bits count.
#[inline]
pub fn prmt_mode(a: u32, b: u32, selector: u32, mode: Mode) -> u32 {
    let selected = selector & 3;
    let control = (0..4).fold(0, |control, lane| control | source(mode, selected, lane) << (4 * lane));
    prmt(a, b, control)
}

/// The number of the byte that goes to `lane`.
#[inline]
fn source(mode: Mode, selected: u32, lane: u32) -> u32 {
    match mode {
        Mode::Forward => selected + lane,
        Mode::Backward => (selected + 8 - lane) & 7,
        Mode::Replicate8 => selected,
        Mode::ClampLeft => selected.max(lane),
        Mode::ClampRight => selected.min(lane),
        Mode::Replicate16 => 2 * (selected & 1) + (lane & 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u32 = 0xb3b2_b130;
    const B: u32 = 0x37b6_b5b4;

    #[test]
    fn any_byte_goes_anywhere() {
        assert_eq!(prmt(A, B, 0x3210), A);
        assert_eq!(prmt(A, B, 0x7654), B);
        assert_eq!(prmt(A, B, 0x0123), A.swap_bytes());
        assert_eq!(prmt(A, B, 0xffff_4170), 0xb4b1_3730);
    }

    #[test]
    fn the_upper_bit_asks_for_the_sign() {
        assert_eq!(prmt(A, B, 0xf980), 0x00ff_0030);
        assert_eq!(prmt(A, B, 0x888c), 0x0000_00ff);
    }

    /// The document's table, of the byte numbers 0 to 7 as values.
    #[test]
    fn modes_pick_as_tabulated() {
        let (a, b) = (0x0302_0100, 0x0706_0504);
        let table = [
            (Mode::Forward, [0x0302_0100, 0x0403_0201, 0x0504_0302, 0x0605_0403]),
            (Mode::Backward, [0x0506_0700, 0x0607_0001, 0x0700_0102, 0x0001_0203]),
            (Mode::Replicate8, [0x0000_0000, 0x0101_0101, 0x0202_0202, 0x0303_0303]),
            (Mode::ClampLeft, [0x0302_0100, 0x0302_0101, 0x0302_0202, 0x0303_0303]),
            (Mode::ClampRight, [0x0000_0000, 0x0101_0100, 0x0202_0100, 0x0302_0100]),
            (Mode::Replicate16, [0x0100_0100, 0x0302_0302, 0x0100_0100, 0x0302_0302]),
        ];
        for (mode, rows) in table {
            for (selector, expected) in (0..).zip(rows) {
                assert_eq!(prmt_mode(a, b, selector | 0xfffc, mode), expected, "{mode:?} {selector}");
            }
        }
    }
}
