//! How a value between pixels is found.

/// How [`CvCuda::resize`](crate::cvcuda::CvCuda::resize) finds a value between pixels (`NVCVInterpolationType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[non_exhaustive]
pub enum Interpolation {
    /// That of the nearest pixel.
    Nearest = 0,
    /// Between the four pixels around, in proportion.
    Linear = 1,
    /// A cubic curve through 4 x 4 pixels.
    Cubic = 2,
    /// The mean of the pixels that become one: for making images smaller.
    Area = 3,
}

/// How [`CvCuda::rotate`](crate::cvcuda::CvCuda::rotate) and [`CvCuda::warp_affine`](crate::cvcuda::CvCuda::warp_affine)
/// find a value between pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[non_exhaustive]
pub enum WarpInterpolation {
    /// That of the nearest pixel.
    Nearest = 0,
    /// Between the four pixels around, in proportion.
    Linear = 1,
    /// A cubic curve through 4 x 4 pixels.
    Cubic = 2,
}
