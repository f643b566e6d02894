//! Events.

use std::sync::Arc;

use super::argument::Out;
use super::call::{Call, entry_points};
use crate::code::{Code, Result};
use crate::event::Event;

entry_points! {
    fn cuEventCreate(event: Out<usize>, flags: u32) -> in_context |call| {
        event.check()?;
        let context = call.context.handle;
        event.set(call.state.events.insert_with(|handle| Event::new(handle, context, flags))?.handle)
    }

    fn cuEventDestroy_v2(event: usize) -> in_context |call| {
        call.state.events.remove(event).map(drop).ok_or(Code::InvalidHandle)
    }

    fn cuEventRecord(event: usize, stream: usize) -> in_context |call| {
        find(call, event)?.record(&*call.stream(stream)?)
    }

    fn cuEventRecordWithFlags(event: usize, stream: usize, flags: u32) -> in_context |call| {
        if flags > 1 {
            return Err(Code::InvalidValue);
        }
        find(call, event)?.record(&*call.stream(stream)?)
    }

    fn cuEventQuery(event: usize) -> in_context |call| {
        find(call, event)?.query()
    }

    fn cuEventSynchronize(event: usize) -> in_context |call| {
        find(call, event)?.synchronize();
        call.order.check()
    }

    fn cuEventElapsedTime(milliseconds: Out<f32>, start: usize, end: usize) -> in_context |call| {
        milliseconds.set(find(call, start)?.milliseconds_to(&*find(call, end)?)?)
    }

    fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: usize, end: usize) -> in_context |call| {
        milliseconds.set(find(call, start)?.milliseconds_to(&*find(call, end)?)?)
    }
}

fn find(call: &Call, event: usize) -> Result<Arc<Event>> {
    call.state.events.get(event).ok_or(Code::InvalidHandle)
}
