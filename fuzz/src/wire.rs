//! [`Wire`]: bytes to and from the device by the driver itself, so that the library is not asked what it did.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, DriverError, result};

/// A stream of its own on device 0.
pub struct Wire {
    stream: Arc<CudaStream>,
}

impl Wire {
    pub fn new() -> Result<Self, DriverError> {
        Ok(Self { stream: CudaContext::new(0)?.new_stream()? })
    }

    /// Makes the device's context that of this thread, which may have had another.
    pub fn bind(&self) -> Result<(), DriverError> {
        self.stream.context().bind_to_thread()
    }

    /// Queues a copy of bytes to the device.
    ///
    /// # Safety
    /// From `address` on there are as many bytes on the device. Until [`Wire::wait`], nobody else uses them, and
    /// `bytes` stay as they are.
    pub unsafe fn put(&self, bytes: &[u8], address: u64) -> Result<(), DriverError> {
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the caller's promise is that of the function.
        unsafe { result::memcpy_htod_async(address, bytes, self.stream.cu_stream()) }
    }

    /// Queues a copy of bytes from the device.
    ///
    /// # Safety
    /// As [`Wire::put`], and nobody uses `bytes` until then.
    pub unsafe fn get(&self, address: u64, bytes: &mut [u8]) -> Result<(), DriverError> {
        if bytes.is_empty() {
            return Ok(());
        }
        // SAFETY: the caller's promise is that of the function.
        unsafe { result::memcpy_dtoh_async(bytes, address, self.stream.cu_stream()) }
    }

    /// Waits for what was queued.
    pub fn wait(&self) -> Result<(), DriverError> {
        self.stream.synchronize()
    }
}
