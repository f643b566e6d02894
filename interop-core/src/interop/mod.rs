//! One module a partner.

#[cfg(feature = "ndarray")]
mod ndarray;
