//! What is live in the simulator.

/// Counts of what is live, for tests of code that must not leak.
///
/// Memory that `cuMemFreeAsync` freed does not count, even where its stream has not come to it yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[non_exhaustive]
pub struct Stats {
    /// Bytes of device and managed memory.
    pub device_bytes: u64,
    /// Allocations of device and managed memory.
    pub device_allocations: u64,
    /// Bytes of pinned and registered host memory.
    pub pinned_bytes: u64,
    /// Blocks of pinned and registered host memory.
    pub pinned_allocations: u64,
    /// Streams that were created. Default streams do not count.
    pub streams: u64,
    /// Events.
    pub events: u64,
    /// Contexts, with primary contexts that are retained.
    pub contexts: u64,
}
