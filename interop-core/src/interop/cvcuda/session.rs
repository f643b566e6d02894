//! [`CvCuda`]: the library on one stream of one device.

use std::borrow::Borrow;
use std::ffi::c_void;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use super::library::{Library, LibraryInfo, TensorHandle};
use super::native::NativeTensor;
use super::operator::Operators;
use super::pool::Allocator;
use super::recording::Recording;
use super::retired::Retired;
use crate::driver::is_end_of_device;
use crate::in_flight::Access;
use crate::{Error, Gpu, Memory, Result, Tensor};

/// CV-CUDA on one device: opens tensors there and runs its operators.
///
/// Operators run on the stream of the [`Gpu`] that it was opened with, behind all that is queued on the memory that they
/// take; and whatever is queued on that memory next runs behind them. They return when all is queued: the host waits
/// only for copies of its own that are under way on the same memory, and where [`CvCuda::gaussian`] gets a larger filter
/// than before. Their inputs and outputs may be dropped right away. The drop of the last clone waits for the stream.
///
/// Clones share everything, and all methods may be called from any thread.
///
/// ```no_run
/// use interop_core::cvcuda::{CvCuda, Interpolation};
/// use interop_core::{CudaBuffer, DType, Gpu, Layout, as_tensor};
///
/// let gpu = Gpu::open(0)?;
/// let cv = CvCuda::open(&gpu)?;
/// let buffer = CudaBuffer::zeros(&gpu, &[1080, 1920, 3], DType::U8)?;
/// let image = as_tensor(&buffer, Layout::HWC)?; // no copy
/// let small = cv.resize(&image, (224, 224), Interpolation::Linear)?;
/// assert_eq!(small.shape(), [224, 224, 3]);
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Clone)]
pub struct CvCuda {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub library: Arc<Library>,
    pub gpu: Gpu,
    pub operators: Operators,
    allocator: OnceLock<Allocator>,
    /// Held while the allocator is made, so that it is made once.
    making: Mutex<()>,
    retired: Retired,
    /// Set where operators are not run but recorded.
    pub recording: Option<Arc<Recording>>,
}

/// The libraries that [`CvCuda::open`] would take for this device, or any where it is None, without using a GPU.
///
/// # Errors
/// [`Error::CvCudaNotFound`] or [`Error::CvCudaUnusable`].
pub fn find_library(gpu: Option<&Gpu>) -> Result<LibraryInfo> {
    Ok(Library::open(None, gpu.map(major_of))?.info)
}

fn major_of(gpu: &Gpu) -> u32 {
    gpu.info().driver_version.0
}

impl CvCuda {
    /// Finds CV-CUDA's C libraries, which come in NVIDIA's wheel `cvcuda-cu12` or `cvcuda-cu13`, and opens them for
    /// this handle's device and stream.
    ///
    /// The first of these places that holds them decides: the folder or file that the environment variable
    /// `INTEROP_CVCUDA` names (if it is set, no other); the packages of the Python environment in use (`VIRTUAL_ENV`,
    /// `CONDA_PREFIX`, else those of `python3`, which is started and asked); a folder `cvcuda` beside the program or up
    /// to four folders above, which is where `cargo xtask cvcuda` puts them. Of several, the newest that fits the
    /// driver is taken, of the same version that for the newer CUDA.
    ///
    /// A library is code that runs in this process: who controls these places, controls it.
    ///
    /// # Errors
    /// [`Error::CvCudaNotFound`] with all places, [`Error::CvCudaUnusable`], or [`Error::CvCudaNeedsGpu`] on the
    /// simulated device.
    pub fn open(gpu: &Gpu) -> Result<Self> {
        Self::open_with(gpu, None)
    }

    /// As [`CvCuda::open`], with the libraries of this folder (or of the folder of this file) and no other.
    ///
    /// # Safety
    /// They are CV-CUDA's: what such a file does as it is opened, and what its functions take, is not checked.
    ///
    /// # Errors
    /// As [`CvCuda::open`].
    pub unsafe fn open_at(gpu: &Gpu, path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(gpu, Some(path.as_ref()))
    }

