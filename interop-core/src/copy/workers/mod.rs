//! [`CopyWorkers`]: threads that copy ordinary memory through pinned blocks, at nearly the speed of the link.
//!
//! One thread copies within host memory at a fraction of what the link moves, and so does the driver, which
//! stages ordinary memory on one. Here all threads gather or scatter the parts of one pinned block, then those of the
//! next, while others are on their way: blocks can be as large as the link wants them, and the first is soon full.

mod blocks;
mod cut;
mod job;
mod ring;
mod stage;
mod team;
mod tuning;
mod turn;

use std::sync::{Arc, Mutex, OnceLock, TryLockError};

use blocks::Blocks;
pub(crate) use blocks::{Ends, Sides};
pub(crate) use stage::Stage;
use team::Team;
pub(super) use tuning::HUGE_PAGE;
use tuning::Tuning;

use crate::copy::direction::Direction;
use crate::driver::{Context, Stream};
use crate::gpu::GpuOptions;
use crate::lock::lock;
use crate::{Error, Result};

/// The copy threads of one device. They are started by the first copy that is large enough, sleep between
/// copies, and are joined when this drops, or once the pinned memory for them is refused.
pub(crate) struct CopyWorkers {
    context: Arc<Context>,
    /// None where the driver's path is always used, and why.
    tuning: std::result::Result<Tuning, String>,
    team: OnceLock<Option<Team>>,
    /// Why no thread serves any more.
    refused: OnceLock<String>,
    /// Held while that is said or asked for together with the team: whoever starts it sees that it was refused
    /// meanwhile, or whoever refuses sees it.
    refusal: Mutex<()>,
}

/// What makes a copy of ordinary host memory, if not the driver's own call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The caller, through a [`Stage`].
    Stage,
    /// The threads.
    Threads,
}

/// How copies of ordinary host memory are made: [`Gpu::copy_path`](crate::Gpu::copy_path) tells, and has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CopyPath {
    /// Copies from a certain size on are made by so many threads, smaller ones by the caller through 2 MiB of
    /// pinned memory that each stream has besides.
    Threads {
        /// How many at most, the caller's among them.
        threads: usize,
        /// The most pinned memory that they hold, in bytes: one half for each direction.
        pinned_bytes: usize,
    },
    /// Copies are made by the driver's own calls; small ones still by the caller on a stream that had its pinned
    /// memory before more was refused.
    Driver {
        /// Why.
        reason: String,
    },
}

impl CopyWorkers {
    pub fn new(context: Arc<Context>, options: &GpuOptions) -> Self {
        let tuning = Tuning::of_this_machine(options);
        Self { context, tuning, team: OnceLock::new(), refused: OnceLock::new(), refusal: Mutex::default() }
    }

    pub fn path(&self) -> CopyPath {
        match (&self.tuning, self.refused.get()) {
            (_, Some(reason)) | (Err(reason), None) => CopyPath::Driver { reason: reason.clone() },
            (Ok(tuning), None) => {
                CopyPath::Threads { threads: tuning.threads, pinned_bytes: tuning.pinned_bytes() }
            }
        }
    }

    /// The fastest way for a copy of so many bytes of ordinary memory, whose elements lie in many small pieces or
    /// not; None for the driver's own call.
    pub fn way(&self, bytes: usize, direction: Direction, in_pieces: bool) -> Option<Way> {
        let way = self.tuning.as_ref().ok()?.way(bytes, direction, in_pieces)?;
        // A stage that is there goes on.
        (way == Way::Stage || self.refused.get().is_none()).then_some(way)
    }

