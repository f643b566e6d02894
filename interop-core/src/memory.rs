//! [`Memory`]: who owns the bytes of a buffer, shared by reference count.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::gpu::Block;
use crate::in_flight::InFlight;
use crate::{CudaArrayInterface, Error, Gpu, Result, StreamHandle};

/// A range of memory that a GPU can reach, and whatever keeps it alive.
///
/// Clones share it; it is given back when the last one drops, on the right device and from any thread.
/// Everything that implements [`CudaArray`](crate::CudaArray) hands one out, so that what it shares stays
/// valid after it is gone itself.
#[derive(Clone)]
pub struct Memory {
    shared: Arc<Shared>,
}

struct Shared {
    gpu: Gpu,
    range: Range<u64>,
    read_only: bool,
    owner: Owner,
    in_flight: InFlight,
}

/// Who gives the bytes back, and how.
enum Owner {
    /// The device's handle, in the order of its stream.
    Gpu(Block),
    /// Another object, dropped with this.
    Foreign { _keep: Box<dyn Any + Send + Sync> },
    /// CV-CUDA, which has it from the device's handle and gives it back there, in the order of the stream.
    #[cfg(feature = "cvcuda")]
    Partner { _keep: Box<dyn Any + Send + Sync> },
    /// Nobody: there are no bytes, or they were given back.
    Nobody,
}

impl Memory {
    /// `bytes` of uninitialised device memory whose address is a multiple of 512. No bytes need no driver call
    /// and lie at address 0.
    pub(crate) fn allocate(operation: &'static str, gpu: &Gpu, bytes: usize) -> Result<Self> {
        if bytes == 0 {
            return Ok(Self::new(gpu, 0..0, false, Owner::Nobody));
        }
        let block = gpu.allocate(operation, bytes)?;
        // The block may be larger; what lies behind is not part of the memory.
        let range = block.start..block.start + bytes as u64;
        Ok(Self::new(gpu, range, false, Owner::Gpu(block)))
    }

    /// Memory that another object owns; `owner` is dropped when the last clone is.
    ///
    /// `ready` is the stream behind whose work the bytes are ready, `None` if they are ready now. It is waited
    /// for once, here, by [`Gpu::stream`] (the host does not wait); from then on all is ordered by that.
    ///
    /// # Safety
    /// - The `bytes` from `address` on are memory that `gpu` can reach, until `owner` is dropped.
    /// - Unless `read_only`, they may be written.
    /// - Where the host can reach them too (pinned or managed memory), no Rust reference to them is used while
    ///   they are copied, which for an asynchronous copy is until it was waited for.
    /// - `ready` is a live stream of the device.
    /// - Whatever else uses the memory later is ordered with what is queued on [`Gpu::stream`]. (This crate's
    ///   copies are complete when they return, or keep the memory until they are.)
    ///
    /// ```
    /// use interop_core::{CudaBuffer, Gpu, Memory};
    ///
    /// let gpu = Gpu::open(0)?;
    /// let theirs = CudaBuffer::from_host(&gpu, &[1u8, 2, 3])?; // stands for another library's object
    /// let address = theirs.pointer();
    /// // SAFETY: `theirs` owns these 3 bytes and moves in as their owner; its stream is live.
    /// let memory = unsafe { Memory::from_owner(&gpu, address, 3, false, Some(gpu.stream()), theirs) }?;
    /// assert_eq!(memory.range(), address..address + 3);
    /// # Ok::<(), interop_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotDeviceMemory`], [`Error::DeviceMismatch`], or [`Error::OutOfBounds`] where the driver
    /// knows better.
    pub unsafe fn from_owner(
        gpu: &Gpu,
        address: u64,
        bytes: usize,
        read_only: bool,
        ready: Option<StreamHandle>,
        owner: impl Any + Send + Sync,
    ) -> Result<Self> {
        const OPERATION: &str = "Memory::from_owner";
        let needed = i128::from(address)..i128::from(address) + bytes as i128;
        let range = check_range(OPERATION, gpu, address, needed)?;
        // SAFETY: the caller vouches for the stream.
        unsafe { wait_until_ready(OPERATION, gpu, ready) }?;
        Ok(Self::new(gpu, range, read_only, Owner::Foreign { _keep: Box::new(owner) }))
    }

    /// The memory that `interface` describes, kept alive by `owner`; `()` keeps nothing.
    ///
    /// # Safety
    /// As [`Memory::from_owner`].
    pub(crate) unsafe fn described(
        operation: &'static str,
        gpu: &Gpu,
        interface: &CudaArrayInterface,
        owner: impl Any + Send + Sync,
    ) -> Result<Self> {
        let range = check_range(operation, gpu, interface.pointer(), interface.address_range())?;
        // SAFETY: the caller vouches for the stream.
        unsafe { wait_until_ready(operation, gpu, interface.stream()) }?;
        Ok(Self::new(gpu, range, interface.is_read_only(), Owner::Foreign { _keep: Box::new(owner) }))
    }

