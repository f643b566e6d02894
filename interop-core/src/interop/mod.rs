//! One module a partner.

#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "ndarray")]
mod ndarray_pinned;
