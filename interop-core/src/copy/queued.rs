//! [`Queued`]: copies that are queued on a stream and not waited for.

use super::execute::blocks_of;
use crate::driver::{Event, Route, Transfer};
use crate::layout::CopyPlan;
use crate::{Error, Gpu, Memory, Result};

/// A large copy is queued in so many pieces, so that its progress can be told.
const PIECES: usize = 8;
/// Which are not smaller than this: then they take no longer together than one. In bytes.
const SMALLEST_PIECE: usize = 4 << 20;

/// What the drop of a copy is called in errors.
pub(super) const DROP: &str = "drop of a copy under way";

/// How far a copy has come.
///
/// A copy from or to pinned memory counts in steps of at least 4 MiB, eight or so from 32 MiB on. One of ordinary
/// memory counts part by part where the copy threads make it, else when it is complete.
///
/// ```
/// use interop_core::Progress;
///
/// let progress = Progress { done: 3 << 20, total: 4 << 20 };
/// assert_eq!(progress.fraction(), 0.75);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that were copied; from ordinary memory to the device, that were read.
    pub done: usize,
    /// Bytes of all elements.
    pub total: usize,
}

impl Progress {
    /// From 0 to 1; a copy of nothing is complete.
    pub fn fraction(self) -> f64 {
        if self.total == 0 { 1.0 } else { self.done as f64 / self.total as f64 }
    }
}

/// Copies on the stream of one handle, and what they use on the device. A drop waits for them.
pub(super) struct Queued {
    gpu: Gpu,
    /// Kept until the copies are over.
    memory: Vec<Memory>,
    marks: Vec<(Event, usize)>,
    /// Whether something was queued behind the last mark.
    is_unmarked: bool,
    total: usize,
}

impl Queued {
    /// No copy yet, on the stream of `gpu`.
    pub fn new(gpu: &Gpu, total: usize) -> Self {
        Self { gpu: gpu.clone(), memory: Vec::new(), marks: Vec::new(), is_unmarked: false, total }
    }

    /// Keeps memory on the device until the copies are over.
    pub fn keep(&mut self, memory: Memory) {
        self.memory.push(memory);
    }

    /// Queues the blocks of a plan, with a mark behind every piece of it. On an error some may be queued;
    /// they are waited for as the others are.
    ///
    /// # Safety
    /// All elements that the plan reaches along the route can be read at the source and written at the target,
    /// until [`Queued::wait`] has returned, or a drop.
    pub unsafe fn queue(&mut self, operation: &'static str, plan: &CopyPlan, route: Route) -> Result<()> {
        let piece = (self.total / PIECES).max(SMALLEST_PIECE);
        let mut since = 0;
        let mut done = 0;
        for transfer in blocks_of(plan, route).flat_map(|block| pieces(block, piece)) {
            {
                let _current = self.gpu.context().enter(operation)?;
                self.is_unmarked = true;
                // SAFETY: the caller vouches for the elements; the context is current.
                unsafe { transfer.queue(operation, self.gpu.context(), self.gpu.queue()) }?;
            }
            let bytes = transfer.width * transfer.height * transfer.depth;
            (since, done) = (since + bytes, done + bytes);
            if since >= piece {
                self.mark(operation, done)?;
                since = 0;
            }
        }
        if since > 0 { self.mark(operation, done) } else { Ok(()) }
    }

    /// The copies before this do not count as progress: they go to memory in between.
    pub fn forget_marks(&mut self) {
        self.is_unmarked |= !self.marks.is_empty();
        self.marks.clear();
    }

    fn mark(&mut self, operation: &'static str, done: usize) -> Result<()> {
        self.marks.push((Event::behind(operation, self.gpu.context(), self.gpu.queue())?, done));
        self.is_unmarked = false;
        Ok(())
    }

    /// Whether all is over.
    pub fn is_done(&self, operation: &'static str) -> Result<bool> {
        self.marks.last().map_or(Ok(true), |(mark, _)| mark.is_reached(operation))
    }

