//! CV-CUDA, NVIDIA's library of image operators on the GPU: the real one, called through its C interface.
//!
//! NVIDIA's page *CUDA Python* joins CUDA memory to CV-CUDA; this is that other end. There are no headers and nothing to
//! link at build time: the libraries are found and opened by [`CvCuda::open`], which says precisely what it looked for
//! when there are none.
//!
//! | on the page | here |
//! |---|---|
//! | `cvcuda.as_tensor(buffer)` | [`as_tensor`](crate::as_tensor): any [`Tensor`](crate::Tensor) serves, without a copy |
//! | `cvcuda.Tensor(shape, dtype)` | [`CvCuda::tensor`] |
//! | `tensor.cuda()` | [`Tensor::cuda`](crate::Tensor::cuda) |
//! | `cvcuda.resize(tensor, ...)` | [`CvCuda::resize`], and so the other operators |
//! | `cvcuda.resize_into(out, tensor, ...)` | [`CvCuda::resize_into`] |
//! | none: its operators refuse to be captured | [`CvCuda::record`]: operators once, then all of them with one launch |
//!
//! # What is checked before every call
//! CV-CUDA accepts some arguments wrongly, and a kernel that reads out of bounds ruins the device for the whole process.
//! So each operator's rules (layouts, channels, dtypes, sizes that must agree, memory that must not overlap) are checked
//! here first, and what breaks them is refused with the argument, what was expected, what came and the remedy. What CV-CUDA
//! itself refuses comes with its own message, as [`Error::CvCuda`](crate::Error::CvCuda).
//!
//! # Who keeps what alive
//! A tensor of CV-CUDA that wraps memory of ours holds a reference to it, until its own last reference goes. A tensor that
//! CV-CUDA manages is kept by every buffer and view that is made of it. An operator's inputs and outputs live until the
//! stream has passed it, also if they are dropped at once.

mod batch;
mod batch_check;
mod call;
mod check;
mod image;
mod keep;
mod library;
mod managed;
mod memories;
mod names;
mod native;
mod operator;
mod ops;
mod pool;
mod record;
mod recording;
mod retired;
mod session;

pub use self::batch::ImageBatch;
pub use self::image::{Image, ImageFormat};
pub use self::library::LibraryInfo;
pub(crate) use self::native::NativeSlot;
pub use self::ops::*;
pub use self::record::Recorded;
pub use self::session::{CvCuda, find_library};
