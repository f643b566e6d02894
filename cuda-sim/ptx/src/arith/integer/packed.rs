//! Two 16-bit integers in a register.

/// `add.u16x2` and `add.s16x2`. Wraps.
#[inline]
pub fn add_16x2(a: u32, b: u32) -> u32 {
    lanes(a, b, u16::wrapping_add)
}

/// `min.u16x2`.
#[inline]
pub fn min_u16x2(a: u32, b: u32) -> u32 {
    lanes(a, b, u16::min)
}

/// `max.u16x2`.
#[inline]
pub fn max_u16x2(a: u32, b: u32) -> u32 {
    lanes(a, b, u16::max)
}

/// `min.s16x2`.
#[inline]
pub fn min_s16x2(a: u32, b: u32) -> u32 {
    lanes(a, b, |a, b| (a as i16).min(b as i16) as u16)
}

/// `max.s16x2`.
#[inline]
pub fn max_s16x2(a: u32, b: u32) -> u32 {
    lanes(a, b, |a, b| (a as i16).max(b as i16) as u16)
}

/// `.relu` of `min.s16x2` and `max.s16x2`: what is negative becomes zero.
#[inline]
pub fn relu_s16x2(a: u32) -> u32 {
    max_s16x2(a, 0)
}

#[inline]
fn lanes(a: u32, b: u32, operation: impl Fn(u16, u16) -> u16) -> u32 {
    let low = operation(a as u16, b as u16);
    let high = operation((a >> 16) as u16, (b >> 16) as u16);
    u32::from(high) << 16 | u32::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_do_not_mix() {
        assert_eq!(add_16x2(0x0001_ffff, 0x0002_0001), 0x0003_0000);
        assert_eq!(add_16x2(0xffff_8000, 0x0001_8000), 0);
        assert_eq!(
            (min_u16x2(0x8000_0001, 0x0001_8000), max_u16x2(0x8000_0001, 0x0001_8000)),
            (0x0001_0001, 0x8000_8000)
        );
        assert_eq!(
            (min_s16x2(0x8000_0001, 0x0001_8000), max_s16x2(0x8000_0001, 0x0001_8000)),
            (0x8000_8000, 0x0001_0001)
        );
        assert_eq!(relu_s16x2(0x8000_7fff), 0x0000_7fff);
    }
}
