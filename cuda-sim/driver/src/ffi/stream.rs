//! Streams, and host functions in them.

use std::ffi::{c_int, c_void};

use super::argument::Out;
use super::call::{Call, entry_points};
use crate::code::{Code, Result};
use crate::current;
use crate::stream::{NON_BLOCKING, Stream};

/// The range that `cuCtxGetStreamPriorityRange` tells: lower numbers come first.
pub const LEAST_PRIORITY: c_int = 0;

/// See [`LEAST_PRIORITY`].
pub const GREATEST_PRIORITY: c_int = -5;

/// `CUhostFn`
type HostFunction = unsafe extern "C" fn(*mut c_void);

/// `CUstreamCallback`
type Callback = unsafe extern "C" fn(usize, c_int, *mut c_void);

entry_points! {
    fn cuStreamCreate(stream: Out<usize>, flags: u32) -> in_context |call| {
        create(call, stream, flags, LEAST_PRIORITY)
    }

    fn cuStreamCreateWithPriority(stream: Out<usize>, flags: u32, priority: c_int) -> in_context |call| {
        create(call, stream, flags, priority)
    }

    /// Returns at once; what was queued is still done.
    fn cuStreamDestroy_v2(stream: usize) -> in_context |call| {
        call.state.streams.remove(stream).map(drop).ok_or(Code::InvalidHandle)
    }

    fn cuStreamSynchronize(stream: usize) -> in_context |call| {
        call.stream(stream)?.synchronize()
    }

    fn cuStreamQuery(stream: usize) -> in_context |call| {
        call.stream(stream)?.query()
    }

    fn cuStreamGetFlags(stream: usize, flags: Out<u32>) -> in_context |call| {
        flags.set(call.stream(stream)?.flags)
    }

    fn cuStreamGetPriority(stream: usize, priority: Out<c_int>) -> in_context |call| {
        priority.set(call.stream(stream)?.priority)
    }

    fn cuStreamGetCtx(stream: usize, context: Out<usize>) -> in_context |call| {
        context.set(call.stream(stream)?.context)
    }

    /// The handle will do, since none is used twice; default streams are told apart by their context.
    fn cuStreamGetId(stream: usize, id: Out<u64>) -> in_context |call| {
        let stream = call.stream(stream)?;
        id.set((stream.context as u64) << 16 | stream.handle as u64)
    }

    fn cuStreamWaitEvent(stream: usize, event: usize, flags: u32) -> in_context |call| {
        let stream = call.stream(stream)?;
        let event = call.state.events.get(event).ok_or(Code::InvalidHandle)?;
        if flags > 1 {
            return Err(Code::InvalidValue);
        }
        stream.submit_after(event.point(), || Ok(()))?;
        Ok(())
    }

    fn cuLaunchHostFunc(stream: usize, function: Option<HostFunction>, data: usize) -> in_context |call| {
        let function = function.ok_or(Code::InvalidValue)?;
        call.stream(stream)?.submit(move || {
            let data = std::ptr::with_exposed_provenance_mut(data);
            // SAFETY: the C caller promises that the function may be called once with its data, on any
            // thread.
            current::callback(|| unsafe { function(data) });
            Ok(())
        })?;
        Ok(())
    }

    fn cuStreamAddCallback(
        stream: usize,
        function: Option<Callback>,
        data: usize,
        flags: u32,
    ) -> in_context |call| {
        let function = function.filter(|_| flags == 0).ok_or(Code::InvalidValue)?;
        let order = std::sync::Arc::clone(&call.order);
        call.stream(stream)?.submit(move || {
            let status = order.check().map_or_else(|code| code as c_int, |()| 0);
            let data = std::ptr::with_exposed_provenance_mut(data);
            // SAFETY: the C caller promises that the function may be called once with its stream, a status
            // and its data, on any thread.
            current::callback(|| unsafe { function(stream, status, data) });
            Ok(())
        })?;
        Ok(())
    }
}

fn create(call: &Call, stream: Out<usize>, flags: u32, priority: c_int) -> Result<()> {
    stream.check()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(Code::InvalidValue);
    }
    let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
    let start = |handle| Stream::start(handle, call.context.handle, &call.order, flags, priority);
    stream.set(call.state.streams.insert_with(start)?.handle)
}
