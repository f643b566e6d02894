//! How a checked copy is carried out: straight by the driver where that is fast, else through packed memory on
//! the side whose strides make it slow.

use super::detour;
use super::direction::Direction;
use super::gather::copy_on_host;
use super::host::{HostView, HostViewMut};
use super::staging::Staging;
use super::streaming::Stores;
use super::through_host;
use super::through_pinned::{download, download_run, upload, upload_rows, upload_run};
use super::workers::Way;
use crate::Result;
use crate::driver::{Route, Transfer};
use crate::interface::CudaView;
use crate::layout::{CopyPlan, Dense, StridedLayout};

/// The driver copies runs below this many bytes between host and device far slower than long ones.
const NARROW: usize = 256;
/// So few of them are faster copied as they are than by a detour.
const FEW_RUNS: usize = 64;
/// As are so few block copies, each of which costs some microseconds.
const FEW_BLOCKS: usize = 4;
/// Or blocks of so many bytes.
const LARGE_BLOCK: usize = 1 << 16;

/// So many bytes are as fast through pinned memory of ours as straight from the host array's, were that pinned, too:
/// measured on an H200. So nobody asks whether it is, which takes a microsecond.
const UNASKED_TO_DEVICE: usize = 128 << 10;
/// To the host, where the bytes are waited for either way.
const UNASKED_TO_HOST: usize = 4 << 10;

pub(super) fn host_to_device(operation: &'static str, host: &HostView<'_>, device: &CudaView) -> Result<()> {
    let is_pinned = host.elements().is_pinned();
    let choice = Choice { device, host: host.first(), is_pinned, direction: Direction::ToDevice };
    let known = choice.way_of_run(operation, host.elements().run_of(device.interface()))?;
    let route = Route::HostToDevice { source: host.first(), target: device.pointer() };
    // SAFETY: the view's elements can be read, and are as many bytes as the device array's, which is within its memory.
    if unsafe { copy_run(operation, device, known, route) }? {
        return Ok(());
    }
    let layout = host.fit(operation, device.interface())?;
    if layout.is_empty() {
        return Ok(());
    }
    let target = device.interface().layout();
    let direct = plan(&layout, layout.strides(), target.strides());
    let is_slow = is_slow(&direct);
    let way = match known {
        Some((way, _)) => way,
        None => choice.way(operation, layout.size_bytes(), is_slow)?,
    };
    if let Some(way) = way {
        let copied = match direct.rows_to_run() {
            Some((first, rows)) if way == Way::Stage => {
                let first = host.first().wrapping_offset(first);
                // SAFETY: the rows are the view's elements, which can be read, and fit the device array.
                unsafe { upload_rows(operation, first, (rows, direct.width), device) }?
            }
            // SAFETY: the view's elements can be read, and fit the device array.
            _ => unsafe { upload(operation, way, host, &layout, device) }?,
        };
        if copied {
            return Ok(());
        }
    }
    if !is_slow {
        // SAFETY: the view's elements can be read and fit the device array, which is within its memory.
        return unsafe { run(operation, device, &direct, route) };
    }
    gather_to_device(operation, host, &layout, device)
}

pub(super) fn device_to_host(
    operation: &'static str,
    device: &CudaView,
    mut host: HostViewMut<'_>,
) -> Result<()> {
    let is_pinned = host.elements().is_pinned();
    let first = host.first().cast_const();
    let choice = Choice { device, host: first, is_pinned, direction: Direction::ToHost };
    let known = choice.way_of_run(operation, host.elements().run_of(device.interface()))?;
    let route = Route::DeviceToHost { source: device.pointer(), target: host.first() };
    // SAFETY: the view's elements can be written, and are as many bytes as the device array's, which is within its
    // memory.
    if unsafe { copy_run(operation, device, known, route) }? {
        return Ok(());
    }
    let layout = host.fit(operation, device.interface())?;
    if layout.is_empty() {
        return Ok(());
    }
    let source = device.interface().layout();
    let direct = plan(&layout, source.strides(), layout.strides());
    let is_slow = is_slow(&direct);
    let way = match known {
        Some((way, _)) => way,
        None => choice.way(operation, layout.size_bytes(), is_slow)?,
    };
    if let Some(way) = way {
        // SAFETY: the view's elements can be written, and fit the device array.
        let copied = unsafe { download(operation, way, device, &mut host, &layout) }?;
        if copied {
            return Ok(());
        }
    }
    if !is_slow {
        // SAFETY: the view's elements can be written and fit the device array, which is within its memory.
        return unsafe { run(operation, device, &direct, route) };
    }
    scatter_from_device(operation, device, host, &layout)
}

