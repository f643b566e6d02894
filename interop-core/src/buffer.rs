//! Approach 1: [`CudaBuffer`], memory that this crate allocates, frees and describes.

use crate::copy::{cuda_memcpy_d2d, download, upload};
use crate::interface::{CudaArray, CudaArrayInterface, CudaView};
use crate::layout::StridedLayout;
use crate::{DType, Element, Gpu, HostArray, Memory, Result};

/// CUDA gives every allocation this alignment in practice, and textures need it; in bytes.
pub(crate) const BASE_ALIGNMENT: usize = 512;

/// An array in GPU memory, owned or shared.
///
/// It is freed when the last handle to its memory drops: this buffer, or whatever was made of it. Made by
/// [`CudaBuffer::new`], it is packed in C order; made by [`CudaBuffer::from_cuda`], it has the strides of the
/// array that it was made of.
///
/// ```
/// use interop_core::{CudaBuffer, DType, Gpu, as_tensor, cuda_memcpy_d2h, cuda_memcpy_h2d};
///
/// let gpu = Gpu::open(0)?;
/// let host = vec![1.5f32; 100];
/// let mut buffer = CudaBuffer::new(&gpu, &[10, 10], DType::F32)?;
/// cuda_memcpy_h2d(&host, &mut buffer)?;
///
/// let tensor = as_tensor(&buffer, None)?; // no copy
/// let again = CudaBuffer::from_cuda(tensor.cuda())?; // no copy either
/// assert_eq!(again.pointer(), buffer.pointer());
///
/// let mut back = vec![0f32; 100];
/// cuda_memcpy_d2h(&again, &mut back)?;
/// assert_eq!(back, host);
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Debug)]
pub struct CudaBuffer {
    view: CudaView,
}

impl CudaBuffer {
    /// Allocates an array of `shape` elements, packed in C order. Its content is undefined, as
    /// `cudaMalloc` leaves it; no elements take no memory.
    ///
    /// # Errors
    /// [`Error::SizeOverflow`](crate::Error::SizeOverflow), [`Error::RankTooLarge`](crate::Error::RankTooLarge), [`Error::OutOfMemory`](crate::Error::OutOfMemory) or [`Error::Driver`](crate::Error::Driver).
    pub fn new(gpu: &Gpu, shape: &[usize], dtype: DType) -> Result<Self> {
        let layout = StridedLayout::packed(shape, dtype.size())?;
        let memory = Memory::allocate("CudaBuffer::new", gpu, layout.size_bytes(), BASE_ALIGNMENT)?;
        Ok(Self { view: CudaView::at_start_of(memory, dtype, layout)? })
    }

    /// As [`CudaBuffer::new`], with every byte 0.
    ///
    /// # Errors
    /// As [`CudaBuffer::new`].
    pub fn zeros(gpu: &Gpu, shape: &[usize], dtype: DType) -> Result<Self> {
        let buffer = Self::new(gpu, shape, dtype)?;
        buffer.view.shared_memory().fill("CudaBuffer::zeros", 0)?;
        Ok(buffer)
    }

    /// Allocates an array with the shape and element type of `host` and copies it there.
    ///
    /// ```
    /// # use interop_core::{CudaBuffer, Gpu};
    /// let gpu = Gpu::open(0)?;
    /// let buffer = CudaBuffer::from_host(&gpu, &[1u16, 2, 3])?;
    /// assert_eq!(buffer.shape(), [3]);
    /// assert_eq!(buffer.to_vec::<u16>()?, [1, 2, 3]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CudaBuffer::new`] and [`cuda_memcpy_h2d`](crate::cuda_memcpy_h2d).
    pub fn from_host(gpu: &Gpu, host: &(impl HostArray + ?Sized)) -> Result<Self> {
        let source = host.host_view();
        let buffer = Self::new(gpu, source.shape(), source.dtype())?;
        upload("CudaBuffer::from_host", &source, &buffer.view)?;
        Ok(buffer)
    }

