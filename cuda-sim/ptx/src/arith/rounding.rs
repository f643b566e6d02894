//! Rounding modes.

/// Where an inexact result goes. "Floating Point Instructions" of the PTX ISA; `cvt.rna` is
/// [`tf32`](super::tf32)'s alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// `.rn`: to the nearest value, ties to an even significand.
    #[default]
    Nearest,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards negative infinity.
    Down,
    /// `.rp`: towards positive infinity.
    Up,
}

impl Rounding {
    /// All modes.
    pub const ALL: [Self; 4] = [Self::Nearest, Self::Zero, Self::Down, Self::Up];

    /// Whether a directed mode moves results of this sign away from zero.
    #[inline]
    pub(super) fn is_outward(self, negative: bool) -> bool {
        match self {
            Self::Nearest | Self::Zero => false,
            Self::Down => negative,
            Self::Up => !negative,
        }
    }
}
