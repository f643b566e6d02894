//! Approach 1: [`CudaBuffer`], memory that this crate allocates, frees and describes.

use std::any::Any;
use std::ops::Deref;

use crate::copy::{fill, upload, zero};
use crate::interface::{CudaArray, CudaArrayInterface, CudaView};
use crate::layout::StridedLayout;
use crate::{DType, Element, Gpu, HostArray, Memory, Result};

/// An array in GPU memory, owned or shared.
///
/// It is freed when the last handle to its memory drops: this buffer, or whatever was made of it. Made by
/// [`CudaBuffer::new`], it is packed in C order; made by [`CudaBuffer::from_cuda`], it has the strides of the
/// array that it was made of. Shape, strides, dtype, address and downloads are those of [`CudaView`].
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
    /// [`Error::SizeOverflow`](crate::Error::SizeOverflow),
    /// [`Error::RankTooLarge`](crate::Error::RankTooLarge),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) or [`Error::Driver`](crate::Error::Driver).
    pub fn new(gpu: &Gpu, shape: &[usize], dtype: DType) -> Result<Self> {
        Self::allocate("CudaBuffer::new", gpu, shape, dtype)
    }

    /// [`CudaBuffer::new`] on behalf of `operation`.
    pub(crate) fn allocate(
        operation: &'static str,
        gpu: &Gpu,
        shape: &[usize],
        dtype: DType,
    ) -> Result<Self> {
        let packed = StridedLayout::packed(shape, dtype.size());
        let layout = packed.map_err(|error| error.during(operation))?;
        let memory = Memory::allocate(operation, gpu, layout.size_bytes())?;
        Ok(Self { view: CudaView::at_start_of(memory, dtype, layout)? })
    }

    /// As [`CudaBuffer::new`], with every byte 0.
    ///
    /// # Errors
    /// As [`CudaBuffer::new`].
    pub fn zeros(gpu: &Gpu, shape: &[usize], dtype: DType) -> Result<Self> {
        const OPERATION: &str = "CudaBuffer::zeros";
        let buffer = Self::allocate(OPERATION, gpu, shape, dtype)?;
        zero(OPERATION, &buffer.view)?;
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
        const OPERATION: &str = "CudaBuffer::from_host";
        let source = host.host_view();
        let buffer = Self::allocate(OPERATION, gpu, source.shape(), source.dtype())?;
        upload(OPERATION, &source, &buffer.view)?;
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
    /// As [`Memory::from_owner`], where the memory stays allocated as long as the buffer and all that is made
    /// of it, is ready now, and may be written.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Gpu};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let theirs = CudaBuffer::from_host(&gpu, &[1f32, 2.0, 3.0, 4.0])?;
    /// // SAFETY: `theirs` outlives the buffer, and its copy runs on the same stream, before what `ours` queues.
    /// let ours = unsafe { CudaBuffer::from_raw_pointer(&gpu, theirs.pointer(), &[2, 2], DType::F32) }?;
    /// assert_eq!(ours.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
    /// drop(ours); // frees nothing
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotDeviceMemory`](crate::Error::NotDeviceMemory) for an address that CUDA does not know,
    /// [`Error::OutOfBounds`](crate::Error::OutOfBounds) where the allocation is smaller,
    /// [`Error::InvalidInterface`](crate::Error::InvalidInterface) for a null or misaligned address,
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), and as [`CudaBuffer::new`].
    pub unsafe fn from_raw_pointer(gpu: &Gpu, pointer: u64, shape: &[usize], dtype: DType) -> Result<Self> {
        const OPERATION: &str = "CudaBuffer::from_raw_pointer";
        let packed = StridedLayout::packed(shape, dtype.size());
        let described =
            packed.and_then(|layout| CudaArrayInterface::new(dtype, layout, pointer, false, None));
        let interface = described.map_err(|error| error.during(OPERATION))?;
        // SAFETY: the caller's promise is that of the function.
        unsafe { Self::described(OPERATION, gpu, interface, ()) }
    }

    /// Wraps the memory that a bare descriptor describes, which someone else owns and frees.
    ///
    /// # Safety
    /// As [`Memory::from_owner`], where the memory stays allocated as long as the buffer and all that is made
    /// of it, and is ready behind the descriptor's stream.
    ///
    /// ```
    /// use interop_core::{CudaArray, CudaArrayInterface, CudaBuffer, Gpu};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let theirs = CudaBuffer::from_host(&gpu, &[1u8, 2, 3])?;
    /// let bare = CudaArrayInterface::from_json(&theirs.cuda_array_interface().to_json())?;
    /// // SAFETY: `theirs` outlives the buffer, and the descriptor's stream is live.
    /// let ours = unsafe { CudaBuffer::from_interface(&gpu, bare) }?;
    /// assert_eq!(ours.to_vec::<u8>()?, [1, 2, 3]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CudaBuffer::from_raw_pointer`].
    pub unsafe fn from_interface(gpu: &Gpu, interface: CudaArrayInterface) -> Result<Self> {
        // SAFETY: the caller's promise is that of the function.
        unsafe { Self::described("CudaBuffer::from_interface", gpu, interface, ()) }
    }

    /// Wraps the memory that a descriptor describes together with the object that owns it, which is dropped
    /// when the buffer and all that is made of it are gone.
    ///
    /// # Safety
    /// As [`Memory::from_owner`], where the memory is ready behind the descriptor's stream.
    ///
    /// ```
    /// use interop_core::{CudaArray, CudaBuffer, Gpu, as_tensor};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let theirs = CudaBuffer::from_host(&gpu, &[1u8, 2, 3])?; // stands for another library's object
    /// let interface = theirs.cuda_array_interface();
    /// // SAFETY: `theirs` owns the memory and moves in as its owner; the descriptor's stream is live.
    /// let shared = unsafe { CudaBuffer::from_owner(&gpu, interface, theirs) }?;
    /// assert_eq!(as_tensor(shared, None)?.to_vec::<u8>()?, [1, 2, 3]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CudaBuffer::from_raw_pointer`].
    pub unsafe fn from_owner(
        gpu: &Gpu,
        interface: CudaArrayInterface,
        owner: impl Any + Send + Sync,
    ) -> Result<Self> {
        // SAFETY: the caller's promise is that of the function.
        unsafe { Self::described("CudaBuffer::from_owner", gpu, interface, owner) }
    }

    /// # Safety
    /// As [`CudaBuffer::from_owner`].
    unsafe fn described(
        operation: &'static str,
        gpu: &Gpu,
        interface: CudaArrayInterface,
        owner: impl Any + Send + Sync,
    ) -> Result<Self> {
        // SAFETY: the caller's promise is that of the function.
        let memory = unsafe { Memory::described(operation, gpu, &interface, owner) }?;
        Ok(Self { view: CudaView::within(operation, memory, interface)? })
    }

    /// The buffer as a view to hand on; it shares the memory and keeps it alive.
    pub fn cuda(&self) -> CudaView {
        self.view.clone()
    }

    /// Sets every element to a value; see [`cuda_fill`](crate::cuda_fill).
    ///
    /// ```
    /// # use interop_core::{CudaBuffer, DType, Gpu};
    /// let gpu = Gpu::open(0)?;
    /// let mut buffer = CudaBuffer::new(&gpu, &[3], DType::I64)?;
    /// buffer.fill(-7i64)?;
    /// assert_eq!(buffer.to_vec::<i64>()?, [-7; 3]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`cuda_fill`](crate::cuda_fill).
    pub fn fill(&mut self, value: impl Element) -> Result<()> {
        fill("CudaBuffer::fill", &mut self.view, value)
    }

    /// Frees the memory if no other handle shares it, and returns what that met. A drop does the same, but
    /// can only leave an error in [`Gpu::take_drop_error`].
    ///
    /// # Errors
    /// [`Error::Driver`](crate::Error::Driver), also for earlier work on the device that failed.
    pub fn free(self) -> Result<()> {
        self.view.free("CudaBuffer::free")
    }
}

/// Shape, strides, dtype, address, and downloads.
impl Deref for CudaBuffer {
    type Target = CudaView;

    fn deref(&self) -> &CudaView {
        &self.view
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
