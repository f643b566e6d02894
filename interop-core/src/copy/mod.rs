//! Copies between host and device, and fills: checked, and true to the strides of all arrays.

mod across;
mod between;
mod booleans;
mod detour;
mod direction;
mod elements;
mod execute;
mod fill;
mod fresh;
mod gather;
mod host;
mod job;
mod meter;
mod owned;
mod pattern;
mod pinned;
mod queued;
mod registered;
mod rows;
mod scope;
mod staging;
mod streaming;
mod through_host;
mod through_pinned;
mod tiles;
mod unowned;
mod workers;

pub use across::{DeviceCopy, cuda_memcpy_d2d_async};
#[cfg(feature = "cvcuda")]
pub(crate) use between::are_apart;
pub use between::{cuda_memcpy_d2d, cuda_memcpy_d2h, cuda_memcpy_h2d};
pub(crate) use between::{download, upload};
pub use fill::cuda_fill;
pub(crate) use fill::{fill, zero};
pub use host::{HostArray, HostArrayMut, HostView, HostViewMut};
pub use owned::{PinnedCopy, Rejected, cuda_memcpy_d2h_async, cuda_memcpy_h2d_async};
pub use pinned::PinnedBuffer;
pub use queued::Progress;
#[cfg(feature = "ndarray")]
pub(crate) use registered::pin;
pub use scope::{CopyScope, ScopedDownload, ScopedUpload};
pub use unowned::{
    cuda_memcpy_d2h_interface, cuda_memcpy_d2h_raw, cuda_memcpy_h2d_interface, cuda_memcpy_h2d_raw,
};
pub use workers::CopyPath;
pub(crate) use workers::{CopyWorkers, Stage};
