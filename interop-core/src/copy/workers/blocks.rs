//! [`Blocks`]: one copy, cut into blocks that move through pinned memory one by one.

use super::cut::{Block, Cut, Piece, is_crossed};
use super::tuning::{HostSide, Manner};
use crate::Result;
use crate::copy::direction::Direction;
use crate::copy::execute::blocks_of;
use crate::copy::gather::copy_on_host;
use crate::copy::meter::Meter;
use crate::copy::streaming::Stores;
use crate::driver::{Context, Route, Stream};

/// Where the first elements of a copy are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    ToDevice { source: *const u8, target: u64 },
    ToHost { source: u64, target: *mut u8, is_fresh: bool },
}

impl Ends {
    pub fn direction(self) -> Direction {
        match self {
            Self::ToDevice { .. } => Direction::ToDevice,
            Self::ToHost { .. } => Direction::ToHost,
        }
    }
}

/// Both sides of a copy: where their first elements are, and how the others lie; strides in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<'a> {
    pub ends: Ends,
    pub shape: &'a [usize],
    pub host: &'a [isize],
    pub device: &'a [isize],
    pub itemsize: usize,
    pub meter: Option<&'a Meter>,
}

/// A non-empty copy. Both arrays stay as they are for as long as it is in use: its maker vouches for that.
pub(super) struct Blocks {
    operation: &'static str,
    ends: Ends,
    itemsize: usize,
    cut: Cut,
    stores: Stores,
    meter: Option<Meter>,
}

// SAFETY: the addresses are used only by those who vouch for them, in unsafe functions, from whatever thread.
unsafe impl Send for Blocks {}
// SAFETY: as above; nothing is changed through a shared reference but the meter, which is atomic.
unsafe impl Sync for Blocks {}

impl Sides<'_> {
    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.itemsize
    }

    pub(super) fn host_side(&self) -> HostSide {
        HostSide {
            is_fresh: matches!(self.ends, Ends::ToHost { is_fresh: true, .. }),
            is_crossed: is_crossed(self.shape, self.host, self.device),
        }
    }

    fn host_address(&self) -> usize {
        match self.ends {
            Ends::ToDevice { source, .. } => source as usize,
            Ends::ToHost { target, .. } => target as usize,
        }
    }
}

impl Blocks {
    /// # Safety
    /// For as long as the blocks are in use, every element can be read on the one side and written on the other, and
    /// no two of the written ones share a byte.
    pub unsafe fn new(operation: &'static str, sides: Sides<'_>, manner: &Manner) -> Self {
        let Sides { ends, shape, host, device, itemsize, meter } = sides;
        let cut = Cut::new(shape, host, device, itemsize, manner.sizes, sides.host_address());
        Self { operation, ends, itemsize, cut, stores: manner.stores, meter: meter.cloned() }
    }

    pub fn operation(&self) -> &'static str {
        self.operation
    }

    pub fn ends(&self) -> Ends {
        self.ends
    }

    pub fn direction(&self) -> Direction {
        self.ends.direction()
    }

    pub fn cut(&self) -> &Cut {
        &self.cut
    }

    /// Counts the bytes of a piece that was gathered or scattered, for whoever looks on.
    pub fn count(&self, piece: &Piece) {
        if let Some(meter) = &self.meter {
            meter.add(piece.shape.lens.iter().product::<usize>() * self.itemsize);
        }
    }

    /// The bytes of a piece that is one run on the host.
    pub fn run_on_host(&self, piece: &Piece) -> Option<usize> {
        match (&piece.shape.lens[..], &piece.shape.host[..]) {
            (&[len], &[stride]) if stride == self.itemsize as isize => Some(len * self.itemsize),
            _ => None,
        }
    }

    /// Gathers a piece's elements into the pinned memory of its block.
    ///
    /// # Safety
    /// The copy goes to the device from `source`, the piece is one of its own, and `pinned` has room for the block.
    pub unsafe fn gather(&self, source: *const u8, piece: &Piece, pinned: *mut u8) {
        let shape = &piece.shape;
        let from = (source.wrapping_offset(piece.host), &shape.host[..]);
        let to = (pinned.wrapping_add(piece.packed), &shape.packed[..]);
        // SAFETY: the maker vouches for the host's elements, the caller for the pinned memory.
        unsafe { copy_on_host(from, to, &shape.lens, self.itemsize, self.stores) };
    }

    /// Scatters a piece's elements from the pinned memory of its block.
    ///
    /// # Safety
    /// The copy goes to the host's `target`, the piece is one of its own and nobody else's, and `pinned` holds the
    /// block.
    pub unsafe fn scatter(&self, target: *mut u8, piece: &Piece, pinned: *const u8) {
        let shape = &piece.shape;
        let from = (pinned.wrapping_add(piece.packed), &shape.packed[..]);
        let to = (target.wrapping_offset(piece.host), &shape.host[..]);
        // SAFETY: the maker vouches for the host's elements, the caller for the pinned memory.
        unsafe { copy_on_host(from, to, &shape.lens, self.itemsize, self.stores) };
    }

    /// Queues a block between pinned memory and the device.
    ///
    /// # Safety
    /// The block is one of the copy's, `pinned` has room for it, and both stay as they are until the stream has
    /// passed; `context` is current.
    pub unsafe fn queue(
        &self,
        block: &Block,
        pinned: *mut u8,
        (context, stream): (&Context, &Stream),
    ) -> Result<()> {
        let device = |first: u64| first.wrapping_add_signed(block.device() as i64);
        let route = match self.ends {
            Ends::ToDevice { target, .. } => Route::HostToDevice { source: pinned, target: device(target) },
            Ends::ToHost { source, .. } => Route::DeviceToHost { source: device(source), target: pinned },
        };
        let plan = self.cut.shape(block).transfer(self.itemsize, self.ends.direction());
        blocks_of(&plan, route).try_for_each(|transfer| {
            // SAFETY: the maker vouches for the device's elements, the caller for the rest.
            unsafe { transfer.past_the_command_buffer().queue(self.operation, context, stream) }
        })
    }
}