    /// Memory that CV-CUDA had from `gpu` and gives back there when `owner` drops.
    #[cfg(feature = "cvcuda")]
    pub(crate) fn of_partner(gpu: &Gpu, range: Range<u64>, owner: impl Any + Send + Sync) -> Self {
        Self::new(gpu, range, false, Owner::Partner { _keep: Box::new(owner) })
    }

    fn new(gpu: &Gpu, range: Range<u64>, read_only: bool, owner: Owner) -> Self {
        Self {
            shared: Arc::new(Shared {
                gpu: gpu.clone(),
                range,
                read_only,
                owner,
                in_flight: InFlight::default(),
            }),
        }
    }

    /// The device that can reach it. What is queued on the memory is ordered by [`Gpu::stream`].
    pub fn gpu(&self) -> &Gpu {
        &self.shared.gpu
    }

    /// Its addresses on the device.
    pub fn range(&self) -> Range<u64> {
        self.shared.range.clone()
    }

    /// Whether it must not be written.
    pub fn is_read_only(&self) -> bool {
        self.shared.read_only
    }

    /// The copies that run beside the caller on it.
    pub(crate) fn in_flight(&self) -> &InFlight {
        &self.shared.in_flight
    }

    /// Whether the other is a handle of the same.
    #[cfg(feature = "cvcuda")]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// How many handles share it.
    pub fn handles(&self) -> usize {
        Arc::strong_count(&self.shared)
    }

    /// Fails unless all elements that `interface` describes lie within this memory.
    pub(crate) fn check_contains(
        &self,
        operation: &'static str,
        interface: &CudaArrayInterface,
    ) -> Result<()> {
        let needed = interface.address_range();
        let Range { start, end } = self.shared.range;
        let inside = needed.start >= i128::from(start) && needed.end <= i128::from(end);
        if needed.is_empty() || inside {
            return Ok(());
        }
        Err(Error::OutOfBounds { operation, needed, allocation: start..end })
    }

    /// Whether it is given back in the order of [`Gpu::stream`], so that what is queued there need not be waited
    /// for. Another object may give it back at any time once the last handle is gone.
    pub(crate) fn is_freed_in_order(&self) -> bool {
        !matches!(self.shared.owner, Owner::Foreign { .. })
    }

    /// Drops this handle; if it was the last, gives the memory back and returns what that met.
    pub(crate) fn free(self, operation: &'static str) -> Result<()> {
        match Arc::into_inner(self.shared) {
            Some(mut shared) => shared.release(operation),
            None => Ok(()),
        }
    }
}

impl Shared {
    fn release(&mut self, operation: &'static str) -> Result<()> {
        let bytes = (self.range.end - self.range.start) as usize;
        match std::mem::replace(&mut self.owner, Owner::Nobody) {
            // SAFETY: it came from there with as many bytes, and the owner is replaced, so that it is given
            // back once.
            Owner::Gpu(block) => unsafe { self.gpu.free(operation, block, bytes) },
            Owner::Foreign { .. } | Owner::Nobody => Ok(()),
            #[cfg(feature = "cvcuda")]
            Owner::Partner { _keep } => {
                drop(_keep);
                // What its callback met, which CV-CUDA does not pass on.
                self.gpu.take_drop_error().map_or(Ok(()), Err)
            }
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Err(error) = self.release("drop of a buffer") {
            self.gpu.record_drop_error(error);
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = match self.shared.owner {
            Owner::Gpu(_) => "the device's handle",
            Owner::Foreign { .. } => "another object",
            Owner::Nobody => "nobody",
            #[cfg(feature = "cvcuda")]
            Owner::Partner { .. } => "CV-CUDA",
        };
        let Range { start, end } = self.shared.range;
        write!(f, "Memory({start:#x}..{end:#x}, owned by {owner})")
    }
}

/// Asks the driver about an address that came from outside: `needed`, around `address`, must lie in its
/// allocation. Returns the range.
fn check_range(operation: &'static str, gpu: &Gpu, address: u64, needed: Range<i128>) -> Result<Range<u64>> {
    if needed.is_empty() {
        return Ok(0..0);
    }
    let info = gpu.context().pointer_info(operation, address)?;
    let info = info.ok_or(Error::NotDeviceMemory { operation, address })?;
    gpu.check_same_device(operation, info.device)?;
    let (start, end) = (i128::from(info.allocation.start), i128::from(info.allocation.end));
    if needed.start < start || needed.end > end {
        return Err(Error::OutOfBounds { operation, needed, allocation: info.allocation });
    }
    // Both fit: they lie within the allocation.
    Ok(needed.start as u64..needed.end as u64)
}

/// Orders the queue of `gpu` behind a foreign stream.
///
/// # Safety
/// `ready` is a live stream of the device.
unsafe fn wait_until_ready(operation: &'static str, gpu: &Gpu, ready: Option<StreamHandle>) -> Result<()> {
    match ready {
        // SAFETY: the caller vouches for the stream.
        Some(stream) => unsafe { gpu.queue().wait_for(operation, stream) },
        None => Ok(()),
    }
}
