//! Copies of one run of bytes.

use super::call::{Call, entry_points};
use crate::code::Result;
use crate::copy::{Copy, End};
use crate::place::Claim::{self, Device, Host, Unified};
use crate::shape::Extent;
use crate::stream::LEGACY;

entry_points! {
    fn cuMemcpy(target: u64, source: u64, bytes: usize) -> in_context |call| {
        now(call, (Unified, target), (Unified, source), bytes)
    }

    fn cuMemcpyAsync(target: u64, source: u64, bytes: usize, stream: usize) -> in_context |call| {
        queued(call, (Unified, target), (Unified, source), bytes, stream)
    }

    fn cuMemcpyHtoD_v2(target: u64, source: usize, bytes: usize) -> in_context |call| {
        now(call, (Device, target), (Host, source as u64), bytes)
    }

    fn cuMemcpyHtoDAsync_v2(target: u64, source: usize, bytes: usize, stream: usize) -> in_context |call| {
        queued(call, (Device, target), (Host, source as u64), bytes, stream)
    }

    fn cuMemcpyDtoH_v2(target: usize, source: u64, bytes: usize) -> in_context |call| {
        now(call, (Host, target as u64), (Device, source), bytes)
    }

    fn cuMemcpyDtoHAsync_v2(target: usize, source: u64, bytes: usize, stream: usize) -> in_context |call| {
        queued(call, (Host, target as u64), (Device, source), bytes, stream)
    }

    fn cuMemcpyDtoD_v2(target: u64, source: u64, bytes: usize) -> in_context |call| {
        now(call, (Device, target), (Device, source), bytes)
    }

    fn cuMemcpyDtoDAsync_v2(target: u64, source: u64, bytes: usize, stream: usize) -> in_context |call| {
        queued(call, (Device, target), (Device, source), bytes, stream)
    }
}

fn now(call: &Call, target: (Claim, u64), source: (Claim, u64), bytes: usize) -> Result<()> {
    copy(call, End::run(source.0, source.1), End::run(target.0, target.1), Extent::bytes(bytes), None)
}

fn queued(
    call: &Call,
    target: (Claim, u64),
    source: (Claim, u64),
    bytes: usize,
    stream: usize,
) -> Result<()> {
    copy(call, End::run(source.0, source.1), End::run(target.0, target.1), Extent::bytes(bytes), Some(stream))
}

/// Checks a copy and queues it: on the stream, or on the legacy stream to wait for it where there is none.
pub fn copy(call: &Call, source: End, target: End, extent: Extent, stream: Option<usize>) -> Result<()> {
    let queue = call.stream(stream.unwrap_or(LEGACY))?;
    if extent.is_empty() {
        return if stream.is_none() { queue.synchronize() } else { Ok(()) };
    }
    let mut copy = Copy::new(call.state, call.op, source, target, extent)?;
    if stream.is_some() {
        copy.stage()?;
    }
    let wait = stream.is_none() || copy.blocks();
    let point = queue.submit(move || copy.run())?;
    if wait {
        point.wait();
        // Of the stream's context, which need not be the current one.
        queue.check()?;
    }
    Ok(())
}
