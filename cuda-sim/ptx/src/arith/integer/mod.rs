//! Integer arithmetic, bit fields, shifts and permutations. "Integer Arithmetic Instructions" and "Logic and Shift
//! Instructions" of the PTX ISA.

pub mod bits;
pub mod carry;
pub mod divide;
pub mod dot;
pub mod field;
pub mod multiply;
pub mod packed;
pub mod permute;
pub mod shift;

/// What becomes of a shift amount, a position or a width that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Range {
    /// `.clamp`: it is the greatest in range.
    Clamp,
    /// `.wrap`: its upper bits are ignored.
    Wrap,
}
