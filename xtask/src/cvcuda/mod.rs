//! NVIDIA's CV-CUDA, whose C libraries come inside a Python wheel: which one, how it
//! comes here, where it lies.

pub mod pip;
pub mod place;
pub mod unpack;
pub mod wheel;
