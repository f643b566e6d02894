//! [`Recorded`]: calls of operators that were made once, and are done as often as wanted.

use std::any::Any;
use std::borrow::Borrow;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use super::check::refused;
use super::keep::drop_quietly;
use super::session::CvCuda;
use crate::driver::{Capture, Graph, Node, is_capture_lost, is_end_of_device};
use crate::lock::lock;
use crate::{Error, Gpu, Memory, Result};

const OPERATION: &str = "CvCuda::record";

/// Operators with their arguments, recorded by [`CvCuda::record`].
///
/// It keeps the memory of all inputs and outputs. Its drop waits for the stream. It may be run from any thread.
pub struct Recorded {
    by: CvCuda,
    work: Option<Work>,
}

/// What must outlive all runs.
struct Work {
    graph: Mutex<Graph>,
    memories: Memories,
    /// Behind a lock, as what it keeps may be used by one thread at a time.
    kept: Mutex<Vec<Kept>>,
    /// Has the operators, whose buffers the work uses, and the library, whose kernels it runs.
    recorder: CvCuda,
}

type Kept = Box<dyn Any + Send>;

#[derive(Default)]
struct Memories {
    reads: Vec<Memory>,
    writes: Vec<Memory>,
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
    /// recorded is lost. Nothing of this crate does that; [`Gpu::synchronize`] waits for one stream. Which of the operators
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
    /// Those of `operators`; [`Error::InvalidArgument`] where this handle records itself, where an operator takes a batch or
    /// would copy from or to the host at each run, or where the recording was lost to a wait for the whole device;
    /// [`Error::Driver`].
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
        let (graph, memories, kept) = recording.end()?;
        let work = Work { graph: Mutex::new(graph), memories, kept: Mutex::new(kept), recorder };
        Ok((Recorded { by: self.clone(), work: Some(work) }, returned))
    }
}

impl Recorded {
    /// Queues everything, in the order in which it was recorded, behind all that is queued on the memory that it reads
    /// and writes; and whatever is queued on that memory next runs behind it. Returns when it is queued.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn run(&self) -> Result<()> {
        const OPERATION: &str = "Recorded::run";
        let Some(Work { graph, memories, .. }) = &self.work else { return Ok(()) };
        self.by.shared.queue_ordered(OPERATION, &memories.reads, &memories.writes, |stream| {
            // SAFETY: `by` keeps the stream, which is of the context that was recorded in; `memories` keeps the memory;
            // `recorder` and `kept` keep the operators' buffers and the library with its kernels. All of them go with `self`,
            // whose drop waits for the stream.
            unsafe { lock(graph).launch(OPERATION, stream.cast()) }
        })
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        let Some(work) = self.work.take() else { return };
        // After an error nothing runs any more, unless the wait itself failed: then nothing may go.
        if self.by.gpu().synchronize().is_err_and(|error| !is_end_of_device(&error)) {
            return std::mem::forget(work);
        }
        // Operators free device memory of their own, on the device that is current.
        let _current = self.by.gpu().context().enter("drop of a Recorded");
        let Work { graph, memories: Memories { reads, writes }, kept, recorder } = work;
        drop(graph);
        reads.into_iter().chain(writes).for_each(drop_quietly);
        std::mem::take(&mut *lock(&kept)).into_iter().for_each(drop_quietly);
        drop(recorder);
    }
}

impl std::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Recorded by {:?}", self.by)
    }
}

/// What a handle that records has kept so far.
pub(super) struct Recording {
    gpu: Gpu,
    /// None once it has ended.
    open: Mutex<Option<Open>>,
    kept: Mutex<Vec<Kept>>,
}

struct Open {
    capture: Capture,
    memories: Memories,
}

impl Recording {
    fn begin(cv: &CvCuda) -> Result<Self> {
        let capture = Capture::begin(OPERATION, cv.gpu().context())?;
        let open = Open { capture, memories: Memories::default() };
        Ok(Self { gpu: cv.gpu().clone(), open: Mutex::new(Some(open)), kept: Mutex::default() })
    }

