//! The lesser or greater of two floating-point numbers. "Floating Point Instructions: min" of the PTX ISA.

use super::format::Format;

/// What may follow `min` and `max`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers {
    /// `.NaN`: a NaN operand gives the canonical NaN. Otherwise the other operand is the result.
    pub nan: bool,
    /// `.abs`: compares magnitudes, and gives one.
    pub abs: bool,
    /// `.xorsign`: the result's sign is the exclusive or of the operands' signs.
    pub xorsign: bool,
}

/// The greater operand where `largest`, else the lesser one. Negative zero is less than positive zero.
#[inline]
pub(super) fn pick(format: &Format, a: u64, b: u64, largest: bool, modifiers: Modifiers) -> u64 {
    let negative = format.is_negative(a) != format.is_negative(b);
    let (a, b) = if modifiers.abs { (format.magnitude(a), format.magnitude(b)) } else { (a, b) };
    let picked = match (format.is_nan(a), format.is_nan(b)) {
        (false, false) => {
            if (order(format, a) < order(format, b)) == largest {
                b
            } else {
                a
            }
        }
        (true, false) if !modifiers.nan => b,
        (false, true) if !modifiers.nan => a,
        _ => return format.nan,
    };
    if modifiers.xorsign { format.with_sign(picked, negative) } else { picked }
}

/// A number that orders as the bits do.
#[inline]
fn order(format: &Format, bits: u64) -> i64 {
    let magnitude = format.magnitude(bits) as i64;
    if format.is_negative(bits) { !magnitude } else { magnitude }
}
