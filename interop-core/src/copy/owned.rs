//! Copies from and to pinned memory that run on by themselves: the buffer moves in and comes back.

use std::fmt;

use super::between::check_writable;
use super::booleans::check_booleans;
use super::direction::Direction;
use super::execute::{is_slow, plan};
use super::host::HostView;
use super::pinned::PinnedBuffer;
use super::queued::{DROP, Progress, Queued};
use crate::driver::Route;
use crate::interface::{CudaArray, CudaView};
use crate::layout::{CopyPlan, StridedLayout};
use crate::{DType, Element, Error, Memory, Result};

/// Queues the copy of pinned memory to a GPU array of as many elements of the same type, in C order, whatever the
/// array's strides. Returns at once; the buffer moves in and comes back from [`PinnedCopy::wait`].
/// (An array that is reversed along an axis is queued in pieces of one element or row, which takes longer.)
///
/// The copy runs behind all that is queued on the stream of the array's memory, and whatever is queued there
/// next runs behind the copy: the array can be used at once. To overlap copies with each other and with other
/// work, use several streams: [`Gpu::with_new_stream`](crate::Gpu::with_new_stream).
///
/// ```
/// use interop_core::{CudaBuffer, DType, Gpu, PinnedBuffer, cuda_memcpy_d2h_async, cuda_memcpy_h2d_async};
///
/// let gpu = Gpu::open(0)?;
/// let mut buffer = CudaBuffer::new(&gpu, &[2, 3], DType::F32)?;
/// let source = PinnedBuffer::from_slice(&gpu, &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let upload = cuda_memcpy_h2d_async(source, &mut buffer)?;
/// let download = cuda_memcpy_d2h_async(&buffer, PinnedBuffer::<f32>::zeros(&gpu, 6)?)?; // behind the upload
/// // The host is free to do something else here.
/// assert_eq!(download.wait()?[..], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// let source = upload.wait()?; // to be filled anew
/// # Ok::<(), interop_core::Error>(())
/// ```
///
/// # Errors
/// Those of [`cuda_memcpy_h2d`](crate::cuda_memcpy_h2d), in a [`Rejected`] that has the buffer. One that the
/// device meets later is returned by [`PinnedCopy::wait`].
pub fn cuda_memcpy_h2d_async<T: Element>(
    pinned: PinnedBuffer<T>,
    device: &mut (impl CudaArray + ?Sized),
) -> std::result::Result<PinnedCopy<T>, Rejected<T>> {
    const OPERATION: &str = "cuda_memcpy_h2d_async";
    let view = CudaView::to_be_written(OPERATION, device);
    let view = view.and_then(|view| check_writable(OPERATION, &view).map(|()| view));
    PinnedCopy::begin(OPERATION, pinned, view, Direction::ToDevice)
}

/// Queues the copy of a GPU array to pinned memory for as many elements of the same type, in C order, whatever the
/// array's strides. Returns at once; the buffer moves in and comes back, filled, from [`PinnedCopy::wait`]. (An array
/// that is reversed along an axis, or broadcast, is queued in pieces of one element or row, which takes longer.)
///
/// It is ordered as [`cuda_memcpy_h2d_async`] is, which has an example, too.
///
/// # Errors
/// Those of [`cuda_memcpy_d2h`](crate::cuda_memcpy_d2h), in a [`Rejected`] that has the buffer. One that the
/// device meets later is returned by [`PinnedCopy::wait`].
pub fn cuda_memcpy_d2h_async<T: Element>(
    device: &(impl CudaArray + ?Sized),
    pinned: PinnedBuffer<T>,
) -> std::result::Result<PinnedCopy<T>, Rejected<T>> {
    const OPERATION: &str = "cuda_memcpy_d2h_async";
    PinnedCopy::begin(OPERATION, pinned, CudaView::checked(OPERATION, device), Direction::ToHost)
}

