//! Graphs: what a stream captures is done when it is launched, as often as that is.

mod support;

use std::ptr::null_mut;

use support::*;
use sys::{CUgraph, CUgraphExec, CUstreamCaptureMode, CUstreamCaptureStatus};

const RELAXED: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;

const INVALIDATED: CUresult = CUresult::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;

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
    let (mut nodes, mut count) = ([std::ptr::dangling_mut(); 3], 3);
    ok!(cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count));
    assert_eq!(count, 1);
    let mut kind = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL;
    ok!(cuGraphNodeGetType(nodes[0], &mut kind));
    assert_eq!(kind, sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMSET);
    assert!(nodes[1].is_null() && nodes[2].is_null(), "room that is left");
    ok!(cuGraphDestroy(graph));
    assert_eq!(cu!(cuGraphNodeGetType(nodes[0], &mut kind)), INVALID, "it went with its graph");
    assert_eq!(cu!(cuGraphNodeGetType(null_mut(), &mut kind)), INVALID);
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
    assert_eq!(cu!(cuStreamBeginCapture_v2(stream, RELAXED)), CUresult::CUDA_ERROR_ILLEGAL_STATE);
    assert_eq!(cu!(cuStreamSynchronize(stream)), CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(status(stream), CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    assert_eq!(cu!(cuStreamSynchronize(stream)), INVALIDATED, "whatever is called now");
    let mut graph = std::ptr::dangling_mut();
    assert_eq!(cu!(cuStreamEndCapture(stream, &mut graph)), INVALIDATED);
    assert!(graph.is_null());
    ok!(cuStreamSynchronize(stream));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn a_wait_for_the_whole_context_is_refused_and_ends_all_captures() {
    ready();
    let (streams, device) = ([stream(1), stream(0)], alloc(4));
    streams.iter().for_each(|&stream| ok!(cuStreamBeginCapture_v2(stream, RELAXED)));
    assert_eq!(cu!(cuCtxSynchronize()), CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    for stream in streams {
        assert_eq!(status(stream), CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_INVALIDATED);
        assert_eq!(cu!(cuMemsetD8Async(device, 7, 2, stream)), INVALIDATED);
        assert_eq!(cu!(cuStreamEndCapture(stream, &mut null_mut())), INVALIDATED);
    }
    ok!(cuCtxSynchronize());
    // One that begins after it is whole.
    ok!(cuStreamBeginCapture_v2(streams[0], RELAXED));
    ok!(cuGraphDestroy(end(streams[0])));
    ok!(cuMemFree_v2(device));
    streams.into_iter().for_each(|stream| ok!(cuStreamDestroy_v2(stream)));
}

#[test]
fn no_more_nodes_are_written_than_there_is_room_for() {
    ready();
    let (stream, device) = (stream(1), alloc(4));
    ok!(cuStreamBeginCapture_v2(stream, RELAXED));
    (0..2).for_each(|_| ok!(cuMemsetD8Async(device, 7, 2, stream)));
    let graph = end(stream);
    let beyond = std::ptr::dangling_mut();
    let (mut nodes, mut count) = ([null_mut(), beyond], 1);
    ok!(cuGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count));
    assert_eq!(count, 1);
    assert!(!nodes[0].is_null() && nodes[1] == beyond);
    ok!(cuGraphDestroy(graph));
    ok!(cuMemFree_v2(device));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn what_is_not_captured_is_refused() {
    ready();
    let legacy = CUresult::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    assert_eq!(cu!(cuStreamBeginCapture_v2(null_mut(), RELAXED)), legacy);
    let (stream, event, device) = (stream(1), event(), alloc(4));
    assert_eq!(cu!(cuStreamEndCapture(stream, &mut null_mut())), CUresult::CUDA_ERROR_ILLEGAL_STATE);
    ok!(cuStreamBeginCapture_v2(stream, RELAXED));
    let refused = CUresult::CUDA_ERROR_NOT_SUPPORTED;
    assert_eq!(cu!(cuEventRecord(event, stream)), refused);
    assert_eq!(cu!(cuMemcpyDtoDAsync_v2(device, device + 2, 2, stream)), refused);
    ok!(cuGraphDestroy(end(stream)));
    ok!(cuMemFree_v2(device));
    ok!(cuEventDestroy_v2(event));
    ok!(cuStreamDestroy_v2(stream));
}
