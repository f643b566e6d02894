//! [`HostPart`]: an array in a window of host memory.

use half::f16;
use interop_core::{
    DType, Element, HostArray, HostArrayMut, HostView, HostViewMut, StridedLayout, cuda_fill,
};
use num_complex::Complex;

use crate::case::{Case, Side};
use crate::described::Described;
use crate::placement::Placement;

/// Calls a function with the Rust type of a dtype.
macro_rules! by_dtype {
    ($dtype:expr, $function:ident($($argument:expr),*)) => {
        match $dtype {
            DType::Bool => $function::<bool>($($argument),*),
            DType::U8 => $function::<u8>($($argument),*),
            DType::U16 => $function::<u16>($($argument),*),
            DType::U32 => $function::<u32>($($argument),*),
            DType::U64 => $function::<u64>($($argument),*),
            DType::I8 => $function::<i8>($($argument),*),
            DType::I16 => $function::<i16>($($argument),*),
            DType::I32 => $function::<i32>($($argument),*),
            DType::I64 => $function::<i64>($($argument),*),
            DType::F16 => $function::<f16>($($argument),*),
            DType::F32 => $function::<f32>($($argument),*),
            DType::F64 => $function::<f64>($($argument),*),
            DType::C64 => $function::<Complex<f32>>($($argument),*),
            DType::C128 => $function::<Complex<f64>>($($argument),*),
            other => unreachable!("no element type is known here for {other}"),
        }
    };
}

/// Elements in a window, with strides or as a slice.
pub struct HostPart<'a> {
    window: &'a mut [u8],
    dtype: DType,
    layout: StridedLayout,
    offset: usize,
    is_flat: bool,
}

impl<'a> HostPart<'a> {
    /// One side of a case. The window begins at an address that fits any element.
    pub fn new(case: &Case, side: &Side, window: &'a mut [u8]) -> interop_core::Result<Self> {
        let Placement { offset, strides, .. } = side.placement();
        let layout = StridedLayout::strided(&case.shape, strides, case.dtype.size())?;
        let is_flat = matches!(side, Side::Flat(_));
        Ok(Self { window, dtype: case.dtype, layout, offset: *offset, is_flat })
    }

    /// Fills an array on the device with the first element.
    pub fn fill(&self, device: &mut Described) -> interop_core::Result<()> {
        let first = &self.window[self.offset..][..self.layout.itemsize()];
        by_dtype!(self.dtype, fill(first, device))
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.offset..self.offset + self.layout.size_bytes()
    }
}

fn elements<T: Element>(bytes: &[u8]) -> &[T] {
    // SAFETY: the bytes of every element are a value of it: booleans were made 0 or 1, the others take any.
    let (before, elements, after) = unsafe { bytes.align_to::<T>() };
    assert!(before.is_empty() && after.is_empty(), "a slice that is not aligned");
    elements
}

fn flat<T: Element>(bytes: &[u8]) -> HostView<'_> {
    HostView::from_slice(elements::<T>(bytes))
}

fn fill<T: Element>(first: &[u8], device: &mut Described) -> interop_core::Result<()> {
    cuda_fill(device, elements::<T>(first)[0])
}

fn flat_mut<T: Element>(bytes: &mut [u8]) -> HostViewMut<'_> {
    // SAFETY: as in `elements`.
    let (before, elements, after) = unsafe { bytes.align_to_mut::<T>() };
    assert!(before.is_empty() && after.is_empty(), "a slice that is not aligned");
    HostViewMut::from_slice(elements)
}

impl HostArray for HostPart<'_> {
    fn host_view(&self) -> HostView<'_> {
        if self.is_flat {
            return by_dtype!(self.dtype, flat(&self.window[self.range()]));
        }
        let first = self.window[self.offset..].as_ptr();
        // SAFETY: the placement keeps all elements within the window, which is borrowed as long as the view;
        // booleans were made 0 or 1.
        unsafe { HostView::from_raw_parts(first, self.dtype, self.layout.clone()) }
    }
}

impl HostArrayMut for HostPart<'_> {
    fn host_view_mut(&mut self) -> HostViewMut<'_> {
        if self.is_flat {
            let range = self.range();
            return by_dtype!(self.dtype, flat_mut(&mut self.window[range]));
        }
        let first = self.window.as_mut_ptr().wrapping_add(self.offset);
        // SAFETY: the placement keeps all elements within the window, which is borrowed as long as the view,
        // and the elements of a target apart.
        unsafe { HostViewMut::from_raw_parts(first, self.dtype, self.layout.clone()) }
    }
}
