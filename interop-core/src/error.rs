//! [`Error`]: the operation, what was expected, what came, and what to do about it.

use std::fmt;
use std::ops::Range;

use crate::DType;

/// What every fallible function of this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation was refused or failed. Every message names the operation, what was expected, what came
/// and the remedy; nothing was changed on the device or the host when one is returned, unless it is
/// [`Error::Driver`].
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// The number of strides is not the number of axes, or a stride is out of range.
    InvalidStrides {
        /// The operation that was refused.
        operation: &'static str,
        /// What is wrong with them.
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
        /// What is wrong, with the axis.
        reason: String,
        /// What to do instead.
        remedy: &'static str,
    },
    /// A downloaded byte is neither 0 nor 1 and so is no `bool`.
    InvalidBool {
        /// Index of the element, in C order.
        index: usize,
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DTypeMismatch { operation, expected, found } => {
                write!(f, "{operation}: expected elements of {expected}, got {found}; ")?;
                write!(f, "convert the source first, copies never change the element type")
            }
            Self::ShapeMismatch { operation, expected, found } => {
                write!(f, "{operation}: expected shape {expected:?}, got {found:?}; ")?;
                write!(f, "reshape one of them, or pass a flat slice of as many elements")
            }
            Self::SizeMismatch { operation, expected, found } => {
                write!(f, "{operation}: expected {expected} bytes on the host, got {found}; ")?;
                write!(f, "host and device must hold the same number of elements")
            }
            Self::SizeOverflow { operation, shape, itemsize } => {
                write!(
                    f,
                    "{operation}: expected a size below 2^63 bytes, got shape {shape:?} of {itemsize}-byte "
                )?;
                write!(f, "elements; use a smaller shape")
            }
            Self::RankTooLarge { operation, max, found } => {
                write!(f, "{operation}: expected at most {max} axes, got {found}; merge axes first")
            }
            Self::UnsupportedTypestr { typestr, reason } => {
                write!(f, "typestr: expected one such as \"<f4\" or \"|u1\", got {typestr:?}: {reason}; ")?;
                write!(f, "convert the array to a supported type where it is made")
            }
            Self::InvalidInterface { field, expected, found } => {
                write!(f, "CUDA Array Interface: expected `{field}` to be {expected}, got {found}; ")?;
                write!(f, "the object that exports it is at fault")
            }
            Self::UnsupportedVersion { found } => {
                write!(f, "CUDA Array Interface: expected version 2 or 3, got {found}; ")?;
                write!(f, "export the array with version 3")
            }
            Self::Masked => {
                write!(f, "CUDA Array Interface: expected no mask, got one; ")?;
                write!(f, "fill the masked elements, then export the plain array")
            }
            Self::ReadOnly { operation } => {
                write!(f, "{operation}: expected a writable destination, got a read-only one; ")?;
                write!(f, "copy it to a new buffer and write there")
            }
            Self::OutOfBounds { operation, needed, allocation } => {
                write!(
                    f,
                    "{operation}: expected addresses within {:#x}..{:#x}, ",
                    allocation.start, allocation.end
                )?;
                write!(f, "got {:#x}..{:#x}; check shape, strides and pointer", needed.start, needed.end)
            }
            Self::InvalidStrides { operation, reason } => {
                write!(f, "{operation}: expected one stride in bytes for each axis, got {reason}; ")?;
                write!(f, "pass none for a packed array")
            }
            Self::OverlappingElements { operation, shape, strides } => {
                write!(
                    f,
                    "{operation}: expected a destination whose elements lie apart, got shape {shape:?} with "
                )?;
                write!(f, "strides {strides:?}; write to a packed buffer instead")
            }
            Self::NotDeviceMemory { operation, address } => {
                write!(
                    f,
                    "{operation}: expected memory that the GPU can reach, got {address:#x}, which CUDA does "
                )?;
                write!(f, "not know (a host address?); allocate it with CudaBuffer or PinnedBuffer")
            }
            Self::DeviceMismatch { operation, expected, found } => {
                write!(
                    f,
                    "{operation}: expected memory of device {expected}, got memory of device {found}; "
                )?;
                write!(f, "open that device, or copy through the host")
            }
            Self::InvalidLayout { operation, reason, remedy } => write!(f, "{operation}: {reason}; {remedy}"),
            Self::InvalidBool { index, found } => {
                write!(f, "cuda_memcpy_d2h: expected booleans of 0 or 1, got {found} at element {index}; ")?;
                write!(f, "view the memory as u8 to read it as it is")
            }
            Self::NoDriver => {
                write!(
                    f,
                    "Gpu::open: expected the CUDA driver, got no library libcuda.so or libcuda.so.1; "
                )?;
                write!(
                    f,
                    "install NVIDIA's driver, or build with the feature `sim` to run on the simulated device"
                )
            }
            Self::StubDriver => {
                write!(
                    f,
                    "Gpu::open: expected the CUDA driver, got the toolkit's stub library, which only serves "
                )?;
                write!(f, "linking; take the toolkit's `stubs` folder out of LD_LIBRARY_PATH")
            }
            Self::NoDevice { ordinal, available } => {
                write!(f, "Gpu::open: expected device {ordinal}, got {available} visible device(s); ")?;
                write!(f, "check nvidia-smi and CUDA_VISIBLE_DEVICES")
            }
            Self::MissingSymbol { symbol } => {
                write!(f, "Gpu::open: expected a driver of CUDA 12.0 or newer, got one without {symbol}; ")?;
                write!(f, "update NVIDIA's driver")
            }
            Self::Simulator { reason } => {
                write!(f, "Gpu::open: expected to start the simulated driver, got: {reason}; ")?;
                write!(f, "ask for it before anything in the process uses CUDA")
            }
            Self::OutOfMemory { operation, requested, free } => {
                write!(f, "{operation}: expected {requested} bytes, got out of memory")?;
                if let Some(free) = free {
                    write!(f, " with {free} bytes free")?;
                }
                write!(f, "; free buffers or ask for less")
            }
            Self::Driver { operation, function, code, name, description } => {
                write!(
                    f,
                    "{operation}: expected success, got {name} ({code}) from {function}: {description}; "
                )?;
                write!(f, "an error of earlier work on the device can surface here")
            }
        }
    }
}

impl std::error::Error for Error {}
