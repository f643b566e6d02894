//! How an [`Error`] reads: `operation: expected this, got that; remedy`.

use std::fmt;

use crate::Error;

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

struct Message {
    operation: &'static str,
    expected: String,
    found: String,
    remedy: &'static str,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Message { operation, expected, found, remedy } = self.message();
        write!(f, "{operation}: expected {expected}, got {found}; {remedy}")
    }
}

const INTERFACE: &str = "CUDA Array Interface";
const OPEN: &str = "Gpu::open";
const CVCUDA: &str = "CvCuda::open";

impl Error {
    fn message(&self) -> Message {
        match self {
            Self::DTypeMismatch { operation, expected, found } => Message {
                operation,
                expected: format!("elements of {expected}"),
                found: found.to_string(),
                remedy: "use the same type on both sides, it is never changed on the way",
            },
            Self::ShapeMismatch { operation, expected, found } => Message {
                operation,
                expected: format!("shape {expected:?}"),
                found: format!("{found:?}"),
                remedy: "reshape one of them, or pass a flat slice of as many elements",
            },
            Self::SizeMismatch { operation, expected, found } => Message {
                operation,
                expected: format!("{expected} bytes on the host"),
                found: found.to_string(),
                remedy: "host and device must hold the same number of elements",
            },
            Self::SizeOverflow { operation, shape, itemsize } => Message {
                operation,
                expected: "a size below 2^63 bytes".into(),
                found: format!("shape {shape:?} of {itemsize}-byte elements"),
                remedy: "use a smaller shape",
            },
            Self::RankTooLarge { operation, max, found } => Message {
                operation,
                expected: format!("at most {max} axes"),
                found: found.to_string(),
                remedy: "merge axes first",
            },
            Self::ReadOnly { operation } => Message {
                operation,
                expected: "a writable destination".into(),
                found: "a read-only one".into(),
                remedy: "copy it to a new buffer and write there",
            },
            Self::InvalidStrides { operation, reason } => Message {
                operation,
                expected: "a stride in bytes for each axis, and all elements within 2^63 bytes".into(),
                found: reason.clone(),
                remedy: "strides are in bytes; give none for a packed array",
            },
            Self::OverlappingElements { operation, shape, strides } => Message {
                operation,
                expected: "a destination whose elements lie apart".into(),
                found: format!("shape {shape:?} with strides {strides:?}"),
                remedy: "write to a packed buffer instead",
            },
            Self::InvalidLayout { operation, expected, found, remedy }
            | Self::InvalidView { operation, expected, found, remedy } => {
                Message { operation, expected: expected.clone(), found: found.clone(), remedy }
            }
            Self::InvalidBool { operation, position, found } => Message {
                operation,
                expected: "booleans of 0 or 1".into(),
                found: format!("{found} as element {position} in C order"),
                remedy: "export the memory as u8 to read it as it is",
            },
            _ => self.message_of_interface(),
        }
    }

    /// What a description of memory, or the memory itself, can have wrong.
    fn message_of_interface(&self) -> Message {
        match self {
            Self::UnsupportedTypestr { typestr, reason } => Message {
                operation: "typestr",
                expected: "one such as \"<f4\" or \"|u1\"".into(),
                found: format!("{typestr:?}: {reason}"),
                remedy: "convert the array to a supported type where it is made",
            },
            Self::InvalidInterface { operation, field, expected, found } => Message {
                operation,
                expected: format!("`{field}` to be {expected}"),
                found: found.clone(),
                remedy: "correct that field where the array is described",
            },
            Self::UnsupportedVersion { found } => Message {
                operation: INTERFACE,
                expected: "version 2 or 3".into(),
                found: found.to_string(),
                remedy: "export the array with version 3",
            },
            Self::Masked => Message {
                operation: INTERFACE,
                expected: "no mask".into(),
                found: "one".into(),
                remedy: "fill the masked elements, then export the plain array",
            },
            Self::OutOfBounds { operation, needed, allocation } => Message {
                operation,
                expected: format!("addresses within {:#x}..{:#x}", allocation.start, allocation.end),
                found: format!("{}..{}", signed_hex(needed.start), signed_hex(needed.end)),
                remedy: "check shape, strides and pointer",
            },
            Self::NotDeviceMemory { operation, address } => Message {
                operation,
                expected: "memory that the GPU can reach".into(),
                found: format!("{address:#x}, which CUDA does not know (a host address?)"),
                remedy: "copy it to a CudaBuffer",
            },
            Self::DeviceMismatch { operation, expected, found } => Message {
                operation,
                expected: format!("device {expected}"),
                found: format!("device {found}"),
                remedy: "keep to one device, or copy the memory through the host",
            },
            _ => self.message_of_driver(),
        }
    }

