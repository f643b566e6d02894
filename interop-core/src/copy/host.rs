//! [`HostArray`]: what can be copied to and from a GPU; [`HostView`] and [`HostViewMut`]: where it lies.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::Arc;

use super::elements::Elements;
use super::meter::Meter;
use crate::layout::StridedLayout;
use crate::{CudaArrayInterface, DType, Element, Error, Result};

/// An array in ordinary memory that can be copied to a GPU: slices, `Vec`, arrays, pinned buffers,
/// ndarray's arrays and views of any strides, and images of the crate `image` (with the feature of that name).
///
/// ```
/// use interop_core::HostArray;
///
/// assert_eq!(vec![1f32, 2.0].host_view().shape(), [2]);
/// ```
pub trait HostArray {
    /// Where the elements lie.
    fn host_view(&self) -> HostView<'_>;
}

/// An array in ordinary memory that a GPU array can be copied into.
///
/// ```
/// use interop_core::HostArrayMut;
///
/// assert_eq!([0u16; 3].host_view_mut().shape(), [3]);
/// ```
pub trait HostArrayMut: HostArray {
    /// Where the elements lie.
    fn host_view_mut(&mut self) -> HostViewMut<'_>;
}

/// Readable elements in host memory, for as long as the borrow lasts.
///
/// For implementing [`HostArray`] on a type of one's own:
///
/// ```
/// use interop_core::{CudaBuffer, Gpu, HostArray, HostView};
///
/// struct Samples { values: Vec<f32> }
///
/// impl HostArray for Samples {
///     fn host_view(&self) -> HostView<'_> { HostView::from_slice(&self.values) }
/// }
///
/// let gpu = Gpu::open(0)?;
/// let buffer = CudaBuffer::from_host(&gpu, &Samples { values: vec![0.5, 1.0] })?;
/// assert_eq!(buffer.to_vec::<f32>()?, [0.5, 1.0]);
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Debug)]
pub struct HostView<'a> {
    first: *const u8,
    elements: Elements,
    borrow: PhantomData<&'a [u8]>,
}

/// Writable elements in host memory, for as long as the borrow lasts.
///
/// For implementing [`HostArrayMut`] on a type of one's own:
///
/// ```
/// use interop_core::{CudaBuffer, Gpu, HostArray, HostArrayMut, HostView, HostViewMut, cuda_memcpy_d2h};
///
/// struct Samples { values: Vec<f32> }
///
/// impl HostArray for Samples {
///     fn host_view(&self) -> HostView<'_> { HostView::from_slice(&self.values) }
/// }
///
/// impl HostArrayMut for Samples {
///     fn host_view_mut(&mut self) -> HostViewMut<'_> { HostViewMut::from_slice(&mut self.values) }
/// }
///
/// let gpu = Gpu::open(0)?;
/// let buffer = CudaBuffer::from_host(&gpu, &[0.5f32, 1.0])?;
/// let mut samples = Samples { values: vec![0.0; 2] };
/// cuda_memcpy_d2h(&buffer, &mut samples)?;
/// assert_eq!(samples.values, [0.5, 1.0]);
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Debug)]
pub struct HostViewMut<'a> {
    first: *mut u8,
    elements: Elements,
    /// Whether the memory is new and was not touched yet.
    is_fresh: bool,
    borrow: PhantomData<&'a mut [u8]>,
}

// SAFETY: elements are plain values, which a slice shares between threads, and `from_raw_parts` asks for as much.
unsafe impl Send for HostView<'_> {}

impl<'a> HostView<'a> {
    /// A slice. It has no shape of its own: it fits a device array of as many elements, in C order.
    pub fn from_slice<T: Element>(slice: &'a [T]) -> Self {
        let elements = Elements::of_slice::<T>(slice.len());
        Self { first: slice.as_ptr().cast(), elements, borrow: PhantomData }
    }

    /// Elements of type `dtype` from `first` on.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Gpu, HostArray, HostView, StridedLayout};
    ///
    /// /// The real parts of numbers that lie in pairs.
    /// struct Real { pairs: Vec<f32> }
    ///
    /// impl HostArray for Real {
    ///     fn host_view(&self) -> HostView<'_> {
    ///         let layout = StridedLayout::strided(&[self.pairs.len() / 2], &[8], 4).expect("it fits in memory");
    ///         // SAFETY: the vector holds both elements of every pair, and is borrowed for the view's life.
    ///         unsafe { HostView::from_raw_parts(self.pairs.as_ptr().cast(), DType::F32, layout) }
    ///     }
    /// }
    ///
    /// let gpu = Gpu::open(0)?;
    /// let buffer = CudaBuffer::from_host(&gpu, &Real { pairs: vec![1.0, 0.1, 2.0, 0.2] })?;
    /// assert_eq!(buffer.to_vec::<f32>()?, [1.0, 2.0]);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Safety
    /// For the lifetime `'a`, every element that `layout` reaches from `first` can be read from any thread, is a value
    /// of a Rust type that `dtype` is the dtype of, and is written by nobody; the layout's itemsize is that of the
    /// dtype.
    pub unsafe fn from_raw_parts(first: *const u8, dtype: DType, layout: StridedLayout) -> Self {
        Self { first, elements: Elements::of_array(dtype, layout), borrow: PhantomData }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.elements.dtype()
    }

