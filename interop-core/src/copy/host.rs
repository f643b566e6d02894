//! [`HostArray`]: what can be copied to and from a GPU; [`HostView`] and [`HostViewMut`]: where it lies.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::Arc;

use super::meter::Meter;
use crate::layout::StridedLayout;
use crate::{CudaArrayInterface, DType, Element, Error, Result};

/// An array in ordinary memory that can be copied to a GPU: slices, `Vec`, arrays, pinned buffers, and
/// ndarray's arrays and views of any strides.
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
    dtype: DType,
    layout: StridedLayout,
    is_flat: bool,
    /// Counts the bytes that were copied, where somebody looks on.
    meter: Option<Meter>,
    borrow: PhantomData<&'a [u8]>,
}

/// Writable elements in host memory, for as long as the borrow lasts.
#[derive(Debug)]
pub struct HostViewMut<'a> {
    first: *mut u8,
    dtype: DType,
    layout: StridedLayout,
    is_flat: bool,
    /// Whether the memory is new and was not touched yet.
    is_fresh: bool,
    /// As in [`HostView`].
    meter: Option<Meter>,
    borrow: PhantomData<&'a mut [u8]>,
}

impl<'a> HostView<'a> {
    /// A slice. It has no shape of its own: it fits a device array of as many elements, in C order.
    pub fn from_slice<T: Element>(slice: &'a [T]) -> Self {
        Self {
            first: slice.as_ptr().cast(),
            dtype: T::DTYPE,
            layout: slice_layout(slice.len(), T::DTYPE),
            is_flat: true,
            meter: None,
            borrow: PhantomData,
        }
    }

    /// Elements of type `dtype` from `first` on.
    ///
    /// # Safety
    /// For the lifetime `'a`, every element that `layout` reaches from `first` can be read, and is a value of
    /// a Rust type that `dtype` is the dtype of; the layout's itemsize is that of the dtype.
    pub unsafe fn from_raw_parts(first: *const u8, dtype: DType, layout: StridedLayout) -> Self {
        Self { first, dtype, layout, is_flat: false, meter: None, borrow: PhantomData }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Elements along each axis.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    pub(crate) fn layout(&self) -> &StridedLayout {
        &self.layout
    }

    pub(crate) fn first(&self) -> *const u8 {
        self.first
    }

    /// Has a meter count what is copied.
    pub(crate) fn metered(self, meter: &Meter) -> Self {
        Self { meter: Some(meter.clone()), ..self }
    }

    pub(crate) fn meter(&self) -> Option<&Meter> {
        self.meter.as_ref()
    }

    /// The bytes of all elements, where they are one run on both sides and in the same order.
    pub(crate) fn run_of(&self, device: &CudaArrayInterface) -> Option<usize> {
        (self.dtype == device.dtype()).then(|| run_of(&self.layout, self.is_flat, device)).flatten()
    }

    /// The layout with which the elements fit the device array.
    pub(crate) fn fit(&self, operation: &'static str, device: &CudaArrayInterface) -> Result<StridedLayout> {
        if self.dtype != device.dtype() {
            return Err(Error::DTypeMismatch { operation, expected: device.dtype(), found: self.dtype });
        }
        fit(operation, &self.layout, self.is_flat, device)
    }
}

impl<'a> HostViewMut<'a> {
    /// A slice. It has no shape of its own: it fits a device array of as many elements, in C order.
    pub fn from_slice<T: Element>(slice: &'a mut [T]) -> Self {
        let (first, len) = (slice.as_mut_ptr().cast::<MaybeUninit<T>>(), slice.len());
        // SAFETY: the slice's own elements; this crate only writes values of T there.
        let memory = unsafe { std::slice::from_raw_parts_mut(first, len) };
        Self { is_fresh: false, ..Self::fresh(memory) }
    }

    /// New memory for elements that a download is about to write, all of them.
    pub(crate) fn fresh<T: Element>(slice: &'a mut [MaybeUninit<T>]) -> Self {
        Self {
            is_fresh: true,
            layout: slice_layout(slice.len(), T::DTYPE),
            first: slice.as_mut_ptr().cast(),
            dtype: T::DTYPE,
            is_flat: true,
            meter: None,
            borrow: PhantomData,
        }
    }

    /// Elements of type `dtype` from `first` on.
    ///
    /// # Safety
    /// For the lifetime `'a`, every element that `layout` reaches from `first` can be written by nobody else,
    /// no two share a byte, and any bytes (0 or 1 for [`DType::Bool`]) make a value of their Rust type; the
    /// layout's itemsize is that of the dtype.
    pub unsafe fn from_raw_parts(first: *mut u8, dtype: DType, layout: StridedLayout) -> Self {
        Self { first, dtype, layout, is_flat: false, is_fresh: false, meter: None, borrow: PhantomData }
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    pub(crate) fn first(&mut self) -> *mut u8 {
        self.first
    }

    /// Has a meter count what is copied.
    pub(crate) fn metered(self, meter: &Meter) -> Self {
        Self { meter: Some(meter.clone()), ..self }
    }

    pub(crate) fn meter(&self) -> Option<&Meter> {
        self.meter.as_ref()
    }

    /// The bytes of all elements, where they are one run on both sides and in the same order.
    pub(crate) fn run_of(&self, device: &CudaArrayInterface) -> Option<usize> {
        (self.dtype == device.dtype()).then(|| run_of(&self.layout, self.is_flat, device)).flatten()
    }

    /// The layout with which the elements fit the device array.
    pub(crate) fn fit(&self, operation: &'static str, device: &CudaArrayInterface) -> Result<StridedLayout> {
        if self.dtype != device.dtype() {
            return Err(Error::DTypeMismatch { operation, expected: self.dtype, found: device.dtype() });
        }
        fit(operation, &self.layout, self.is_flat, device)
    }
}

fn fit(
    operation: &'static str,
    host: &StridedLayout,
    is_flat: bool,
    device: &CudaArrayInterface,
) -> Result<StridedLayout> {
    let layout = device.layout();
    if is_flat && host.len() == layout.len() {
        return StridedLayout::packed(layout.shape(), layout.itemsize());
    }
    if is_flat {
        let (expected, found) = (layout.size_bytes(), host.size_bytes());
        return Err(Error::SizeMismatch { operation, expected, found });
    }
    if host.shape() != layout.shape() {
        let (expected, found) = (layout.shape().to_vec(), host.shape().to_vec());
        return Err(Error::ShapeMismatch { operation, expected, found });
    }
    Ok(host.clone())
}

fn run_of(host: &StridedLayout, is_flat: bool, device: &CudaArrayInterface) -> Option<usize> {
    let layout = device.layout();
    let fits = if is_flat { host.len() == layout.len() } else { host.shape() == layout.shape() };
    (fits && host.is_c_contiguous() && layout.is_c_contiguous()).then(|| layout.size_bytes())
}

fn slice_layout(len: usize, dtype: DType) -> StridedLayout {
    StridedLayout::in_memory(&[len], &[dtype.size() as isize], dtype.size())
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
slices_as_host_arrays!([T: Element] crate::PinnedBuffer<T>);

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
