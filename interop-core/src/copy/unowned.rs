//! Copies to and from memory that comes without an owner: the page's copy functions given an integer or a
//! dictionary.

use super::between::{cuda_memcpy_d2h, cuda_memcpy_h2d};
use super::host::{HostArray, HostArrayMut};
use crate::{CudaArrayInterface, CudaBuffer, Gpu, Result};

/// Copies a host array, packed in C order, to the address `pointer` on the device. This is what the page's
/// `cuda_memcpy_h2d` does with everything: at a padded tensor it puts the rows in the wrong places.
///
/// ```
/// use interop_core::{CudaBuffer, DType, Gpu, cuda_memcpy_d2h_raw, cuda_memcpy_h2d_raw};
///
/// let gpu = Gpu::open(0)?;
/// let buffer = CudaBuffer::new(&gpu, &[4], DType::U8)?;
/// let mut back = [0u8; 4];
/// // SAFETY: the buffer holds 4 bytes and lives through the call.
/// unsafe { cuda_memcpy_h2d_raw(&gpu, &[1u8, 2, 3, 4], buffer.pointer()) }?;
/// // SAFETY: as above.
/// unsafe { cuda_memcpy_d2h_raw(&gpu, buffer.pointer(), &mut back) }?;
/// assert_eq!(back, [1, 2, 3, 4]);
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// # Safety
/// As [`CudaBuffer::from_raw_pointer`], for the call.
///
/// # Errors
/// [`Error::NotDeviceMemory`](crate::Error::NotDeviceMemory) for a host address,
/// [`Error::OutOfBounds`](crate::Error::OutOfBounds) where the allocation is smaller than the host array, and
/// as [`cuda_memcpy_h2d`].
pub unsafe fn cuda_memcpy_h2d_raw(gpu: &Gpu, host: &(impl HostArray + ?Sized), pointer: u64) -> Result<()> {
    let view = host.host_view();
    // SAFETY: the caller's promise is that of the function.
    let device = unsafe { CudaBuffer::from_raw_pointer(gpu, pointer, view.shape(), view.dtype()) };
    device
        .and_then(|mut device| cuda_memcpy_h2d(host, &mut device))
        .map_err(|error| error.during("cuda_memcpy_h2d_raw"))
}

/// Copies from the address `pointer` on the device as many bytes as the host array holds, packed in C order.
/// See [`cuda_memcpy_h2d_raw`] for an example.
///
/// # Safety
/// As [`CudaBuffer::from_raw_pointer`], for the call.
///
/// # Errors
/// As [`cuda_memcpy_h2d_raw`].
pub unsafe fn cuda_memcpy_d2h_raw(
    gpu: &Gpu,
    pointer: u64,
    host: &mut (impl HostArrayMut + ?Sized),
) -> Result<()> {
    let view = host.host_view();
    // SAFETY: the caller's promise is that of the function.
    let device = unsafe { CudaBuffer::from_raw_pointer(gpu, pointer, view.shape(), view.dtype()) };
    device
        .and_then(|device| cuda_memcpy_d2h(&device, host))
        .map_err(|error| error.during("cuda_memcpy_d2h_raw"))
}

/// As [`cuda_memcpy_h2d`], to the array that a bare descriptor describes.
///
/// ```
/// use interop_core::{CudaArray, DType, Gpu, Layout, Tensor};
/// use interop_core::{cuda_memcpy_d2h_interface, cuda_memcpy_h2d_interface};
///
/// let gpu = Gpu::open(0)?;
/// let tensor = Tensor::new(&gpu, &[2, 3], DType::U8, Layout::HW)?; // rows of 32 bytes
/// let bare = tensor.cuda_array_interface();
/// let mut back = [0u8; 6];
/// // SAFETY: the tensor and its stream live through the call.
/// unsafe { cuda_memcpy_h2d_interface(&gpu, &[1u8, 2, 3, 4, 5, 6], &bare) }?;
/// // SAFETY: as above.
/// unsafe { cuda_memcpy_d2h_interface(&gpu, &bare, &mut back) }?;
/// assert_eq!(back, [1, 2, 3, 4, 5, 6]);
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// # Safety
/// As [`CudaBuffer::from_interface`], for the call.
///
/// # Errors
/// As [`CudaBuffer::from_interface`] and [`cuda_memcpy_h2d`].
pub unsafe fn cuda_memcpy_h2d_interface(
    gpu: &Gpu,
    host: &(impl HostArray + ?Sized),
    device: &CudaArrayInterface,
) -> Result<()> {
    // SAFETY: the caller's promise is that of the function.
    let device = unsafe { CudaBuffer::from_interface(gpu, device.clone()) };
    device
        .and_then(|mut device| cuda_memcpy_h2d(host, &mut device))
        .map_err(|error| error.during("cuda_memcpy_h2d_interface"))
}

/// As [`cuda_memcpy_d2h`], from the array that a bare descriptor describes. See
/// [`cuda_memcpy_h2d_interface`] for an example.
///
/// # Safety
/// As [`CudaBuffer::from_interface`], for the call.
///
/// # Errors
/// As [`CudaBuffer::from_interface`] and [`cuda_memcpy_d2h`].
pub unsafe fn cuda_memcpy_d2h_interface(
    gpu: &Gpu,
    device: &CudaArrayInterface,
    host: &mut (impl HostArrayMut + ?Sized),
) -> Result<()> {
    // SAFETY: the caller's promise is that of the function.
    let device = unsafe { CudaBuffer::from_interface(gpu, device.clone()) };
    device
        .and_then(|device| cuda_memcpy_d2h(&device, host))
        .map_err(|error| error.during("cuda_memcpy_d2h_interface"))
}
