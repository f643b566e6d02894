//! [`Lane`]: a stream and a few pinned blocks, and how one thread serves a job with them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::cut::{Block, Shape};
use super::job::{Direction, Job};
use super::team::START;
use super::tuning::SLOTS;
use crate::driver::{Context, Event, HostAllocation, Stream};
use crate::{Error, Result};

/// The bytes of a page, at which new memory is touched; larger pages are touched more often than needed.
const PAGE: usize = 4096;

/// What one thread copies with.
pub(super) struct Lane {
    context: Arc<Context>,
    stream: Stream,
    slots: Vec<Slot>,
}

/// A pinned block.
struct Slot {
    /// None until a copy needs it; grown when one needs more.
    memory: Option<HostAllocation>,
    bytes: usize,
    /// Behind the last copy from or to the memory.
    passed: Event,
}

impl Slot {
    /// The memory, with room for `bytes` and no copy in flight.
    fn reserve(&mut self, context: &Arc<Context>, operation: &'static str, bytes: usize) -> Result<*mut u8> {
        self.passed.synchronize(operation)?;
        if self.bytes < bytes {
            // Given back first: the bound holds at every moment.
            self.memory = None;
            self.bytes = 0;
            self.memory = Some(HostAllocation::new(context.clone(), operation, bytes)?);
            self.bytes = bytes;
        }
        Ok(self.start())
    }

    fn start(&self) -> *mut u8 {
        self.memory.as_ref().map_or(std::ptr::null_mut(), |memory| memory.start().as_ptr())
    }
}

impl Lane {
    pub fn new(context: &Arc<Context>) -> Result<Self> {
        let slot = || {
            let passed = Event::new(context.clone(), START)?;
            Ok(Slot { memory: None, bytes: 0, passed })
        };
        Ok(Self {
            context: context.clone(),
            stream: Stream::non_blocking(START, context.clone())?,
            slots: (0..SLOTS).map(|_| slot()).collect::<Result<_>>()?,
        })
    }

    /// Waits for all that was queued. Where that fails, nobody can say whether the device still uses the pinned
    /// memory, which is never freed, nor used again.
    fn wait(&mut self, operation: &'static str) -> Result<()> {
        let passed = self.stream.synchronize(operation);
        if passed.is_err() {
            for slot in &mut self.slots {
                std::mem::forget(slot.memory.take());
                slot.bytes = 0;
            }
        }
        passed
    }

    /// Copies blocks of the job until none is left to take.
    pub fn serve(&mut self, job: &Job) {
        let mut turn = Turn { job, lane: self, taken: 0, outcome: Err(panicked(job)) };
        turn.outcome = turn.serve();
    }
}

fn panicked(job: &Job) -> Error {
    Error::CopyPanicked { operation: job.operation() }
}

/// One thread's part in a job. Its end, also by a panic, waits for what was queued, which must not outlive the
/// job, and gives account of the blocks.
struct Turn<'a> {
    job: &'a Job,
    lane: &'a mut Lane,
    taken: usize,
    outcome: Result<()>,
}

