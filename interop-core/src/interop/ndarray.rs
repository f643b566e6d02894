//! ndarray's arrays and views of any strides, as host arrays.

use ndarray::{ArrayBase, ArrayD, Data, DataMut, Dimension, RawData};

use crate::copy::download;
use crate::interface::CudaView;
use crate::layout::StridedLayout;
use crate::{Element, Error, HostArray, HostArrayMut, HostView, HostViewMut, Result};

impl<S, D> HostArray for ArrayBase<S, D>
where
    S: Data,
    S::Elem: Element,
    D: Dimension,
{
    fn host_view(&self) -> HostView<'_> {
        // SAFETY: ndarray keeps all its elements readable while it is borrowed.
        unsafe { HostView::from_raw_parts(self.as_ptr().cast(), S::Elem::DTYPE, layout(self)) }
    }
}

impl<S, D> HostArrayMut for ArrayBase<S, D>
where
    S: DataMut,
    S::Elem: Element,
    D: Dimension,
{
    fn host_view_mut(&mut self) -> HostViewMut<'_> {
        // First: it makes shared storage unique, which may move the elements.
        let first = self.as_mut_ptr();
        // SAFETY: ndarray keeps all its elements apart and writable while it is borrowed mutably.
        unsafe { HostViewMut::from_raw_parts(first.cast(), S::Elem::DTYPE, layout(self)) }
    }
}

impl CudaView {
    /// The elements as a new array of the same shape, in C order.
    ///
    /// ```
    /// use interop_core::{Gpu, Layout, Tensor};
    /// use ndarray::Array3;
    ///
    /// let gpu = Gpu::open(0)?;
    /// let host = Array3::from_shape_fn((10, 10, 3), |(y, x, c)| (y * 30 + x * 3 + c) as u8);
    /// let tensor = Tensor::from_host(&gpu, &host, Layout::HWC)?;
    /// assert_eq!(tensor.to_array::<u8>()?, host.into_dyn());
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CudaView::to_vec`], or [`Error::InvalidView`] for an array without elements whose other axes are longer
    /// together than ndarray can count.
    pub fn to_array<T: Element>(&self) -> Result<ArrayD<T>> {
        const OPERATION: &str = "to_array";
        let elements = download::<T>(OPERATION, self)?;
        // There are as many as the shape has: ndarray refuses only what it cannot count.
        ArrayD::from_shape_vec(self.shape(), elements).map_err(|_| uncountable(OPERATION, self.shape()))
    }
}

/// Of a shape with no elements, ndarray counts those of the axes that have any.
pub(super) fn uncountable(operation: &'static str, shape: &[usize]) -> Error {
    Error::InvalidView {
        operation,
        expected: "a shape whose axes but the empty ones have fewer than 2^63 elements".to_owned(),
        found: format!("shape {shape:?}"),
        remedy: "take the elements without a shape, as a slice or by `to_vec`",
    }
}

pub(super) fn layout<S, D>(array: &ArrayBase<S, D>) -> StridedLayout
where
    S: RawData,
    S::Elem: Element,
    D: Dimension,
{
    let item = size_of::<S::Elem>();
    // Fits: the elements lie in memory. Only an array without any may have strides that are out of range.
    let strides: Vec<isize> =
        array.strides().iter().map(|stride| stride.wrapping_mul(item as isize)).collect();
    StridedLayout::in_memory(array.shape(), &strides, item)
}