    /// Takes any array on a GPU as a buffer, without a copy. The buffer keeps its memory alive.
    ///
    /// # Errors
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds) where the array describes more than its memory.
    pub fn from_cuda(array: impl CudaArray) -> Result<Self> {
        Ok(Self { view: CudaView::checked("CudaBuffer::from_cuda", &array)? })
    }

    /// Wraps memory that someone else owns and frees: `shape` elements, packed in C order, from `pointer` on.
    /// This is the page's `CudaBuffer(shape, dtype, ptr)`.
    ///
    /// # Safety
    /// The memory stays allocated as long as the buffer and all that is made of it, and what is queued on
    /// it elsewhere is done, or ordered before [`Gpu::stream`].
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Gpu};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let theirs = CudaBuffer::from_host(&gpu, &[1f32, 2.0, 3.0, 4.0])?;
    /// // SAFETY: `theirs` outlives the buffer, and its work is on the same stream.
    /// let ours = unsafe { CudaBuffer::from_raw_pointer(&gpu, theirs.pointer(), &[2, 2], DType::F32) }?;
    /// assert_eq!(ours.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
    /// drop(ours); // frees nothing
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotDeviceMemory`](crate::Error::NotDeviceMemory) for an address that CUDA does not know, [`Error::OutOfBounds`](crate::Error::OutOfBounds) where the
    /// allocation is smaller, [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), and as [`CudaBuffer::new`].
    pub unsafe fn from_raw_pointer(gpu: &Gpu, pointer: u64, shape: &[usize], dtype: DType) -> Result<Self> {
        let layout = StridedLayout::packed(shape, dtype.size())?;
        let interface = CudaArrayInterface::new(dtype, layout, pointer, false, Some(gpu.stream()))?;
        // SAFETY: the caller's promise is that of the function.
        unsafe { Self::borrow("CudaBuffer::from_raw_pointer", gpu, interface) }
    }

    /// Wraps the memory that a bare descriptor describes, which someone else owns and frees.
    ///
    /// # Safety
    /// The memory and the descriptor's stream stay valid as long as the buffer and all that is made of it.
    /// Without a stream, what is queued on the memory elsewhere is done.
    ///
    /// ```
    /// use interop_core::{CudaArray, CudaArrayInterface, CudaBuffer, Gpu};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let theirs = CudaBuffer::from_host(&gpu, &[1u8, 2, 3])?;
    /// let bare = CudaArrayInterface::from_json(&theirs.cuda_array_interface().to_json())?;
    /// // SAFETY: `theirs` outlives the buffer, and keeps the descriptor's stream alive.
    /// let ours = unsafe { CudaBuffer::from_interface(&gpu, bare) }?;
    /// assert_eq!(ours.to_vec::<u8>()?, [1, 2, 3]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CudaBuffer::from_raw_pointer`].
    pub unsafe fn from_interface(gpu: &Gpu, interface: CudaArrayInterface) -> Result<Self> {
        // SAFETY: the caller's promise is that of the function.
        unsafe { Self::borrow("CudaBuffer::from_interface", gpu, interface) }
    }

    /// # Safety
    /// As [`CudaBuffer::from_interface`].
    unsafe fn borrow(operation: &'static str, gpu: &Gpu, interface: CudaArrayInterface) -> Result<Self> {
        // SAFETY: the caller's promise is that of the function.
        let memory = unsafe { Memory::borrowed(operation, gpu, &interface) }?;
        Ok(Self { view: CudaView::checked(operation, &Described { memory, interface })? })
    }

    /// The buffer as a view to hand on; it shares the memory and keeps it alive.
    pub fn cuda(&self) -> CudaView {
        self.view.clone()
    }

    /// A packed copy in C order, on the same device.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Gpu, Layout, Tensor};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let padded = Tensor::new(&gpu, &[4, 5], DType::U8, Layout::HW)?;
    /// let packed = CudaBuffer::from_cuda(&padded)?.to_contiguous()?;
    /// assert_eq!((padded.strides(), packed.strides()), (&[32, 1][..], &[5, 1][..])); // bytes
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CudaBuffer::new`] and [`cuda_memcpy_d2d`].
    pub fn to_contiguous(&self) -> Result<Self> {
        let mut packed = Self::new(self.gpu(), self.shape(), self.dtype())?;
        cuda_memcpy_d2d(self, &mut packed)?;
        Ok(packed)
    }

    /// The elements in C order.
    ///
    /// # Errors
    /// [`Error::DTypeMismatch`](crate::Error::DTypeMismatch), [`Error::InvalidBool`](crate::Error::InvalidBool) or [`Error::Driver`](crate::Error::Driver).
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        download("CudaBuffer::to_vec", &self.view)
    }

    /// Frees the memory if no other handle shares it, and returns what that met. A drop does the same, but
    /// can only leave an error in [`Gpu::take_drop_error`].
    ///
    /// # Errors
    /// [`Error::Driver`](crate::Error::Driver), also for earlier work on the device that failed.
    pub fn free(self) -> Result<()> {
        self.view.into_memory().free()
    }

    /// The device that holds the buffer.
    pub fn gpu(&self) -> &Gpu {
        self.view.gpu()
    }

    /// Elements along each axis.
    pub fn shape(&self) -> &[usize] {
        self.view.shape()
    }

    /// Bytes from element to element along each axis.
    pub fn strides(&self) -> &[isize] {
        self.view.strides()
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.view.dtype()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.view.interface().layout().len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the elements hold, gaps not counted.
    pub fn size_bytes(&self) -> usize {
        self.view.interface().layout().size_bytes()
    }

    /// Address of the first element on the device; 0 if there is none.
    pub fn pointer(&self) -> u64 {
        self.view.pointer()
    }
}

impl CudaArray for CudaBuffer {
    fn cuda_array_interface(&self) -> CudaArrayInterface {
        self.view.cuda_array_interface()
    }

    fn memory(&self) -> Memory {
        self.view.memory()
    }
}

/// Memory and a description of it that was not yet checked against it.
struct Described {
    memory: Memory,
    interface: CudaArrayInterface,
}

impl CudaArray for Described {
    fn cuda_array_interface(&self) -> CudaArrayInterface {
        self.interface.clone()
    }

    fn memory(&self) -> Memory {
        self.memory.clone()
    }
}
