//! [`Capture`] and [`Graph`]: work of a stream that is kept instead of done, and then done as often as wanted.

use std::ffi::{c_int, c_uint};
use std::mem::offset_of;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys;

use super::{Context, Stream, code_of};
use crate::{Error, Result};

/// A stream of its own that keeps what is queued on it, until [`Capture::end`].
///
/// Its mode is the relaxed one: this thread may allocate and free, and so may others. What no mode allows is to wait for
/// the whole device or context: whichever thread does gets an error, and the capture is lost ([`is_capture_lost`]). A copy
/// that the host waits for is done at once and not kept, which nothing tells.
pub(crate) struct Capture {
    context: Arc<Context>,
    stream: Stream,
    is_open: bool,
}

/// What was captured, ready to be launched. Dropping it while it runs is allowed: the driver keeps it until then.
pub(crate) struct Graph {
    context: Arc<Context>,
    raw: sys::CUgraphExec,
}

// SAFETY: a CUgraphExec may be used from every thread, by one at a time (CUDA driver API 12.0, "Graph object thread
// safety").
unsafe impl Send for Graph {}

/// What kind of work would be done anew at each launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// A kernel, a fill, or nothing.
    OnDevice,
    /// A copy within the device's memory.
    CopyOnDevice,
    /// A copy with an end that is not said to be the device's: memory of the host may be read or written at each launch.
    CopyElsewhere,
    /// Anything else, by the driver's number.
    Other(c_int),
}

impl Node {
    /// A copy by its memory types (`CUmemorytype`), of its source and of its destination.
    fn of_copy(kinds: (c_uint, c_uint)) -> Self {
        const DEVICE: c_uint = sys::CUmemorytype::CU_MEMORYTYPE_DEVICE as c_uint;
        if kinds == (DEVICE, DEVICE) { Self::CopyOnDevice } else { Self::CopyElsewhere }
    }
}

impl Capture {
    pub fn begin(operation: &'static str, context: &Arc<Context>) -> Result<Self> {
        const MODE: c_int = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED as c_int;
        let stream = Stream::non_blocking(operation, context.clone())?;
        let _current = context.enter(operation)?;
        // SAFETY: the stream is live, and nobody else knows it.
        unsafe { context.driver().cuStreamBeginCapture_v2(operation, stream.raw(), MODE) }?;
        Ok(Self { context: context.clone(), stream, is_open: true })
    }

    /// Where to queue what is to be kept.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// What was kept, as it can be launched. `accept` refuses by its error what must not be.
    pub fn end(mut self, operation: &'static str, accept: impl Fn(Node) -> Result<()>) -> Result<Graph> {
        let captured = self.take(operation)?;
        let _current = captured.context.enter(operation)?;
        captured.nodes(operation)?.into_iter().try_for_each(accept)?;
        captured.instantiate(operation)
    }

    fn take(&mut self, operation: &'static str) -> Result<Captured> {
        let _current = self.context.enter(operation)?;
        let mut raw = ptr::null_mut();
        self.is_open = false;
        // SAFETY: the pointer is valid for the write; the capture began on this stream.
        unsafe { self.context.driver().cuStreamEndCapture(operation, self.stream.raw(), &mut raw) }?;
        Ok(Captured { context: self.context.clone(), raw })
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        if self.is_open {
            // Nobody wants it.
            let _ = self.take("drop of a capture");
        }
    }
}

/// What was captured, which is not launched itself.
struct Captured {
    context: Arc<Context>,
    raw: sys::CUgraph,
}

impl Captured {
    fn nodes(&self, operation: &'static str) -> Result<Vec<Node>> {
        let driver = self.context.driver();
        let mut count = 0;
        // SAFETY: the graph is live; no nodes are asked for, and the count is valid for the write.
        unsafe { driver.cuGraphGetNodes(operation, self.raw, ptr::null_mut(), &mut count) }?;
        let mut nodes = vec![ptr::null_mut(); count];
        if count > 0 {
            // SAFETY: the graph is live; there is room for as many nodes as the count says.
            unsafe { driver.cuGraphGetNodes(operation, self.raw, nodes.as_mut_ptr(), &mut count) }?;
        }
        nodes.into_iter().map(|node| self.node(operation, node)).collect()
    }