/// A copy under way between pinned memory, which it owns, and a GPU array, whose memory it keeps: what
/// [`cuda_memcpy_h2d_async`] and [`cuda_memcpy_d2h_async`] return.
///
/// A drop waits for the copy. One that is forgotten ([`std::mem::forget`]) keeps both memories for good, so that
/// nothing is copied from or to memory that is gone.
#[must_use = "a drop waits for the copy; keep it and call `wait` for the buffer"]
pub struct PinnedCopy<T: Element> {
    queued: Queued,
    /// Empty once it was given back.
    pinned: PinnedBuffer<T>,
    direction: Direction,
}

impl<T: Element> PinnedCopy<T> {
    fn begin(
        operation: &'static str,
        pinned: PinnedBuffer<T>,
        view: Result<CudaView>,
        direction: Direction,
    ) -> std::result::Result<Self, Rejected<T>> {
        let fitted = view.and_then(|view| {
            let layout = HostView::from_slice(&pinned).fit(operation, view.interface());
            layout.map(|layout| (view, layout))
        });
        let (view, layout) = match fitted {
            Ok(fitted) => fitted,
            Err(error) => return Err(Rejected::new(error, Some(pinned))),
        };
        let mut queued = Queued::new(view.gpu(), layout.size_bytes());
        queued.keep(view.shared_memory().clone());
        let copy = Self { queued, pinned, direction };
        copy.queue(operation, &view, &layout)
    }

    /// Queues the copy, or waits for what was queued of it and gives the buffer back.
    fn queue(
        mut self,
        operation: &'static str,
        view: &CudaView,
        packed: &StridedLayout,
    ) -> std::result::Result<Self, Rejected<T>> {
        let first = self.pinned.start().as_ptr().cast();
        // SAFETY: the pinned buffer holds the elements of the layout, and is this handle's own until the copies
        // are over: `wait` and the drop see to it, and one that is forgotten is never freed.
        let result = unsafe { queue(operation, &mut self.queued, self.direction, first, view, packed) };
        match result {
            Ok(()) => Ok(self),
            Err(error) => {
                let buffer = self.finish(operation).map_or_else(|rejected| rejected.buffer, Some);
                Err(Rejected::new(error, buffer))
            }
        }
    }

    /// Waits until the copy is complete, and returns the buffer.
    ///
    /// # Errors
    /// [`Error::Driver`] where this copy or earlier work on the device failed: nobody can say then whether the
    /// device still uses the buffer, which is never freed. [`Error::InvalidBool`] for a download of booleans
    /// that are none, in a [`Rejected`] with the buffer, all `false`.
    pub fn wait(mut self) -> std::result::Result<PinnedBuffer<T>, Rejected<T>> {
        self.finish("PinnedCopy::wait")
    }

    /// Whether the copy is complete, so that [`PinnedCopy::wait`] would return at once.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn is_done(&self) -> Result<bool> {
        self.queued.is_done("PinnedCopy::is_done")
    }

    /// How far the copy has come.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn progress(&self) -> Result<Progress> {
        self.queued.progress("PinnedCopy::progress")
    }

    /// The buffer, when the copy is over and has left values of T in it.
    fn finish(&mut self, operation: &'static str) -> std::result::Result<PinnedBuffer<T>, Rejected<T>> {
        let mut pinned = match self.give_back(operation) {
            Ok(pinned) => pinned,
            Err(error) => return Err(Rejected::new(error, None)),
        };
        if T::DTYPE == DType::Bool
            && self.direction == Direction::ToHost
            && let Err(error) = check_booleans(operation, pinned.bytes())
        {
            pinned.write_zeros();
            return Err(Rejected::new(error, Some(pinned)));
        }
        Ok(pinned)
    }

    /// The buffer, when the device is through with it; where that cannot be known it is leaked.
    fn give_back(&mut self, operation: &'static str) -> Result<PinnedBuffer<T>> {
        let over = self.queued.wait(operation);
        let pinned = std::mem::replace(&mut self.pinned, PinnedBuffer::empty());
        match over {
            Ok(()) => Ok(pinned),
            Err(error) => {
                std::mem::forget(pinned);
                Err(error)
            }
        }
    }
}

