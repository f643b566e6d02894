//! [`Lane`]: what one copy thread owns, a stream and a few pinned blocks, and how it serves a job with them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::cut::{Block, Shape};
use super::job::{Direction, Job};
use super::tuning::SLOTS;
use crate::Result;
use crate::driver::{Context, Event, HostAllocation, Stream};

/// The bytes of a page, at which new memory is touched; larger pages are touched more often than needed.
const PAGE: usize = 4096;

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
        const OPERATION: &str = "start of the copy threads";
        let slot = || {
            let passed = Event::new(context.clone(), OPERATION)?;
            Ok(Slot { memory: None, bytes: 0, passed })
        };
        Ok(Self {
            context: context.clone(),
            stream: Stream::non_blocking("start of the copy threads", context.clone())?,
            slots: (0..SLOTS).map(|_| slot()).collect::<Result<_>>()?,
        })
    }

    /// Copies blocks of the job until none is left to take.
    pub fn serve(&mut self, job: &Job) {
        let Some(first) = job.take() else { return };
        let ready = job.ready().map_or(Ok(()), |ready| self.stream.wait_for_event(job.operation(), ready));
        let mut taken = 1;
        let copied = ready.and_then(|()| match job.direction() {
            Direction::ToDevice { source, .. } => self.upload(job, source, first, &mut taken),
            Direction::ToHost { target, is_fresh, .. } => {
                self.download(job, (target, is_fresh), first, &mut taken)
            }
        });
        // Also after an error: what was queued must not outlive the job.
        let passed = self.stream.synchronize(job.operation());
        job.finish(taken, copied.and(passed));
        self.abandon(job);
    }

    /// Takes what is left of a job that was stopped.
    fn abandon(&self, job: &Job) {
        while job.is_stopped() && job.take().is_some() {
            job.finish(1, Ok(()));
        }
    }

    fn upload(
        &mut self,
        job: &Job,
        source: *const u8,
        first: (Block, Shape),
        taken: &mut usize,
    ) -> Result<()> {
        let (operation, largest) = (job.operation(), job.largest());
        let _current = self.context.enter(operation)?;
        let mut next = Some(first);
        for index in (0..self.slots.len()).cycle() {
            let Some((block, shape)) = next else { break };
            let slot = &mut self.slots[index];
            let pinned = slot.reserve(&self.context, operation, largest)?;
            // SAFETY: the block was taken by this thread; the slot has room for the largest block.
            unsafe { job.gather(source, &block, &shape, pinned) };
            // SAFETY: as above; the slot is reserved again only when its event has passed.
            unsafe { job.queue(&block, &shape, pinned, (&self.context, &self.stream)) }?;
            slot.passed.record(operation, &self.stream)?;
            next = take(job, taken);
        }
        Ok(())
    }

    fn download(
        &mut self,
        job: &Job,
        (target, is_fresh): (*mut u8, bool),
        first: (Block, Shape),
        taken: &mut usize,
    ) -> Result<()> {
        let (operation, largest) = (job.operation(), job.largest());
        let context = self.context.clone();
        let _current = context.enter(operation)?;
        let mut free: VecDeque<usize> = (0..self.slots.len()).collect();
        let mut on_the_way: VecDeque<(usize, Block, Shape)> = VecDeque::new();
        let mut next = Some(first);
        loop {
            while let (Some(index), Some((block, shape))) = (free.front().copied(), next.take()) {
                free.pop_front();
                let slot = &mut self.slots[index];
                let pinned = slot.reserve(&context, operation, largest)?;
                // SAFETY: the block was taken by this thread; the slot has room for the largest block, and is
                // used again only when its event has passed.
                unsafe { job.queue(&block, &shape, pinned, (&context, &self.stream)) }?;
                slot.passed.record(operation, &self.stream)?;
                on_the_way.push_back((index, block, shape));
                next = if free.is_empty() { None } else { take(job, taken) };
            }
            let Some((index, block, shape)) = on_the_way.pop_front() else { return Ok(()) };
            if is_fresh && let Some(bytes) = job.run_on_host(&shape) {
                // SAFETY: the block was taken by this thread, and nobody reads what is not copied yet.
                unsafe { touch(target.wrapping_offset(block.host()), bytes) };
            }
            let slot = &self.slots[index];
            slot.passed.synchronize(operation)?;
            // SAFETY: the block was taken by this thread, and its slot holds it: the event has passed.
            unsafe { job.scatter(target, &block, &shape, slot.start()) };
            free.push_back(index);
            next = take(job, taken);
        }
    }
}

fn take(job: &Job, taken: &mut usize) -> Option<(Block, Shape)> {
    if job.is_stopped() {
        return None;
    }
    let block = job.take()?;
    *taken += 1;
    Some(block)
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
