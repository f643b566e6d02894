//! [`CudaArray`]: what everything with memory on a GPU implements; [`CudaView`]: what `.cuda()` returns.

use std::sync::Arc;

use super::CudaArrayInterface;
use crate::layout::StridedLayout;
use crate::{DType, Gpu, Memory, Result, StreamHandle};

/// An array on a GPU that can be shared: it describes itself, and hands out its memory.
///
/// This is `__cuda_array_interface__` with what that lacks, an owner: whoever takes the array holds its
/// [`Memory`] and so keeps it alive. Implementing it is safe, as whoever takes the array checks that what it
/// describes lies within its memory.
///
/// ```
/// use interop_core::{CudaArray, CudaArrayInterface, CudaBuffer, DType, Gpu, Memory};
///
/// struct Frame { pixels: CudaBuffer, number: u64 }
///
/// impl CudaArray for Frame {
///     fn cuda_array_interface(&self) -> CudaArrayInterface { self.pixels.cuda_array_interface() }
///     fn memory(&self) -> Memory { self.pixels.memory() }
/// }
///
/// let gpu = Gpu::open(0)?;
/// let frame = Frame { pixels: CudaBuffer::new(&gpu, &[4, 4], DType::U8)?, number: 7 };
/// let shared = CudaBuffer::from_cuda(&frame)?;
/// drop(frame); // `shared` keeps the memory
/// # Ok::<(), interop_core::Error>(())
/// ```
pub trait CudaArray {
    /// Where the elements lie.
    fn cuda_array_interface(&self) -> CudaArrayInterface;

    /// The memory that they lie in.
    fn memory(&self) -> Memory;
}

macro_rules! pointers_to_arrays {
    ($($pointer:ty),*) => { $(
        impl<T: CudaArray + ?Sized> CudaArray for $pointer {
            fn cuda_array_interface(&self) -> CudaArrayInterface {
                (**self).cuda_array_interface()
            }

            fn memory(&self) -> Memory {
                (**self).memory()
            }
        }
    )* };
}

pointers_to_arrays!(&T, &mut T, Box<T>, Arc<T>);

/// An owned view of an array on a GPU: what `.cuda()` of a buffer or tensor returns.
///
/// It shares the memory and keeps it alive. What it describes was checked to lie within it.
///
/// ```
/// use interop_core::{CudaBuffer, Gpu, cuda_memcpy_h2d};
///
/// let gpu = Gpu::open(0)?;
/// let buffer = CudaBuffer::from_host(&gpu, &[1u8, 2])?;
/// let mut view = buffer.cuda();
/// assert_eq!((view.pointer(), view.shape()), (buffer.pointer(), &[2][..]));
/// cuda_memcpy_h2d(&[7u8, 8], &mut view)?;
/// assert_eq!(buffer.to_vec::<u8>()?, [7, 8]);
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CudaView {
    memory: Memory,
    interface: CudaArrayInterface,
}

impl CudaView {
    /// Takes a view of any array.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds) where the array describes more than its memory.
    pub fn new(array: impl CudaArray) -> Result<Self> {
        Self::checked("CudaView::new", &array)
    }

    pub(crate) fn checked(operation: &'static str, array: &(impl CudaArray + ?Sized)) -> Result<Self> {
        let (memory, interface) = (array.memory(), array.cuda_array_interface());
        memory.check_contains(operation, &interface)?;
        Ok(Self { interface: interface.of_memory(&memory), memory })
    }

    /// An array that lies at the start of `memory`.
    pub(crate) fn at_start_of(memory: Memory, dtype: DType, layout: StridedLayout) -> Result<Self> {
        let (pointer, read_only, stream) = (memory.range().start, memory.is_read_only(), memory.stream());
        let interface = CudaArrayInterface::new(dtype, layout, pointer, read_only, stream)?;
        memory.check_contains("CudaView", &interface)?;
        Ok(Self { memory, interface })
    }

    pub(crate) fn interface(&self) -> &CudaArrayInterface {
        &self.interface
    }

    pub(crate) fn shared_memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn into_memory(self) -> Memory {
        self.memory
    }

    /// The device that holds the array.
    pub fn gpu(&self) -> &Gpu {
        self.memory.gpu()
    }

    /// Elements along each axis.
    pub fn shape(&self) -> &[usize] {
        self.interface.shape()
    }

    /// Bytes from element to element along each axis.
    pub fn strides(&self) -> &[isize] {
        self.interface.layout().strides()
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.interface.dtype()
    }

    /// Address of the first element on the device; 0 if there is none. Using it is up to `unsafe` code, which
    /// must keep the array alive meanwhile and order its work behind [`CudaView::stream`].
    pub fn pointer(&self) -> u64 {
        self.interface.pointer()
    }

    /// The stream behind whose work the elements are ready; `None` if they are ready now.
    pub fn stream(&self) -> Option<StreamHandle> {
        self.interface.stream()
    }
}

impl CudaArray for CudaView {
    fn cuda_array_interface(&self) -> CudaArrayInterface {
        self.interface.clone()
    }

    fn memory(&self) -> Memory {
        self.memory.clone()
    }
}
