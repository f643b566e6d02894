//! Share GPU memory from Rust.
//!
//! Allocate with CUDA, hand the memory to other libraries without a copy, and move data between host and GPU
//! correctly whatever the strides.
//!
//! | on NVIDIA's page on CUDA Python | here |
//! |---|---|
//! | `CudaBuffer(shape, dtype)` | [`CudaBuffer::new`] |
//! | `CudaBuffer(shape, dtype, ptr)` | [`CudaBuffer::from_raw_pointer`] (unsafe) |
//! | `CudaBuffer.from_cuda(obj)` | [`CudaBuffer::from_cuda`], which keeps the owner alive |
//! | `CudaBuffer.from_cuda(dict)` | [`CudaBuffer::from_interface`] (unsafe) |
//! | `__cuda_array_interface__` | [`CudaArray`], [`CudaArrayInterface`] |
//! | `cvcuda.as_tensor(buffer)` | [`as_tensor`] |
//! | `cvcuda.Tensor(shape, dtype)` | [`Tensor::new`]; by the real CV-CUDA: `cvcuda::CvCuda::tensor` |
//! | `tensor.cuda()` | [`Tensor::cuda`] |
//! | `cuda_memcpy_h2d(array, obj)` | [`cuda_memcpy_h2d`], which heeds the strides |
//! | `cuda_memcpy_h2d(array, dict)` | [`cuda_memcpy_h2d_interface`] (unsafe) |
//! | `cuda_memcpy_h2d(array, int)` | [`cuda_memcpy_h2d_raw`] (unsafe) |
//! | `cuda_memcpy_d2h(obj, array)` | [`cuda_memcpy_d2h`], or `to_vec` of any array |
//! | `cuda_memcpy_d2h(dict, array)` | [`cuda_memcpy_d2h_interface`] (unsafe) |
//! | `cuda_memcpy_d2h(int, array)` | [`cuda_memcpy_d2h_raw`] (unsafe) |
//!
//! ```
//! use interop_core::{CudaBuffer, DType, Gpu, Layout, Tensor, as_tensor, cuda_memcpy_h2d};
//! use ndarray::Array3;
//!
//! let gpu = Gpu::open(0)?;
//! let host = Array3::from_shape_fn((10, 10, 3), |(y, x, c)| (y * 30 + x * 3 + c) as u8);
//!
//! let mut buffer = CudaBuffer::new(&gpu, &[10, 10, 3], DType::U8)?; // approach 1
//! cuda_memcpy_h2d(&host, &mut buffer)?;
//! let tensor = as_tensor(&buffer, Layout::HWC)?; // no copy, keeps the memory alive
//! let again = CudaBuffer::from_cuda(tensor.cuda())?; // no copy either
//!
//! let mut tensor = Tensor::new(&gpu, &[10, 10, 3], DType::U8, Layout::HWC)?; // approach 2: rows are padded
//! cuda_memcpy_h2d(&host, &mut tensor)?; // right all the same
//! assert_eq!(tensor.to_vec::<u8>()?, again.to_vec::<u8>()?);
//! # Ok::<(), interop_core::Error>(())
//! ```
//!
//! # Copies that run beside the caller
//! | what | how |
//! |---|---|
//! | pinned memory, which moves in and comes back | [`cuda_memcpy_h2d_async`], [`cuda_memcpy_d2h_async`] |
//! | arrays of the caller's, for the length of a scope | [`Gpu::scope`] |
//! | within the device | [`cuda_memcpy_d2d_async`] |
//! | several at once | [`Gpu::with_new_stream`]: what is queued on one stream runs in order |
//! | when it ran | [`Gpu::timestamp`] |
//!
//! # Features
//! | feature | default | what it adds |
//! |---|---|---|
//! | `ndarray` | yes | copies to and from ndarray's arrays and views |
//! | `json` | yes | the array interface as JSON |
//! | `cvcuda` | | the module `cvcuda`: NVIDIA's CV-CUDA, found at run time (Linux with glibc) |
//! | `half` | | `half::f16` as an element |
//! | `num-complex` | | complex elements |
//! | `image` | | copies to and from the images of the crate `image` |
//! | `sim` | | the simulated device, where no driver is found or `INTEROP_SIMULATE=1` asks for it |
//!
//! # Rules
//! Handles are owned and share their memory by reference count. Nothing unsafe hides behind a safe function.
//! Every failure is an [`Error`] that names the operation, what was expected, what came and the remedy.
//! Sizes are bytes unless said otherwise.

mod buffer;
mod copy;
mod driver;
mod dtype;
mod element;
mod error;
mod gpu;
mod in_flight;
mod interface;
mod interop;
mod layout;
mod lock;
mod memory;
mod tensor;

pub use buffer::CudaBuffer;
pub use copy::{
    CopyPath, CopyScope, DeviceCopy, HostArray, HostArrayMut, HostView, HostViewMut, PinnedBuffer,
    PinnedCopy, Progress, Rejected, ScopedDownload, ScopedUpload, cuda_fill, cuda_memcpy_d2d,
    cuda_memcpy_d2d_async, cuda_memcpy_d2h, cuda_memcpy_d2h_async, cuda_memcpy_d2h_interface,
    cuda_memcpy_d2h_raw, cuda_memcpy_h2d, cuda_memcpy_h2d_async, cuda_memcpy_h2d_interface,
    cuda_memcpy_h2d_raw,
};
pub use dtype::DType;
pub use element::Element;
pub use error::{Error, Result};
pub use gpu::{DeviceInfo, Gpu, GpuOptions, MemoryFigures, Timestamp};
pub use interface::{CudaArray, CudaArrayInterface, CudaView, RawInterface, StreamHandle};
#[cfg(feature = "cvcuda")]
pub use interop::cvcuda;
pub use layout::StridedLayout;
pub use memory::Memory;
pub use tensor::{Layout, Tensor, as_tensor};

#[cfg(doctest)]
mod misuse;

/// Holds the README's examples to their word.
#[cfg(all(doctest, feature = "cvcuda"))]
#[doc = include_str!("../../README.md")]
struct Readme;
