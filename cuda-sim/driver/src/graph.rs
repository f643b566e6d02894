//! Graphs: work that was captured from a stream, to be queued again and again.

use std::sync::Arc;

use crate::code::Result;

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
#[derive(Default)]
pub struct Capture {
    /// The work.
    pub nodes: Vec<Node>,
    /// Whether a call that is not permitted meanwhile ended it.
    pub is_invalid: bool,
}
