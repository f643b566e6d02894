//! [`Allocator`]: where a device's blocks come from and go to: the cache in front, the driver behind it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::cache::{Block, Cache, GRAIN, SizeClass};
use crate::Result;
use crate::driver::{Context, Pool, Stream};
use crate::lock::lock;

/// The device memory of one handle. All of it is ordered in the stream of that handle, which is passed to
/// every call.
pub(super) struct Allocator {
    context: Arc<Context>,
    /// None where the device has no pools: then blocks are plain allocations.
    pool: Option<Pool>,
    cache: Mutex<Cache>,
    /// The most bytes that are kept after they were freed.
    limit: usize,
    /// Bytes that were asked for and not freed yet.
    live: AtomicUsize,
}

impl Allocator {
    pub fn new(
        operation: &'static str,
        context: Arc<Context>,
        has_pools: bool,
        limit: usize,
    ) -> Result<Self> {
        let pool = match has_pools {
            true => Some(Pool::new(context.clone(), operation, limit)?),
            false => None,
        };
        Ok(Self { context, pool, cache: Mutex::default(), limit, live: AtomicUsize::new(0) })
    }

    /// Another one of the same device that keeps as much, for another stream.
    pub fn another(&self, operation: &'static str) -> Result<Self> {
        Self::new(operation, self.context.clone(), self.pool.is_some(), self.limit)
    }

    /// A block of at least `bytes` (not zero) that is kept.
    pub fn allocate_kept(&self, bytes: usize) -> Option<Block> {
        let block = self.cache().take(self.class_of(bytes)?)?;
        self.live.fetch_add(bytes, Ordering::Relaxed);
        Some(block)
    }

    /// A new block of `bytes` (not zero), rounded up to what may be kept.
    pub fn allocate(&self, operation: &'static str, bytes: usize, stream: &Stream) -> Result<Block> {
        let rounded = self.class_of(bytes).map_or(bytes, |class| class.bytes);
        let block = self.allocate_aligned(operation, rounded, stream)?;
        self.live.fetch_add(bytes, Ordering::Relaxed);
        Ok(block)
    }

    /// A new block of `bytes` (not zero), not rounded up.
    pub fn allocate_tightly(&self, operation: &'static str, bytes: usize, stream: &Stream) -> Result<Block> {
        let block = self.allocate_aligned(operation, bytes, stream)?;
        self.live.fetch_add(bytes, Ordering::Relaxed);
        Ok(block)
    }

    /// Gives a block back that was allocated for `bytes`. What is queued on `stream` may still use it.
    ///
    /// # Safety
    /// `block` came from [`Allocator::allocate`] of this allocator with as many bytes, and is given back once.
    pub unsafe fn free(
        &self,
        operation: &'static str,
        block: Block,
        bytes: usize,
        stream: &Stream,
    ) -> Result<()> {
        self.live.fetch_sub(bytes, Ordering::Relaxed);
        match self.class_of(block.bytes).filter(|class| class.bytes == block.bytes) {
            Some(class) => self.cache().put(class, block),
            // SAFETY: the caller vouches for the block.
            None => return unsafe { self.free_now(operation, &block, stream) },
        }
        self.shrink_cache(operation, self.limit, stream)
    }

    /// Gives all that is kept back to the system, which takes waiting for the stream.
    pub fn release_cached(&self, operation: &'static str, stream: &Stream) -> Result<()> {
        self.shrink_cache(operation, 0, stream)?;
        stream.synchronize(operation)?;
        self.pool.as_ref().map_or(Ok(()), |pool| pool.trim(operation))
    }

    /// Bytes of what is alive.
    pub fn live_bytes(&self) -> usize {
        self.live.load(Ordering::Relaxed)
    }

    /// Bytes that are kept after they were freed, the driver's pool included.
    pub fn cached_bytes(&self, operation: &'static str) -> usize {
        let unused = self.pool.as_ref().and_then(|pool| pool.unused(operation).ok());
        self.cache().bytes() + unused.unwrap_or(0)
    }

    /// The size to round up to; None for what would not be kept anyway, which is not rounded.
    fn class_of(&self, bytes: usize) -> Option<SizeClass> {
        SizeClass::holding(bytes).filter(|class| class.bytes <= self.limit)
    }

    fn allocate_aligned(&self, operation: &'static str, bytes: usize, stream: &Stream) -> Result<Block> {
        let allocation = self.allocate_now(operation, bytes, stream)?;
        let block = Block { allocation, start: allocation, bytes };
        if allocation.is_multiple_of(GRAIN as u64) {
            return Ok(block);
        }
        // Rare, as drivers give more than the 256 bytes that they promise; only then is there slack.
        // SAFETY: just allocated, and nobody else knows it.
        unsafe { self.free_now(operation, &block, stream) }?;
        let allocation = self.allocate_now(operation, bytes.saturating_add(GRAIN), stream)?;
        Ok(Block { allocation, start: allocation.next_multiple_of(GRAIN as u64), bytes })
    }

    fn allocate_now(&self, operation: &'static str, bytes: usize, stream: &Stream) -> Result<u64> {
        match &self.pool {
            Some(pool) => pool.allocate(operation, bytes, stream),
            None => self.context.allocate_plain(operation, bytes),
        }
    }

    /// # Safety
    /// As [`Allocator::free`].
    unsafe fn free_now(&self, operation: &'static str, block: &Block, stream: &Stream) -> Result<()> {
        match &self.pool {
            // SAFETY: all blocks came from the pool; the caller vouches for the rest.
            Some(pool) => unsafe { pool.free(operation, block.allocation, stream) },
            // SAFETY: all blocks are plain allocations; the caller vouches for the rest.
            None => unsafe { self.context.free_plain(operation, block.allocation) },
        }
    }

    /// Gives the oldest blocks back to the driver until `limit` bytes are left. All are given back, also if
    /// one meets an error; the first is returned.
    fn shrink_cache(&self, operation: &'static str, limit: usize, stream: &Stream) -> Result<()> {
        let mut first = Ok(());
        // The lock is not held during the driver's call.
        let oldest = || self.cache().evict(limit);
        while let Some(block) = oldest() {
            // SAFETY: the block was given back by its user, and is out of the cache now.
            first = first.and(unsafe { self.free_now(operation, &block, stream) });
        }
        first
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        lock(&self.cache)
    }
}
