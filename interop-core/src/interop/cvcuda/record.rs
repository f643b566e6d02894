//! [`Recorded`]: calls of operators that were made once, and are done as often as wanted.

use std::sync::{Arc, Mutex};

use super::check::refused;
use super::memories::Memories;
use super::recording::{EndOf, Recording};
use super::session::CvCuda;
use crate::Result;
use crate::driver::{Graph, is_end_of_device};
use crate::lock::lock;

pub(super) const OPERATION: &str = "CvCuda::record";

/// Operators with their arguments, recorded by [`CvCuda::record`].
///
/// It keeps the memory of all inputs and outputs. Its drop waits for the stream. It may be run from any thread.
pub struct Recorded {
    graph: Mutex<Graph>,
    memories: Memories,
    /// Has the stream to run on, the operators, whose buffers the work uses, and the library, whose kernels it runs.
    recorder: CvCuda,
}

impl CvCuda {
    /// Has `operators` call operators on the handle that it is given, which queues nothing and keeps what would have been
    /// queued; returns that, ready to be run, and whatever `operators` returns.
    ///
    /// A recorded call does the same as the call itself, on the same memory with the same arguments, but what CV-CUDA
    /// does on the host for it is done once: a run queues everything at once (a CUDA graph). Images of the next batch go
    /// into the same inputs.
    ///
    /// Only operators of that handle are recorded, and only those on tensors: those on an
    /// [`ImageBatch`](super::ImageBatch) wait for an event of another stream, which a graph cannot, and are refused.
    /// Everything else in `operators` is done right then, once: new tensors are made, copies copy. An output is undefined
    /// until the first run.
    ///
    /// While `operators` runs, no thread of the process may wait for the whole device or context (`cuCtxSynchronize`,
    /// `cudaDeviceSynchronize`, PyTorch's `torch.cuda.synchronize`): the driver answers it with an error, and what was
    /// recorded is lost. Nothing of this crate does that; [`Gpu::synchronize`](crate::Gpu::synchronize) waits for one stream. Which of the operators
    /// can be recorded was found with CV-CUDA 0.19.0: a copy from the host that another version waits for on the host
    /// would be done once, and not at each run.
    ///
    /// ```no_run
    /// use interop_core::cvcuda::{ColorConversion, CvCuda, Interpolation};
    /// use interop_core::{DType, Gpu, Layout, Tensor, cuda_memcpy_h2d};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let cv = CvCuda::open(&gpu)?;
    /// let mut image = Tensor::new(&gpu, &[1080, 1920, 3], DType::U8, Layout::HWC)?;
    /// let (pipeline, small) = cv.record(|cv| {
    ///     let small = cv.resize(&image, (224, 224), Interpolation::Linear)?;
    ///     cv.cvtcolor(&small, ColorConversion::BgrToRgb)
    /// })?;
    /// for photo in [vec![0u8; 1080 * 1920 * 3], vec![255; 1080 * 1920 * 3]] {
    ///     cuda_memcpy_h2d(&photo, &mut image)?;
    ///     pipeline.run()?;
    ///     println!("{:?}", &small.to_vec::<u8>()?[..3]);
    /// }
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `operators`; [`Error::InvalidArgument`](crate::Error::InvalidArgument) where this handle records itself,
    /// where an operator takes a batch or would do at each run what is no work of the device alone (a copy from or to the
    /// host, a function on the host, an allocation, a graph of its own), or where the recording was lost to a wait for the
    /// whole device; [`Error::Driver`](crate::Error::Driver).
    pub fn record<T>(&self, operators: impl FnOnce(&Self) -> Result<T>) -> Result<(Recorded, T)> {
        if self.shared.recording.is_some() {
            let (expected, found) = ("a handle that runs operators", "one that records them");
            return Err(refused(OPERATION, "self", expected, found, "record all in one recording"));
        }
        let recording = Arc::new(Recording::begin(self)?);
        let recorder = self.recorder(recording.clone());
        // Also after an error or a panic: a clone of the recorder may live on.
        let _ends = EndOf(&recording);
        let returned = operators(&recorder)?;
        let (graph, memories) = recording.end()?;
        Ok((Recorded { graph: Mutex::new(graph), memories, recorder }, returned))
    }
}

impl Recorded {
    /// Queues everything, in the order in which it was recorded, behind all that is queued on the memory that it reads
    /// and writes; and whatever is queued on that memory next runs behind it. Returns when it is queued.
    ///
    /// # Errors
    /// [`Error::Driver`](crate::Error::Driver).
    pub fn run(&self) -> Result<()> {
        const OPERATION: &str = "Recorded::run";
        let (reads, writes) = (self.memories.reads(), self.memories.writes());
        self.recorder.shared.queue_ordered(OPERATION, reads, writes, |stream| {
            // SAFETY: `recorder` keeps the stream, which is of the context that was recorded in, and the library with its
            // kernels; `memories` keeps the memory. The operators, whose buffers the work uses, go with `recorder`: no call
            // on a clone of it replaces one, as none gets past the end of the recording. All of that is kept until the drop
            // of `self`, which waits for the stream.
            unsafe { lock(&self.graph).launch(OPERATION, stream.cast()) }
        })
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        let memories = std::mem::take(&mut self.memories);
        // After an error nothing runs any more, unless the wait itself failed: then nothing may go. The operators go with
        // the recorder, which waits likewise.
        if self.recorder.gpu().synchronize().is_err_and(|error| !is_end_of_device(&error)) {
            return std::mem::forget(memories);
        }
        let _current = self.recorder.gpu().context().enter("drop of a Recorded");
        drop(memories);
    }
}

impl std::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Recorded by {:?}", self.recorder)
    }
}