impl Turn<'_> {
    fn serve(&mut self) -> Result<()> {
        let (job, context) = (self.job, self.lane.context.clone());
        let Some(first) = self.take() else { return Ok(()) };
        let _current = context.enter(job.operation())?;
        if let Some(ready) = job.ready() {
            self.lane.stream.wait_for_event(job.operation(), ready)?;
        }
        match job.direction() {
            Direction::ToDevice { source, .. } => self.upload(source, first),
            Direction::ToHost { target, is_fresh, .. } => self.download((target, is_fresh), first),
        }
    }

    fn upload(&mut self, source: *const u8, first: (Block, Shape)) -> Result<()> {
        let (operation, largest) = (self.job.operation(), self.job.largest());
        let mut next = Some(first);
        let mut on_the_way = [None; SLOTS];
        for index in (0..SLOTS).cycle() {
            let Some((block, shape)) = next else { break };
            let Lane { context, stream, slots } = &mut *self.lane;
            let slot = &mut slots[index];
            let pinned = slot.reserve(context, operation, largest)?;
            if let Some(before) = on_the_way[index].replace(block) {
                self.job.arrived(&before);
            }
            // SAFETY: the block was taken by this thread; the slot has room for the largest block.
            unsafe { self.job.gather(source, &block, &shape, pinned) };
            // SAFETY: as above; the slot is reserved again only when its event has passed.
            unsafe { self.job.queue(&block, &shape, pinned, (context, stream)) }?;
            slot.passed.record(operation, stream)?;
            next = self.take();
        }
        Ok(())
    }

    fn download(&mut self, (target, is_fresh): (*mut u8, bool), first: (Block, Shape)) -> Result<()> {
        let (operation, largest) = (self.job.operation(), self.job.largest());
        // Slots are used one after the other, and pass in that order.
        let mut used = 0;
        let mut on_the_way: VecDeque<(usize, Block, Shape)> = VecDeque::new();
        let mut next = Some(first);
        loop {
            while on_the_way.len() < SLOTS
                && let Some((block, shape)) = next.take().or_else(|| self.take())
            {
                let index = used % SLOTS;
                used += 1;
                let Lane { context, stream, slots } = &mut *self.lane;
                let slot = &mut slots[index];
                let pinned = slot.reserve(context, operation, largest)?;
                // SAFETY: the block was taken by this thread; the slot has room for the largest block, and is
                // used again only when its event has passed.
                unsafe { self.job.queue(&block, &shape, pinned, (context, stream)) }?;
                slot.passed.record(operation, stream)?;
                on_the_way.push_back((index, block, shape));
            }
            let Some((index, block, shape)) = on_the_way.pop_front() else { return Ok(()) };
            if is_fresh && let Some(bytes) = self.job.run_on_host(&shape) {
                // SAFETY: the block was taken by this thread, and nobody reads what is not copied yet.
                unsafe { touch(target.wrapping_offset(block.host()), bytes) };
            }
            let slot = &self.lane.slots[index];
            slot.passed.synchronize(operation)?;
            // SAFETY: the block was taken by this thread, and its slot holds it: the event has passed.
            unsafe { self.job.scatter(target, &block, &shape, slot.start()) };
            self.job.arrived(&block);
        }
    }

    fn take(&mut self) -> Option<(Block, Shape)> {
        if self.job.is_stopped() {
            return None;
        }
        let block = self.job.take()?;
        self.taken += 1;
        Some((block, self.job.shape(&block)))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.taken > 0 {
            let passed = self.lane.wait(self.job.operation());
            let outcome = std::mem::replace(&mut self.outcome, Ok(()));
            self.job.finish(self.taken, outcome.and(passed));
        }
        // What is left of a job that was stopped.
        while self.job.is_stopped() && self.job.take().is_some() {
            self.job.finish(1, Ok(()));
        }
    }
}

/// Has the system give every page of new memory, while the copy to it is still on its way.
///
/// # Safety
/// The bytes can be written, and hold nothing yet.
unsafe fn touch(start: *mut u8, bytes: usize) {
    for offset in (0..bytes).step_by(PAGE) {
        // SAFETY: the caller vouches for the bytes. Volatile: it is the page that matters, not the value.
        unsafe { start.wrapping_add(offset).write_volatile(0) };
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::copy::workers::Sides;
    use crate::copy::workers::tuning::Tuning;
    use crate::{CudaBuffer, DType, Gpu};

    #[test]
    fn a_thread_that_panics_gives_account_of_its_blocks_and_stops_the_copy() {
        const BYTES: usize = 1 << 20;
        let gpu = Gpu::open(0).unwrap();
        let (device, host) = (CudaBuffer::new(&gpu, &[BYTES], DType::U8).unwrap(), vec![1u8; BYTES]);
        let mut lane = Lane::new(gpu.context()).unwrap();
        let direction = Direction::ToDevice { source: host.as_ptr(), target: device.pointer() };
        let sides = Sides { direction, shape: &[BYTES], host: &[1], device: &[1], itemsize: 1, meter: None };
        // SAFETY: both arrays hold so many bytes, and outlive the job.
        let job = unsafe { Job::new("test", sides, Tuning::manner_of_small(), None) };
        assert!(job.blocks() > 1);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut turn = Turn { job: &job, lane: &mut lane, taken: 0, outcome: Err(panicked(&job)) };
            turn.take().unwrap();
            panic!("in the midst of a copy");
        }));
        assert!(panicked.is_err());
        job.wait(); // for ever, if a block were left
        assert_eq!(job.outcome(), Err(Error::CopyPanicked { operation: "test" }));
        assert!(!job.has_more());
    }
}
