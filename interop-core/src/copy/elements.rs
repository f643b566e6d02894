//! [`Elements`]: what the elements of a host array are and how they lie, wherever the first one is.

use super::meter::Meter;
use crate::layout::StridedLayout;
use crate::{CudaArrayInterface, DType, Element, Error, Result};

/// The elements of a host array.
#[derive(Debug)]
pub(crate) struct Elements {
    dtype: DType,
    layout: StridedLayout,
    /// Of a slice: it has no shape of its own.
    is_flat: bool,
    /// Whether they are known to be in page-locked memory; the driver is asked about all others.
    is_pinned: bool,
    /// Counts the bytes that were copied, where somebody looks on.
    meter: Option<Meter>,
}

impl Elements {
    /// Of a slice.
    pub fn of_slice<T: Element>(len: usize) -> Self {
        let size = T::DTYPE.size();
        let layout = StridedLayout::in_memory(&[len], &[size as isize], size);
        Self { dtype: T::DTYPE, layout, is_flat: true, is_pinned: false, meter: None }
    }

    /// Of an array with a shape; the layout's itemsize is that of the dtype.
    pub fn of_array(dtype: DType, layout: StridedLayout) -> Self {
        Self { dtype, layout, is_flat: false, is_pinned: false, meter: None }
    }

    pub fn dtype(&self) -> DType {
        self.dtype
    }

    pub fn layout(&self) -> &StridedLayout {
        &self.layout
    }

    /// Says that the driver locked their memory.
    pub fn pinned(self) -> Self {
        Self { is_pinned: true, ..self }
    }

    pub fn is_pinned(&self) -> bool {
        self.is_pinned
    }

    /// Has a meter count what is copied.
    pub fn metered(self, meter: &Meter) -> Self {
        Self { meter: Some(meter.clone()), ..self }
    }

    pub fn meter(&self) -> Option<&Meter> {
        self.meter.as_ref()
    }

    /// The bytes of all elements, where they are one run on both sides and in the same order.
    pub fn run_of(&self, device: &CudaArrayInterface) -> Option<usize> {
        let (host, device_layout) = (&self.layout, device.layout());
        let fits = match self.is_flat {
            true => host.len() == device_layout.len(),
            false => host.shape() == device_layout.shape(),
        };
        // A slice is by its nature, and its layout need not be asked.
        let is_packed = self.is_flat || host.is_c_contiguous();
        let is_run = self.dtype == device.dtype() && is_packed && device_layout.is_c_contiguous();
        (fits && is_run).then(|| device_layout.size_bytes())
    }

    /// The layout with which elements of the right type fit the device array.
    pub fn fit(&self, operation: &'static str, device: &CudaArrayInterface) -> Result<StridedLayout> {
        let (host, device) = (&self.layout, device.layout());
        if self.is_flat && host.len() == device.len() {
            return StridedLayout::packed(device.shape(), device.itemsize());
        }
        if self.is_flat {
            let (expected, found) = (device.size_bytes(), host.size_bytes());
            return Err(Error::SizeMismatch { operation, expected, found });
        }
        if host.shape() != device.shape() {
            let (expected, found) = (device.shape().to_vec(), host.shape().to_vec());
            return Err(Error::ShapeMismatch { operation, expected, found });
        }
        Ok(host.clone())
    }
}
