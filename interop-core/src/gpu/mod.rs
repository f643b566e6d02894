//! [`Gpu`]: one device, its context and its stream; passed to whatever allocates.

mod info;
mod options;
mod timestamp;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::CUdevice_attribute;

pub use self::info::DeviceInfo;
pub use self::options::GpuOptions;
pub use self::timestamp::Timestamp;
use crate::driver::{self, Context, Stream};
use crate::{Error, Result, StreamHandle};

/// One GPU: its primary context, and a stream of our own in which copies and allocations are ordered.
///
/// Cloning is cheap and shares everything. The device stays open until the last clone, buffer and tensor is
/// gone; there is no global state. All methods may be called from any thread.
///
/// ```
/// use interop_core::Gpu;
///
/// let gpu = Gpu::open(0)?;
/// println!("{}", gpu.info()); // such as "NVIDIA H200, compute capability 9.0, ..."
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Gpu {
    shared: Arc<Shared>,
}

struct Shared {
    /// Declared before the context: dropped first.
    stream: Stream,
    context: Arc<Context>,
    info: DeviceInfo,
    has_memory_pool: bool,
    /// Of all lanes of the device.
    drop_error: Arc<Mutex<Option<Error>>>,
}

impl Gpu {
    /// Opens the device with this ordinal, as the driver counts them (`CUDA_VISIBLE_DEVICES` applies).
    ///
    /// With the feature `sim`, the simulated device serves where no driver is found, or where the environment
    /// variable `INTEROP_SIMULATE` asks for it: 1 for always, 0 for never. [`DeviceInfo::simulated`] tells.
    ///
    /// # Errors
    /// [`Error::NoDriver`], [`Error::StubDriver`], [`Error::NoDevice`], [`Error::DriverTooOld`] (older than
    /// CUDA 12.0), [`Error::MissingSymbol`], [`Error::Simulator`], or [`Error::Driver`].
    pub fn open(ordinal: usize) -> Result<Self> {
        Self::open_with(ordinal, &GpuOptions::new())
    }

    fn open_with(ordinal: usize, _options: &GpuOptions) -> Result<Self> {
        let driver = driver::load(ordinal)?;
        let simulated = driver.simulated;
        let context = Arc::new(Context::open(driver, ordinal)?);
        let info = DeviceInfo::read(&context, ordinal, simulated)?;
        let pools = context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)?;
        let stream = Stream::non_blocking("Gpu::open", context.clone())?;
        let shared =
            Shared { stream, context, info, has_memory_pool: pools != 0, drop_error: Arc::default() };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The same device as a lane of its own: with the same context and options, and another stream.
    ///
    /// What is queued on one stream runs in order; what is queued on several may overlap. Memory is ordered by
    /// the stream of the handle that it was allocated from, so a lane is a handle with its own buffers:
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Gpu, PinnedBuffer, cuda_memcpy_h2d_async};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let lanes = [gpu.with_new_stream()?, gpu.with_new_stream()?];
    /// let mut buffers = Vec::new();
    /// let mut uploads = Vec::new();
    /// for (lane, value) in lanes.iter().zip(1u8..) {
    ///     let mut buffer = CudaBuffer::new(lane, &[1 << 16], DType::U8)?;
    ///     let pinned = PinnedBuffer::from_slice(lane, &[value; 1 << 16])?;
    ///     uploads.push(cuda_memcpy_h2d_async(pinned, &mut buffer)?); // both are under way at once
    ///     buffers.push(buffer);
    /// }
    /// assert_eq!(buffers[1].to_vec::<u8>()?, [2; 1 << 16]); // ordered behind the upload
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn with_new_stream(&self) -> Result<Self> {
        let Shared { context, info, has_memory_pool, drop_error, .. } = &*self.shared;
        let shared = Shared {
            stream: Stream::non_blocking("Gpu::with_new_stream", context.clone())?,
            context: context.clone(),
            info: info.clone(),
            has_memory_pool: *has_memory_pool,
            drop_error: drop_error.clone(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// How many devices the driver shows; [`Gpu::open`] takes ordinals below it.
    ///
    /// ```
    /// use interop_core::Gpu;
    ///
    /// let gpus = (0..Gpu::count()?).map(Gpu::open).collect::<Result<Vec<Gpu>, _>>()?;
    /// assert!(!gpus.is_empty());
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Gpu::open`], except that no device is 0 and no error.
    pub fn count() -> Result<usize> {
        match driver::load(0) {
            Ok(driver) => Context::count("Gpu::count", &driver),
            Err(Error::NoDevice { .. }) => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// What the device is.
    pub fn info(&self) -> &DeviceInfo {
        &self.shared.info
    }

    /// The stream in which this handle's copies and allocations are ordered. It is a non-blocking stream: it
    /// does not wait for the legacy default stream.
    pub fn stream(&self) -> StreamHandle {
        self.shared.stream.handle()
    }

    /// Waits on the host until everything queued on [`Gpu::stream`] is done.
    ///
    /// # Errors
    /// [`Error::Driver`] where earlier work failed.
    pub fn synchronize(&self) -> Result<()> {
        self.shared.stream.synchronize("Gpu::synchronize")
    }

    /// Notes the time at which the device gets to this point of [`Gpu::stream`]. The host does not wait.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Gpu};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let start = gpu.timestamp()?;
    /// let zeros = CudaBuffer::zeros(&gpu, &[1 << 20], DType::U8)?;
    /// let end = gpu.timestamp()?;
    /// println!("{:?} on the device", end.since(&start)?);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn timestamp(&self) -> Result<Timestamp> {
        Timestamp::record(self)
    }

    /// Free and total memory of the device, in bytes.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn memory_info(&self) -> Result<(usize, usize)> {
        self.shared.context.memory_info("Gpu::memory_info")
    }

    /// Takes the last error that freeing memory met in a drop, where it could not be returned.
    pub fn take_drop_error(&self) -> Option<Error> {
        self.shared.drop_error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn record_drop_error(&self, error: Error) {
        *self.shared.drop_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.shared.context
    }

    pub(crate) fn queue(&self) -> &Stream {
        &self.shared.stream
    }

    pub(crate) fn has_memory_pool(&self) -> bool {
        self.shared.has_memory_pool
    }

    pub(crate) fn check_same_device(&self, operation: &'static str, other: i32) -> Result<()> {
        check_device(operation, self.shared.info.ordinal as i32, other)
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gpu({})", self.shared.info)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Frees that were queued on the stream must be through before the context is released.
        let _ = self.stream.synchronize("drop of Gpu");
    }
}

fn check_device(operation: &'static str, expected: i32, found: i32) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::DeviceMismatch { operation, expected, found }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Cases 31 and 32, as far as one device goes.
    #[test]
    fn memory_of_another_device_is_refused() {
        assert_eq!(check_device("test", 1, 1), Ok(()));
        let error = check_device("test", 0, 1).unwrap_err();
        assert_eq!(error, Error::DeviceMismatch { operation: "test", expected: 0, found: 1 });
        assert!(error.to_string().contains("memory of device 1"), "{error}");
    }
}
