//! One module a partner.

#[cfg(feature = "cvcuda")]
pub mod cvcuda;
#[cfg(feature = "image")]
mod image;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "ndarray")]
mod ndarray_pinned;
