//! [`CopyWorkers`]: threads that copy ordinary memory through pinned blocks, at nearly the speed of the link.
//!
//! One thread copies within host memory at a fraction of what the link moves, and so does the driver, which
//! stages ordinary memory on one. Many threads, each with a stream and a few pinned blocks of its own, keep the
//! link busy: while some blocks are gathered or scattered, others are on their way.

mod cut;
mod job;
mod lane;
mod team;
mod tuning;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cut::Cut;
use job::Job;
pub(crate) use job::{Direction, Sides};
use team::Team;
pub(super) use tuning::HUGE_PAGE;
use tuning::Tuning;

use crate::driver::{Context, Event, Stream};
use crate::gpu::GpuOptions;
use crate::{Error, Result};

/// The copy threads of one device. They are started by the first copy that is large enough, sleep between
/// copies, and are joined when this drops, or once the pinned memory for them is refused.
pub(crate) struct CopyWorkers {
    context: Arc<Context>,
    /// None where the driver's path is always used, and why.
    tuning: std::result::Result<Tuning, String>,
    team: OnceLock<Option<Team>>,
    /// Why no thread serves any more.
    refused: Mutex<Option<String>>,
}

/// How copies of ordinary host memory are made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyPath {
    /// Copies from a certain size on are made by so many threads of this crate.
    Threads {
        /// How many at most.
        threads: usize,
        /// The most pinned memory that they hold between them, in bytes.
        pinned_bytes: usize,
    },
    /// All copies are made by the driver's own calls.
    Driver {
        /// Why.
        reason: String,
    },
}

impl CopyWorkers {
    pub fn new(context: Arc<Context>, options: &GpuOptions) -> Self {
        let tuning = Tuning::of_this_machine(options);
        Self { context, tuning, team: OnceLock::new(), refused: Mutex::default() }
    }

    pub fn path(&self) -> CopyPath {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match (&self.tuning, refused) {
            (_, Some(reason)) => CopyPath::Driver { reason },
            (Err(reason), None) => CopyPath::Driver { reason: reason.clone() },
            (Ok(tuning), None) => {
                CopyPath::Threads { threads: tuning.threads, pinned_bytes: tuning.pinned_bytes() }
            }
        }
    }

    /// Whether the threads are faster than the driver for a copy of so many bytes, which the driver would make
    /// in many small pieces or not.
    pub fn serve(&self, bytes: usize, to_device: bool, in_pieces: bool) -> bool {
        let Ok(tuning) = &self.tuning else { return false };
        bytes >= tuning.threshold(to_device, in_pieces)
            && self.refused.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Copies all elements of a non-empty array, ordered behind what is queued on `behind`, and waits until they
    /// are there. Returns false where pinned memory could not be had: then a part may be copied, and the copy
    /// must be made in another way.
    ///
    /// # Safety
    /// Every element can be read on the one side and written on the other until this returns, and no two of
    /// the written ones share a byte.
    pub unsafe fn copy(&self, operation: &'static str, sides: Sides<'_>, behind: &Stream) -> Result<bool> {
        let (Ok(tuning), Some(team)) = (&self.tuning, self.team()) else { return Ok(false) };
        let sizes = tuning.sizes(sides.is_fresh());
        let cut =
            Cut::new(sides.shape, sides.host, sides.device, sides.itemsize, sizes, sides.host_address());
        let ready = match behind.is_idle(operation)? {
            true => None,
            false => Some(Event::behind(operation, &self.context, behind)?),
        };
        let job = Arc::new(Job::new(operation, sides, cut, ready));
        if !team.submit(job.clone()) {
            return Ok(false);
        }
        match job.wait() {
            Ok(()) => Ok(true),
            Err(error) if is_refusal(&error) => {
                self.refuse(format!("pinned memory was refused: {error}"));
                // What some of them got they would keep for nothing, where there is too little of it.
                team.dismiss();
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    fn team(&self) -> Option<&Team> {
        let start = || {
            let team = Team::start(&self.context, self.tuning.as_ref().ok()?);
            team.map_err(|error| self.refuse(error.to_string())).ok()
        };
        self.team.get_or_init(start).as_ref()
    }

    fn refuse(&self, reason: String) {
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    }
}

/// Whether an error came from taking pinned memory and not from copying.
fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::OutOfMemory { .. } | Error::Driver { function: "cuMemHostAlloc", .. })
}
