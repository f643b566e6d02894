//! From an address to what lies there.

use std::fmt;
use std::sync::Arc;

use crate::allocation::Allocation;
use crate::code::{Code, Result};
use crate::log::report;
use crate::state::State;

/// A range of bytes that an operation is about to touch; its text begins every message about it.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The entry point.
    pub op: &'static str,
    /// `reads` or `writes`.
    pub verb: &'static str,
    /// Where it begins.
    pub address: u64,
    /// Bytes.
    pub len: usize,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { op, verb, address, len } = self;
        write!(f, "{op} {verb} {len} bytes at {address:#x}")
    }
}

/// What kind of address the caller says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// An address that the device can reach: device memory, or pinned host memory.
    Device,
    /// A pointer into host memory.
    Host,
    /// Whatever it turns out to be (`CU_MEMORYTYPE_UNIFIED`).
    Unified,
}

/// Where the bytes of one side of a transfer are.
pub enum Place {
    /// In device memory, from an offset on.
    Device(Arc<Allocation>, usize),
    /// In host memory that the device can reach.
    Pinned(HostSpan),
    /// In host memory that it cannot reach: the transfer cannot outlast the call.
    Pageable(HostSpan),
    /// In a copy that the driver made before the call returned.
    Staged(Vec<u8>),
}

/// Host memory: a block of ours, or what the C caller promises to be valid for as long as the transfer takes.
#[derive(Clone, Copy, Debug)]
pub struct HostSpan {
    address: usize,
    len: usize,
}

impl Place {
    /// Checks an access and says what lies there.
    pub fn find(state: &State, claim: Claim, access: &Access) -> Result<Self> {
        if state.device_memory.contains(access.address) {
            return Self::find_device(state, claim, access);
        }
        match (state.host_memory.at(access.address), claim) {
            (Some(block), _) if access.address + access.len as u64 <= block.end() => {
                Ok(Self::Pinned(HostSpan::of(access)))
            }
            (Some(block), _) => {
                report!("{access}{}", block.explain(access.address, access.len));
                Err(Code::InvalidValue)
            }
            (None, Claim::Device) => {
                report!("{access}, which is no device address: is it a pointer to ordinary host memory?");
                Err(Code::InvalidValue)
            }
            (None, _) if access.address == 0 => {
                report!("{access}, a null pointer");
                Err(Code::InvalidValue)
            }
            (None, Claim::Host | Claim::Unified) => Ok(Self::Pageable(HostSpan::of(access))),
        }
    }

    fn find_device(state: &State, claim: Claim, access: &Access) -> Result<Self> {
        if claim == Claim::Host {
            report!("{access}, a device address where a host pointer belongs");
            return Err(Code::InvalidValue);
        }
        let (allocation, offset) = state.device_memory.find(access)?;
        Ok(Self::Device(allocation, offset))
    }

    /// Whether the caller must not go on before the transfer is finished.
    pub fn is_pageable(&self) -> bool {
        matches!(self, Self::Pageable(_))
    }
}

impl HostSpan {
    fn of(access: &Access) -> Self {
        Self { address: access.address as usize, len: access.len }
    }

    /// Reads bytes from an offset on.
    pub fn read(&self, offset: usize, into: &mut [u8]) -> Result<()> {
        let source: *const u8 = std::ptr::with_exposed_provenance(self.start(offset, into.len())?);
        // SAFETY: `start` keeps the range inside this span, which a block of ours or the promise of the C
        // caller makes readable; `into` is exclusive memory of the driver, so the two do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(source, into.as_mut_ptr(), into.len()) };
        Ok(())
    }

    /// Writes bytes from an offset on.
    pub fn write(&self, offset: usize, from: &[u8]) -> Result<()> {
        let target: *mut u8 = std::ptr::with_exposed_provenance_mut(self.start(offset, from.len())?);
        // SAFETY: `start` keeps the range inside this span, which a block of ours or the promise of the C
        // caller makes writable; `from` is memory of the driver, so the two do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), target, from.len()) };
        Ok(())
    }

    /// Writes bytes from another span, which may overlap.
    pub fn copy_from(&self, offset: usize, from: &Self, from_offset: usize, len: usize) -> Result<()> {
        let source: *const u8 = std::ptr::with_exposed_provenance(from.start(from_offset, len)?);
        let target: *mut u8 = std::ptr::with_exposed_provenance_mut(self.start(offset, len)?);
        // SAFETY: `start` keeps both ranges inside spans that blocks of ours or the promise of the C caller
        // make valid for this direction; `copy` allows overlap.
        unsafe { std::ptr::copy(source, target, len) };
        Ok(())
    }

    fn start(&self, offset: usize, len: usize) -> Result<usize> {
        let end = offset.checked_add(len).filter(|&end| end <= self.len);
        end.and(self.address.checked_add(offset)).ok_or(Code::Unknown)
    }
}
