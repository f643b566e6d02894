//! [`CudaView`]: what `.cuda()` returns, and what buffers and tensors are made of.

use super::{CudaArray, CudaArrayInterface};
use crate::copy::{cuda_memcpy_d2d, download, fill};
use crate::in_flight::Access;
use crate::layout::StridedLayout;
use crate::{CudaBuffer, DType, Element, Gpu, Memory, Result};

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
        let view = Self::within(operation, array.memory(), array.cuda_array_interface())?;
        view.memory.in_flight().settle(Access::Read);
        Ok(view)
    }

    /// As [`CudaView::checked`], for work that writes to the array.
    pub(crate) fn to_be_written(operation: &'static str, array: &(impl CudaArray + ?Sized)) -> Result<Self> {
        let view = Self::checked(operation, array)?;
        view.memory.in_flight().settle(Access::Write);
        Ok(view)
    }

    /// An array that lies at the start of `memory`.
    pub(crate) fn at_start_of(memory: Memory, dtype: DType, layout: StridedLayout) -> Result<Self> {
        let pointer = memory.range().start;
        let interface = CudaArrayInterface::new(dtype, layout, pointer, false, None)?;
        Self::within("CudaView", memory, interface)
    }

    /// The array that `interface` describes, if it lies within `memory`.
    pub(crate) fn within(
        operation: &'static str,
        memory: Memory,
        interface: CudaArrayInterface,
    ) -> Result<Self> {
        memory.check_contains(operation, &interface)?;
        Ok(Self { interface: interface.of_memory(&memory), memory })
    }

    pub(crate) fn interface(&self) -> &CudaArrayInterface {
        &self.interface
    }

    pub(crate) fn shared_memory(&self) -> &Memory {
        &self.memory
    }

    pub(crate) fn free(self, operation: &'static str) -> Result<()> {
        self.memory.free(operation)
    }

    /// A packed copy in C order, on the same device.
    ///
    /// ```
    /// use interop_core::{DType, Gpu, Layout, Tensor};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let padded = Tensor::new(&gpu, &[4, 5], DType::U8, Layout::HW)?;
    /// let packed = padded.to_contiguous()?;
    /// assert_eq!((padded.strides(), packed.strides()), (&[32, 1][..], &[5, 1][..])); // bytes
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CudaBuffer::new`] and [`cuda_memcpy_d2d`](crate::cuda_memcpy_d2d).
    pub fn to_contiguous(&self) -> Result<CudaBuffer> {
        const OPERATION: &str = "to_contiguous";
        let mut packed = CudaBuffer::allocate(OPERATION, self.gpu(), self.shape(), self.dtype())?;
        cuda_memcpy_d2d(self, &mut packed).map_err(|error| error.during(OPERATION))?;
        Ok(packed)
    }

    /// Sets every element to a value, in the array that this is a view of, too; see
    /// [`cuda_fill`](crate::cuda_fill).
    ///
    /// ```
    /// # use interop_core::{CudaBuffer, Gpu};
    /// let gpu = Gpu::open(0)?;
    /// let buffer = CudaBuffer::from_host(&gpu, &[1u8, 2, 3, 4])?;
    /// buffer.step(0, 2)?.fill(0u8)?;
    /// assert_eq!(buffer.to_vec::<u8>()?, [0, 2, 0, 4]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`cuda_fill`](crate::cuda_fill).
    pub fn fill(&mut self, value: impl Element) -> Result<()> {
        fill("CudaView::fill", self, value)
    }

    /// The elements in C order, without any padding.
    ///
    /// # Errors
    /// [`Error::DTypeMismatch`](crate::Error::DTypeMismatch),
    /// [`Error::InvalidBool`](crate::Error::InvalidBool),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::CopyPanicked`](crate::Error::CopyPanicked) or
    /// [`Error::Driver`](crate::Error::Driver).
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        download("to_vec", self)
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

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.interface.layout().len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the elements hold, gaps not counted.
    pub fn size_bytes(&self) -> usize {
        self.interface.layout().size_bytes()
    }

    /// Address of the first element on the device; 0 if there is none. Using it is up to `unsafe` code, which
    /// must keep the array alive meanwhile and order its work behind [`Gpu::stream`].
    pub fn pointer(&self) -> u64 {
        self.interface.pointer()
    }
}

impl CudaArray for CudaView {
    fn cuda_array_interface(&self) -> CudaArrayInterface {
        // Whoever takes it queues work on the memory next.
        self.memory.in_flight().settle(Access::Read);
        self.interface.clone()
    }

    fn memory(&self) -> Memory {
        self.memory.clone()
    }
}
