//! What only the simulator has: how the crate `cuda-sim` recognises it and asks what is live.

use super::argument::Out;
use super::call::entry_points;
use crate::code::Code;
use crate::pinned::Kind;
use crate::state::{self, State};

/// Counts of what is live. `cuda-sim` declares the same layout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Stats {
    device_bytes: u64,
    device_allocations: u64,
    pinned_bytes: u64,
    pinned_allocations: u64,
    streams: u64,
    events: u64,
    contexts: u64,
}

/// Changes with what the two functions below mean.
const VERSION: u32 = 1;

entry_points! {
    /// Tells the version of this interface. Only the simulator has this symbol.
    fn cudaSimVersion(version: Out<u32>) -> any_time {
        version.set(VERSION)
    }

    /// Fills in the counts. `size` is that of the caller's structure: another size is another version.
    fn cudaSimStats(stats: Out<Stats>, size: usize) -> any_time {
        if size != size_of::<Stats>() {
            return Err(Code::InvalidValue);
        }
        stats.set(state::get().map(count).unwrap_or_default())
    }
}

/// Managed memory counts as device memory: that is what it is charged to.
fn count(state: &State) -> Stats {
    let mut stats = Stats {
        streams: state.streams.len() as u64,
        events: state.events.len() as u64,
        contexts: state.live_contexts() as u64,
        ..Stats::default()
    };
    for allocation in state.device_memory.all() {
        stats.device_bytes += allocation.request.size as u64;
        stats.device_allocations += 1;
    }
    for block in state.host_memory.all() {
        let (bytes, blocks) = match block.kind {
            Kind::Managed => (&mut stats.device_bytes, &mut stats.device_allocations),
            Kind::Pinned | Kind::Registered => (&mut stats.pinned_bytes, &mut stats.pinned_allocations),
        };
        *bytes += block.size as u64;
        *blocks += 1;
    }
    stats
}
