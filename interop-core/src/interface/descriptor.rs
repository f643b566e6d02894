//! [`CudaArrayInterface`]: a descriptor that keeps the specification.

use std::ops::Range;

use super::{RawInterface, StreamHandle};
use crate::layout::StridedLayout;
use crate::{DType, Error, Memory, Result};

const OPERATION: &str = "CUDA Array Interface";

/// Where an array lies on a GPU and how to read it: the [CUDA Array Interface, version 3][spec], validated.
///
/// A value of this type keeps the specification: strides are `None` exactly for C-contiguous arrays, the data
/// pointer is 0 exactly for arrays without elements, the stream is never 0. It is a description: it keeps no
/// memory alive, and using the memory takes a [`CudaArray`](crate::CudaArray), or `unsafe`.
///
/// ```
/// use interop_core::{CudaArray, CudaBuffer, DType, Gpu};
///
/// let gpu = Gpu::open(0)?;
/// let buffer = CudaBuffer::new(&gpu, &[10, 10, 3], DType::U8)?;
/// let interface = buffer.cuda_array_interface();
/// assert_eq!(interface.shape(), [10, 10, 3]);
/// assert_eq!(interface.typestr(), "|u1");
/// assert_eq!(interface.strides(), None); // C order without gaps
/// assert_eq!(interface.version(), 3);
/// assert_eq!(interface.stream(), Some(gpu.stream()));
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// [spec]: https://nvidia.github.io/numba-cuda/user/cuda_array_interface.html
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaArrayInterface {
    dtype: DType,
    layout: StridedLayout,
    pointer: u64,
    read_only: bool,
    stream: Option<StreamHandle>,
}

impl CudaArrayInterface {
    /// Describes an array whose first element is at `pointer`. A pointer to no elements becomes 0.
    ///
    /// # Errors
    /// [`Error::InvalidInterface`] for a null or misaligned pointer, or a layout whose elements have another
    /// size than `dtype`; [`Error::OutOfBounds`] where elements lie outside the address space.
    pub fn new(
        dtype: DType,
        layout: StridedLayout,
        pointer: u64,
        read_only: bool,
        stream: Option<StreamHandle>,
    ) -> Result<Self> {
        if layout.itemsize() != dtype.size() {
            let found = format!("elements of {} bytes for {dtype}", layout.itemsize());
            return Err(Error::InvalidInterface {
                operation: OPERATION,
                field: "typestr",
                expected: "of the layout's itemsize",
                found,
            });
        }
        let pointer = if layout.is_empty() { 0 } else { check_pointer(pointer, dtype, &layout)? };
        let interface = Self { dtype, layout, pointer, read_only, stream };
        let (needed, allocation) = (interface.address_range(), 0..u64::MAX);
        if needed.start < 0 || needed.end > i128::from(allocation.end) {
            return Err(Error::OutOfBounds { operation: OPERATION, needed, allocation });
        }
        Ok(interface)
    }

    /// Version of the interface: 3.
    pub fn version(&self) -> i64 {
        3
    }

    /// Elements along each axis.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The element type as the interface writes it.
    pub fn typestr(&self) -> &'static str {
        self.dtype.typestr()
    }

    /// Address of the first element (0 exactly if there is none), and whether the memory is read-only.
    pub fn data(&self) -> (u64, bool) {
        (self.pointer, self.read_only)
    }

    /// Address of the first element; 0 exactly if there is none.
    pub fn pointer(&self) -> u64 {
        self.pointer
    }

    /// Whether the memory must not be written.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Bytes from element to element along each axis; `None` exactly if C-contiguous.
    pub fn strides(&self) -> Option<&[isize]> {
        if self.layout.is_c_contiguous() { None } else { Some(self.layout.strides()) }
    }

    /// The stream behind whose work the data is ready; `None` if it is ready now.
    pub fn stream(&self) -> Option<StreamHandle> {
        self.stream
    }

    /// Shape and strides, the strides spelled out also where [`CudaArrayInterface::strides`] is `None`.
    pub fn layout(&self) -> &StridedLayout {
        &self.layout
    }

    /// The addresses between which all elements lie; empty if there are none.
    pub(crate) fn address_range(&self) -> Range<i128> {
        let (extent, pointer) = (self.layout.extent(), i128::from(self.pointer));
        pointer + extent.start as i128..pointer + extent.end as i128
    }

    /// The same description, with what the memory itself says of writing and of its stream.
    pub(crate) fn of_memory(self, memory: &Memory) -> Self {
        let stream = Some(memory.gpu().stream());
        Self { read_only: self.read_only || memory.is_read_only(), stream, ..self }
    }
}

