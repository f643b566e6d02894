//! Devices and what they are.

use std::ffi::c_int;

use super::argument::{Out, OutText};
use super::call::entry_points;
use crate::device::{CAPABILITY, NAME};

entry_points! {
    fn cuDeviceGet(device: Out<c_int>, ordinal: c_int) -> initialized |state| {
        device.set(state.device(ordinal)?.ordinal)
    }

    fn cuDeviceGetCount(count: Out<c_int>) -> initialized |state| {
        count.set(state.devices.len() as c_int)
    }

    fn cuDeviceGetName(name: OutText, capacity: c_int, device: c_int) -> initialized |state| {
        state.device(device)?;
        name.set(NAME, capacity)
    }

    fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, device: c_int) -> initialized |state| {
        uuid.set(state.device(device)?.uuid())
    }

    fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: c_int) -> initialized |state| {
        uuid.set(state.device(device)?.uuid())
    }

    fn cuDeviceGetPCIBusId(id: OutText, capacity: c_int, device: c_int) -> initialized |state| {
        id.set(&state.device(device)?.pci_bus_id(), capacity)
    }

    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: c_int) -> initialized |state| {
        state.device(device)?;
        bytes.set(state.config.memory_bytes as usize)
    }

    fn cuDeviceComputeCapability(major: Out<c_int>, minor: Out<c_int>, device: c_int) -> initialized |state| {
        state.device(device)?;
        major.set(CAPABILITY.0)?;
        minor.set(CAPABILITY.1)
    }

    fn cuDeviceGetAttribute(value: Out<c_int>, attribute: u32, device: c_int) -> initialized |state| {
        value.set(state.device(device)?.attribute(attribute, state.config)?)
    }
}