    fn node(&self, operation: &'static str, node: sys::CUgraphNode) -> Result<Node> {
        use sys::CUgraphNodeType_enum::*;
        const KERNEL: c_int = CU_GRAPH_NODE_TYPE_KERNEL as c_int;
        const COPY: c_int = CU_GRAPH_NODE_TYPE_MEMCPY as c_int;
        const FILL: c_int = CU_GRAPH_NODE_TYPE_MEMSET as c_int;
        const EMPTY: c_int = CU_GRAPH_NODE_TYPE_EMPTY as c_int;
        let mut kind = 0;
        // SAFETY: the node is one of a live graph; the pointer is valid for the write.
        unsafe { self.context.driver().cuGraphNodeGetType(operation, node, &mut kind) }?;
        match kind {
            KERNEL | FILL | EMPTY => Ok(Node::OnDevice),
            COPY => self.copy(operation, node),
            other => Ok(Node::Other(other)),
        }
    }

    fn copy(&self, operation: &'static str, node: sys::CUgraphNode) -> Result<Node> {
        let mut copy = std::mem::MaybeUninit::<sys::CUDA_MEMCPY3D>::zeroed();
        let (driver, copy) = (self.context.driver(), copy.as_mut_ptr());
        // SAFETY: the node is a copy of a live graph; the pointer is valid for the write.
        unsafe { driver.cuGraphMemcpyNodeGetParams(operation, node, copy) }?;
        // A later driver may have kinds that the enumeration lacks, so that they are read as numbers.
        let kind_at = |offset| {
            let place = copy.wrapping_byte_add(offset).cast::<c_uint>();
            // SAFETY: a field of the structure, which was initialised with zeros; its type has the size and alignment of
            // c_uint.
            unsafe { place.read() }
        };
        let from = kind_at(offset_of!(sys::CUDA_MEMCPY3D, srcMemoryType));
        let to = kind_at(offset_of!(sys::CUDA_MEMCPY3D, dstMemoryType));
        Ok(Node::of_copy((from, to)))
    }

    fn instantiate(&self, operation: &'static str) -> Result<Graph> {
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is valid for the write; the graph is live; zero is no flag.
        unsafe { self.context.driver().cuGraphInstantiateWithFlags(operation, &mut raw, self.raw, 0) }?;
        Ok(Graph { context: self.context.clone(), raw })
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter("drop of a capture") else { return };
        // SAFETY: made by `Capture::take`, destroyed once here; what was made of it is a copy.
        let _ = unsafe { self.context.driver().cuGraphDestroy("drop of a capture", self.raw) };
    }
}

impl Graph {
    /// Queues what was captured.
    ///
    /// # Safety
    /// `stream` is a live stream of the graph's context. Until it has passed the graph, all memory that the work reads and
    /// writes is live, buffers of the operators that queued it included, and the code of its kernels stays loaded.
    pub unsafe fn launch(&mut self, operation: &'static str, stream: sys::CUstream) -> Result<()> {
        let _current = self.context.enter(operation)?;
        // SAFETY: the graph is live and launched by one thread at a time, as `self` is exclusive; the caller vouches for the
        // rest.
        unsafe { self.context.driver().cuGraphLaunch(operation, self.raw, stream) }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let Ok(_current) = self.context.enter("drop of a graph") else { return };
        // SAFETY: made by `Captured::instantiate`, destroyed once here. One that is under way is not ended by that, but freed
        // when it is done (CUDA driver API 12.0, `cuGraphExecDestroy`).
        let _ = unsafe { self.context.driver().cuGraphExecDestroy("drop of a graph", self.raw) };
    }
}

/// Whether an error says that what was captured is lost, since a thread waited for the whole device meanwhile.
pub(crate) fn is_capture_lost(error: &Error) -> bool {
    code_of(error) == Some(sys::CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED as c_int)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_the_devices_where_both_ends_are() {
        // CUmemorytype: 1 is the host, 2 the device, 3 an array, 4 either.
        assert_eq!(Node::of_copy((2, 2)), Node::CopyOnDevice);
        for kinds in [(1, 2), (2, 1), (4, 4), (2, 3), (0, 0), (2, 99)] {
            assert_eq!(Node::of_copy(kinds), Node::CopyElsewhere, "{kinds:?}");
        }
    }
}