    fn open_with(gpu: &Gpu, path: Option<&Path>) -> Result<Self> {
        let simulated = gpu.info().simulated;
        // No library fits the simulated driver, whatever CUDA it is made for.
        let driver = (!simulated).then(|| major_of(gpu));
        match Library::open(path, driver) {
            Ok(library) if library.is_stand_in == simulated => Ok(Self::of(gpu, Arc::new(library), None)),
            // Whoever has no GPU should not be sent for the library.
            Ok(_) | Err(Error::CvCudaNotFound { .. }) if simulated => Err(Error::CvCudaNeedsGpu),
            Ok(library) => Err(library.refuse("it is a stand-in for tests without a GPU")),
            Err(error) => Err(error),
        }
    }

    fn of(gpu: &Gpu, library: Arc<Library>, recording: Option<Arc<Recording>>) -> Self {
        let shared = Shared {
            library,
            gpu: gpu.clone(),
            operators: Operators::default(),
            allocator: OnceLock::new(),
            making: Mutex::default(),
            retired: Retired::default(),
            recording,
        };
        Self { shared: Arc::new(shared) }
    }

    /// The same library on the stream of another handle, such as one of [`Gpu::with_new_stream`].
    pub fn with_gpu(&self, gpu: &Gpu) -> Self {
        Self::of(gpu, self.shared.library.clone(), None)
    }

    /// The same library on the same stream, with operators of its own, which are recorded there.
    pub(super) fn recorder(&self, recording: Arc<Recording>) -> Self {
        Self::of(self.gpu(), self.shared.library.clone(), Some(recording))
    }

    /// Which library it is.
    pub fn library(&self) -> &LibraryInfo {
        &self.shared.library.info
    }

    /// The device and stream that operators run on.
    pub fn gpu(&self) -> &Gpu {
        &self.shared.gpu
    }

    /// How many references there are to the library's own tensor of `tensor`: one by the tensor itself, one by the
    /// memory of what CV-CUDA manages, and those of others who took the handle.
    ///
    /// # Errors
    /// As [`CvCuda::share`].
    pub fn references(&self, tensor: &Tensor) -> Result<usize> {
        const OPERATION: &str = "CvCuda::references";
        self.shared.with_native(OPERATION, tensor, |native| native.references(OPERATION))?
    }

    /// Makes CV-CUDA's own tensor of `tensor`, without a copy, which the first operator on it does otherwise. Returns
    /// its `NVCVTensorHandle`, for calls of CV-CUDA's C functions; it is live as long as the tensor.
    ///
    /// Making a handle is safe, using it is not: `unsafe` code that queues work by it on a stream of its own orders that
    /// behind the streams of the tensors' memory (the array interface names them) and these behind it, keeps the tensors
    /// until the work is done, and writes to no memory that is read-only. The operators here do all of that.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a dtype that this CV-CUDA lacks or a tensor without elements,
    /// [`Error::DeviceMismatch`], or [`Error::CvCuda`].
    pub fn share(&self, tensor: &Tensor) -> Result<*mut c_void> {
        const OPERATION: &str = "CvCuda::share";
        self.shared.check_device(OPERATION, tensor.shared_memory())?;
        Ok(self.shared.native(OPERATION, tensor)?.0)
    }
}

impl Drop for CvCuda {
    fn drop(&mut self) {
        // What waits may own a clone of this handle, and would then keep itself: nobody else releases it.
        self.shared.retired.release("drop of a CvCuda");
    }
}

impl std::fmt::Debug for CvCuda {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CvCuda({}, {:?})", self.shared.library.info, self.shared.gpu)
    }
}

impl Shared {
    /// The library's handle of a tensor, which lives as long as the tensor.
    pub fn native(&self, operation: &'static str, tensor: &Tensor) -> Result<TensorHandle> {
        self.with_native(operation, tensor, NativeTensor::handle)
    }

    fn with_native<T>(
        &self,
        operation: &'static str,
        tensor: &Tensor,
        use_it: impl FnOnce(&NativeTensor) -> T,
    ) -> Result<T> {
        if tensor.is_empty() {
            return Err(Error::InvalidArgument {
                operation,
                argument: "tensor",
                expected: "at least one element".to_owned(),
                found: format!("shape {:?}", tensor.shape()),
                remedy: "leave empty tensors out",
            });
        }
        tensor.native().with(operation, &self.library, tensor, use_it)
    }

