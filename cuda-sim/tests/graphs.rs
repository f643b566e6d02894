//! Graphs: what a stream captures is done when it is launched, as often as that is.

mod support;

use std::ptr::null_mut;

use support::*;
use sys::{CUgraph, CUgraphExec, CUstreamCaptureMode, CUstreamCaptureStatus};

const RELAXED: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;

fn end(stream: CUstream) -> CUgraph {
    let mut graph = null_mut();
    ok!(cuStreamEndCapture(stream, &mut graph));
    graph
}

fn status(stream: CUstream) -> CUstreamCaptureStatus {
    let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    ok!(cuStreamIsCapturing(stream, &mut status));
    status
}

#[test]
fn what_is_captured_is_done_when_it_is_launched() {
    ready();
    let (stream, device) = (stream(1), upload(&[0; 4]));
    ok!(cuStreamBeginCapture_v2(stream, RELAXED));
    ok!(cuMemsetD8Async(device, 7, 2, stream));
    ok!(cuMemsetD8Async(device + 1, 8, 2, stream));
    let graph = end(stream);
    ok!(cuStreamSynchronize(stream));
    assert_eq!(download(device, 4), [0; 4], "nothing was done yet");
    let mut count = 0;
    ok!(cuGraphGetNodes(graph, null_mut(), &mut count));
    assert_eq!(count, 2);
    let mut executable: CUgraphExec = null_mut();
    ok!(cuGraphInstantiateWithFlags(&mut executable, graph, 0));
    ok!(cuGraphDestroy(graph));
    for _ in 0..2 {
        ok!(cuMemsetD8Async(device, 0, 4, stream));
        ok!(cuGraphLaunch(executable, stream));
        ok!(cuStreamSynchronize(stream));
        assert_eq!(download(device, 4), [7, 8, 8, 0]);
    }
    ok!(cuMemsetD8Async(device, 0, 4, stream));
    ok!(cuGraphLaunch(executable, stream));
    ok!(cuGraphExecDestroy(executable));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(download(device, 4), [7, 8, 8, 0], "what was launched is done");
    assert_eq!(cu!(cuGraphLaunch(executable, stream)), INVALID);
    ok!(cuMemFree_v2(device));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn nodes_tell_their_type() {
    ready();
    let (stream, device) = (stream(1), alloc(4));
    ok!(cuStreamBeginCapture_v2(stream, RELAXED));
    ok!(cuMemsetD8Async(device, 7, 2, stream));
    let graph = end(stream);
    let (mut nodes, mut count) = ([null_mut(); 3], 3);
    ok!(cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count));
    assert_eq!(count, 1);
    let mut kind = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL;
    ok!(cuGraphNodeGetType(nodes[0], &mut kind));
    assert_eq!(kind, sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMSET);
    assert!(nodes[1].is_null());
    ok!(cuGraphDestroy(graph));
    assert_eq!(cu!(cuGraphDestroy(graph)), INVALID);
    ok!(cuMemFree_v2(device));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn waiting_ends_a_capture() {
    ready();
    let stream = stream(1);
    assert_eq!(status(stream), CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE);
    ok!(cuStreamBeginCapture_v2(stream, RELAXED));
    assert_eq!(status(stream), CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE);
    assert_eq!(
        cu!(cuStreamBeginCapture_v2(stream, RELAXED)),
        CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
    );
    assert_eq!(cu!(cuStreamSynchronize(stream)), CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(status(stream), CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    let mut graph = std::ptr::dangling_mut();
    assert_eq!(cu!(cuStreamEndCapture(stream, &mut graph)), CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert!(graph.is_null());
    ok!(cuStreamSynchronize(stream));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn what_is_not_captured_is_refused() {
    ready();
    let legacy = CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    assert_eq!(cu!(cuStreamBeginCapture_v2(null_mut(), RELAXED)), legacy);
    let (stream, event, device) = (stream(1), event(), alloc(4));
    assert_eq!(cu!(cuStreamEndCapture(stream, &mut null_mut())), INVALID, "none began");
    ok!(cuStreamBeginCapture_v2(stream, RELAXED));
    let refused = CUresult::CUDA_ERROR_NOT_SUPPORTED;
    assert_eq!(cu!(cuEventRecord(event, stream)), refused);
    assert_eq!(cu!(cuMemcpyDtoDAsync_v2(device, device + 2, 2, stream)), refused);
    ok!(cuGraphDestroy(end(stream)));
    ok!(cuMemFree_v2(device));
    ok!(cuEventDestroy_v2(event));
    ok!(cuStreamDestroy_v2(stream));
}
