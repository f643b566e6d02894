//! Approach 2: [`Tensor`], an array with padded rows and a layout, as CV-CUDA allocates them.

mod label;
mod rules;

use std::ops::Deref;

pub use label::Layout;
#[cfg(feature = "cvcuda")]
pub(crate) use rules::{PACKED, PADDED, check_shape};

use crate::copy::{fill, upload};
use crate::interface::{CudaArray, CudaArrayInterface, CudaView};
use crate::layout::StridedLayout;
use crate::{DType, Element, Gpu, HostArray, Memory, Result};

/// An array in GPU memory whose axes have names, laid out as CV-CUDA lays out its tensors.
///
/// Rows begin at multiples of 32 bytes and the first at a multiple of 512, unless [`Tensor::packed`] is asked
/// for. So a flat copy of a packed host array puts the rows in the wrong places: use
/// [`cuda_memcpy_h2d`](crate::cuda_memcpy_h2d), which heeds the strides. Shape, strides, dtype, address and
/// downloads are those of [`CudaView`].
///
/// ```
/// use interop_core::{DType, Gpu, Layout, Tensor, cuda_memcpy_h2d};
///
/// let gpu = Gpu::open(0)?;
/// let mut tensor = Tensor::new(&gpu, &[10, 10, 3], DType::U8, Layout::HWC)?;
/// assert_eq!(tensor.strides(), [32, 3, 1]); // a row of 30 bytes and 2 bytes of padding
/// let host: Vec<u8> = (0..=255).cycle().take(300).collect();
/// cuda_memcpy_h2d(&host, &mut tensor)?;
/// assert_eq!(tensor.to_vec::<u8>()?, host);
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Tensor {
    /// Before the memory that it refers to.
    #[cfg(feature = "cvcuda")]
    native: crate::interop::cvcuda::NativeSlot,
    view: CudaView,
    layout: Option<Layout>,
}

impl Tensor {
    /// Allocates a tensor of `shape` elements (1 to 15 axes), its rows padded as CV-CUDA's are: with a layout
    /// that ends in WC the rows of pixels, else the last axis. Its content is undefined, the padding's too.
    ///
    /// # Errors
    /// [`Error::InvalidLayout`](crate::Error::InvalidLayout),
    /// [`Error::RankTooLarge`](crate::Error::RankTooLarge), and as [`CudaBuffer::new`](crate::CudaBuffer::new).
    pub fn new(gpu: &Gpu, shape: &[usize], dtype: DType, layout: impl Into<Option<Layout>>) -> Result<Self> {
        Self::padded("Tensor::new", gpu, shape, dtype, layout.into())
    }

    /// [`Tensor::new`] on behalf of `operation`.
    pub(crate) fn padded(
        operation: &'static str,
        gpu: &Gpu,
        shape: &[usize],
        dtype: DType,
        layout: Option<Layout>,
    ) -> Result<Self> {
        let strided = rules::strides(operation, shape, dtype.size(), layout, rules::PADDED)?;
        Self::allocate(operation, gpu, dtype, strided, layout)
    }