    /// Fails unless the memory is on the device of this handle.
    pub fn check_device(&self, operation: &'static str, memory: &Memory) -> Result<()> {
        self.gpu.check_same_device(operation, memory.gpu().info().ordinal as i32)
    }

    /// Where tensors that CV-CUDA manages get their memory.
    pub fn allocator(&self, operation: &'static str) -> Result<&Allocator> {
        if let Some(made) = self.allocator.get() {
            return Ok(made);
        }
        let _making = crate::lock::lock(&self.making);
        match self.allocator.get() {
            Some(made) => Ok(made),
            None => {
                let made = Allocator::new(operation, &self.library, &self.gpu)?;
                Ok(self.allocator.get_or_init(|| made))
            }
        }
    }

    /// Has `submit` queue work on the stream, ordered with all that is queued on the memory that it reads and writes,
    /// before and after; or has it recorded. The memory lives until the stream has passed.
    pub fn queue<M: Borrow<Memory>>(
        &self,
        operation: &'static str,
        reads: &[M],
        writes: &[M],
        submit: impl FnOnce(*mut c_void) -> Result<()>,
    ) -> Result<()> {
        if let Some(recording) = &self.recording {
            memories(reads, writes).try_for_each(|memory| self.check_device(operation, memory))?;
            let _current = self.gpu.context().enter(operation)?;
            return recording.queue(operation, reads, writes, submit);
        }
        let queued = self.queue_ordered(operation, reads, writes, submit);
        // Also after an error: a part may be queued.
        let foreign = memories(reads, writes).filter(|memory| !memory.is_freed_in_order());
        let kept = foreign.map(|memory| self.keep(operation, memory.clone())).fold(Ok(()), Result::and);
        queued.and(kept)
    }

    /// As [`Shared::queue`] for memory that the caller keeps.
    pub fn queue_ordered<M: Borrow<Memory>>(
        &self,
        operation: &'static str,
        reads: &[M],
        writes: &[M],
        submit: impl FnOnce(*mut c_void) -> Result<()>,
    ) -> Result<()> {
        self.retired.release(operation);
        let _current = self.gpu.context().enter(operation)?;
        reads.iter().for_each(|memory| memory.borrow().in_flight().settle(Access::Read));
        writes.iter().for_each(|memory| memory.borrow().in_flight().settle(Access::Write));
        for memory in memories(reads, writes) {
            self.check_device(operation, memory)?;
            // SAFETY: the memory keeps its handle, and that its stream.
            unsafe { self.gpu.queue().wait_for(operation, memory.gpu().stream()) }?;
        }
        let submitted = submit(self.gpu.queue().raw().cast());
        // Also after an error, of all memories: a part may be queued.
        let followed = memories(reads, writes).map(|memory| self.follow(operation, memory));
        let ordered = followed.fold(Ok(()), Result::and);
        if ordered.is_err() {
            // What could not be ordered must not be freed while it is used.
            let _ = self.gpu.queue().synchronize(operation);
        }
        submitted.and(ordered)
    }

    /// Orders what is queued on the memory next, freeing it included, behind what is queued here now.
    fn follow(&self, operation: &'static str, memory: &Memory) -> Result<()> {
        // SAFETY: this handle keeps its stream.
        unsafe { memory.gpu().queue().wait_for(operation, self.gpu.stream()) }
    }

    /// Keeps an object until the stream has passed what is queued now.
    pub fn keep(&self, operation: &'static str, what: impl std::any::Any + Send) -> Result<()> {
        self.retired.keep(operation, self.gpu.context(), self.gpu.queue(), what)
    }
}

fn memories<'m, M: Borrow<Memory>>(reads: &'m [M], writes: &'m [M]) -> impl Iterator<Item = &'m Memory> {
    reads.iter().chain(writes).map(Borrow::borrow)
}

impl Drop for Shared {
    fn drop(&mut self) {
        // What is retired may still be in use. After an error nothing runs any more, unless the wait itself failed.
        if self.gpu.synchronize().is_err_and(|error| !is_end_of_device(&error)) {
            std::mem::forget(std::mem::take(&mut self.retired));
            std::mem::forget(std::mem::take(&mut self.operators));
        }
        // Operators free device memory of their own, on the device that is current.
        let _current = self.gpu.context().enter("drop of CvCuda");
        self.operators = Operators::default();
    }
}