    /// How far the copies have come.
    pub fn progress(&self, operation: &'static str) -> Result<Progress> {
        let mut progress = Progress { done: 0, total: self.total };
        for (mark, done) in &self.marks {
            if !mark.is_reached(operation)? {
                return Ok(progress);
            }
            progress.done = *done;
        }
        Ok(Progress { done: self.total, ..progress })
    }

    /// Waits until all is over, also where queueing failed half way. An error, which is told once, says that the driver
    /// cannot tell.
    pub fn wait(&mut self, operation: &'static str) -> Result<()> {
        let over = match self.marks.last() {
            _ if self.is_unmarked => self.gpu.queue().synchronize(operation),
            Some((mark, _)) => mark.synchronize(operation),
            None => Ok(()),
        };
        self.is_unmarked = false;
        self.marks.clear();
        let memory = std::mem::take(&mut self.memory);
        if over.is_err() {
            // The device may use it still, for all that is known: nobody may have it again.
            std::mem::forget(memory);
        }
        over
    }

    /// Keeps what a wait in a drop met for [`Gpu::take_drop_error`].
    pub fn record_drop_error(&self, error: Error) {
        self.gpu.record_drop_error(error);
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        if let Err(error) = self.wait(DROP) {
            self.record_drop_error(error);
        }
    }
}

/// A block in pieces of so many bytes or little more, the last perhaps less: parts of a run, whole rows or slices.
fn pieces(block: Transfer, piece: usize) -> impl Iterator<Item = Transfer> {
    let Transfer { width, height, depth, source_pitch, target_pitch, source_slice, target_slice, .. } = block;
    // How many there are, the bytes of each, how they lie apart, and a block of fewer.
    type OfFewer = fn(Transfer, usize) -> Transfer;
    let (len, unit, (source, target), of_fewer): (_, _, _, OfFewer) = match (height, depth) {
        (1, 1) => (width, 1, (1, 1), |block, width| Transfer { width, ..block }),
        (_, 1) => (height, width, (source_pitch, target_pitch), |block, height| Transfer { height, ..block }),
        _ => {
            let slices = (source_pitch * source_slice, target_pitch * target_slice);
            (depth, width * height, slices, |block, depth| Transfer { depth, ..block })
        }
    };
    let step = piece.div_ceil(unit.max(1)).max(1);
    (0..len).step_by(step).map(move |start| {
        let route = block.route.offset((start * source) as isize, (start * target) as isize);
        of_fewer(Transfer { route, ..block }, step.min(len - start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(width: usize, height: usize, depth: usize) -> Transfer {
        Transfer {
            route: Route::DeviceToDevice { source: 0, target: 0 },
            width,
            height,
            depth,
            source_pitch: width + 1,
            target_pitch: width + 2,
            source_slice: height + 1,
            target_slice: height + 2,
        }
    }

    /// Where every byte comes from and goes to.
    fn bytes(block: &Transfer) -> impl Iterator<Item = (usize, usize)> + '_ {
        let Route::DeviceToDevice { source, target } = block.route else { panic!("{block:?}") };
        let rows = (0..block.depth).flat_map(|z| (0..block.height).map(move |y| (z, y)));
        rows.flat_map(move |(z, y)| {
            let from = source as usize + (z * block.source_slice + y) * block.source_pitch;
            let to = target as usize + (z * block.target_slice + y) * block.target_pitch;
            (0..block.width).map(move |x| (from + x, to + x))
        })
    }

    #[test]
    fn pieces_are_the_block_in_order() {
        let shapes =
            [(1000, 1, 1, 11), (30, 40, 1, 10), (5, 7, 9, 3), (200, 5, 1, 5), (10, 10, 3, 3), (0, 1, 1, 0)];
        for (width, height, depth, count) in shapes {
            let whole = block(width, height, depth);
            let parts: Vec<_> = pieces(whole, 99).collect();
            assert_eq!(parts.len(), count, "{whole:?}");
            assert!(parts.iter().flat_map(bytes).eq(bytes(&whole)), "{whole:?}");
        }
    }
}