fn check_pointer(pointer: u64, dtype: DType, layout: &StridedLayout) -> Result<u64> {
    let invalid = |expected| Error::InvalidInterface {
        operation: OPERATION,
        field: "data",
        expected,
        found: format!("{pointer:#x}"),
    };
    if pointer == 0 {
        return Err(invalid("the address of memory, as the array has elements"));
    }
    if !pointer.is_multiple_of(dtype.alignment() as u64) {
        return Err(invalid("a multiple of the element's alignment"));
    }
    let aligned = |stride: &isize| stride.unsigned_abs().is_multiple_of(dtype.alignment());
    let stepped = layout.shape().iter().zip(layout.strides()).filter(|(len, _)| **len > 1);
    match stepped.map(|(_, stride)| stride).find(|stride| !aligned(stride)) {
        None => Ok(pointer),
        Some(stride) => Err(Error::InvalidInterface {
            operation: OPERATION,
            field: "strides",
            expected: "multiples of the element's alignment",
            found: format!("{stride}"),
        }),
    }
}

impl TryFrom<RawInterface> for CudaArrayInterface {
    type Error = Error;

    /// Checks every field of a dictionary that came from elsewhere.
    ///
    /// # Errors
    /// [`Error::UnsupportedVersion`], [`Error::Masked`], [`Error::UnsupportedTypestr`],
    /// [`Error::SizeOverflow`], [`Error::InvalidStrides`], [`Error::InvalidInterface`] or
    /// [`Error::OutOfBounds`].
    fn try_from(raw: RawInterface) -> Result<Self> {
        if !(2..=3).contains(&raw.version) {
            return Err(Error::UnsupportedVersion { found: raw.version });
        }
        if raw.has_mask {
            return Err(Error::Masked);
        }
        let dtype = DType::from_typestr(&raw.typestr)?;
        let shape: Vec<usize> = raw.shape.iter().map(|&len| axis_len(len)).collect::<Result<_>>()?;
        let layout = match &raw.strides {
            None => StridedLayout::packed(&shape, dtype.size()),
            Some(strides) => {
                let strides: Vec<isize> = strides.iter().map(|&stride| stride as isize).collect();
                StridedLayout::strided(&shape, &strides, dtype.size())
            }
        };
        let layout = layout.map_err(|error| error.during(OPERATION))?;
        let (pointer, read_only) = raw.data;
        // Version 2 knows no streams: a stray key there has no meaning.
        let stream = if raw.version < 3 { None } else { raw.stream.map(stream_handle).transpose()? };
        Self::new(dtype, layout, pointer, read_only, stream)
    }
}

fn axis_len(len: i64) -> Result<usize> {
    let invalid = |_| Error::InvalidInterface {
        operation: OPERATION,
        field: "shape",
        expected: "no negative length",
        found: len.to_string(),
    };
    usize::try_from(len).map_err(invalid)
}

fn stream_handle(raw: i64) -> Result<StreamHandle> {
    let expected = "1, 2 or a handle (0 is ambiguous and disallowed)";
    match u64::try_from(raw) {
        Ok(raw) if raw != 0 => Ok(StreamHandle::from_raw(raw)),
        _ => Err(Error::InvalidInterface {
            operation: OPERATION,
            field: "stream",
            expected,
            found: raw.to_string(),
        }),
    }
}

impl From<&CudaArrayInterface> for RawInterface {
    /// The dictionary, as the specification wants it exported.
    fn from(interface: &CudaArrayInterface) -> Self {
        Self {
            shape: interface.shape().iter().map(|&len| len as i64).collect(),
            typestr: interface.typestr().to_owned(),
            data: interface.data(),
            version: interface.version(),
            strides: interface.strides().map(|strides| strides.iter().map(|&stride| stride as i64).collect()),
            has_mask: false,
            stream: interface.stream.map(|stream| stream.to_raw() as i64),
        }
    }
}