    /// Copies all elements of a non-empty array by the threads, ordered behind what is queued on `behind`, and
    /// waits until they are there. Returns false where pinned memory could not be had, or has too little room: then
    /// nothing was copied, and the copy must be made in another way.
    ///
    /// # Safety
    /// Every element can be read on the one side and written on the other until this returns, and no two of
    /// the written ones share a byte.
    pub unsafe fn copy(&self, operation: &'static str, sides: Sides<'_>, behind: &Stream) -> Result<bool> {
        let (Ok(tuning), Some(team)) = (&self.tuning, self.team()) else { return Ok(false) };
        behind.synchronize(operation)?;
        let (manner, parts) = tuning.manner(sides.bytes(), sides.ends.direction(), sides.host_side());
        // SAFETY: the caller's promise: the team is through with the blocks before this returns.
        let blocks = unsafe { Blocks::new(operation, sides, &manner) };
        // SAFETY: as above.
        match unsafe { team.copy(blocks, parts) } {
            Some(copied) => self.served(copied),
            None => {
                let lost = || "the driver could not say whether an earlier copy was over".to_owned();
                self.refused.get_or_init(lost);
                Ok(false)
            }
        }
    }

    /// Copies a small array as a whole through a stage, whose copies are all queued on `stream`. On return one to
    /// the host is complete, and one to the device was read and is ordered before what is queued next. Returns
    /// false as [`CopyWorkers::copy`] does, or where another thread uses the stage.
    ///
    /// # Safety
    /// As [`CopyWorkers::copy`]; the device's elements stay until the stream has passed.
    pub unsafe fn copy_small(
        &self,
        operation: &'static str,
        sides: Sides<'_>,
        (stage, stream): (&Mutex<Option<Stage>>, &Stream),
    ) -> Result<bool> {
        let manner = Tuning::manner_of_small(sides.ends.direction());
        // SAFETY: the caller's promise; the stage uses the host's side before this returns.
        let blocks = unsafe { Blocks::new(operation, sides, &manner) };
        if blocks.cut().largest() > stage::SEGMENT {
            return Ok(false);
        }
        self.with_stage(operation, stage, |stage| {
            // SAFETY: the caller vouches for the elements and the stream; the blocks fit, as was checked.
            unsafe { stage.copy(&blocks, (&self.context, stream)) }
        })
    }

    /// Copies through the stage, which the first copy makes, with the context current. Returns false as
    /// [`CopyWorkers::copy_small`] does.
    pub fn with_stage(
        &self,
        operation: &'static str,
        stage: &Mutex<Option<Stage>>,
        copy: impl FnOnce(&mut Stage) -> Result<()>,
    ) -> Result<bool> {
        let mut stage = match stage.try_lock() {
            Ok(stage) => stage,
            Err(TryLockError::Poisoned(stage)) => stage.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(false),
        };
        let _current = self.context.enter(operation)?;
        if let Some(stage) = &mut *stage {
            return copy(stage).map(|()| true);
        }
        if self.refused.get().is_some() {
            return Ok(false);
        }
        let made = Stage::new(&self.context, operation);
        self.served(made.and_then(|made| copy(stage.insert(made)).map(|()| true)))
    }

    /// Whether a copy was made; one that was not for want of pinned memory is the last that tries.
    fn served(&self, copied: Result<bool>) -> Result<bool> {
        let Err(error) = copied else { return copied };
        if !is_refusal(&error) {
            return Err(error);
        }
        let _refusal = lock(&self.refusal);
        self.refused.get_or_init(|| format!("pinned memory was refused: {error}"));
        // What was pinned would be kept for nothing, where there is too little of it.
        if let Some(Some(team)) = self.team.get() {
            team.dismiss();
        }
        Ok(false)
    }

    fn team(&self) -> Option<&Team> {
        let start = || {
            let team = Team::start(&self.context, self.tuning.as_ref().ok()?);
            team.map_err(|error| self.refused.get_or_init(|| error.to_string())).ok()
        };
        let team = self.team.get_or_init(start).as_ref()?;
        let _refusal = lock(&self.refusal);
        if self.refused.get().is_some() {
            team.dismiss();
        }
        Some(team)
    }
}

/// Whether an error came from taking pinned memory and not from copying.
fn is_refusal(error: &Error) -> bool {
    matches!(error, Error::OutOfMemory { .. } | Error::Driver { function: "cuMemHostAlloc", .. })
}
