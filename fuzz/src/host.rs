//! [`HostPart`]: an array in a window of host memory.

use half::f16;
use interop_core::{DType, Element, HostArray, HostArrayMut, HostView, HostViewMut, StridedLayout};
use num_complex::Complex;

use crate::case::{Case, Side};
use crate::placement::Placement;

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

    fn range(&self) -> std::ops::Range<usize> {
        self.offset..self.offset + self.layout.size_bytes()
    }
}

/// Calls a function with the Rust type of a dtype.
macro_rules! by_dtype {
    ($dtype:expr, $function:ident($bytes:expr)) => {
        match $dtype {
            DType::Bool => $function::<bool>($bytes),
            DType::U8 => $function::<u8>($bytes),
            DType::U16 => $function::<u16>($bytes),
            DType::U32 => $function::<u32>($bytes),
            DType::U64 => $function::<u64>($bytes),
            DType::I8 => $function::<i8>($bytes),
            DType::I16 => $function::<i16>($bytes),
            DType::I32 => $function::<i32>($bytes),
            DType::I64 => $function::<i64>($bytes),
            DType::F16 => $function::<f16>($bytes),
            DType::F32 => $function::<f32>($bytes),
            DType::F64 => $function::<f64>($bytes),
            DType::C64 => $function::<Complex<f32>>($bytes),
            DType::C128 => $function::<Complex<f64>>($bytes),
            other => unreachable!("no element type is known here for {other}"),
        }
    };
}

fn flat<T: Element>(bytes: &[u8]) -> HostView<'_> {
    // SAFETY: the bytes of every element are a value of it: booleans were made 0 or 1, the others take any.
    let (before, elements, after) = unsafe { bytes.align_to::<T>() };
    assert!(before.is_empty() && after.is_empty(), "a slice that is not aligned");
    HostView::from_slice(elements)
}

fn flat_mut<T: Element>(bytes: &mut [u8]) -> HostViewMut<'_> {
    // SAFETY: as in `flat`.
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