    /// What can be wrong with the driver and the device.
    fn message_of_driver(&self) -> Message {
        match self {
            Self::NoDriver => Message {
                operation: OPEN,
                expected: "the CUDA driver".into(),
                found: "no library libcuda.so or libcuda.so.1".into(),
                remedy: "install NVIDIA's driver, or allow the simulated device (feature `sim`, and \
                         INTEROP_SIMULATE not 0)",
            },
            Self::StubDriver => Message {
                operation: OPEN,
                expected: "the CUDA driver".into(),
                found: "the toolkit's stub library, which only serves linking".into(),
                remedy: "take the toolkit's `stubs` folder out of LD_LIBRARY_PATH",
            },
            Self::NoDevice { ordinal, available } => Message {
                operation: OPEN,
                expected: format!("device {ordinal}"),
                found: format!("{available} visible device(s)"),
                remedy: "check nvidia-smi and CUDA_VISIBLE_DEVICES",
            },
            Self::DriverTooOld { found, needed } => Message {
                operation: OPEN,
                expected: format!("a driver for CUDA {}.{} or newer", needed.0, needed.1),
                found: format!("one for CUDA {}.{}", found.0, found.1),
                remedy: "update NVIDIA's driver",
            },
            Self::MissingSymbol { symbol } => Message {
                operation: OPEN,
                expected: format!("a driver with the function {symbol}"),
                found: "one without it".into(),
                remedy: "update NVIDIA's driver",
            },
            Self::Simulator { reason } => Message {
                operation: OPEN,
                expected: "to start the simulated driver as asked".into(),
                found: reason.clone(),
                remedy: "set INTEROP_SIMULATE to 0 or 1 before anything in the process uses CUDA",
            },
            Self::OutOfMemory { operation, requested, free } => Message {
                operation,
                expected: format!("{requested} bytes"),
                found: match free {
                    Some(free) => format!("out of memory with {free} bytes free"),
                    None => "out of memory".into(),
                },
                remedy: "free buffers or ask for less",
            },
            Self::AlreadyPinned { operation, range } => Message {
                operation,
                expected: "host memory that is not page-locked yet".into(),
                found: format!("{:#x}..{:#x}, of which some is", range.start, range.end),
                remedy: "copy it as it is: pinned memory needs no more pinning",
            },
            Self::NoThread { operation, reason } => Message {
                operation,
                expected: "a thread to copy on".into(),
                found: reason.clone(),
                remedy: "wait for copies under way, or copy with cuda_memcpy_h2d and cuda_memcpy_d2h",
            },
            Self::CopyPanicked { operation } => Message {
                operation,
                expected: "every thread to end its part of the copy".into(),
                found: "one that panicked".into(),
                remedy: "repeat the copy; please report the panic, which is a fault of this crate",
            },
            Self::Driver { operation, function, code, name, description } => Message {
                operation,
                expected: "success".into(),
                found: format!("{name} ({code}) from {function}: {description}"),
                remedy: "an error of earlier work on the device can surface here",
            },
            _ => self.message_of_partner(),
        }
    }

    /// What a partner's library can have wrong.
    fn message_of_partner(&self) -> Message {
        match self {
            Self::InvalidArgument { operation, argument, expected, found, remedy } => Message {
                operation,
                expected: format!("`{argument}` to be {expected}"),
                found: found.clone(),
                remedy,
            },
            Self::CvCudaNotFound { looked } => Message {
                operation: CVCUDA,
                expected: "libnvcv_types and libcvcuda of NVIDIA's wheel".into(),
                found: format!("none in: {}", looked.join("; ")),
                // A single place was named, and no other is looked at.
                remedy: match looked.len() {
                    1 => "name the folder that holds both, or name none (and unset INTEROP_CVCUDA)",
                    _ => {
                        "run `pip install cvcuda-cu12` (cvcuda-cu13 for a driver of CUDA 13), or, in its workspace, \
                          `cargo xtask cvcuda`"
                    }
                },
            },
            Self::CvCudaUnusable { path, reason } => Message {
                operation: CVCUDA,
                expected: "a library of CV-CUDA 0.15 or newer for this driver".into(),
                found: format!("{}: {reason}", path.display()),
                remedy: "install one that fits: `pip install cvcuda-cu12` (cvcuda-cu13 for a driver of CUDA 13)",
            },
            Self::CvCudaNeedsGpu => Message {
                operation: CVCUDA,
                expected: "a GPU".into(),
                found: "the simulated device, which runs no kernels of CV-CUDA".into(),
                remedy: "use a machine with an NVIDIA GPU, and INTEROP_SIMULATE not 1",
            },
            Self::CvCuda { operation, function, status, name, message } => Message {
                operation,
                expected: "success".into(),
                found: format!("{name} ({status}) from {function}: {message}"),
                remedy: "CV-CUDA's message says what it does not take",
            },
            _ => Message {
                operation: "interop-core",
                expected: "success".into(),
                found: "an error without a text".into(),
                remedy: "report it",
            },
        }
    }
}

fn signed_hex(value: i128) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{:#x}", value.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_that_returns_the_error_prints_the_remedy() {
        let text = format!("{:?}", Error::NoDriver);
        assert_eq!(text, Error::NoDriver.to_string());
        assert!(text.contains("no library libcuda.so") && text.contains("feature `sim`"), "{text}");
    }
}
