//! [`cuda_fill`]: one value for every element of an array.

use super::between::check_writable;
use super::execute::block;
use super::pattern::Pattern;
use crate::driver::{Fill, Route, Transfer};
use crate::interface::{CudaArray, CudaView};
use crate::layout::CopyPlan;
use crate::{Element, Error, Result};

/// The driver's fills take 0.64 ns a row on an H200, however narrow the rows are: rows of fewer bytes than this are
/// filled in part and copied.
const NARROW: usize = 1 << 10;
/// So many narrow rows are filled and the others copied from them, which was measured to be up to 5 times faster.
const SEED_ROWS: usize = 1 << 16;
/// A value of several words is filled word by word, each a row of its own, up to so many bytes; the rest is copied
/// from there, which was measured to be 280 times faster for 1 GiB.
const SEED_BYTES: usize = 1 << 16;

/// Sets every element of a GPU array to a value of its element type, whatever the array's shape and strides.
/// Padding between elements is never written.
///
/// It runs on the stream of the array's memory, behind all that is queued there, and whatever is queued there
/// next runs behind it; so it need not be complete on return. Where another object owns the memory, it is.
///
/// ```
/// use interop_core::{CudaBuffer, DType, Gpu, cuda_fill};
///
/// let gpu = Gpu::open(0)?;
/// let buffer = CudaBuffer::zeros(&gpu, &[2, 3], DType::F32)?;
/// let mut right = buffer.slice(1, 1..)?;
/// cuda_fill(&mut right, 0.5f32)?;
/// assert_eq!(buffer.to_vec::<f32>()?, [0.0, 0.5, 0.5, 0.0, 0.5, 0.5]);
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::DTypeMismatch`], [`Error::ReadOnly`], [`Error::OverlappingElements`] (an array that is broadcast),
/// [`Error::OutOfBounds`] or [`Error::Driver`]. Only the last can leave a part of the elements written.
pub fn cuda_fill(array: &mut (impl CudaArray + ?Sized), value: impl Element) -> Result<()> {
    fill("cuda_fill", array, value)
}

/// [`cuda_fill`] on behalf of `operation`.
pub(crate) fn fill<T: Element>(
    operation: &'static str,
    array: &mut (impl CudaArray + ?Sized),
    value: T,
) -> Result<()> {
    let view = CudaView::to_be_written(operation, array)?;
    if T::DTYPE != view.dtype() {
        return Err(Error::DTypeMismatch { operation, expected: view.dtype(), found: T::DTYPE });
    }
    check_writable(operation, &view)?;
    Job { operation, view: &view, pattern: Pattern::of(value) }.run()
}

/// Sets every byte of the elements of a new array to 0, on behalf of `operation`.
pub(crate) fn zero(operation: &'static str, view: &CudaView) -> Result<()> {
    check_writable(operation, view)?;
    Job { operation, view, pattern: Pattern::zero(view.dtype()) }.run()
}

/// The fill of an array that may be written and whose elements lie apart.
struct Job<'a> {
    operation: &'static str,
    view: &'a CudaView,
    pattern: Pattern,
}

/// How many patterns one behind the other, rows and slices.
type Extent = [usize; 3];

impl Job<'_> {
    fn run(&self) -> Result<()> {
        let layout = self.view.interface().layout();
        if layout.is_empty() {
            return Ok(());
        }
        let plan = self.pattern.plan(layout);
        let queued = self.queue(&plan);
        if self.view.shared_memory().is_freed_in_order() {
            return queued;
        }
        // Also after an error: what was queued before it must not outlive the owner.
        let done = self.view.gpu().queue().synchronize(self.operation);
        queued.and(done)
    }

    fn queue(&self, plan: &CopyPlan) -> Result<()> {
        let _current = self.view.gpu().context().enter(self.operation)?;
        plan.offsets().try_for_each(|(_, offset)| {
            self.queue_block(plan, self.view.pointer().wrapping_add_signed(offset as i64))
        })
    }

    /// Fills what one call for each word can, and copies the rest of the block from there, twice as much each
    /// time.
    fn queue_block(&self, plan: &CopyPlan, start: u64) -> Result<()> {
        let whole = [plan.width / self.pattern.unit(), plan.rows.len, plan.slices.len];
        let steps = [self.pattern.unit(), plan.rows.target as usize, plan.slices.target as usize];
        let mut filled = self.seed(whole);
        self.queue_seed(plan, start, filled)?;
        for axis in 0..whole.len() {
            while filled[axis] < whole[axis] {
                let mut next = filled;
                next[axis] = filled[axis].min(whole[axis] - filled[axis]);
                self.queue_copy(plan, start, next, (filled[axis] * steps[axis]) as isize)?;
                filled[axis] += next[axis];
            }
        }
        Ok(())
    }

    /// What is filled and not copied: whole rows of a single word, else patterns along one axis.
    fn seed(&self, [run, rows, _]: Extent) -> Extent {
        let (unit, is_one_word) = (self.pattern.unit(), self.pattern.words().len() == 1);
        match is_one_word {
            true if run * unit < NARROW => [run, rows.min(SEED_ROWS), 1],
            true => [run, rows, 1],
            false if run > 1 => [run.min(SEED_BYTES / unit), 1, 1],
            false => [1, rows.min(SEED_BYTES / unit), 1],
        }
    }

    fn queue_seed(&self, plan: &CopyPlan, start: u64, [run, rows, _]: Extent) -> Result<()> {
        let (gpu, words) = (self.view.gpu(), self.pattern.words());
        let is_one_word = words.len() == 1;
        let (width, height) = if is_one_word { (run, rows) } else { (1, run * rows) };
        let pitch = if is_one_word || run == 1 { plan.rows.target as usize } else { self.pattern.unit() };
        for (offset, word) in words {
            let fill = Fill { word, address: start + offset as u64, pitch, width, height };
            // SAFETY: the words are parts of the view's elements, which lie within its memory: it is freed behind the
            // fill or waited for. A word is no larger than what elements and strides are aligned to, which
            // descriptors check; the pitch of more than one row is not below the width: a plan's not below its rows, a
            // pattern's bytes not below a word; the context is current.
            unsafe { fill.queue(self.operation, gpu.context(), gpu.queue()) }?;
        }
        Ok(())
    }

    /// Copies so much from the start of the block to `offset` bytes further.
    fn queue_copy(&self, plan: &CopyPlan, start: u64, extent: Extent, offset: isize) -> Result<()> {
        let gpu = self.view.gpu();
        let [run, height, depth] = extent;
        let route = Route::DeviceToDevice { source: start, target: start }.offset(0, offset);
        let width = run * self.pattern.unit();
        let transfer = Transfer { width, height, depth, ..block(plan, route) };
        // SAFETY: both sides are elements of the view, which lie within its memory: it is freed behind the copy
        // or waited for. The source's were filled before, the target's are others; the context is current.
        unsafe { transfer.queue(self.operation, gpu.context(), gpu.queue()) }
    }
}
