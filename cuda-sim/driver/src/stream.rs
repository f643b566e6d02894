//! Streams: one worker thread each, which does the work in the order it was submitted.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::code::{Code, Result};
use crate::config::config;
use crate::graph::{Capture, Node};
use crate::lane::{Kind, Lane, Point};
use crate::log::report;
use crate::order::Order;
use crate::sync::lock;

/// `CU_STREAM_NON_BLOCKING`.
pub const NON_BLOCKING: u32 = 1;

/// What C calls `CUstream`.
pub struct Stream {
    /// Its handle: 1 and 2 for the default streams.
    pub handle: usize,
    /// The context it belongs to.
    pub context: usize,
    /// The flags it was created with.
    pub flags: u32,
    /// The priority it was created with, already within range. It has no effect.
    pub priority: i32,
    /// The order of its context.
    pub order: Arc<Order>,
    lane: Arc<Lane>,
    jobs: Sender<Job>,
    capture: Mutex<Option<Capture>>,
}

struct Job {
    number: u64,
    after: Vec<Point>,
    work: Box<dyn FnOnce() -> Result<()> + Send>,
}

impl Stream {
    /// Starts a stream and its worker.
    pub fn start(
        handle: usize,
        context: usize,
        order: &Arc<Order>,
        flags: u32,
        priority: i32,
    ) -> Result<Self> {
        let kind = match (handle, flags & NON_BLOCKING) {
            (LEGACY, _) => Kind::Legacy,
            (_, NON_BLOCKING) => Kind::NonBlocking,
            _ => Kind::Blocking,
        };
        let delay = config()?.stream_delay;
        let (jobs, queue) = channel();
        let lane = order.open(kind);
        let worker = Worker { lane: Arc::clone(&lane), order: Arc::clone(order), delay };
        let thread = std::thread::Builder::new().name(format!("cuda-sim {handle:#x}"));
        thread.spawn(move || worker.run(&queue)).map_err(|error| {
            report!("no thread for another stream: {error}");
            Code::OperatingSystem
        })?;
        Ok(Self {
            handle,
            context,
            flags,
            priority,
            order: Arc::clone(order),
            lane,
            jobs,
            capture: Mutex::default(),
        })
    }

    /// Queues work.
    pub fn submit(&self, work: impl FnOnce() -> Result<()> + Send + 'static) -> Result<Point> {
        self.submit_after(None, work)
    }

    /// Queues work that waits for one more point, on whatever stream.
    pub fn submit_after(
        &self,
        point: Option<Point>,
        work: impl FnOnce() -> Result<()> + Send + 'static,
    ) -> Result<Point> {
        if let Some(capture) = &*lock(&self.capture) {
            if capture.is_invalid() {
                return Err(Code::CaptureInvalidated);
            }
            report!("no work but fills can be captured here");
            return Err(Code::NotSupported);
        }
        self.order.submit(&self.lane, |number, mut after| {
            after.extend(point);
            let job = Job { number, after, work: Box::new(work) };
            self.jobs.send(job).map_err(|_| Code::Unknown)
        })
    }

    /// Queues work that can be done again, or keeps it where the stream is capturing. None if it was kept.
    pub fn submit_node(&self, node: Node) -> Result<Option<Point>> {
        if let Some(capture) = &mut *lock(&self.capture) {
            return capture.keep(node).map(|()| None);
        }
        self.submit(move || node()).map(Some)
    }

    /// From here on work is kept, and not done, until [`Stream::end_capture`].
    pub fn begin_capture(&self) -> Result<()> {
        let mut capture = lock(&self.capture);
        if self.lane.kind == Kind::Legacy {
            return Err(Code::CaptureUnsupported);
        }
        if capture.is_some() {
            return Err(Code::IllegalState);
        }
        *capture = Some(Capture::new(&self.order.captures));
        Ok(())
    }

    /// What was kept.
    pub fn end_capture(&self) -> Result<Vec<Node>> {
        lock(&self.capture).take().ok_or(Code::IllegalState)?.finish()
    }

