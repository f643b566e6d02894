//! [`Recorded`]: calls of operators that were made once, and are done as often as wanted.

use std::any::Any;
use std::borrow::Borrow;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use super::check::refused;
use super::session::CvCuda;
use crate::driver::{Capture, Graph, Node, is_end_of_device};
use crate::lock::lock;
use crate::{Error, Memory, Result};

const OPERATION: &str = "CvCuda::record";

/// Operators with their arguments, recorded by [`CvCuda::record`].
///
/// It keeps the memory of all inputs and outputs. Its drop waits for the stream. It may be run from any thread.
pub struct Recorded {
    by: CvCuda,
    work: Option<Work>,
}

/// What must outlive all runs, in the order in which it goes.
struct Work {
    graph: Mutex<Graph>,
    memories: Memories,
    _kept: Mutex<Vec<Kept>>,
    /// Has the operators, whose buffers the work uses.
    _recorder: CvCuda,
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
    /// Only operators of that handle are recorded, and only those on tensors: CV-CUDA's on an
    /// [`ImageBatch`](super::ImageBatch) wait for events that a graph cannot, and are refused. Everything else in
    /// `operators` is done right then, once: new tensors are made, copies copy. An output is undefined until the first
    /// run.
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
    /// Those of `operators`; [`Error::InvalidArgument`] where this handle records itself, or where an operator takes a batch
    /// or would copy from or to the host at each run; [`Error::Driver`].
    pub fn record<T>(&self, operators: impl FnOnce(&Self) -> Result<T>) -> Result<(Recorded, T)> {
        if self.shared.recording.is_some() {
            let (expected, found) = ("a handle that runs operators", "one that records them");
            return Err(refused(OPERATION, "self", expected, found, "record all in one recording"));
        }
        let recording = Arc::new(Recording::begin(self)?);
        let recorder = self.recorder(recording.clone());
        let returned = operators(&recorder);
        // Also after an error: a clone of the recorder may live on.
        let ended = recording.end();
        let (returned, (graph, memories, kept)) = (returned?, ended?);
        let work = Work { graph: Mutex::new(graph), memories, _kept: Mutex::new(kept), _recorder: recorder };
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
            // SAFETY: the memory and the operators' buffers are kept by `self`, whose drop waits for the stream.
            unsafe { lock(graph).launch(OPERATION, stream.cast()) }
        })
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        // After an error nothing runs any more, unless the wait itself failed: then nothing may go.
        if self.by.gpu().synchronize().is_err_and(|error| !is_end_of_device(&error)) {
            std::mem::forget(self.work.take());
        }
    }
}

impl std::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Recorded by {:?}", self.by)
    }
}

/// What a handle that records has kept so far.
pub(super) struct Recording {
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
        Ok(Self { open: Mutex::new(Some(open)), kept: Mutex::default() })
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

    /// Forgets what was recorded, unless it has ended.
    pub fn abandon(&self) {
        drop(lock(&self.open).take());
    }

    fn end(&self) -> Result<(Graph, Memories, Vec<Kept>)> {
        let Some(Open { capture, memories }) = lock(&self.open).take() else {
            return Err(has_ended(OPERATION));
        };
        let graph = capture.end(OPERATION, accept)?;
        Ok((graph, memories, std::mem::take(&mut lock(&self.kept))))
    }
}

/// The remedy for what cannot be recorded.
pub(super) const NOT_RECORDED: &str = "call that operator on a handle that does not record";

fn has_ended(operation: &'static str) -> Error {
    let (expected, found) = ("a handle that records or runs", "one whose recording has ended");
    refused(operation, "self", expected, found, "use the handle that `record` was called on")
}

/// Fails on what could not be done again as it was done first.
fn accept(node: Node) -> Result<()> {
    let found = match node {
        Node::OnDevice | Node::CopyOnDevice => return Ok(()),
        Node::CopyWithHost => "a copy from or to memory of the host".to_owned(),
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
