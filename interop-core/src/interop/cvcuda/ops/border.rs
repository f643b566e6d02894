//! What lies beyond an image's edge.

/// What an operator finds beyond an image's edge (`NVCVBorderType`), with the pixels `abcd` as an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[non_exhaustive]
pub enum Border {
    /// A constant value: `000 abcd 000`.
    Constant = 0,
    /// The pixel at the edge: `aaa abcd ddd`.
    Replicate = 1,
    /// The image mirrored, the edge's pixel twice: `cba abcd dcb`.
    Reflect = 2,
    /// The image again: `bcd abcd abc`.
    Wrap = 3,
    /// The image mirrored, the edge's pixel once: `dcb abcd cba`.
    Reflect101 = 4,
}