    /// Elements along each axis.
    pub fn shape(&self) -> &[usize] {
        self.elements.layout().shape()
    }

    pub(crate) fn layout(&self) -> &StridedLayout {
        self.elements.layout()
    }

    pub(crate) fn first(&self) -> *const u8 {
        self.first
    }

    pub(crate) fn elements(&self) -> &Elements {
        &self.elements
    }

    /// Says that the driver locked the memory: for each device, where host and devices share one address space, as on
    /// all 64-bit systems (`cuMemHostAlloc`, CUDA driver API 12.0).
    pub(super) fn pinned(self) -> Self {
        Self { elements: self.elements.pinned(), ..self }
    }

    /// Has a meter count what is copied.
    pub(crate) fn metered(self, meter: &Meter) -> Self {
        Self { elements: self.elements.metered(meter), ..self }
    }

    /// The layout with which the elements fit the device array.
    pub(crate) fn fit(&self, operation: &'static str, device: &CudaArrayInterface) -> Result<StridedLayout> {
        let (expected, found) = (device.dtype(), self.elements.dtype());
        if expected != found {
            return Err(Error::DTypeMismatch { operation, expected, found });
        }
        self.elements.fit(operation, device)
    }
}

impl<'a> HostViewMut<'a> {
    /// A slice. It has no shape of its own: it fits a device array of as many elements, in C order.
    pub fn from_slice<T: Element>(slice: &'a mut [T]) -> Self {
        let (first, len) = (slice.as_mut_ptr().cast::<MaybeUninit<T>>(), slice.len());
        // SAFETY: the slice's own elements; this crate only writes values of T there.
        let memory = unsafe { std::slice::from_raw_parts_mut(first, len) };
        Self::unwritten(memory, false)
    }

    /// Memory for elements that a download is about to write, all of them; `is_fresh` where the system has yet to give
    /// it.
    pub(crate) fn unwritten<T: Element>(slice: &'a mut [MaybeUninit<T>], is_fresh: bool) -> Self {
        let elements = Elements::of_slice::<T>(slice.len());
        Self { first: slice.as_mut_ptr().cast(), elements, is_fresh, borrow: PhantomData }
    }

    /// Elements of type `dtype` from `first` on.
    ///
    /// # Safety
    /// For the lifetime `'a`, every element that `layout` reaches from `first` can be written from any thread, and is
    /// neither read nor written by anybody else; no two share a byte, and any bytes (0 or 1 for [`DType::Bool`]) make
    /// a value of their Rust type; the layout's itemsize is that of the dtype.
    pub unsafe fn from_raw_parts(first: *mut u8, dtype: DType, layout: StridedLayout) -> Self {
        let elements = Elements::of_array(dtype, layout);
        Self { first, elements, is_fresh: false, borrow: PhantomData }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.elements.dtype()
    }

    /// Elements along each axis.
    pub fn shape(&self) -> &[usize] {
        self.elements.layout().shape()
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    pub(crate) fn first(&mut self) -> *mut u8 {
        self.first
    }

    pub(crate) fn elements(&self) -> &Elements {
        &self.elements
    }

    /// Says that the driver locked the memory: for each device, where host and devices share one address space, as on
    /// all 64-bit systems (`cuMemHostAlloc`, CUDA driver API 12.0).
    pub(super) fn pinned(self) -> Self {
        Self { elements: self.elements.pinned(), ..self }
    }

    /// Has a meter count what is copied.
    pub(crate) fn metered(self, meter: &Meter) -> Self {
        Self { elements: self.elements.metered(meter), ..self }
    }

    /// The layout with which the elements fit the device array.
    pub(crate) fn fit(&self, operation: &'static str, device: &CudaArrayInterface) -> Result<StridedLayout> {
        let (expected, found) = (self.elements.dtype(), device.dtype());
        if expected != found {
            return Err(Error::DTypeMismatch { operation, expected, found });
        }
        self.elements.fit(operation, device)
    }
}

macro_rules! slices_as_host_arrays {
    ($([$($generics:tt)*] $array:ty),* $(,)?) => { $(
        impl<$($generics)*> HostArray for $array {
            fn host_view(&self) -> HostView<'_> {
                HostView::from_slice(&self[..])
            }
        }

        impl<$($generics)*> HostArrayMut for $array {
            fn host_view_mut(&mut self) -> HostViewMut<'_> {
                HostViewMut::from_slice(&mut self[..])
            }
        }
    )* };
}

slices_as_host_arrays!([T: Element] [T], [T: Element] Vec<T>, [T: Element, const N: usize] [T; N]);

macro_rules! pointers_to_host_arrays {
    ($($pointer:ty),*) => { $(
        impl<T: HostArray + ?Sized> HostArray for $pointer {
            fn host_view(&self) -> HostView<'_> {
                (**self).host_view()
            }
        }
    )* };
}

macro_rules! pointers_to_mutable_host_arrays {
    ($($pointer:ty),*) => { $(
        impl<T: HostArrayMut + ?Sized> HostArrayMut for $pointer {
            fn host_view_mut(&mut self) -> HostViewMut<'_> {
                (**self).host_view_mut()
            }
        }
    )* };
}

pointers_to_host_arrays!(&T, &mut T, Box<T>, Arc<T>);
pointers_to_mutable_host_arrays!(&mut T, Box<T>);