    /// `CUstreamCaptureStatus`: 0 for none, 1 while capturing, 2 where the capture is invalid.
    pub fn capture_status(&self) -> c_int {
        lock(&self.capture).as_ref().map_or(0, |capture| if capture.is_invalid() { 2 } else { 1 })
    }

    /// Waiting for what is not done ends a capture.
    fn check_not_capturing(&self) -> Result<()> {
        match &mut *lock(&self.capture) {
            Some(capture) => Err(capture.invalidate()),
            None => Ok(()),
        }
    }

    /// Blocks until all work submitted so far is finished, then tells of faults.
    pub fn synchronize(&self) -> Result<()> {
        self.check_not_capturing()?;
        self.awaited().iter().for_each(Point::wait);
        self.check()
    }

    /// Tells of faults of the stream's context.
    pub fn check(&self) -> Result<()> {
        self.order.check()
    }

    /// Fails with [`Code::NotReady`] while work is pending.
    pub fn query(&self) -> Result<()> {
        self.check_not_capturing()?;
        self.check()?;
        let ready = self.awaited().iter().all(Point::reached);
        if ready { Ok(()) } else { Err(Code::NotReady) }
    }

    /// The legacy stream counts as idle when the streams that it waits for are.
    fn awaited(&self) -> Vec<Point> {
        match self.lane.kind {
            Kind::Legacy => self.order.last_of_legacy(),
            Kind::Blocking | Kind::NonBlocking => vec![self.lane.last()],
        }
    }
}

/// `CU_STREAM_LEGACY`, which `NULL` means too.
pub const LEGACY: usize = 1;

/// `CU_STREAM_PER_THREAD`.
pub const PER_THREAD: usize = 2;

struct Worker {
    lane: Arc<Lane>,
    order: Arc<Order>,
    /// Before each piece of work, so that what does not wait for it is seen to come first.
    delay: Duration,
}

impl Worker {
    /// Ends when the stream is gone and all its work is done, so a destroyed stream still finishes.
    fn run(&self, queue: &Receiver<Job>) {
        for job in queue {
            job.after.iter().for_each(Point::wait);
            std::thread::sleep(self.delay);
            self.work(job.work);
            self.lane.finish(job.number);
        }
    }

    fn work(&self, work: Box<dyn FnOnce() -> Result<()> + Send>) {
        // Whatever a piece of work does, the streams that wait for it must go on.
        let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Code::Unknown));
        if let Err(code) = result {
            self.order.set_fault(code);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;

    fn stream(order: &Arc<Order>, handle: usize, flags: u32) -> Stream {
        Stream::start(handle, 0, order, flags, 0).unwrap()
    }

    #[test]
    fn a_blocking_stream_waits_for_the_legacy_stream_and_a_non_blocking_one_does_not() {
        let order = Arc::new(Order::default());
        let (legacy, blocking, free) =
            (stream(&order, LEGACY, 0), stream(&order, 100, 0), stream(&order, 101, NON_BLOCKING));
        let (release, gate) = sync_channel::<()>(0);
        legacy.submit(move || gate.recv().map_err(|_| Code::Unknown)).unwrap();
        blocking.submit(|| Ok(())).unwrap();
        free.submit(|| Ok(())).unwrap();
        assert_eq!(free.synchronize(), Ok(()));
        assert_eq!(blocking.query(), Err(Code::NotReady));
        release.send(()).unwrap();
        assert_eq!(blocking.synchronize(), Ok(()));
    }

    #[test]
    fn a_dropped_stream_finishes_its_work() {
        let order = Arc::new(Order::default());
        let (sender, receiver) = sync_channel(1);
        let stream = stream(&order, 100, 0);
        stream.submit(move || sender.send(7).map_err(|_| Code::Unknown)).unwrap();
        drop(stream);
        assert_eq!(receiver.recv(), Ok(7));
        order.synchronize();
    }

    #[test]
    fn a_panic_in_work_is_a_fault_and_nothing_hangs() {
        let order = Arc::new(Order::default());
        let stream = stream(&order, 100, 0);
        stream.submit(|| panic!("on purpose")).unwrap();
        assert_eq!(stream.synchronize(), Err(Code::Unknown));
    }
}
