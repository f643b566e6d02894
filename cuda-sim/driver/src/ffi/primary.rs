//! The primary context of each device.

use std::ffi::c_int;

use super::argument::Out;
use super::call::entry_points;
use crate::code::Code;
use crate::sync::lock;

entry_points! {
    fn cuDevicePrimaryCtxRetain(context: Out<usize>, device: c_int) -> initialized |state| {
        context.check()?;
        let device = state.device(device)?;
        let _guard = lock(&device.lifecycle);
        device.primary.retain();
        context.set(device.primary.handle)
    }

    fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> initialized |state| {
        let device = state.device(device)?;
        let _guard = lock(&device.lifecycle);
        if device.primary.release()? {
            state.end_context(&device.primary);
        }
        Ok(())
    }

    fn cuDevicePrimaryCtxReset_v2(device: c_int) -> initialized |state| {
        let device = state.device(device)?;
        let _guard = lock(&device.lifecycle);
        state.end_context(&device.primary);
        Ok(())
    }

    fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: u32) -> initialized |state| {
        let primary = &state.device(device)?.primary;
        if primary.is_alive() && primary.flags() != flags {
            return Err(Code::PrimaryContextActive);
        }
        primary.set_flags(flags)
    }

    fn cuDevicePrimaryCtxGetState(device: c_int, flags: Out<u32>, active: Out<c_int>) -> initialized |state| {
        let primary = &state.device(device)?.primary;
        flags.set(primary.flags())?;
        active.set(primary.is_alive().into())
    }
}
