//! The driver's own calls: one plain, synchronous call for each kind of memory.

use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, sys};
use interop_core::CudaBuffer;

/// The primary context, current on this thread for as long as nobody else makes another current.
pub struct Driver {
    _context: Arc<CudaContext>,
    /// What is current belongs to a thread.
    not_send: PhantomData<*const ()>,
}

/// Rows in host memory.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Bytes of a row that are copied.
    pub width: usize,
    /// Bytes from one row to the next.
    pub pitch: usize,
    /// How many.
    pub count: usize,
}

impl Driver {
    /// Makes the primary context of a device current on this thread.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn new(ordinal: usize) -> Result<Self, DriverError> {
        Ok(Self { _context: CudaContext::new(ordinal)?, not_send: PhantomData })
    }

    /// `cuMemcpyHtoD`.
    pub(super) fn upload(&self, host: &[u8], device: &mut CudaBuffer) -> Result<(), DriverError> {
        assert_eq!(host.len(), device.size_bytes(), "the driver checks no host array");
        // SAFETY: both arrays hold that many bytes and outlive the call, which returns when `host` was read.
        unsafe { sys::cuMemcpyHtoD_v2(device.pointer(), host.as_ptr().cast(), host.len()) }.result()
    }

    /// `cuMemcpyDtoH`.
    pub(super) fn download(&self, device: &CudaBuffer, host: &mut [u8]) -> Result<(), DriverError> {
        assert_eq!(host.len(), device.size_bytes(), "the driver checks no host array");
        // SAFETY: both arrays hold that many bytes and outlive the call, which is synchronous.
        unsafe { sys::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), device.pointer(), host.len()) }.result()
    }

    /// `cuMemcpyDtoH` into a new array.
    pub(super) fn download_new(&self, device: &CudaBuffer) -> Result<Vec<u8>, DriverError> {
        let bytes = device.size_bytes();
        let mut host = Vec::<u8>::with_capacity(bytes);
        // SAFETY: both arrays hold that many bytes and outlive the call, which is synchronous.
        unsafe { sys::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), device.pointer(), bytes) }.result()?;
        // SAFETY: the copy wrote them all.
        unsafe { host.set_len(bytes) };
        Ok(host)
    }

    /// `cuMemcpy2D` from rows to a packed array.
    pub(super) fn upload_rows(
        &self,
        host: &[u8],
        rows: Rows,
        device: &mut CudaBuffer,
    ) -> Result<(), DriverError> {
        assert!(rows.fit(host.len()) && rows.width * rows.count == device.size_bytes());
        let copy = sys::CUDA_MEMCPY2D {
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            srcHost: host.as_ptr().cast(),
            srcPitch: rows.pitch,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
            dstDevice: device.pointer(),
            dstPitch: rows.width,
            ..rows.nothing()
        };
        // SAFETY: the rows lie within both arrays, which outlive the call; it returns when `host` was read.
        unsafe { sys::cuMemcpy2D_v2(&copy) }.result()
    }

    /// `cuMemcpy2D` from a packed array to rows.
    pub(super) fn download_rows(
        &self,
        device: &CudaBuffer,
        host: &mut [u8],
        rows: Rows,
    ) -> Result<(), DriverError> {
        assert!(rows.fit(host.len()) && rows.width * rows.count == device.size_bytes());
        self.gather(device.pointer(), rows.width, host, rows)
    }

    /// `cuMemcpy2D` of pieces of a device array, `pitch` bytes apart from byte `first` on, to one behind another.
    pub(super) fn download_pieces(
        &self,
        device: &CudaBuffer,
        (first, pitch): (usize, usize),
        rows: Rows,
        host: &mut [u8],
    ) -> Result<(), DriverError> {
        let end = first + (rows.count - 1) * pitch + rows.width;
        assert!(rows.fit(host.len()) && end <= device.size_bytes());
        self.gather(device.pointer() + first as u64, pitch, host, rows)
    }

    /// The callers have checked that the rows lie within both.
    fn gather(&self, address: u64, pitch: usize, host: &mut [u8], rows: Rows) -> Result<(), DriverError> {
        let copy = sys::CUDA_MEMCPY2D {
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
            srcDevice: address,
            srcPitch: pitch,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            dstHost: host.as_mut_ptr().cast(),
            dstPitch: rows.pitch,
            ..rows.nothing()
        };
        // SAFETY: the rows lie within both arrays, which outlive the call; into host memory it is synchronous.
        unsafe { sys::cuMemcpy2D_v2(&copy) }.result()
    }

    /// `cuMemcpyDtoD`, and waiting until it is done: the call alone may return before.
    pub(super) fn across(&self, source: &CudaBuffer, target: &mut CudaBuffer) -> Result<(), DriverError> {
        assert_eq!(source.size_bytes(), target.size_bytes());
        // SAFETY: both arrays hold that many bytes, and the copy is waited for.
        unsafe { sys::cuMemcpyDtoD_v2(target.pointer(), source.pointer(), source.size_bytes()) }.result()?;
        self.synchronize()
    }

    /// Zeroes an array and waits until that is done.
    pub(super) fn clear(&self, target: &mut CudaBuffer) -> Result<(), DriverError> {
        // SAFETY: the array holds that many bytes, and the memset is waited for.
        unsafe { sys::cuMemsetD8_v2(target.pointer(), 0, target.size_bytes()) }.result()?;
        self.synchronize()
    }

    /// `cuMemAllocAsync` and `cuMemFreeAsync` in the default stream.
    pub(super) fn allocate_and_free(&self, bytes: usize) -> Result<(), DriverError> {
        let mut address = 0;
        // SAFETY: the pointer is valid for the write.
        unsafe { sys::cuMemAllocAsync(&mut address, bytes, ptr::null_mut()) }.result()?;
        // SAFETY: just allocated, in the same stream, and used by nobody.
        unsafe { sys::cuMemFreeAsync(address, ptr::null_mut()) }.result()
    }

    /// Waits for the default stream, where the calls above run.
    pub(super) fn synchronize(&self) -> Result<(), DriverError> {
        // SAFETY: the default stream always exists.
        unsafe { sys::cuStreamSynchronize(ptr::null_mut()) }.result()
    }
}

impl Rows {
    /// Whether the last row ends within so many bytes of the host.
    fn fit(&self, bytes: usize) -> bool {
        self.width <= self.pitch && self.count > 0 && (self.count - 1) * self.pitch + self.width <= bytes
    }

    /// A description with the extent alone.
    fn nothing(&self) -> sys::CUDA_MEMCPY2D {
        sys::CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            srcHost: ptr::null(),
            srcDevice: 0,
            srcArray: ptr::null_mut(),
            srcPitch: 0,
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            dstHost: ptr::null_mut(),
            dstDevice: 0,
            dstArray: ptr::null_mut(),
            dstPitch: 0,
            WidthInBytes: self.width,
            Height: self.count,
        }
    }
}
