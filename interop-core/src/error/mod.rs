//! [`Error`]: the operation, what was expected, what came, and what to do about it.

mod message;

use std::ops::Range;
use std::path::PathBuf;

use crate::DType;

/// What every fallible function of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation was refused or failed. Every message names the operation, what was expected, what came
/// and the remedy. What is refused has changed nothing, on the device or the host; what fails half way
/// ([`Error::Driver`], [`Error::CopyPanicked`], and [`Error::OutOfMemory`] where a function says so) may have written a
/// part. `Debug` writes the message, too, since that is what a `main` that returns it prints.
///
/// ```
/// use interop_core::{CudaBuffer, DType, Error, Gpu, cuda_memcpy_h2d};
///
/// let gpu = Gpu::open(0)?;
/// let mut buffer = CudaBuffer::new(&gpu, &[3], DType::F32)?;
/// let error = cuda_memcpy_h2d(&[1f32, 2.0], &mut buffer).unwrap_err();
/// assert_eq!(error, Error::SizeMismatch { operation: "cuda_memcpy_h2d", expected: 12, found: 8 });
/// assert_eq!(
///     error.to_string(),
///     "cuda_memcpy_h2d: expected 12 bytes on the host, got 8; \
///      host and device must hold the same number of elements",
/// );
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Host and device elements differ in type.
    DTypeMismatch {
        /// The operation that was refused.
        operation: &'static str,
        /// The dtype of the destination.
        expected: DType,
        /// The dtype of the source.
        found: DType,
    },
    /// Two arrays that must have the same shape do not.
    ShapeMismatch {
        /// The operation that was refused.
        operation: &'static str,
        /// The shape of the device array, in elements.
        expected: Vec<usize>,
        /// The shape of the other array, in elements.
        found: Vec<usize>,
    },
    /// A flat host array (a slice or `Vec`) holds more or fewer bytes than the device array.
    SizeMismatch {
        /// The operation that was refused.
        operation: &'static str,
        /// Bytes that the device array holds.
        expected: usize,
        /// Bytes that the host array holds.
        found: usize,
    },
    /// A size in bytes does not fit the address space.
    SizeOverflow {
        /// The operation that was refused.
        operation: &'static str,
        /// The shape asked for, in elements.
        shape: Vec<usize>,
        /// Bytes an element.
        itemsize: usize,
    },
    /// More axes than can be handled.
    RankTooLarge {
        /// The operation that was refused.
        operation: &'static str,
        /// The most axes allowed.
        max: usize,
        /// The axes that came.
        found: usize,
    },
    /// A typestr that names no element type of this crate.
    UnsupportedTypestr {
        /// The typestr that came.
        typestr: String,
        /// Why it cannot be used.
        reason: &'static str,
    },
    /// A field of a CUDA Array Interface breaks the specification (version 3).
    InvalidInterface {
        /// The operation that was refused.
        operation: &'static str,
        /// The field: `shape`, `strides`, `data`, `stream`, ...
        field: &'static str,
        /// What the specification asks for.
        expected: &'static str,
        /// What came.
        found: String,
    },
    /// The interface's version has other rules than those implemented here (2 and 3).
    UnsupportedVersion {
        /// The version that came.
        found: i64,
    },
    /// The interface carries a mask.
    Masked,
    /// The destination is read-only.
    ReadOnly {
        /// The operation that was refused.
        operation: &'static str,
    },
    /// The bytes that an array describes are not all inside its allocation.
    OutOfBounds {
        /// The operation that was refused.
        operation: &'static str,
        /// Addresses that the array's elements occupy.
        needed: Range<i128>,
        /// Addresses of the allocation.
        allocation: Range<u64>,
    },
    /// The number of strides is not the number of axes, or a stride leaves the address space.
    InvalidStrides {
        /// The operation that was refused.
        operation: &'static str,
        /// What came.
        reason: String,
    },
    /// Elements of a destination may share bytes, so the result would depend on the order of the writes.
    OverlappingElements {
        /// The operation that was refused.
        operation: &'static str,
        /// Shape of the destination, in elements.
        shape: Vec<usize>,
        /// Strides of the destination, in bytes.
        strides: Vec<isize>,
    },
    /// An address that the GPU cannot reach was passed as device memory.
    NotDeviceMemory {
        /// The operation that was refused.
        operation: &'static str,
        /// The address.
        address: u64,
    },
    /// The memory belongs to another device.
    DeviceMismatch {
        /// The operation that was refused.
        operation: &'static str,
        /// Device that the operation runs on.
        expected: i32,
        /// Device that holds the memory.
        found: i32,
    },
    /// A layout label does not fit the array.
    InvalidLayout {
        /// The operation that was refused.
        operation: &'static str,
        /// What would fit, with the axis.
        expected: String,
        /// What came.
        found: String,
        /// What to do instead.
        remedy: &'static str,
    },
    /// A part of an array that does not exist, or a shape in which no strides reach its elements.
    InvalidView {
        /// The operation that was refused.
        operation: &'static str,
        /// What the array allows, with the axis.
        expected: String,
        /// What came.
        found: String,
        /// What to do instead.
        remedy: &'static str,
    },
    /// A downloaded byte is neither 0 nor 1 and so is no `bool`.
    InvalidBool {
        /// The operation that was refused.
        operation: &'static str,
        /// Which element, counted in C order.
        position: usize,
        /// The byte.
        found: u8,
    },
    /// The library of the CUDA driver was not found.
    NoDriver,
    /// The library that was found is the toolkit's stub, made for linking only.
    StubDriver,
    /// There is a driver, but not this device.
    NoDevice {
        /// The device asked for.
        ordinal: usize,
        /// Devices that the driver shows.
        available: usize,
    },
    /// The driver supports no version of CUDA that this crate can use.
    DriverTooOld {
        /// The version that came, major and minor.
        found: (u32, u32),
        /// The oldest that serves.
        needed: (u32, u32),
    },
    /// The driver lacks a function that this crate needs.
    MissingSymbol {
        /// The function.
        symbol: &'static str,
    },
    /// The simulated driver was asked for and could not be used.
    Simulator {
        /// Why.
        reason: String,
    },
    /// The device, or the host for pinned memory, has too little memory left.
    OutOfMemory {
        /// The operation that failed.
        operation: &'static str,
        /// Bytes asked for.
        requested: usize,
        /// Bytes that were free, where known.
        free: Option<usize>,
    },
    /// Host memory that was to be page-locked already is, or a part of it.
    AlreadyPinned {
        /// The operation that was refused.
        operation: &'static str,
        /// Addresses on the host.
        range: Range<u64>,
    },
    /// The system gave no thread for a copy that was to run beside the caller.
    NoThread {
        /// The operation that failed.
        operation: &'static str,
        /// The system's reason.
        reason: String,
    },
    /// A thread panicked in the midst of a copy, which may have left a part of the elements written.
    CopyPanicked {
        /// The operation that failed.
        operation: &'static str,
    },
    /// An argument that the operation does not take.
    InvalidArgument {
        /// The operation that was refused.
        operation: &'static str,
        /// The argument.
        argument: &'static str,
        /// What it takes.
        expected: String,
        /// What came.
        found: String,
        /// What to do instead.
        remedy: &'static str,
    },
    /// CV-CUDA's libraries were not found.
    CvCudaNotFound {
        /// The places that were looked at, in this order.
        looked: Vec<String>,
    },
    /// CV-CUDA's libraries were found and cannot serve.
    CvCudaUnusable {
        /// The library.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// CV-CUDA was asked for on the simulated device, where its kernels cannot run.
    CvCudaNeedsGpu,
    /// CV-CUDA reported an error.
    CvCuda {
        /// The operation that failed.
        operation: &'static str,
        /// The function of CV-CUDA.
        function: &'static str,
        /// The `NVCVStatus`.
        status: i32,
        /// Its name, such as `NVCV_ERROR_INVALID_ARGUMENT`.
        name: String,
        /// CV-CUDA's own message.
        message: String,
    },
    /// The driver reported an error.
    Driver {
        /// The operation that failed.
        operation: &'static str,
        /// The driver function.
        function: &'static str,
        /// The `CUresult`.
        code: i32,
        /// Its name, such as `CUDA_ERROR_INVALID_VALUE`.
        name: String,
        /// The driver's own description.
        description: String,
    },
}

