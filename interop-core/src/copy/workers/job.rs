//! [`Job`]: one copy that threads make together.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::cut::{Block, Cut, Shape};
use super::tuning::Manner;
use crate::copy::execute::blocks_of;
use crate::copy::gather::copy_on_host;
use crate::copy::meter::Meter;
use crate::copy::streaming::Stores;
use crate::driver::{Context, Event, Route, Stream};
use crate::{Error, Result};

/// So long whoever waits for a job stays awake: threads end within less of each other, and to be woken takes some
/// tens of microseconds.
const AWAKE: Duration = Duration::from_micros(200);

/// Which way a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    ToDevice { source: *const u8, target: u64 },
    ToHost { source: u64, target: *mut u8, is_fresh: bool },
}

/// Both sides of a copy: where their first elements are, and how the others lie; strides in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<'a> {
    pub direction: Direction,
    pub shape: &'a [usize],
    pub host: &'a [isize],
    pub device: &'a [isize],
    pub itemsize: usize,
    pub meter: Option<&'a Meter>,
}

/// A copy in progress. Whoever made it keeps both arrays until [`Job::wait`] has returned.
pub(super) struct Job {
    operation: &'static str,
    direction: Direction,
    itemsize: usize,
    cut: Cut,
    stores: Stores,
    meter: Option<Meter>,
    /// The most bytes that a block needs.
    largest: usize,
    /// What the copy is ordered behind; None if that is done.
    ready: Option<Event>,
    next: AtomicUsize,
    is_stopped: AtomicBool,
    /// Blocks that are not complete, taken or not.
    open: AtomicUsize,
    error: Mutex<Option<Error>>,
    done: Condvar,
}

// SAFETY: the addresses in `direction` are used by threads until the job is over, and so long its maker vouches
// for them.
unsafe impl Send for Job {}
// SAFETY: as above; each block is taken by one thread, and no two blocks share a byte that is written.
unsafe impl Sync for Job {}

impl Sides<'_> {
    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.itemsize
    }

    pub fn is_to_device(&self) -> bool {
        matches!(self.direction, Direction::ToDevice { .. })
    }

    /// Whether the host's side is new memory that was not touched yet.
    pub fn is_fresh(&self) -> bool {
        matches!(self.direction, Direction::ToHost { is_fresh: true, .. })
    }

    pub fn host_address(&self) -> usize {
        match self.direction {
            Direction::ToDevice { source, .. } => source as usize,
            Direction::ToHost { target, .. } => target as usize,
        }
    }
}

impl Job {
    /// A non-empty copy. It is ordered behind `ready`.
    ///
    /// # Safety
    /// Until [`Job::wait`] has returned, every element can be read on the one side and written on the other, and no
    /// two of the written ones share a byte.
    pub unsafe fn new(
        operation: &'static str,
        sides: Sides<'_>,
        manner: Manner,
        ready: Option<Event>,
    ) -> Self {
        let Sides { direction, shape, host, device, itemsize, meter } = sides;
        let cut = Cut::new(shape, host, device, itemsize, manner.sizes, sides.host_address());
        Self {
            operation,
            direction,
            itemsize,
            stores: manner.stores,
            meter: meter.cloned(),
            largest: cut.largest(),
            ready,
            next: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
            open: AtomicUsize::new(cut.blocks().len()),
            cut,
            error: Mutex::default(),
            done: Condvar::new(),
        }
    }

