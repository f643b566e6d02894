//! Copies between host and device: checked, and true to the strides on both sides.

mod between;
mod by_threads;
mod execute;
mod fresh;
mod gather;
mod host;
mod pinned;
mod staging;
mod unowned;
mod workers;

pub use between::{cuda_memcpy_d2d, cuda_memcpy_d2h, cuda_memcpy_h2d};
pub(crate) use between::{download, upload};
pub use host::{HostArray, HostArrayMut, HostView, HostViewMut};
pub use pinned::PinnedBuffer;
pub use unowned::{
    cuda_memcpy_d2h_interface, cuda_memcpy_d2h_raw, cuda_memcpy_h2d_interface, cuda_memcpy_h2d_raw,
};
pub use workers::CopyPath;
pub(crate) use workers::CopyWorkers;
