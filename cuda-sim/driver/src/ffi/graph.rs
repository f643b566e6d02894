//! Capturing a stream's work, and graphs of it.

use std::ffi::c_int;
use std::sync::Arc;

use super::argument::Out;
use super::call::{Call, entry_points};
use crate::code::{Code, Result};
use crate::graph::{Graph, Node};
use crate::registry::Registry;

/// `CU_STREAM_CAPTURE_MODE_RELAXED`, the last of the modes. Which it is makes no difference here, as no call of
/// another thread is refused in any.
const LAST_MODE: c_int = 2;

/// How many bits of a node's handle say which node of its graph it is.
const NODE_BITS: u32 = 20;
const NODE_MASK: usize = (1 << NODE_BITS) - 1;

/// `CU_GRAPH_NODE_TYPE_MEMSET`
const MEMSET: c_int = 2;

entry_points! {
    fn cuStreamBeginCapture_v2(stream: usize, mode: c_int) -> in_context |call| {
        let stream = call.stream(stream)?;
        if !(0..=LAST_MODE).contains(&mode) {
            return Err(Code::InvalidValue);
        }
        stream.begin_capture()
    }

    fn cuStreamEndCapture(stream: usize, graph: Out<usize>) -> in_context |call| {
        graph.check()?;
        // What the driver writes where there is none.
        graph.set(0)?;
        let nodes = call.stream(stream)?.end_capture()?;
        graph.set(keep(call, &call.state.graphs, nodes.into())?)
    }

    fn cuStreamIsCapturing(stream: usize, status: Out<c_int>) -> in_context |call| {
        status.set(call.stream(stream)?.capture_status())
    }

    /// Of a graph that was captured. Without an array it tells how many nodes there are, else how many it wrote; what
    /// room is left becomes null.
    fn cuGraphGetNodes(graph: usize, nodes: Out<usize>, count: Out<usize>) -> in_context |call| {
        count.check()?;
        let graph = call.state.graphs.get(graph).ok_or(Code::InvalidValue)?;
        if nodes.check().is_err() {
            return count.set(graph.nodes.len());
        }
        let room = count.input().get()?;
        for index in 0..room {
            let is_one = index < graph.nodes.len();
            nodes.element(index).set(if is_one { node_of(&graph, index) } else { 0 })?;
        }
        count.set(room.min(graph.nodes.len()))
    }

    /// Only fills are captured.
    fn cuGraphNodeGetType(node: usize, kind: Out<c_int>) -> in_context |call| {
        let graph = call.state.graphs.get(node >> NODE_BITS).ok_or(Code::InvalidValue)?;
        if node & NODE_MASK >= graph.nodes.len() {
            return Err(Code::InvalidValue);
        }
        kind.set(MEMSET)
    }

    fn cuGraphInstantiateWithFlags(executable: Out<usize>, graph: usize, flags: u64) -> in_context |call| {
        executable.check()?;
        let graph = call.state.graphs.get(graph).ok_or(Code::InvalidValue)?;
        if flags != 0 {
            return Err(Code::NotSupported);
        }
        executable.set(keep(call, &call.state.executables, Arc::clone(&graph.nodes))?)
    }

    fn cuGraphLaunch(executable: usize, stream: usize) -> in_context |call| {
        let stream = call.stream(stream)?;
        let nodes = Arc::clone(&call.state.executables.get(executable).ok_or(Code::InvalidValue)?.nodes);
        stream.submit(move || nodes.iter().try_for_each(|node| node()))?;
        Ok(())
    }

    /// What was launched is still done.
    fn cuGraphExecDestroy(executable: usize) -> in_context |call| {
        call.state.executables.remove(executable).map(drop).ok_or(Code::InvalidValue)
    }

    fn cuGraphDestroy(graph: usize) -> in_context |call| {
        call.state.graphs.remove(graph).map(drop).ok_or(Code::InvalidValue)
    }
}

/// The handle of a node: its graph's, and behind that which of its nodes it is.
fn node_of(graph: &Graph, index: usize) -> usize {
    graph.handle << NODE_BITS | index
}

fn keep(call: &Call, graphs: &Registry<Graph>, nodes: Arc<[Node]>) -> Result<usize> {
    let make = |handle| Ok(Graph { handle, context: call.context.handle, nodes });
    graphs.insert_with(make).map(|graph| graph.handle)
}