/// What the choice between the ways of a copy depends on.
struct Choice<'a> {
    device: &'a CudaView,
    /// The host's first element.
    host: *const u8,
    /// Whether the host's memory is known to be pinned.
    is_pinned: bool,
    direction: Direction,
}

impl Choice<'_> {
    /// The fastest way for so many bytes, None for the driver's own call: that is it from and to pinned memory, unless
    /// the elements lie in many small pieces.
    fn way(&self, operation: &'static str, bytes: usize, in_pieces: bool) -> Result<Option<Way>> {
        let Some(way) = self.device.gpu().copy_workers().way(bytes, self.direction, in_pieces) else {
            return Ok(None);
        };
        if in_pieces || way == Way::Stage && bytes <= self.unasked() {
            return Ok(Some(way));
        }
        let is_pinned = self.is_pinned || self.device.gpu().context().is_pinned(operation, self.host)?;
        Ok((!is_pinned).then_some(way))
    }

    /// Up to how many bytes a stage serves best, wherever the host's are.
    fn unasked(&self) -> usize {
        match (self.direction, self.is_pinned) {
            // Also from memory that is known to be pinned: the caller need not wait until they have arrived.
            (Direction::ToDevice, _) => UNASKED_TO_DEVICE,
            (Direction::ToHost, false) => UNASKED_TO_HOST,
            (Direction::ToHost, true) => 0,
        }
    }

    /// The same for a copy of one run of bytes, and how many; None where it is not that, or has none.
    fn way_of_run(
        &self,
        operation: &'static str,
        run: Option<usize>,
    ) -> Result<Option<(Option<Way>, usize)>> {
        let Some(bytes) = run.filter(|bytes| *bytes > 0) else { return Ok(None) };
        Ok(Some((self.way(operation, bytes, false)?, bytes)))
    }
}

/// Both arrays are of one shape, on one device, and share no byte.
pub(super) fn device_to_device(operation: &'static str, source: &CudaView, target: &CudaView) -> Result<()> {
    let (from, to) = (source.interface().layout(), target.interface().layout());
    if to.is_empty() {
        return Ok(());
    }
    // SAFETY: the view keeps the device, and so its stream.
    unsafe { target.gpu().queue().wait_for(operation, source.gpu().stream()) }?;
    let route = Route::DeviceToDevice { source: source.pointer(), target: target.pointer() };
    if from.is_c_contiguous() && to.is_c_contiguous() {
        // SAFETY: both arrays have as many bytes and are within their memory, which the views keep.
        return unsafe { run_all(operation, target, [Transfer::of_run(route, to.size_bytes())]) };
    }
    let plan = plan(to, from.strides(), to.strides());
    if through_host::is_faster(&plan) && through_host::copy(operation, source, target)? {
        return Ok(());
    }
    // SAFETY: both arrays have the same shape and are within their memory, which the views keep.
    unsafe { run(operation, target, &plan, route) }
}

/// Copies a host array of many small pieces, which `layout` fits to the device array: packed on the host first.
fn gather_to_device(
    operation: &'static str,
    host: &HostView<'_>,
    layout: &StridedLayout,
    device: &CudaView,
) -> Result<()> {
    let dense = Dense::like(device.interface().layout());
    let gather = plan(layout, layout.strides(), &dense.strides);
    if gather.runs() == 1 {
        // SAFETY: the view's elements can be read, and lie one behind the other in the order of `dense`.
        return unsafe { dense_to_device(operation, host.first(), &dense, device) };
    }
    let mut staging = Staging::new(operation, dense.bytes)?;
    let first = staging.start().wrapping_add(dense.first);
    let (from, to) = ((host.first(), layout.strides()), (first, &dense.strides[..]));
    // SAFETY: the view's elements can be read; the staging has room for all of them, packed as `dense` says.
    unsafe { copy_on_host(from, to, layout.shape(), layout.itemsize(), Stores::Cached) };
    // SAFETY: the staging was filled with all elements, packed as `dense` says.
    unsafe { dense_to_device(operation, first, &dense, device) }
}

