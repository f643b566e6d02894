//! The copy functions: what is checked before anything moves.

use super::booleans::{check_booleans, download_booleans};
use super::execute;
use super::fresh::{is_new, prefer_huge_pages};
use super::host::{HostArray, HostArrayMut, HostView, HostViewMut};
use super::staging::reserve;
use crate::in_flight::Access;
use crate::interface::{CudaArray, CudaView};
use crate::{CudaBuffer, DType, Element, Error, Result};

/// Copies a host array to a GPU array of the same element type and shape, element by element, whatever the
/// strides on both sides. Padding between elements is never written.
///
/// A slice, `Vec` or array has no shape: it fits a GPU array of as many elements, in C order.
///
/// On return the host array was read and may be changed. The copy is ordered behind what is queued on
/// [`Gpu::stream`](crate::Gpu::stream) of the handle that the GPU array's memory came from, and all that is queued
/// there next, by this crate or another, runs behind it. From 2 MiB on it is complete, too, and so is any to memory
/// that another object owns; a smaller one may still be on its way, as after the driver's own call from pageable
/// memory (CUDA driver API 12.0, "API synchronization behavior"); here that goes for pinned memory, too. Whoever
/// reads the array on a stream of their own waits for `Gpu::stream` first, as the array interface says, or calls
/// [`Gpu::synchronize`](crate::Gpu::synchronize).
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
/// [`Error::OutOfMemory`], [`Error::CopyPanicked`] or [`Error::Driver`]. Only the last three can leave a part of the
/// elements written; what a copy on its way meets later is returned by whatever waits for the stream next.
pub fn cuda_memcpy_h2d(
    host: &(impl HostArray + ?Sized),
    device: &mut (impl CudaArray + ?Sized),
) -> Result<()> {
    let view = CudaView::to_be_written("cuda_memcpy_h2d", device)?;
    upload("cuda_memcpy_h2d", &host.host_view(), &view)
}

/// Copies a GPU array to a host array of the same element type and shape, element by element, whatever the
/// strides on both sides. Gaps between the host array's elements are never written.
///
/// On return the copy is complete. It is ordered behind what is queued on
/// [`Gpu::stream`](crate::Gpu::stream) of the handle that the GPU array's memory came from.
///
/// ```
/// use interop_core::{CudaBuffer, Gpu, cuda_memcpy_d2h};
/// use ndarray::{Array2, arr2};
///
/// let gpu = Gpu::open(0)?;
/// let buffer = CudaBuffer::from_host(&gpu, &arr2(&[[1u8, 2, 3], [4, 5, 6]]))?;
/// let mut columns = Array2::<u8>::zeros((3, 2)); // the same elements, column by column
/// cuda_memcpy_d2h(&buffer, &mut columns.view_mut().reversed_axes())?;
/// assert_eq!(columns, arr2(&[[1, 4], [2, 5], [3, 6]]));
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// Booleans are all looked at before one reaches the host array: they come by way of new memory of the same size.
///
/// # Errors
/// [`Error::DTypeMismatch`], [`Error::ShapeMismatch`], [`Error::SizeMismatch`], [`Error::OutOfBounds`],
/// [`Error::InvalidBool`], [`Error::OutOfMemory`], [`Error::CopyPanicked`] or [`Error::Driver`]. Only the last three
/// can leave a part of the elements written.
pub fn cuda_memcpy_d2h(
    device: &(impl CudaArray + ?Sized),
    host: &mut (impl HostArrayMut + ?Sized),
) -> Result<()> {
    let view = CudaView::checked("cuda_memcpy_d2h", device)?;
    download_into("cuda_memcpy_d2h", &view, host.host_view_mut())
}

/// Copies a GPU array to another of the same element type and shape on the same device, whatever the strides. Where
/// the two may share bytes, the copy goes through a temporary one; where the device would make it in more than 8
/// pieces of up to 16 KiB, as of a reversed or broadcast array, through as much host memory, up to 256 MiB.
///
/// On return the copy is complete. It is ordered behind what is queued on the streams of both.
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
/// (a destination that is broadcast), [`Error::DeviceMismatch`], [`Error::OutOfBounds`],
/// [`Error::OutOfMemory`], [`Error::CopyPanicked`] or [`Error::Driver`]. Only the last three can leave a part of the
/// elements written.
pub fn cuda_memcpy_d2d(
    source: &(impl CudaArray + ?Sized),
    target: &mut (impl CudaArray + ?Sized),
) -> Result<()> {
    const OPERATION: &str = "cuda_memcpy_d2d";
    let (source, target) = views_of(OPERATION, source, target)?;
    if are_apart(&source, &target) {
        return execute::device_to_device(OPERATION, &source, &target);
    }
    // On the target's stream: all of it runs behind what either stream has queued.
    let between = CudaBuffer::allocate(OPERATION, target.gpu(), target.shape(), target.dtype())?;
    execute::device_to_device(OPERATION, &source, &between)?;
    execute::device_to_device(OPERATION, &between, &target)
}

/// Two arrays of which the one can be copied to the other.
pub(super) fn views_of(
    operation: &'static str,
    source: &(impl CudaArray + ?Sized),
    target: &(impl CudaArray + ?Sized),
) -> Result<(CudaView, CudaView)> {
    let source = CudaView::checked(operation, source)?;
    let target = CudaView::to_be_written(operation, target)?;
    if source.dtype() != target.dtype() {
        let (expected, found) = (target.dtype(), source.dtype());
        return Err(Error::DTypeMismatch { operation, expected, found });
    }
    target.gpu().check_same_device(operation, source.gpu().info().ordinal as i32)?;
    check_writable(operation, &target)?;
    if source.shape() != target.shape() {
        let (expected, found) = (target.shape().to_vec(), source.shape().to_vec());
        return Err(Error::ShapeMismatch { operation, expected, found });
    }
    Ok((source, target))
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
    device.shared_memory().in_flight().settle(Access::Read);
    let len = device.len();
    let mut elements: Vec<T> = reserve(operation, len)?;
    let memory = &mut elements.spare_capacity_mut()[..len];
    let is_fresh = is_new(memory);
    if is_fresh {
        prefer_huge_pages(memory);
    }
    execute::device_to_host(operation, device, HostViewMut::unwritten(memory, is_fresh))?;
    if T::DTYPE == DType::Bool {
        // SAFETY: the download wrote all `len` elements, each of one byte.
        check_booleans(operation, unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), len) })?;
    }
    // SAFETY: the download wrote all `len` elements, which were reserved, and booleans were checked.
    unsafe { elements.set_len(len) };
    Ok(elements)
}

pub(super) fn download_into(operation: &'static str, device: &CudaView, host: HostViewMut<'_>) -> Result<()> {
    match device.dtype() {
        DType::Bool => download_booleans(operation, device, host),
        _ => execute::device_to_host(operation, device, host),
    }
}

pub(super) fn check_writable(operation: &'static str, target: &CudaView) -> Result<()> {
    let interface = target.interface();
    if interface.is_read_only() {
        return Err(Error::ReadOnly { operation });
    }
    if interface.layout().may_overlap() {
        let (shape, strides) = (target.shape().to_vec(), target.strides().to_vec());
        return Err(Error::OverlappingElements { operation, shape, strides });
    }
    Ok(())
}

/// Whether no byte of one lies between the bytes of the other.
pub(crate) fn are_apart(source: &CudaView, target: &CudaView) -> bool {
    let (source, target) = (source.interface().address_range(), target.interface().address_range());
    source.end <= target.start || target.end <= source.start
}
