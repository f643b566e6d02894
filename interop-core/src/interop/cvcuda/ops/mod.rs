//! The operators, one a file.

mod batches;
mod border;
mod composite;
mod convertto;
mod copymakeborder;
mod customcrop;
mod cvtcolor;
mod flip;
mod gaussian;
mod interpolation;
mod normalize;
mod padandstack;
mod reformat;
mod resize;
mod rotate;
mod warp_affine;

pub use self::border::Border;
pub use self::convertto::Round;
pub use self::copymakeborder::Margins;
pub use self::customcrop::Rect;
pub use self::cvtcolor::ColorConversion;
pub use self::flip::Flip;
pub use self::gaussian::Gaussian;
pub use self::interpolation::{Interpolation, WarpInterpolation};
pub use self::normalize::{Normalization, Scale};
