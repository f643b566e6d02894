//! ndarray's arrays and views of any strides, as host arrays.

use ndarray::{ArrayBase, Data, DataMut, Dimension, RawData};

use crate::layout::StridedLayout;
use crate::{Element, HostArray, HostArrayMut, HostView, HostViewMut};

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
