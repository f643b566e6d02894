//! Events: marks in a stream.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use crate::code::{Code, Result};
use crate::lane::Point;
use crate::stream::Stream;
use crate::sync::lock;

/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: u32 = 2;

/// `CU_EVENT_INTERPROCESS`.
const INTERPROCESS: u32 = 4;

/// What C calls `CUevent`.
#[derive(Debug)]
pub struct Event {
    /// Its handle.
    pub handle: usize,
    /// The context it belongs to.
    pub context: usize,
    flags: u32,
    record: Mutex<Option<Record>>,
}

/// The latest recording: an event that is recorded again forgets the one before.
#[derive(Clone, Debug)]
struct Record {
    point: Point,
    time: Arc<OnceLock<Instant>>,
}

impl Event {
    /// An event that was not recorded yet.
    pub fn new(handle: usize, context: usize, flags: u32) -> Result<Self> {
        match flags {
            _ if flags & INTERPROCESS != 0 => Err(Code::NotSupported),
            0..=3 => Ok(Self { handle, context, flags, record: Mutex::new(None) }),
            _ => Err(Code::InvalidValue),
        }
    }

    /// Marks the work submitted to the stream so far.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        if stream.context != self.context {
            return Err(Code::InvalidHandle);
        }
        let time = Arc::new(OnceLock::new());
        let cell = Arc::clone(&time);
        let point = stream.submit(move || {
            cell.get_or_init(Instant::now);
            Ok(())
        })?;
        *lock(&self.record) = Some(Record { point, time });
        Ok(())
    }

    /// What a stream that waits for the event waits for: nothing where it was never recorded.
    pub fn point(&self) -> Option<Point> {
        lock(&self.record).as_ref().map(|record| record.point.clone())
    }

    /// Blocks until the marked work is finished.
    pub fn synchronize(&self) {
        if let Some(point) = self.point() {
            point.wait();
        }
    }

    /// Fails with [`Code::NotReady`] while the marked work is pending.
    pub fn query(&self) -> Result<()> {
        let ready = self.point().is_none_or(|point| point.reached());
        if ready { Ok(()) } else { Err(Code::NotReady) }
    }

    /// Milliseconds from this event to a later one. Host time: it says nothing about a GPU.
    pub fn milliseconds_to(&self, end: &Self) -> Result<f32> {
        let (start, end) = (self.time()?, end.time()?);
        let forward = end.saturating_duration_since(start).as_secs_f64();
        let backward = start.saturating_duration_since(end).as_secs_f64();
        Ok(((forward - backward) * 1e3) as f32)
    }

    fn time(&self) -> Result<Instant> {
        if self.flags & DISABLE_TIMING != 0 {
            return Err(Code::InvalidHandle);
        }
        let record = lock(&self.record).clone().ok_or(Code::InvalidHandle)?;
        record.time.get().copied().ok_or(Code::NotReady)
    }
}
