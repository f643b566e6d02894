//! Copies: checked when they are called, done when the stream gets to them.

use std::sync::Arc;

use crate::allocation::Allocation;
use crate::code::{Code, Result};
use crate::log::report;
use crate::place::{Access, Claim, HostSpan, Place};
use crate::shape::{Extent, Pitch};
use crate::state::State;

/// A copy from pageable memory up to this size is taken aside before the call returns, as the driver does.
const STAGED: usize = 64 << 10;

/// One side of a copy as the caller describes it.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// What the address is said to be.
    pub claim: Claim,
    /// Where the first row begins.
    pub address: u64,
    /// How far apart rows and slices begin.
    pub pitch: Pitch,
}

/// A copy whose every byte was found to be there.
pub struct Copy {
    op: &'static str,
    extent: Extent,
    source: Place,
    source_pitch: Pitch,
    target: Place,
    target_pitch: Pitch,
}

impl Copy {
    /// Checks both sides.
    pub fn new(state: &State, op: &'static str, source: End, target: End, extent: Extent) -> Result<Self> {
        Ok(Self {
            op,
            extent: extent.merged(source.pitch, target.pitch),
            source: source.find(state, op, "reads", extent)?,
            source_pitch: source.pitch,
            target: target.find(state, op, "writes", extent)?,
            target_pitch: target.pitch,
        })
    }

    /// Reads a small pageable source now, so that the caller may change it at once.
    pub fn stage(&mut self) -> Result<()> {
        let Place::Pageable(span) = self.source else { return Ok(()) };
        let packed = self.extent.packed().ok_or(Code::InvalidValue)?;
        let size = packed.slice * self.extent.depth;
        if size > STAGED {
            return Ok(());
        }
        let mut bytes = vec![0; size];
        for (from, to) in self.extent.rows(self.source_pitch, packed) {
            span.read(from, &mut bytes[to..to + self.extent.width])?;
        }
        (self.source, self.source_pitch) = (Place::Staged(bytes), packed);
        Ok(())
    }

    /// Whether the call may return only when the copy is done: pageable memory may be gone after it.
    pub fn blocks(&self) -> bool {
        self.source.is_pageable() || self.target.is_pageable()
    }

    /// Moves the bytes. Fails if device memory was freed since the copy was checked.
    pub fn run(&self) -> Result<()> {
        match (&self.source, &self.target) {
            (Place::Device(from, start), Place::Device(to, at)) => self.within_device(from, *start, to, *at),
            (Place::Device(from, start), Place::Pinned(span) | Place::Pageable(span)) => {
                self.to_host(from, *start, span)
            }
            (Place::Pinned(span) | Place::Pageable(span), Place::Device(to, at)) => {
                self.to_device(span, to, *at)
            }
            (Place::Staged(bytes), Place::Device(to, at)) => self.staged_to_device(bytes, to, *at),
            (Place::Staged(bytes), Place::Pinned(span) | Place::Pageable(span)) => {
                self.each_row(|from, to, len| span.write(to, &bytes[from..from + len]))
            }
            (Place::Pinned(from) | Place::Pageable(from), Place::Pinned(to) | Place::Pageable(to)) => {
                self.each_row(|start, at, len| to.copy_from(at, from, start, len))
            }
            (_, Place::Staged(_)) => Err(Code::Unknown),
        }
    }

    fn each_row(&self, mut row: impl FnMut(usize, usize, usize) -> Result<()>) -> Result<()> {
        let width = self.extent.width;
        self.extent.rows(self.source_pitch, self.target_pitch).try_for_each(|(from, to)| row(from, to, width))
    }

    fn to_host(&self, from: &Allocation, start: usize, span: &HostSpan) -> Result<()> {
        let bytes = from.read();
        let bytes = bytes.as_deref().ok_or_else(|| gone(self.op, from))?;
        self.each_row(|from, to, len| span.write(to, &bytes[start + from..start + from + len]))
    }

    fn to_device(&self, span: &HostSpan, to: &Allocation, at: usize) -> Result<()> {
        let mut bytes = to.write();
        let bytes = bytes.as_deref_mut().ok_or_else(|| gone(self.op, to))?;
        self.each_row(|from, to, len| span.read(from, &mut bytes[at + to..at + to + len]))
    }

    fn staged_to_device(&self, staged: &[u8], to: &Allocation, at: usize) -> Result<()> {
        let mut bytes = to.write();
        let bytes = bytes.as_deref_mut().ok_or_else(|| gone(self.op, to))?;
        self.each_row(|from, to, len| {
            bytes[at + to..at + to + len].copy_from_slice(&staged[from..from + len]);
            Ok(())
        })
    }

    fn within_device(
        &self,
        from: &Arc<Allocation>,
        start: usize,
        to: &Arc<Allocation>,
        at: usize,
    ) -> Result<()> {
        if Arc::ptr_eq(from, to) {
            return self.within_allocation(to, start, at);
        }
        // Locked in the order of their addresses, so that two opposite copies do not wait for each other.
        let early = (from.address < to.address).then(|| from.read());
        let mut target = to.write();
        let source = early.unwrap_or_else(|| from.read());
        let target = target.as_deref_mut().ok_or_else(|| gone(self.op, to))?;
        let source = source.as_deref().ok_or_else(|| gone(self.op, from))?;
        self.each_row(|from, to, len| {
            target[at + to..at + to + len].copy_from_slice(&source[start + from..start + from + len]);
            Ok(())
        })
    }

    fn within_allocation(&self, allocation: &Allocation, start: usize, at: usize) -> Result<()> {
        let mut bytes = allocation.write();
        let bytes = bytes.as_deref_mut().ok_or_else(|| gone(self.op, allocation))?;
        self.each_row(|from, to, len| {
            bytes.copy_within(start + from..start + from + len, at + to);
            Ok(())
        })
    }
}

impl End {
    /// An end of a copy of one run of bytes.
    pub fn run(claim: Claim, address: u64) -> Self {
        Self { claim, address, pitch: Pitch { row: 0, slice: 0 } }
    }

    /// Checks this side.
    pub fn find(&self, state: &State, op: &'static str, verb: &'static str, extent: Extent) -> Result<Place> {
        let len = extent.span(self.pitch).ok_or(Code::InvalidValue)?;
        let access = Access { op, verb, address: self.address, len };
        if access.address.checked_add(len as u64).is_none() {
            report!("{access}, past the end of all addresses");
            return Err(Code::InvalidValue);
        }
        Place::find(state, self.claim, &access)
    }
}

/// Says that memory was freed under queued work, which a GPU reports as an illegal address if it notices at
/// all.
pub fn gone(op: &str, allocation: &Allocation) -> Code {
    report!("{op}: {allocation} was freed before its stream got to this work");
    Code::IllegalAddress
}
