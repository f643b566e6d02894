//! [`Recording`]: what a handle that records has queued so far.

use std::borrow::Borrow;
use std::ffi::c_void;
use std::sync::Mutex;

use super::check::refused;
use super::memories::Memories;
use super::record::OPERATION;
use super::session::CvCuda;
use crate::driver::{Capture, Graph, Node, is_capture_lost};
use crate::lock::lock;
use crate::{Error, Gpu, Memory, Result};

/// What a handle that records has queued so far.
pub(super) struct Recording {
    gpu: Gpu,
    /// None once it has ended.
    open: Mutex<Option<Open>>,
}

struct Open {
    capture: Capture,
    memories: Memories,
}

impl Recording {
    pub fn begin(cv: &CvCuda) -> Result<Self> {
        let capture = Capture::begin(OPERATION, cv.gpu().context())?;
        let open = Open { capture, memories: Memories::default() };
        Ok(Self { gpu: cv.gpu().clone(), open: Mutex::new(Some(open)) })
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

    /// What was recorded, and the memory that it uses.
    pub fn end(&self) -> Result<(Graph, Memories)> {
        // For what is freed after an error.
        let _current = self.gpu.context().enter(OPERATION)?;
        let Some(Open { capture, memories }) = lock(&self.open).take() else {
            return Err(has_ended(OPERATION));
        };
        let graph = capture.end(OPERATION, accept).map_err(explain_loss)?;
        Ok((graph, memories))
    }

    /// Forgets what was recorded, unless it has ended.
    fn abandon(&self) {
        // For what is freed below.
        let _current = self.gpu.context().enter("drop of a recording");
        let Some(Open { capture, memories }) = lock(&self.open).take() else { return };
        // First, so that what is freed is no part of it.
        drop(capture);
        drop(memories);
    }
}

/// Ends a recording at the end of its scope, whatever leads there.
pub(super) struct EndOf<'r>(pub &'r Recording);

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