/// Copies the device array to a host array of many small pieces, as [`gather_to_device`] the other way.
fn scatter_from_device(
    operation: &'static str,
    device: &CudaView,
    mut host: HostViewMut<'_>,
    layout: &StridedLayout,
) -> Result<()> {
    let dense = Dense::like(device.interface().layout());
    let scatter = plan(layout, &dense.strides, layout.strides());
    if scatter.runs() == 1 {
        // SAFETY: the view's elements can be written, and lie one behind the other in the order of `dense`.
        return unsafe { device_to_dense(operation, device, host.first(), &dense) };
    }
    let mut staging = Staging::new(operation, dense.bytes)?;
    let first = staging.start().wrapping_add(dense.first);
    // SAFETY: the staging has room for all elements, packed as `dense` says.
    unsafe { device_to_dense(operation, device, first, &dense) }?;
    let (from, to) = ((first.cast_const(), &dense.strides[..]), (host.first(), layout.strides()));
    // SAFETY: the view's elements can be written; the staging holds them all, packed as `dense` says.
    unsafe { copy_on_host(from, to, layout.shape(), layout.itemsize(), Stores::Cached) };
    Ok(())
}

/// Copies packed host memory to the device: through packed device memory where the device array would take it
/// in too many small pieces.
///
/// # Safety
/// All elements can be read, packed as `dense` says; the array's first element is at `first`.
unsafe fn dense_to_device(
    operation: &'static str,
    first: *const u8,
    dense: &Dense,
    device: &CudaView,
) -> Result<()> {
    let copied = detour::to_device(operation, device, |target, strides| {
        let plan = CopyPlan::new(&dense.shape, &dense.strides, strides, device.dtype().size());
        let route = Route::HostToDevice { source: first, target };
        // SAFETY: the caller vouches for the host side; the detour gives room for all elements.
        unsafe { run(operation, device, &plan, route) }.map(|()| true)
    });
    copied.map(drop)
}

/// Copies the device array to packed host memory, as [`dense_to_device`] the other way.
///
/// # Safety
/// All elements can be written, packed as `dense` says; the array's first element is at `first`.
unsafe fn device_to_dense(
    operation: &'static str,
    device: &CudaView,
    first: *mut u8,
    dense: &Dense,
) -> Result<()> {
    let copied = detour::to_host(operation, device, |source, strides| {
        let plan = CopyPlan::new(&dense.shape, strides, &dense.strides, device.dtype().size());
        let route = Route::DeviceToHost { source, target: first };
        // SAFETY: the detour gives the address of all elements; the caller vouches for the host side.
        unsafe { run(operation, device, &plan, route) }.map(|()| true)
    });
    copied.map(drop)
}

pub(super) fn plan(layout: &StridedLayout, source: &[isize], target: &[isize]) -> CopyPlan {
    CopyPlan::new(layout.shape(), source, target, layout.itemsize())
}

/// Whether the driver would copy this between host and device in many small pieces.
pub(super) fn is_slow(plan: &CopyPlan) -> bool {
    let many_runs = plan.runs() > FEW_RUNS && plan.width < NARROW;
    let many_blocks = plan.blocks() > FEW_BLOCKS && plan.block_bytes() < LARGE_BLOCK;
    many_runs || many_blocks
}

/// Copies one run of bytes where that is known to be the whole copy, by the way that is known to be the fastest.
/// Returns false where it is neither, or that way cannot serve.
///
/// # Safety
/// So many bytes can be read at the route's start and written at its end until this returns; the device's end is the
/// array's first element, and its memory is the array's.
unsafe fn copy_run(
    operation: &'static str,
    device: &CudaView,
    known: Option<(Option<Way>, usize)>,
    route: Route,
) -> Result<bool> {
    match (known, route) {
        (Some((None, bytes)), _) => {
            // SAFETY: the caller's promise.
            unsafe { run_all(operation, device, [Transfer::of_run(route, bytes)]) }.map(|()| true)
        }
        (Some((Some(Way::Stage), bytes)), Route::HostToDevice { source, .. }) => {
            // SAFETY: the caller's promise.
            unsafe { upload_run(operation, source, bytes, device) }
        }
        (Some((Some(Way::Stage), bytes)), Route::DeviceToHost { target, .. }) => {
            // SAFETY: the caller's promise.
            unsafe { download_run(operation, device, target, bytes) }
        }
        _ => Ok(false),
    }
}

