//! The copy functions: what is checked before anything moves.

use super::execute;
use super::host::{HostArray, HostArrayMut, HostView, HostViewMut};
use crate::interface::{CudaArray, CudaView};
use crate::{DType, Element, Error, Result};

/// Copies a host array to a GPU array of the same element type and shape, element by element, whatever the
/// strides on both sides. Padding between elements is never written.
///
/// A slice, `Vec` or array has no shape: it fits a GPU array of as many elements, in C order. On return the
/// copy is complete. It is ordered behind what is queued on the stream of the GPU array's memory.
///
/// ```
/// use interop_core::{DType, Gpu, Layout, Tensor, cuda_memcpy_d2h, cuda_memcpy_h2d};
/// use ndarray::Array3;
///
/// let gpu = Gpu::open(0)?;
/// let host = Array3::from_shape_fn((10, 10, 3), |(y, x, c)| (y * 30 + x * 3 + c) as u8);
/// let mut tensor = Tensor::new(&gpu, &[10, 10, 3], DType::U8, Layout::HWC)?; // rows of 32 bytes
/// cuda_memcpy_h2d(&host, &mut tensor)?;
///
/// let mut back = Array3::<u8>::zeros((10, 10, 3));
/// cuda_memcpy_d2h(&tensor, &mut back)?;
/// assert_eq!(back, host);
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::DTypeMismatch`], [`Error::ShapeMismatch`], [`Error::SizeMismatch`], [`Error::ReadOnly`],
/// [`Error::OverlappingElements`] (a GPU array that is broadcast), [`Error::OutOfBounds`],
/// [`Error::OutOfMemory`] or [`Error::Driver`]. Only the last can leave a part of the elements written.
pub fn cuda_memcpy_h2d(
    host: &(impl HostArray + ?Sized),
    device: &mut (impl CudaArray + ?Sized),
) -> Result<()> {
    let view = CudaView::checked("cuda_memcpy_h2d", device)?;
    upload("cuda_memcpy_h2d", &host.host_view(), &view)
}

/// Copies a GPU array to a host array of the same element type and shape, element by element, whatever the
/// strides on both sides. Gaps between the host array's elements are never written.
///
/// On return the copy is complete. It is ordered behind what is queued on the stream of the GPU array's
/// memory. See [`cuda_memcpy_h2d`] for an example.
///
/// # Errors
/// [`Error::DTypeMismatch`], [`Error::ShapeMismatch`], [`Error::SizeMismatch`], [`Error::OutOfBounds`],
/// [`Error::OutOfMemory`], [`Error::InvalidBool`] or [`Error::Driver`]. Only the last can leave a part of
/// the elements written.
pub fn cuda_memcpy_d2h(
    device: &(impl CudaArray + ?Sized),
    host: &mut (impl HostArrayMut + ?Sized),
) -> Result<()> {
    let view = CudaView::checked("cuda_memcpy_d2h", device)?;
    download_into("cuda_memcpy_d2h", &view, host.host_view_mut())
}

/// Copies a GPU array to another of the same element type and shape on the same device, whatever the strides.
/// Source and destination do not overlap.
///
/// On return the copy is complete. It is ordered behind what is queued on the streams of both memories.
///
/// ```
/// use interop_core::{CudaBuffer, DType, Gpu, Tensor, cuda_memcpy_d2d};
///
/// let gpu = Gpu::open(0)?;
/// let packed = CudaBuffer::from_host(&gpu, &[1u8, 2, 3, 4])?;
/// let mut other = CudaBuffer::new(&gpu, &[4], DType::U8)?;
/// cuda_memcpy_d2d(&packed, &mut other)?;
/// assert_eq!(other.to_vec::<u8>()?, [1, 2, 3, 4]);
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::DTypeMismatch`], [`Error::ShapeMismatch`], [`Error::ReadOnly`], [`Error::OverlappingElements`]
/// (the destination is broadcast, or shares bytes with the source), [`Error::DeviceMismatch`],
/// [`Error::OutOfBounds`] or [`Error::Driver`]. Only the last can leave a part of the elements written.
pub fn cuda_memcpy_d2d(
    source: &(impl CudaArray + ?Sized),
    target: &mut (impl CudaArray + ?Sized),
) -> Result<()> {
    const OPERATION: &str = "cuda_memcpy_d2d";
    let source = CudaView::checked(OPERATION, source)?;
    let target = CudaView::checked(OPERATION, target)?;
    if source.dtype() != target.dtype() {
        let (expected, found) = (target.dtype(), source.dtype());
        return Err(Error::DTypeMismatch { operation: OPERATION, expected, found });
    }
    target.gpu().check_same_device(OPERATION, source.gpu().info().ordinal as i32)?;
    check_writable(OPERATION, &target)?;
    check_apart(OPERATION, &source, &target)?;
    execute::device_to_device(OPERATION, &source, &target)
}

/// [`cuda_memcpy_h2d`] on behalf of `operation`.
pub(crate) fn upload(operation: &'static str, host: &HostView<'_>, device: &CudaView) -> Result<()> {
    check_writable(operation, device)?;
    execute::host_to_device(operation, host, device)
}

/// The elements of a GPU array in C order, on behalf of `operation`.
pub(crate) fn download<T: Element>(operation: &'static str, device: &CudaView) -> Result<Vec<T>> {
    if T::DTYPE != device.dtype() {
        return Err(Error::DTypeMismatch { operation, expected: T::DTYPE, found: device.dtype() });
    }
    let (len, bytes) = (device.interface().layout().len(), device.interface().layout().size_bytes());
    let mut elements: Vec<T> = Vec::new();
    let exhausted = |_| Error::OutOfMemory { operation, requested: bytes, free: None };
    elements.try_reserve_exact(len).map_err(exhausted)?;
    // SAFETY: zero bytes are a value of every element type, and `len` of them were reserved.
    unsafe { elements.as_mut_ptr().write_bytes(0, len) };
    // SAFETY: `len` elements were reserved and written.
    unsafe { elements.set_len(len) };
    download_into(operation, device, HostViewMut::from_slice(&mut elements))?;
    Ok(elements)
}

fn download_into(operation: &'static str, device: &CudaView, host: HostViewMut<'_>) -> Result<()> {
    let check =
        if device.dtype() == DType::Bool { execute::Check::Booleans } else { execute::Check::Nothing };
    execute::device_to_host(operation, device, host, check)
}

fn check_writable(operation: &'static str, target: &CudaView) -> Result<()> {
    let interface = target.interface();
    if interface.is_read_only() {
        return Err(Error::ReadOnly { operation });
    }
    if interface.layout().may_overlap() {
        return Err(overlapping(operation, target));
    }
    Ok(())
}

fn check_apart(operation: &'static str, source: &CudaView, target: &CudaView) -> Result<()> {
    let (source, range) = (source.interface().address_range(), target.interface().address_range());
    let apart = source.end <= range.start || range.end <= source.start;
    if apart { Ok(()) } else { Err(overlapping(operation, target)) }
}

fn overlapping(operation: &'static str, target: &CudaView) -> Error {
    let (shape, strides) = (target.shape().to_vec(), target.strides().to_vec());
    Error::OverlappingElements { operation, shape, strides }
}
