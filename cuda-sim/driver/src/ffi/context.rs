//! Contexts of a program's own, and which one is current.

use std::ffi::c_int;
use std::sync::Arc;

use super::argument::Out;
use super::call::entry_points;
use crate::code::{Code, Result};
use crate::context::Context;
use crate::current;
use crate::state::State;

/// What `cuCtxGetApiVersion` answers, as drivers do since CUDA 4.
const API_VERSION: u32 = 3020;

entry_points! {
    fn cuCtxCreate_v2(context: Out<usize>, flags: u32, device: c_int) -> initialized |state| {
        create(state, context, flags, device)
    }

    fn cuCtxCreate_v3(
        context: Out<usize>,
        _affinities: usize,
        affinity_count: c_int,
        flags: u32,
        device: c_int,
    ) -> initialized |state| {
        if affinity_count == 0 { create(state, context, flags, device) } else { Err(Code::NotSupported) }
    }

    fn cuCtxCreate_v4(
        context: Out<usize>,
        parameters: usize,
        flags: u32,
        device: c_int,
    ) -> initialized |state| {
        if parameters == 0 { create(state, context, flags, device) } else { Err(Code::NotSupported) }
    }

    fn cuCtxDestroy_v2(context: usize) -> initialized |state| {
        let own = state.contexts.get(context).filter(|context| !context.primary);
        let context = own.ok_or(Code::InvalidContext)?;
        state.contexts.remove(context.handle);
        current::pop_if_current(context.handle);
        state.end_context(&context);
        Ok(())
    }

    fn cuCtxPushCurrent_v2(context: usize) -> initialized |state| {
        current::push(alive(state, context)?);
        Ok(())
    }

    fn cuCtxPopCurrent_v2(context: Out<usize>) -> initialized |_state| {
        context.set_if_wanted(current::pop()?.handle);
        Ok(())
    }

    fn cuCtxSetCurrent(context: usize) -> initialized |state| {
        let context = if context == 0 { None } else { Some(alive(state, context)?) };
        current::set(context);
        Ok(())
    }

    fn cuCtxGetCurrent(context: Out<usize>) -> initialized |_state| {
        context.set(current::top().map_or(0, |context| context.handle))
    }

    fn cuCtxGetDevice(device: Out<c_int>) -> in_context |call| {
        device.set(call.context.device)
    }

    fn cuCtxGetFlags(flags: Out<u32>) -> in_context |call| {
        flags.set(call.context.flags())
    }

    fn cuCtxGetApiVersion(context: usize, version: Out<u32>) -> initialized |state| {
        if context != 0 {
            alive(state, context)?;
        }
        version.set(API_VERSION)
    }

    /// Refused while a stream of the context captures, in whatever mode, and the end of what it captures.
    fn cuCtxSynchronize() -> in_context |call| {
        call.order.captures.check_wait()?;
        call.order.synchronize();
        call.order.check()
    }

    /// Priorities are accepted and clamped, and change nothing.
    fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) -> in_context |_call| {
        least.set_if_wanted(super::stream::LEAST_PRIORITY);
        greatest.set_if_wanted(super::stream::GREATEST_PRIORITY);
        Ok(())
    }
}

/// A new context is current at once, on top of what was.
fn create(state: &State, context: Out<usize>, flags: u32, device: c_int) -> Result<()> {
    context.check()?;
    let device = state.device(device)?.ordinal;
    let made = state.contexts.insert_with(|handle| Context::created(handle, device, flags))?;
    current::push(Arc::clone(&made));
    context.set(made.handle)
}

fn alive(state: &State, context: usize) -> Result<Arc<Context>> {
    let context = state.contexts.get(context).ok_or(Code::InvalidContext)?;
    context.order()?;
    Ok(context)
}