/// Queues the blocks of a plan on the device array's stream, and waits for them.
///
/// # Safety
/// All elements that the plan reaches along the route can be read at the source and written at the target,
/// until this returns.
pub(super) unsafe fn run(
    operation: &'static str,
    device: &CudaView,
    plan: &CopyPlan,
    route: Route,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { run_all(operation, device, blocks_of(plan, route)) }
}

/// Queues block copies on the device array's stream, and waits for them: also where queueing one failed, since those
/// before it are under way.
///
/// # Safety
/// All bytes of the blocks can be read at the source and written at the target, until this returns.
unsafe fn run_all(
    operation: &'static str,
    device: &CudaView,
    transfers: impl IntoIterator<Item = Transfer>,
) -> Result<()> {
    let gpu = device.gpu();
    let queued = {
        let _current = gpu.context().enter(operation)?;
        transfers.into_iter().try_for_each(|transfer| {
            // SAFETY: the caller vouches for the elements, the context is current, and the stream is waited
            // for below.
            unsafe { transfer.queue(operation, gpu.context(), gpu.queue()) }
        })
    };
    let done = gpu.queue().wait_for_copies(operation);
    queued.and(done)
}

/// The block copies of a plan between the first elements that `route` names.
pub(super) fn blocks_of(plan: &CopyPlan, route: Route) -> impl Iterator<Item = Transfer> + '_ {
    plan.offsets().map(move |(source, target)| block(plan, route.offset(source, target)))
}

/// One block copy of a plan.
pub(super) fn block(plan: &CopyPlan, route: Route) -> Transfer {
    let (rows, slices) = (plan.rows, plan.slices);
    // A plan has pitches of at least the width, and slices of whole rows; a single row or slice has neither.
    let pitch = |stride: isize| if rows.len > 1 { stride as usize } else { plan.width };
    let height = |slice: isize, row: isize| if slices.len > 1 { (slice / row) as usize } else { rows.len };
    Transfer {
        route,
        width: plan.width,
        height: rows.len,
        depth: slices.len,
        source_pitch: pitch(rows.source),
        target_pitch: pitch(rows.target),
        source_slice: height(slices.source, rows.source),
        target_slice: height(slices.target, rows.target),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_slow_between(shape: &[usize], source: &[isize], target: &[isize], itemsize: usize) -> bool {
        is_slow(&CopyPlan::new(shape, source, target, itemsize))
    }

    #[test]
    fn long_rows_and_few_pieces_are_copied_as_they_are() {
        assert!(!is_slow_between(&[1 << 30], &[1], &[1], 1));
        assert!(!is_slow_between(&[1080, 1920, 3], &[5760, 3, 1], &[5760, 3, 1], 1));
        assert!(!is_slow_between(&[1080, 1000], &[1000, 1], &[1024, 1], 1));
        assert!(!is_slow_between(&[10, 10, 3], &[30, 3, 1], &[32, 3, 1], 1));
        // Pitches that the hardware has not, between large rows.
        assert!(!is_slow_between(&[8, 1 << 20], &[1 << 32, 1], &[1 << 20, 1], 1));
    }

    #[test]
    fn narrow_rows_and_many_pieces_take_the_detour() {
        // Transposed; every pixel a row of its own; every second element; broadcast.
        assert!(is_slow_between(&[1000, 1000], &[4, 4000], &[4000, 4], 4));
        assert!(is_slow_between(&[1080, 1920, 3], &[5760, 3, 1], &[61440, 32, 1], 1));
        assert!(is_slow_between(&[1 << 20], &[2], &[1], 1));
        assert!(is_slow_between(&[1000, 1000], &[0, 4], &[4000, 4], 4));
    }
}
