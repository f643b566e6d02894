//! How a checked copy is carried out: straight by the driver, or through packed staging memory where the host
//! side is such that the driver would copy it in many small pieces.

use super::host::{HostView, HostViewMut};
use super::staging::{Staging, copy_on_host};
use crate::driver::{Route, Transfer};
use crate::interface::CudaView;
use crate::layout::{CopyPlan, StridedLayout};
use crate::{Error, Gpu, Result};

/// Rows below this many bytes are gathered on the host: the driver copies narrow rows of ordinary memory far
/// slower than wide ones.
const NARROW: usize = 256;

/// What must hold of downloaded bytes before they reach the host array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    Nothing,
    /// Every byte is 0 or 1.
    Booleans,
}

pub(super) fn host_to_device(operation: &'static str, host: &HostView<'_>, device: &CudaView) -> Result<()> {
    let layout = host.fit(operation, device.interface())?;
    if layout.is_empty() {
        return Ok(());
    }
    let target = device.interface().layout();
    let direct = plan(&layout, layout.strides(), target.strides());
    let dense = layout.dense_strides(&target.axes_by_stride());
    let staged = plan(&layout, &dense, target.strides());
    if !is_better_staged(&direct, &staged) {
        let route = Route::HostToDevice { source: host.first(), target: device.pointer() };
        // SAFETY: the view's elements can be read and fit the device array, which is within its memory.
        return unsafe { run(operation, device, &direct, route) };
    }
    let mut staging = Staging::new(operation, layout.size_bytes())?;
    let gather = plan(&layout, layout.strides(), &dense);
    // SAFETY: the view's elements can be read; the staging holds as many bytes, packed by `dense`.
    unsafe { copy_on_host(host.first(), staging.start(), &gather) };
    let route = Route::HostToDevice { source: staging.start(), target: device.pointer() };
    // SAFETY: the staging holds all elements of the device array, which is within its memory.
    unsafe { run(operation, device, &staged, route) }
}

pub(super) fn device_to_host(
    operation: &'static str,
    device: &CudaView,
    mut host: HostViewMut<'_>,
    check: Check,
) -> Result<()> {
    let layout = host.fit(operation, device.interface())?;
    if layout.is_empty() {
        return Ok(());
    }
    let source = device.interface().layout();
    let direct = plan(&layout, source.strides(), layout.strides());
    let dense = layout.dense_strides(&source.axes_by_stride());
    let staged = plan(&layout, source.strides(), &dense);
    if check == Check::Nothing && !is_better_staged(&direct, &staged) {
        let route = Route::DeviceToHost { source: device.pointer(), target: host.first() };
        // SAFETY: the view's elements can be written and fit the device array, which is within its memory.
        return unsafe { run(operation, device, &direct, route) };
    }
    let mut staging = Staging::new(operation, layout.size_bytes())?;
    let route = Route::DeviceToHost { source: device.pointer(), target: staging.start() };
    // SAFETY: the staging has room for all elements of the device array, which is within its memory.
    unsafe { run(operation, device, &staged, route) }?;
    if check == Check::Booleans {
        check_booleans(&staging, &layout, &dense)?;
    }
    let scatter = plan(&layout, &dense, layout.strides());
    // SAFETY: the view's elements can be written; the staging holds as many bytes, packed by `dense`.
    unsafe { copy_on_host(staging.start(), host.first(), &scatter) };
    Ok(())
}

/// Both arrays are on one device, and share no byte.
pub(super) fn device_to_device(operation: &'static str, source: &CudaView, target: &CudaView) -> Result<()> {
    if source.shape() != target.shape() {
        let (expected, found) = (target.shape().to_vec(), source.shape().to_vec());
        return Err(Error::ShapeMismatch { operation, expected, found });
    }
    let (from, to) = (source.interface().layout(), target.interface().layout());
    if to.is_empty() {
        return Ok(());
    }
    wait_for(operation, target.gpu(), source)?;
    let route = Route::DeviceToDevice { source: source.pointer(), target: target.pointer() };
    // SAFETY: both arrays have the same shape and are within their memory, which the views keep.
    unsafe { run(operation, target, &plan(to, from.strides(), to.strides()), route) }
}

fn plan(layout: &StridedLayout, source: &[isize], target: &[isize]) -> CopyPlan {
    CopyPlan::new(layout.shape(), source, target, layout.itemsize())
}

/// Whether the driver would copy the host side in more or much narrower pieces than it must.
fn is_better_staged(direct: &CopyPlan, staged: &CopyPlan) -> bool {
    direct.blocks() > staged.blocks() || (direct.width < NARROW && direct.width < staged.width)
}

/// Queues the blocks of a plan behind the work on the device array, and waits for them: also where queueing
/// one failed, since those before it are under way.
///
/// # Safety
/// All elements that the plan reaches along the route can be read at the source and written at the target,
/// until this returns.
unsafe fn run(operation: &'static str, device: &CudaView, plan: &CopyPlan, route: Route) -> Result<()> {
    let gpu = device.gpu();
    wait_for(operation, gpu, device)?;
    let queued = plan.offsets().try_for_each(|(source, target)| {
        let transfer = block(plan, route.offset(source, target));
        // SAFETY: the caller vouches for the elements, and the stream is waited for below.
        unsafe { transfer.queue(operation, gpu.context(), gpu.queue()) }
    });
    let done = gpu.queue().synchronize(operation);
    queued.and(done)
}

/// Orders the queue of `gpu` behind the work on an array.
fn wait_for(operation: &'static str, gpu: &Gpu, array: &CudaView) -> Result<()> {
    match array.shared_memory().stream() {
        // SAFETY: whoever made the memory vouched for its stream, and the view keeps the memory.
        Some(stream) => unsafe { gpu.queue().wait_for(operation, stream) },
        None => Ok(()),
    }
}

fn block(plan: &CopyPlan, route: Route) -> Transfer {
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

fn check_booleans(staging: &Staging, layout: &StridedLayout, dense: &[isize]) -> Result<()> {
    let bytes = staging.bytes();
    let Some(position) = bytes.iter().position(|byte| *byte > 1) else { return Ok(()) };
    Err(Error::InvalidBool { index: c_order_index(position, layout, dense), found: bytes[position] })
}

/// The index in C order of the element that lies at `position` of a dense array with these strides.
fn c_order_index(position: usize, layout: &StridedLayout, dense: &[isize]) -> usize {
    let position = position / layout.itemsize();
    layout.shape().iter().zip(dense).fold(0, |index, (&len, &stride)| {
        index * len + position / (stride as usize / layout.itemsize()) % len
    })
}
