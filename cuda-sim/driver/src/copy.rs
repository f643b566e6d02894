//! Copies: checked when they are called, done when the stream gets to them.

use std::sync::Arc;

use crate::allocation::Allocation;
use crate::block::Block;
use crate::code::{Code, Result};
use crate::log::report;
use crate::place::{Access, Claim, HostSpan, Place};
use crate::shape::{Extent, Pitch};
use crate::state::State;

/// A copy from pageable memory up to this size is taken aside before the call returns, as the driver does.
const STAGED: usize = 64 << 10;

/// What moves between device and host memory at a time: little enough to stay in the processor's cache.
const RELAYED: usize = 16 << 10;

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
        let block = bytes(self.op, from)?;
        self.relay(|from, to, part| {
            moved(block.read(start + from, part))?;
            span.write(to, part)
        })
    }

    fn to_device(&self, span: &HostSpan, to: &Allocation, at: usize) -> Result<()> {
        let block = bytes(self.op, to)?;
        self.relay(|from, to, part| {
            span.read(from, part)?;
            moved(block.write(at + to, part))
        })
    }

    /// Moves rows by way of memory that is the driver's alone, as neither side of such a copy is.
    fn relay(&self, mut step: impl FnMut(usize, usize, &mut [u8]) -> Result<()>) -> Result<()> {
        let mut buffer = vec![0; self.extent.width.min(RELAYED)];
        self.each_row(|from, to, len| {
            (0..len).step_by(RELAYED).try_for_each(|done| {
                let part = buffer.get_mut(..RELAYED.min(len - done)).ok_or(Code::Unknown)?;
                step(from + done, to + done, part)
            })
        })
    }

    fn staged_to_device(&self, staged: &[u8], to: &Allocation, at: usize) -> Result<()> {
        let block = bytes(self.op, to)?;
        self.each_row(|from, to, len| moved(block.write(at + to, &staged[from..from + len])))
    }

    fn within_device(&self, from: &Allocation, start: usize, to: &Allocation, at: usize) -> Result<()> {
        let (target, source) = (bytes(self.op, to)?, bytes(self.op, from)?);
        self.each_row(|from, to, len| moved(target.copy_from(at + to, &source, start + from, len)))
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

/// The bytes of an allocation for as long as work takes. Fails if they were freed since it was checked.
pub fn bytes(op: &str, allocation: &Allocation) -> Result<Arc<Block>> {
    allocation.block().ok_or_else(|| gone(op, allocation))
}

/// The range of every transfer was checked when it was called.
pub fn moved(done: Option<()>) -> Result<()> {
    done.ok_or(Code::Unknown)
}

/// Says that memory was freed under queued work, which a GPU reports as an illegal address if it notices at
/// all.
fn gone(op: &str, allocation: &Allocation) -> Code {
    report!("{op}: {allocation} was freed before its stream got to this work");
    Code::IllegalAddress
}
