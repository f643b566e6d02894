//! Filling memory: plain and asynchronous, one run or rows, values of 1, 2 or 4 bytes.

use std::sync::Arc;

use super::call::{Call, entry_points};
use crate::code::Result;
use crate::memset::{Fill, Value};
use crate::stream::LEGACY;

entry_points! {
    fn cuMemsetD8_v2(address: u64, value: u8, count: usize) -> in_context |call| {
        fill(call, address, Value::D8(value), [0, count, 1], None)
    }

    fn cuMemsetD16_v2(address: u64, value: u16, count: usize) -> in_context |call| {
        fill(call, address, Value::D16(value), [0, count, 1], None)
    }

    fn cuMemsetD32_v2(address: u64, value: u32, count: usize) -> in_context |call| {
        fill(call, address, Value::D32(value), [0, count, 1], None)
    }

    fn cuMemsetD8Async(address: u64, value: u8, count: usize, stream: usize) -> in_context |call| {
        fill(call, address, Value::D8(value), [0, count, 1], Some(stream))
    }

    fn cuMemsetD16Async(address: u64, value: u16, count: usize, stream: usize) -> in_context |call| {
        fill(call, address, Value::D16(value), [0, count, 1], Some(stream))
    }

    fn cuMemsetD32Async(address: u64, value: u32, count: usize, stream: usize) -> in_context |call| {
        fill(call, address, Value::D32(value), [0, count, 1], Some(stream))
    }

    fn cuMemsetD2D8_v2(
        address: u64,
        pitch: usize,
        value: u8,
        width: usize,
        height: usize,
    ) -> in_context |call| {
        fill(call, address, Value::D8(value), [pitch, width, height], None)
    }

    fn cuMemsetD2D16_v2(
        address: u64,
        pitch: usize,
        value: u16,
        width: usize,
        height: usize,
    ) -> in_context |call| {
        fill(call, address, Value::D16(value), [pitch, width, height], None)
    }

    fn cuMemsetD2D32_v2(
        address: u64,
        pitch: usize,
        value: u32,
        width: usize,
        height: usize,
    ) -> in_context |call| {
        fill(call, address, Value::D32(value), [pitch, width, height], None)
    }

    fn cuMemsetD2D8Async(
        address: u64,
        pitch: usize,
        value: u8,
        width: usize,
        height: usize,
        stream: usize,
    ) -> in_context |call| {
        fill(call, address, Value::D8(value), [pitch, width, height], Some(stream))
    }

    fn cuMemsetD2D16Async(
        address: u64,
        pitch: usize,
        value: u16,
        width: usize,
        height: usize,
        stream: usize,
    ) -> in_context |call| {
        fill(call, address, Value::D16(value), [pitch, width, height], Some(stream))
    }

    fn cuMemsetD2D32Async(
        address: u64,
        pitch: usize,
        value: u32,
        width: usize,
        height: usize,
        stream: usize,
    ) -> in_context |call| {
        fill(call, address, Value::D32(value), [pitch, width, height], Some(stream))
    }
}

/// Queues a fill: on the stream, or on the legacy stream to wait for it where there is none.
fn fill(call: &Call, address: u64, value: Value, shape: [usize; 3], stream: Option<usize>) -> Result<()> {
    let queue = call.stream(stream.unwrap_or(LEGACY))?;
    let [_, width, height] = shape;
    if width == 0 || height == 0 {
        return Ok(());
    }
    let fill = Fill::new(call.state, call.op, address, value, shape)?;
    let point = queue.submit_node(Arc::new(move || fill.run()))?;
    if let Some(point) = point.filter(|_| stream.is_none()) {
        point.wait();
        // Of the stream's context, which need not be the current one.
        queue.check()?;
    }
    Ok(())
}