    pub fn operation(&self) -> &'static str {
        self.operation
    }

    pub fn direction(&self) -> Direction {
        self.direction
    }

    pub fn ready(&self) -> Option<&Event> {
        self.ready.as_ref()
    }

    /// The most bytes that a block needs.
    pub fn largest(&self) -> usize {
        self.largest
    }

    pub fn blocks(&self) -> usize {
        self.cut.blocks().len()
    }

    /// The next block that no thread has taken; each that is taken must be finished.
    pub fn take(&self) -> Option<Block> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        self.cut.blocks().get(index).copied()
    }

    /// How one of the job's blocks moves.
    pub fn shape(&self, block: &Block) -> Shape {
        self.cut.shape(block)
    }

    /// Whether blocks are left to take.
    pub fn has_more(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.blocks()
    }

    /// Whether an error makes further copying pointless.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Counts a block that has arrived, for whoever looks on.
    pub fn arrived(&self, block: &Block) {
        if let Some(meter) = &self.meter {
            meter.add(self.cut.bytes(block));
        }
    }

    /// Says that so many taken blocks are complete, or failed.
    pub fn finish(&self, blocks: usize, outcome: Result<()>) {
        if let Err(error) = outcome {
            self.is_stopped.store(true, Ordering::Relaxed);
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
        if self.open.fetch_sub(blocks, Ordering::AcqRel) == blocks {
            // Locked, so that nobody falls asleep between a look at `open` and the call.
            let _error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
            self.done.notify_all();
        }
    }

    /// Waits until every block is finished: then no thread uses the arrays any more.
    pub fn wait(&self) {
        let start = Instant::now();
        while self.is_open() && start.elapsed() < AWAKE {
            std::hint::spin_loop();
        }
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.done.wait_while(error, |_| self.is_open()));
    }

    /// How a job that was waited for ended; what went wrong is told once.
    pub fn outcome(&self) -> Result<()> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire) > 0
    }

    /// The bytes of a block that is one run on the host.
    pub fn run_on_host(&self, shape: &Shape) -> Option<usize> {
        match (&shape.shape[..], &shape.host[..]) {
            (&[len], &[stride]) if stride == self.itemsize as isize => Some(len * self.itemsize),
            _ => None,
        }
    }

    /// Gathers a block's elements into pinned memory.
    ///
    /// # Safety
    /// The job goes to the device, the block is one of its own, and `pinned` has room for it.
    pub unsafe fn gather(&self, source: *const u8, block: &Block, shape: &Shape, pinned: *mut u8) {
        let from = (source.wrapping_offset(block.host()), &shape.host[..]);
        // SAFETY: the job's maker vouches for the host's elements, the caller for the pinned memory.
        unsafe { copy_on_host(from, (pinned, &shape.packed), &shape.shape, self.itemsize, self.stores) };
    }

    /// Scatters a block's elements from pinned memory.
    ///
    /// # Safety
    /// The job goes to the host, the block is one of its own and nobody else's, and `pinned` holds it.
    pub unsafe fn scatter(&self, target: *mut u8, block: &Block, shape: &Shape, pinned: *const u8) {
        let to = (target.wrapping_offset(block.host()), &shape.host[..]);
        // SAFETY: the job's maker vouches for the host's elements, the caller for the pinned memory.
        unsafe { copy_on_host((pinned, &shape.packed), to, &shape.shape, self.itemsize, self.stores) };
    }

    /// Queues a block between pinned memory and the device.
    ///
    /// # Safety
    /// The block is one of the job's, `pinned` has room for it, and both stay as they are until the stream has
    /// passed; `context` is current.
    pub unsafe fn queue(
        &self,
        block: &Block,
        shape: &Shape,
        pinned: *mut u8,
        (context, stream): (&Context, &Stream),
    ) -> Result<()> {
        let (route, to_device) = match self.direction {
            Direction::ToDevice { target, .. } => {
                let target = target.wrapping_add_signed(block.device() as i64);
                (Route::HostToDevice { source: pinned, target }, true)
            }
            Direction::ToHost { source, .. } => {
                let source = source.wrapping_add_signed(block.device() as i64);
                (Route::DeviceToHost { source, target: pinned }, false)
            }
        };
        let plan = shape.transfer(self.itemsize, to_device);
        blocks_of(&plan, route).try_for_each(|transfer| {
            // SAFETY: the job's maker vouches for the device's elements, the caller for the rest.
            unsafe { transfer.queue(self.operation, context, stream) }
        })
    }
}