    /// Has `submit` queue work where it is kept.
    pub fn queue<M: Borrow<Memory>>(
        &self,
        operation: &'static str,
        reads: &[M],
        writes: &[M],
        submit: impl FnOnce(*mut c_void) -> Result<()>,
    ) -> Result<()> {
        let mut open = lock(&self.open);
        let Some(Open { capture, memories }) = &mut *open else {
            return Err(has_ended(operation));
        };
        memories.add(reads, writes);
        submit(capture.stream().raw().cast())
    }

    /// Keeps an object as long as what is recorded.
    pub fn keep(&self, what: impl Any + Send) {
        lock(&self.kept).push(Box::new(what));
    }

    /// Forgets what was recorded, unless it has ended, and drops what is still kept for it.
    pub fn abandon(&self) {
        let open = lock(&self.open).take();
        let kept = std::mem::take(&mut *lock(&self.kept));
        // What is freed below is not to be part of it.
        drop(open);
        // Operators free device memory of their own, on the device that is current.
        let _current = self.gpu.context().enter("drop of a recording");
        kept.into_iter().for_each(drop_quietly);
    }

    fn end(&self) -> Result<(Graph, Memories, Vec<Kept>)> {
        let Some(Open { capture, memories }) = lock(&self.open).take() else {
            return Err(has_ended(OPERATION));
        };
        let graph = capture.end(OPERATION, accept).map_err(explain_loss)?;
        Ok((graph, memories, std::mem::take(&mut lock(&self.kept))))
    }
}

/// Ends a recording at the end of its scope, whatever leads there.
struct EndOf<'r>(&'r Recording);

impl Drop for EndOf<'_> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// The remedy for what cannot be recorded.
pub(super) const NOT_RECORDED: &str =
    "call that operator by itself, on the handle that `record` was called on";

/// Says what the driver does not: why there is nothing.
fn explain_loss(error: Error) -> Error {
    if !is_capture_lost(&error) {
        return error;
    }
    let expected = "that no thread waits for the whole device meanwhile";
    let found = format!("a recording that was lost to such a wait ({error})");
    let remedy = "record while no thread calls cuCtxSynchronize, cudaDeviceSynchronize or the like";
    refused(OPERATION, "operators", expected, found, remedy)
}

fn has_ended(operation: &'static str) -> Error {
    let (expected, found) = ("a handle that records or runs", "one whose recording has ended");
    refused(operation, "self", expected, found, "use the handle that `record` was called on")
}

/// Fails on what could not be done again as it was done first.
fn accept(node: Node) -> Result<()> {
    let found = match node {
        Node::OnDevice | Node::CopyOnDevice => return Ok(()),
        Node::CopyElsewhere => "a copy with an end that may be memory of the host".to_owned(),
        Node::Other(kind) => format!("work of another kind (CUgraphNodeType {kind})"),
    };
    let expected = "work on the device alone";
    Err(refused(OPERATION, "operators", expected, found, NOT_RECORDED))
}

impl Memories {
    fn add<M: Borrow<Memory>>(&mut self, reads: &[M], writes: &[M]) {
        let is_in = |list: &[Memory], memory: &Memory| list.iter().any(|other| other.is_same(memory));
        for memory in writes.iter().map(Borrow::borrow) {
            if !is_in(&self.writes, memory) {
                self.writes.push(memory.clone());
            }
        }
        // What is also written is ordered as that.
        self.reads.retain(|memory| !is_in(&self.writes, memory));
        for memory in reads.iter().map(Borrow::borrow) {
            if !is_in(&self.writes, memory) && !is_in(&self.reads, memory) {
                self.reads.push(memory.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_work_on_the_device_is_recorded() {
        assert_eq!(accept(Node::OnDevice), Ok(()));
        assert_eq!(accept(Node::CopyOnDevice), Ok(()));
        for (node, text) in
            [(Node::CopyElsewhere, "memory of the host"), (Node::Other(3), "CUgraphNodeType 3")]
        {
            let error = accept(node).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { argument: "operators", .. }), "{error}");
            assert!(error.to_string().contains(text), "{error}");
        }
    }
}
