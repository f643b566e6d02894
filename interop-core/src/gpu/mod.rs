//! [`Gpu`]: one device, its context and its stream; passed to whatever allocates.

mod allocator;
mod cache;
mod figures;
mod info;
mod lanes;
mod options;
mod timestamp;

use std::fmt;
use std::sync::{Arc, Mutex};

use cudarc::driver::sys::CUdevice_attribute;

use self::allocator::Allocator;
pub(crate) use self::cache::Block;
pub use self::figures::MemoryFigures;
pub use self::info::DeviceInfo;
use self::lanes::Lanes;
pub use self::options::GpuOptions;
pub use self::timestamp::Timestamp;
use crate::copy::{CopyPath, CopyWorkers, Stage};
use crate::driver::{self, Context, Stream, explain_exhaustion};
use crate::lock::lock;
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
    copy_workers: Arc<CopyWorkers>,
    /// For small copies on the stream, which the drop waits for first; None until the first of them.
    stage: Mutex<Option<Stage>>,
    /// Declared before the stream, and that before the context: dropped first.
    allocator: Allocator,
    stream: Stream,
    context: Arc<Context>,
    info: DeviceInfo,
    /// Of all lanes of the device.
    drop_error: Arc<Mutex<Option<Error>>>,
    lanes: Arc<Lanes>,
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

    fn open_with(ordinal: usize, options: &GpuOptions) -> Result<Self> {
        let driver = driver::load(ordinal)?;
        let simulated = driver.simulated;
        let context = Arc::new(Context::open(driver, ordinal)?);
        let info = DeviceInfo::read(&context, ordinal, simulated)?;
        let pools = context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)?;
        let kept = options.cached_bytes_of(info.memory_bytes);
        let shared = Shared {
            copy_workers: Arc::new(CopyWorkers::new(context.clone(), options)),
            stage: Mutex::default(),
            allocator: Allocator::new("Gpu::open", context.clone(), pools != 0, kept)?,
            stream: Stream::non_blocking("Gpu::open", context.clone())?,
            context,
            info,
            drop_error: Arc::default(),
            lanes: Arc::default(),
        };
        Ok(Self::of(shared))
    }

    fn of(shared: Shared) -> Self {
        let shared = Arc::new(shared);
        shared.lanes.join(&shared);
        Self { shared }
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
        const OPERATION: &str = "Gpu::with_new_stream";
        let Shared { copy_workers, allocator, context, info, drop_error, lanes, .. } = &*self.shared;
        let shared = Shared {
            copy_workers: copy_workers.clone(),
            stage: Mutex::default(),
            allocator: allocator.another(OPERATION)?,
            stream: Stream::non_blocking(OPERATION, context.clone())?,
            context: context.clone(),
            info: info.clone(),
            drop_error: drop_error.clone(),
            lanes: lanes.clone(),
        };
        Ok(Self::of(shared))
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
        const OPERATION: &str = "Gpu::synchronize";
        let Shared { stage, stream, .. } = &*self.shared;
        match stage.try_lock().as_deref_mut() {
            Ok(Some(stage)) => stage.synchronize(OPERATION, stream),
            _ => stream.synchronize(OPERATION),
        }
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

    /// How copies of ordinary host memory are made: by threads of this crate, or all by the driver's own calls,
    /// and why. Where pinned memory is refused, copies go on by the driver's calls, and this says so.
    ///
    /// ```
    /// use interop_core::{CopyPath, GpuOptions};
    ///
    /// let gpu = GpuOptions::new().copy_threads(0).open(0)?;
    /// assert!(matches!(gpu.copy_path(), CopyPath::Driver { .. }));
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    pub fn copy_path(&self) -> CopyPath {
        self.shared.copy_workers.path()
    }

    /// How much device memory this handle and its clones hold, in use and kept for the next allocation, and how much
    /// host memory is pinned by all lanes of the device.
    ///
    /// Where the driver does not say how much its pool keeps (after a fault on the device, say), that part
    /// counts as 0.
    pub fn memory_figures(&self) -> MemoryFigures {
        let Shared { allocator, context, .. } = &*self.shared;
        MemoryFigures {
            live_bytes: allocator.live_bytes(),
            cached_bytes: allocator.cached_bytes("Gpu::memory_figures"),
            pinned_bytes: context.pinned_bytes(),
        }
    }

    /// Waits for [`Gpu::stream`] and gives the device memory back that is kept for the next allocation, so
    /// that other handles, libraries and processes can have it. An allocation that finds too little memory
    /// does this by itself, for all lanes that keep some: it waits for their streams, too.
    ///
    /// ```
    /// use interop_core::{CudaBuffer, DType, Gpu};
    ///
    /// let gpu = Gpu::open(0)?;
    /// drop(CudaBuffer::new(&gpu, &[1 << 20], DType::U8)?);
    /// assert!(gpu.memory_figures().cached_bytes >= 1 << 20);
    /// gpu.release_cached()?;
    /// assert_eq!(gpu.memory_figures().cached_bytes, 0);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Driver`], also where earlier work failed.
    pub fn release_cached(&self) -> Result<()> {
        self.shared.allocator.release_cached("Gpu::release_cached", &self.shared.stream)
    }

    /// Takes the last error that freeing memory met in a drop, where it could not be returned.
    pub fn take_drop_error(&self) -> Option<Error> {
        lock(&self.shared.drop_error).take()
    }

    pub(crate) fn record_drop_error(&self, error: Error) {
        *lock(&self.shared.drop_error) = Some(error);
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.shared.context
    }

    pub(crate) fn queue(&self) -> &Stream {
        &self.shared.stream
    }

    pub(crate) fn copy_workers(&self) -> &CopyWorkers {
        &self.shared.copy_workers
    }

    /// What small copies go through, and the stream that orders them.
    pub(crate) fn staging(&self) -> (&Mutex<Option<Stage>>, &Stream) {
        (&self.shared.stage, &self.shared.stream)
    }

    /// A block of at least `bytes` (not zero) of uninitialised device memory that begins at a multiple of 512.
    pub(crate) fn allocate(&self, operation: &'static str, bytes: usize) -> Result<Block> {
        let Shared { allocator, lanes, .. } = &*self.shared;
        if let Some(kept) = allocator.allocate_kept(bytes) {
            return Ok(kept);
        }
        let allocated = lanes.allocate(operation, &self.shared, bytes);
        let free = || self.memory_info().ok().map(|(free, _)| free);
        allocated.map_err(|error| explain_exhaustion(error, operation, bytes, free))
    }

    /// # Safety
    /// `block` came from [`Gpu::allocate`] of this handle or a clone with as many bytes, and is given back once.
    pub(crate) unsafe fn free(&self, operation: &'static str, block: Block, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise is that of the function.
        unsafe { self.shared.allocator.free(operation, block, bytes, &self.shared.stream) }
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
        // What was freed, and what reads the stage, must be through before the pool, the stage and the context go.
        // Gives the cache back, too; nobody is left to tell of errors, after which the stream is still to be waited
        // for.
        let _ = self.allocator.release_cached("drop of Gpu", &self.stream);
        let _ = self.stream.synchronize("drop of Gpu");
        self.lanes.leave(self);
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
        assert!(error.to_string().contains("got device 1"), "{error}");
    }
}
