//! [`DType`]: the element types of arrays on the GPU, and their typestr.

use std::fmt;

use crate::{Error, Result};

/// The type of an array's elements.
///
/// The names are NumPy's, the typestr that of the [array interface protocol, version 3][spec].
///
/// ```
/// use interop_core::DType;
///
/// assert_eq!(DType::from_typestr("<f4")?, DType::F32);
/// assert_eq!(DType::F32.typestr(), "<f4");
/// assert_eq!(DType::F32.size(), 4); // bytes
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// [spec]: https://numpy.org/doc/stable/reference/arrays.interface.html
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DType {
    /// A boolean: one byte, 0 or 1.
    Bool,
    /// An unsigned integer of 8 bits.
    U8,
    /// An unsigned integer of 16 bits.
    U16,
    /// An unsigned integer of 32 bits.
    U32,
    /// An unsigned integer of 64 bits.
    U64,
    /// A signed integer of 8 bits.
    I8,
    /// A signed integer of 16 bits.
    I16,
    /// A signed integer of 32 bits.
    I32,
    /// A signed integer of 64 bits.
    I64,
    /// An IEEE 754 float of 16 bits.
    F16,
    /// An IEEE 754 float of 32 bits.
    F32,
    /// An IEEE 754 float of 64 bits.
    F64,
    /// A complex number of two [`DType::F32`].
    C64,
    /// A complex number of two [`DType::F64`].
    C128,
}

/// Every dtype with its typestr, its name and its size in bytes.
const TABLE: [(DType, &str, &str, usize); 14] = [
    (DType::Bool, "|b1", "bool", 1),
    (DType::U8, "|u1", "u8", 1),
    (DType::U16, "<u2", "u16", 2),
    (DType::U32, "<u4", "u32", 4),
    (DType::U64, "<u8", "u64", 8),
    (DType::I8, "|i1", "i8", 1),
    (DType::I16, "<i2", "i16", 2),
    (DType::I32, "<i4", "i32", 4),
    (DType::I64, "<i8", "i64", 8),
    (DType::F16, "<f2", "f16", 2),
    (DType::F32, "<f4", "f32", 4),
    (DType::F64, "<f8", "f64", 8),
    (DType::C64, "<c8", "c64", 8),
    (DType::C128, "<c16", "c128", 16),
];

impl DType {
    /// Every dtype, in the order of their declaration.
    pub fn all() -> impl Iterator<Item = DType> {
        TABLE.iter().map(|row| row.0)
    }

    fn row(self) -> &'static (DType, &'static str, &'static str, usize) {
        // The table lists the variants in the order of their declaration; a test holds it to that.
        &TABLE[self as usize]
    }

    /// Bytes an element.
    pub fn size(self) -> usize {
        self.row().3
    }

    /// Bytes that an element's address must be a multiple of: that of its real part for complex numbers.
    pub fn alignment(self) -> usize {
        match self {
            Self::C64 => 4,
            Self::C128 => 8,
            other => other.size(),
        }
    }

    /// The typestr of the array interface protocol: byte order, kind, and size in bytes.
    pub fn typestr(self) -> &'static str {
        self.row().1
    }

    /// The dtype that a typestr names.
    ///
    /// # Errors
    /// [`Error::UnsupportedTypestr`] for big-endian data, structured, text, date and object types, bf16
    /// (which has no agreed typestr), and anything that is no typestr.
    pub fn from_typestr(typestr: &str) -> Result<Self> {
        let unsupported = |reason| Error::UnsupportedTypestr { typestr: typestr.to_owned(), reason };
        let mut chars = typestr.chars();
        let order = chars.next().ok_or_else(|| unsupported("it is empty"))?;
        let rest = chars.as_str();
        let found = TABLE.iter().find(|row| &row.1[1..] == rest);
        match (order, found) {
            ('>', _) => Err(unsupported("it is big-endian, which no GPU reads")),
            ('<' | '|' | '=', None) => Err(unsupported(unknown_kind(rest))),
            ('<' | '=', Some(row)) => Ok(row.0),
            // One byte has no order: NumPy writes `|`, others `<`.
            ('|', Some(row)) if row.3 == 1 => Ok(row.0),
            ('|', Some(_)) => Err(unsupported("it lacks the byte order")),
            _ => Err(unsupported("it does not start with the byte order `<` or `|`")),
        }
    }
}

fn unknown_kind(rest: &str) -> &'static str {
    match rest.chars().next() {
        Some('V') => "structured and opaque types (bf16 among them) have no element type here",
        Some('M' | 'm') => "dates and times have no element type here",
        Some('S' | 'U') => "text has no element type here",
        Some('O') => "Python objects cannot live on a GPU",
        _ => "no element type has this kind and size",
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_follows_the_declaration() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, index);
            assert!(row.1.ends_with(&row.3.to_string()), "{row:?}");
        }
    }

    #[test]
    fn typestr_goes_both_ways() {
        for dtype in DType::all() {
            assert_eq!(DType::from_typestr(dtype.typestr()), Ok(dtype));
        }
        assert_eq!(DType::from_typestr("<u1"), Ok(DType::U8));
        assert_eq!(DType::from_typestr("=f4"), Ok(DType::F32));
    }

    // Cases 26 and 28.
    #[test]
    fn other_typestrs_are_refused_with_the_reason() {
        for (typestr, reason) in [
            (">f4", "big-endian"),
            ("|V12", "structured"),
            ("<V2", "bf16"),
            ("<M8[s]", "dates"),
            ("|O", "Python objects"),
            ("<U4", "text"),
            ("", "empty"),
            ("f4", "byte order"),
            ("|f4", "lacks the byte order"),
            ("<f3", "no element type"),
            ("<f4x", "no element type"),
            ("é1", "byte order"),
            ("<é1", "no element type"),
        ] {
            let Err(error) = DType::from_typestr(typestr) else { panic!("{typestr:?} was accepted") };
            assert!(error.to_string().contains(reason), "{typestr:?}: {error}");
        }
    }
}
