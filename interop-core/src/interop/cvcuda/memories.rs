//! [`Memories`]: the memory that recorded work reads and writes.

use std::borrow::Borrow;

use super::keep::drop_quietly;
use crate::Memory;

/// Each memory once. Dropping it gives all of them up, whatever an owner's drop does: a panic there must neither keep the
/// others nor meet another panic, which would end the process.
#[derive(Default)]
pub(super) struct Memories {
    reads: Vec<Memory>,
    writes: Vec<Memory>,
}

impl Memories {
    pub fn add<M: Borrow<Memory>>(&mut self, reads: &[M], writes: &[M]) {
        let is_in = |list: &[Memory], memory: &Memory| list.iter().any(|other| other.is_same(memory));
        for memory in writes.iter().map(Borrow::borrow) {
            if !is_in(&self.writes, memory) {
                self.writes.push(memory.clone());
            }
        }
        // What is also written is ordered as that.
        self.reads.retain(|memory| !is_in(&self.writes, memory));
        for memory in reads.iter().map(Borrow::borrow) {
            if !is_in(&self.writes, memory) && !is_in(&self.reads, memory) {
                self.reads.push(memory.clone());
            }
        }
    }

    /// What is read, and not written.
    pub fn reads(&self) -> &[Memory] {
        &self.reads
    }

    pub fn writes(&self) -> &[Memory] {
        &self.writes
    }
}

impl Drop for Memories {
    fn drop(&mut self) {
        self.reads.drain(..).chain(self.writes.drain(..)).for_each(drop_quietly);
    }
}
