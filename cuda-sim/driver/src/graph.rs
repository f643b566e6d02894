//! Graphs: work that was captured from a stream, to be queued again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::code::{Code, Result};

/// A piece of work that can be done any number of times.
pub type Node = Arc<dyn Fn() -> Result<()> + Send + Sync>;

/// What C calls `CUgraph`, and `CUgraphExec`: here it can be launched as it is.
pub struct Graph {
    /// Its handle.
    pub handle: usize,
    /// The context it belongs to.
    pub context: usize,
    /// What it does, in this order.
    pub nodes: Arc<[Node]>,
}

/// What a stream has captured so far.
pub struct Capture {
    nodes: Vec<Node>,
    is_invalid: bool,
    captures: Arc<Captures>,
    /// How many waits for the whole context were refused before it began.
    refused_before: usize,
}

/// The captures of one context, of which a wait for all its work is the end.
#[derive(Debug, Default)]
pub struct Captures {
    open: AtomicUsize,
    refused_waits: AtomicUsize,
}

impl Capture {
    /// Begins to capture in a context.
    pub fn new(captures: &Arc<Captures>) -> Self {
        captures.open.fetch_add(1, Ordering::SeqCst);
        let refused_before = captures.refused_waits.load(Ordering::SeqCst);
        Self { nodes: Vec::new(), is_invalid: false, captures: Arc::clone(captures), refused_before }
    }

    /// Whether something that is not permitted meanwhile ended it.
    pub fn is_invalid(&self) -> bool {
        self.is_invalid || self.captures.refused_waits.load(Ordering::SeqCst) != self.refused_before
    }

    /// Ends it by a call that is not permitted, whose result this is.
    pub fn invalidate(&mut self) -> Code {
        if self.is_invalid() {
            return Code::CaptureInvalidated;
        }
        self.is_invalid = true;
        Code::CaptureUnsupported
    }

    /// Keeps work.
    pub fn keep(&mut self, node: Node) -> Result<()> {
        if self.is_invalid() {
            return Err(Code::CaptureInvalidated);
        }
        self.nodes.push(node);
        Ok(())
    }

    /// All that was kept.
    pub fn finish(mut self) -> Result<Vec<Node>> {
        if self.is_invalid() {
            return Err(Code::CaptureInvalidated);
        }
        Ok(std::mem::take(&mut self.nodes))
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.captures.open.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Captures {
    /// Refuses a wait for all work of the context while something is captured there, and ends that.
    pub fn check_wait(&self) -> Result<()> {
        if self.open.load(Ordering::SeqCst) == 0 {
            return Ok(());
        }
        self.refused_waits.fetch_add(1, Ordering::SeqCst);
        Err(Code::CaptureUnsupported)
    }
}