impl Error {
    /// The same error, of the operation that the user called.
    pub(crate) fn during(mut self, called: &'static str) -> Self {
        match &mut self {
            Self::DTypeMismatch { operation, .. }
            | Self::ShapeMismatch { operation, .. }
            | Self::SizeMismatch { operation, .. }
            | Self::SizeOverflow { operation, .. }
            | Self::RankTooLarge { operation, .. }
            | Self::InvalidInterface { operation, .. }
            | Self::ReadOnly { operation }
            | Self::OutOfBounds { operation, .. }
            | Self::InvalidStrides { operation, .. }
            | Self::OverlappingElements { operation, .. }
            | Self::NotDeviceMemory { operation, .. }
            | Self::DeviceMismatch { operation, .. }
            | Self::InvalidLayout { operation, .. }
            | Self::InvalidView { operation, .. }
            | Self::InvalidBool { operation, .. }
            | Self::OutOfMemory { operation, .. }
            | Self::AlreadyPinned { operation, .. }
            | Self::NoThread { operation, .. }
            | Self::CopyPanicked { operation }
            | Self::InvalidArgument { operation, .. }
            | Self::CvCuda { operation, .. }
            | Self::Driver { operation, .. } => *operation = called,
            Self::UnsupportedTypestr { .. }
            | Self::UnsupportedVersion { .. }
            | Self::Masked
            | Self::NoDriver
            | Self::StubDriver
            | Self::NoDevice { .. }
            | Self::DriverTooOld { .. }
            | Self::MissingSymbol { .. }
            | Self::CvCudaNotFound { .. }
            | Self::CvCudaUnusable { .. }
            | Self::CvCudaNeedsGpu
            | Self::Simulator { .. } => (),
        }
        self
    }
}

impl std::error::Error for Error {}