impl<T: Element> Drop for PinnedCopy<T> {
    fn drop(&mut self) {
        if let Err(error) = self.give_back(DROP) {
            self.queued.record_drop_error(error);
        }
    }
}

impl<T: Element> fmt::Debug for PinnedCopy<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedCopy({:?})", self.direction)
    }
}

/// Queues the copy between packed elements on the host and the array, through packed device memory where the
/// driver would copy it in many small pieces.
///
/// # Safety
/// The elements from `host` on, packed as `packed` says, can be read and written until `queued` is over.
unsafe fn queue(
    operation: &'static str,
    queued: &mut Queued,
    direction: Direction,
    host: *mut u8,
    view: &CudaView,
    packed: &StridedLayout,
) -> Result<()> {
    if packed.is_empty() {
        return Ok(());
    }
    let (inner, outer) = (packed.strides(), view.strides());
    let device = view.pointer();
    let straight = match direction {
        Direction::ToDevice => plan(packed, inner, outer),
        Direction::ToHost => plan(packed, outer, inner),
    };
    if !is_slow(&straight) {
        // SAFETY: the caller vouches for the host side; `queued` keeps the memory that the array lies in.
        return unsafe { queued.queue(operation, &straight, route(direction, host, device)) };
    }
    let between = Memory::allocate(operation, view.gpu(), packed.size_bytes())?;
    let middle = between.range().start;
    queued.keep(between);
    let flat = plan(packed, inner, inner);
    let across = |source, target| Route::DeviceToDevice { source, target };
    let steps: [(&CopyPlan, Route); 2] = match direction {
        Direction::ToDevice => [(&flat, route(direction, host, middle)), (&straight, across(middle, device))],
        Direction::ToHost => [(&straight, across(device, middle)), (&flat, route(direction, host, middle))],
    };
    let [(first, first_route), (second, second_route)] = steps;
    // SAFETY: as above; the memory in between has room for all elements, packed, and is kept, too.
    unsafe { queued.queue(operation, first, first_route) }?;
    queued.forget_marks();
    // SAFETY: as above.
    unsafe { queued.queue(operation, second, second_route) }
}

fn route(direction: Direction, host: *mut u8, device: u64) -> Route {
    match direction {
        Direction::ToDevice => Route::HostToDevice { source: host, target: device },
        Direction::ToHost => Route::DeviceToHost { source: device, target: host },
    }
}

/// Why a copy was not queued, or left no values, and the buffer that moved in. `?` turns it into the [`Error`].
///
/// ```
/// use interop_core::{CudaBuffer, DType, Gpu, PinnedBuffer, cuda_memcpy_h2d_async};
///
/// let gpu = Gpu::open(0)?;
/// let mut buffer = CudaBuffer::new(&gpu, &[100], DType::U8)?;
/// let pinned = PinnedBuffer::<u8>::zeros(&gpu, 99)?;
/// let rejected = cuda_memcpy_h2d_async(pinned, &mut buffer).unwrap_err();
/// assert_eq!(
///     rejected.error.to_string(),
///     "cuda_memcpy_h2d_async: expected 100 bytes on the host, got 99; \
///      host and device must hold the same number of elements",
/// );
/// let pinned = rejected.buffer.unwrap();
/// # Ok::<(), interop_core::Error>(())
/// ```
pub struct Rejected<T: Element> {
    /// Why.
    pub error: Box<Error>,
    /// The buffer. None only where the driver failed half way: it cannot say then whether the device still uses it.
    pub buffer: Option<PinnedBuffer<T>>,
}

impl<T: Element> Rejected<T> {
    fn new(error: Error, buffer: Option<PinnedBuffer<T>>) -> Self {
        Self { error: Box::new(error), buffer }
    }
}

impl<T: Element> fmt::Debug for Rejected<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl<T: Element> fmt::Display for Rejected<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl<T: Element> std::error::Error for Rejected<T> {}

impl<T: Element> From<Rejected<T>> for Error {
    fn from(rejected: Rejected<T>) -> Self {
        *rejected.error
    }
}