    /// As [`Tensor::new`], without padding.
    ///
    /// ```
    /// use interop_core::{DType, Gpu, Layout, Tensor};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let tensor = Tensor::packed(&gpu, &[10, 10, 3], DType::U8, Layout::HWC)?;
    /// assert_eq!(tensor.strides(), [30, 3, 1]); // bytes
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tensor::new`].
    pub fn packed(
        gpu: &Gpu,
        shape: &[usize],
        dtype: DType,
        layout: impl Into<Option<Layout>>,
    ) -> Result<Self> {
        let layout = layout.into();
        let strided = rules::strides("Tensor::packed", shape, dtype.size(), layout, rules::PACKED)?;
        Self::allocate("Tensor::packed", gpu, dtype, strided, layout)
    }

    /// Allocates a tensor with the shape and element type of `host`, its rows padded, and copies it there.
    ///
    /// ```
    /// use interop_core::{Gpu, Layout, Tensor};
    /// use ndarray::Array3;
    ///
    /// let gpu = Gpu::open(0)?;
    /// let tensor = Tensor::from_host(&gpu, &Array3::<u8>::zeros((10, 10, 3)), Layout::HWC)?;
    /// assert_eq!(tensor.strides(), [32, 3, 1]); // bytes
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tensor::new`] and [`cuda_memcpy_h2d`](crate::cuda_memcpy_h2d).
    pub fn from_host(
        gpu: &Gpu,
        host: &(impl HostArray + ?Sized),
        layout: impl Into<Option<Layout>>,
    ) -> Result<Self> {
        const OPERATION: &str = "Tensor::from_host";
        let (source, layout) = (host.host_view(), layout.into());
        let strided =
            rules::strides(OPERATION, source.shape(), source.dtype().size(), layout, rules::PADDED)?;
        let tensor = Self::allocate(OPERATION, gpu, source.dtype(), strided, layout)?;
        upload(OPERATION, &source, &tensor.view)?;
        Ok(tensor)
    }

    fn allocate(
        operation: &'static str,
        gpu: &Gpu,
        dtype: DType,
        strided: StridedLayout,
        layout: Option<Layout>,
    ) -> Result<Self> {
        // The last row gets its padding, too, as CV-CUDA's does; an empty tensor needs no memory.
        let outermost = strided.strides()[0] as usize * strided.shape()[0];
        let bytes = if strided.is_empty() { 0 } else { outermost };
        let memory = Memory::allocate(operation, gpu, bytes)?;
        Ok(Self::of_view(CudaView::at_start_of(memory, dtype, strided)?, layout))
    }

    /// A view whose strides and layout were checked.
    fn of_view(view: CudaView, layout: Option<Layout>) -> Self {
        Self {
            #[cfg(feature = "cvcuda")]
            native: Default::default(),
            view,
            layout,
        }
    }

    /// A tensor that CV-CUDA manages, with its handle.
    #[cfg(feature = "cvcuda")]
    pub(crate) fn of_partner(
        view: CudaView,
        layout: Option<Layout>,
        native: crate::interop::cvcuda::NativeSlot,
    ) -> Self {
        Self { native, ..Self::of_view(view, layout) }
    }

    /// Where CV-CUDA's handle of it is kept.
    #[cfg(feature = "cvcuda")]
    pub(crate) fn native(&self) -> &crate::interop::cvcuda::NativeSlot {
        &self.native
    }

    /// The tensor as a view to hand on; it shares the memory and keeps it alive.
    pub fn cuda(&self) -> CudaView {
        self.view.clone()
    }

    /// Sets every element to a value, and leaves the padding as it is; see [`cuda_fill`](crate::cuda_fill).
    ///
    /// ```
    /// # use interop_core::{DType, Gpu, Layout, Tensor};
    /// let gpu = Gpu::open(0)?;
    /// let mut tensor = Tensor::new(&gpu, &[2, 3], DType::F32, Layout::HW)?; // rows of 32 bytes
    /// tensor.fill(0.5f32)?;
    /// assert_eq!(tensor.to_vec::<f32>()?, [0.5; 6]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`cuda_fill`](crate::cuda_fill).
    pub fn fill(&mut self, value: impl Element) -> Result<()> {
        fill("Tensor::fill", &mut self.view, value)
    }

    /// As [`CudaBuffer::free`](crate::CudaBuffer::free).
    ///
    /// # Errors
    /// [`Error::Driver`](crate::Error::Driver), also for earlier work on the device that failed.
    pub fn free(self) -> Result<()> {
        // What CV-CUDA keeps of it goes first, so that this is the last reference.
        #[cfg(feature = "cvcuda")]
        drop(self.native);
        self.view.free("Tensor::free")
    }

    /// What the axes mean.
    pub fn layout(&self) -> Option<Layout> {
        self.layout
    }
}

/// Shape, strides, dtype, address, and downloads.
impl Deref for Tensor {
    type Target = CudaView;

    fn deref(&self) -> &CudaView {
        &self.view
    }
}

impl CudaArray for Tensor {
    fn cuda_array_interface(&self) -> CudaArrayInterface {
        self.view.cuda_array_interface()
    }

    fn memory(&self) -> Memory {
        self.view.memory()
    }
}

/// Takes any array on a GPU as a tensor, without a copy. The tensor keeps its memory alive.
///
/// The strides must be such that CV-CUDA takes them: the last axis packed (the last two, if the layout ends in
/// WC or none is given), and the others at least as far apart as what they hold.
///
/// ```
/// use interop_core::{CudaBuffer, DType, Gpu, Layout, as_tensor};
///
/// let gpu = Gpu::open(0)?;
/// let buffer = CudaBuffer::zeros(&gpu, &[10, 10, 3], DType::U8)?;
/// let tensor = as_tensor(&buffer, Layout::HWC)?;
/// assert_eq!(tensor.pointer(), buffer.pointer());
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidLayout`](crate::Error::InvalidLayout) with the axis and the remedy,
/// [`Error::RankTooLarge`](crate::Error::RankTooLarge) above 15 axes, or
/// [`Error::OutOfBounds`](crate::Error::OutOfBounds) where the array describes more than its memory.
pub fn as_tensor(array: impl CudaArray, layout: impl Into<Option<Layout>>) -> Result<Tensor> {
    let layout = layout.into();
    let view = CudaView::checked("as_tensor", &array)?;
    rules::check_wrappable("as_tensor", view.interface().layout(), layout)?;
    Ok(Tensor::of_view(view, layout))
}
