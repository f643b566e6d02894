//! [`Tuning`]: how many threads, which blocks, and from which size on, for the machine at hand.
//!
//! Figures are of an H200 on PCIe 5 x16, in a virtual machine with 16 cores; `book/src/transfer-bandwidth.md` has more.

use super::Way;
use super::cut::Sizes;
use super::stage::{SEGMENT, TO_HOST};
use crate::copy::direction::Direction;
use crate::copy::streaming::Stores;
use crate::gpu::GpuOptions;

/// The bytes of a huge page on x86-64, and on 64-bit ARM with pages of 4 KiB.
pub(in crate::copy) const HUGE_PAGE: usize = 2 << 20;
/// 14 and 16 threads do not copy faster (but 16 into new memory: 48 GB/s in place of 42 at 1 GiB), 8 copy slower.
const MOST_THREADS: usize = 12;
/// Pinned blocks for each direction: what is gathered should have left the caches of the core that gathered it when
/// the link fetches it, and when another core writes there next. Of 4 MiB each, 4 blocks moved 40 GB/s, 6 and more 50.
const SLOTS: usize = 12;
/// With fewer the link waits for the threads.
const FEWEST_SLOTS: usize = 4;
/// Each block costs the copy engine 2.4 us besides its bytes: of these, 3 in a hundred.
const LARGEST_BLOCK: usize = 4 << 20;
/// No smaller ones are made to have threads where little may be pinned,
const SMALLEST_LARGEST_BLOCK: usize = 128 << 10;
/// nor on demand.
const FLOOR: usize = 4 << 10;
/// The first block is soon gathered.
const FIRST_TO_DEVICE: usize = 512 << 10;
/// The first is soon here, and after the last little is left to scatter.
const FIRST_TO_HOST: usize = 1 << 20;
/// What one thread gathers or scatters at once: long enough to be worth the taking, short enough that all threads are
/// through with a block at about the same time.
const SMALLEST_PART: usize = 64 << 10;
/// From so many bytes on the threads were measured to be faster than one: to the device one is quick up to some MiB.
const TO_DEVICE_FROM: usize = 2 << 20;
/// To the host.
const TO_HOST_FROM: usize = 1 << 20;
/// And either way where the elements lie in many small pieces.
const IN_PIECES_FROM: usize = 1 << 20;
/// One thread is no faster than the driver's call from so many bytes on.
const STAGED_BELOW: usize = 2 << 20;
/// New memory of fewer bytes has too few huge pages for the threads.
const BY_PAGE_FROM: usize = 4 * HUGE_PAGE;
/// Pinned blocks that serve more often in a copy are worth having in the caches: at first they come from memory.
const SOON_OVER: usize = 4;
/// Rows of fewer bytes in all are written to a stage's memory past the caches: a line that the link has just fetched
/// is slow to write piece by piece, and in larger uploads others have pushed it out since. Rows of 512 bytes took up
/// to 1.5 times as long.
const ROWS_CACHED_FROM: usize = 128 << 10;
/// Copies to the host of fewer bytes write their tiles into the caches: 4 MiB took 187 us there and 205 past them, 8
/// MiB 310 and 264.
const CROSSED_PAST_CACHES_FROM: usize = 8 << 20;

/// How the blocks of a copy are cut, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manner {
    pub sizes: Sizes,
    pub stores: Stores,
}

/// What a copy's host side is like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HostSide {
    /// New memory that was not touched yet.
    pub is_fresh: bool,
    /// Its elements lie closest together along another axis than the device's.
    pub is_crossed: bool,
}

/// Into how many parts a block is divided: no more than `most`, nor smaller ones than so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub smallest: usize,
    pub most: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tuning {
    pub threads: usize,
    /// Pinned blocks for each direction, and the bytes of each.
    pub slots: usize,
    pub block: usize,
    from_bytes: Option<usize>,
}

impl Tuning {
    /// Or why the driver's own calls serve best.
    pub fn of_this_machine(options: &GpuOptions) -> Result<Self, String> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(cores, options)
    }

    fn new(cores: usize, options: &GpuOptions) -> Result<Self, String> {
        let wanted = options.threads().unwrap_or(MOST_THREADS);
        if cores < 2 {
            return Err("this process may use one core only".to_owned());
        }
        if wanted < 2 {
            return Err(format!("expected at least 2 copy threads, was asked for {wanted}"));
        }
        let wanted_block = options.block().unwrap_or(LARGEST_BLOCK).max(FLOOR);
        let smallest_block = SMALLEST_LARGEST_BLOCK.min(wanted_block);
        let each_way = options.pinned() / 2;
        let block = wanted_block.min(each_way / FEWEST_SLOTS / FLOOR * FLOOR);
        if block < smallest_block {
            let (needed, may) = (2 * FEWEST_SLOTS * smallest_block, options.pinned());
            return Err(format!(
                "expected at least {needed} bytes of pinned memory, may use {may}; raise GpuOptions::pinned_bytes"
            ));
        }
        let slots = (each_way / block).min(SLOTS);
        Ok(Self { threads: wanted.min(cores), slots, block, from_bytes: options.threads_from_bytes() })
    }

    /// The most pinned memory that both directions hold.
    pub fn pinned_bytes(&self) -> usize {
        2 * self.slots * self.block
    }

    /// What makes a copy of so many bytes, None for the driver's own call; `in_pieces` where its elements lie in many
    /// small ones.
    pub fn way(&self, bytes: usize, direction: Direction, in_pieces: bool) -> Option<Way> {
        let threads_from = self.from_bytes.unwrap_or(match direction {
            _ if in_pieces => IN_PIECES_FROM,
            Direction::ToDevice => TO_DEVICE_FROM,
            Direction::ToHost => TO_HOST_FROM,
        });
        match bytes {
            _ if bytes >= threads_from => Some(Way::Threads),
            _ if bytes < STAGED_BELOW => Some(Way::Stage),
            _ => None,
        }
    }

    /// How a small copy through a stage is made.
    pub fn manner_of_small(direction: Direction) -> Manner {
        let (largest, stores) = match direction {
            // Uploads of transposed arrays took up to 2.6 times as long with cached stores.
            Direction::ToDevice => (SEGMENT, Stores::Streaming),
            Direction::ToHost => (TO_HOST, Stores::Cached),
        };
        Manner { sizes: Sizes { smallest: largest, largest, eases_out: false, alignment: None }, stores }
    }

    /// How a stage takes a piece of one run, which begins after so many bytes. The first is as large as there is room
    /// for in the caches, beside the array's own bytes.
    pub fn stores_of_run(start: usize) -> Stores {
        if start == 0 { Stores::Cached } else { Stores::Streaming }
    }

    /// How it takes a piece of rows, of so many bytes in all.
    pub fn stores_of_rows(start: usize, bytes: usize) -> Stores {
        if bytes < ROWS_CACHED_FROM { Stores::Streaming } else { Self::stores_of_run(start) }
    }

    /// How the threads make a copy of so many bytes, and how they share its blocks.
    ///
    /// New memory is copied by huge pages, so that no two threads wait for the same one (but in the first block, which
    /// begins anywhere). Not where the copy goes by tiles: each of them lies on many pages.
    ///
    /// The lines of tiles would push each other out of the caches. Past them, 35 GB/s became 43 to the device with 1
    /// GiB, and 24 became 50 to the host.
    pub fn manner(&self, bytes: usize, direction: Direction, host: HostSide) -> (Manner, Parts) {
        let first = match direction {
            Direction::ToDevice => FIRST_TO_DEVICE,
            Direction::ToHost => FIRST_TO_HOST,
        };
        let has_pages = bytes >= BY_PAGE_FROM && self.block.is_multiple_of(HUGE_PAGE);
        let is_by_page = host.is_fresh && !host.is_crossed && has_pages;
        let sizes = Sizes {
            smallest: first.min(self.block),
            largest: self.block,
            eases_out: direction == Direction::ToHost,
            alignment: is_by_page.then_some(self.block),
        };
        let parts = match is_by_page {
            true => Parts { smallest: HUGE_PAGE, most: self.block / HUGE_PAGE },
            false => Parts { smallest: SMALLEST_PART.min(self.block / 8), most: self.threads },
        };
        let is_soon_over = bytes / SOON_OVER <= self.slots * self.block;
        let streams = match direction {
            Direction::ToDevice => host.is_crossed || is_soon_over,
            Direction::ToHost => host.is_crossed && bytes >= CROSSED_PAST_CACHES_FROM,
        };
        let stores = if streams { Stores::Streaming } else { Stores::Cached };
        (Manner { sizes, stores }, parts)
    }
}

#[cfg(test)]
mod tests {
    use Direction::{ToDevice, ToHost};

    use super::*;
    use crate::copy::workers::cut::Cut;
    use crate::copy::workers::{Ends, Sides};

    const MIB: usize = 1 << 20;

    #[test]
    fn one_core_or_too_little_pinned_memory_is_the_drivers() {
        assert!(Tuning::new(1, &GpuOptions::new()).unwrap_err().contains("one core"));
        assert!(Tuning::new(8, &GpuOptions::new().copy_threads(1)).is_err());
        let too_little = Tuning::new(8, &GpuOptions::new().pinned_bytes(MIB - 1)).unwrap_err();
        assert_eq!(
            too_little,
            "expected at least 1048576 bytes of pinned memory, may use 1048575; raise GpuOptions::pinned_bytes"
        );
        assert!(Tuning::new(8, &GpuOptions::new().pinned_bytes(MIB)).is_ok());
    }

    #[test]
    fn small_copies_are_the_callers_and_large_ones_the_threads() {
        let way = |options: &GpuOptions, bytes, direction, in_pieces| {
            Tuning::new(8, options).unwrap().way(bytes, direction, in_pieces)
        };
        let default = GpuOptions::new();
        assert_eq!(way(&default, 2 * MIB - 1, ToDevice, false), Some(Way::Stage));
        assert_eq!(way(&default, 2 * MIB, ToDevice, false), Some(Way::Threads));
        assert_eq!(way(&default, MIB - 1, ToHost, false), Some(Way::Stage));
        assert_eq!(way(&default, MIB, ToHost, false), Some(Way::Threads));
        assert_eq!(way(&default, MIB, ToDevice, true), Some(Way::Threads));
        let always = GpuOptions::new().threads_from(1);
        assert_eq!(way(&always, 1, ToDevice, false), Some(Way::Threads));
        let hardly = GpuOptions::new().threads_from(64 * MIB);
        assert_eq!(way(&hardly, MIB, ToHost, false), Some(Way::Stage));
        assert_eq!(way(&hardly, 2 * MIB, ToDevice, false), None, "the driver's");
    }

    #[test]
    fn pinned_blocks_that_serve_a_few_times_are_written_past_the_caches() {
        let tuning = Tuning::new(16, &GpuOptions::new()).unwrap();
        let stores = |bytes, direction| tuning.manner(bytes, direction, HostSide::default()).0.stores;
        assert_eq!(
            (stores(192 * MIB, ToDevice), stores(193 * MIB, ToDevice)),
            (Stores::Streaming, Stores::Cached)
        );
        assert_eq!(stores(8 * MIB, ToHost), Stores::Cached);
        let small = |direction| Tuning::manner_of_small(direction).stores;
        assert_eq!((small(ToDevice), small(ToHost)), (Stores::Streaming, Stores::Cached));
        let (run, rows) = (Tuning::stores_of_run, Tuning::stores_of_rows);
        assert_eq!((run(0), run(MIB / 2)), (Stores::Cached, Stores::Streaming));
        assert_eq!((rows(0, MIB / 16), rows(0, MIB)), (Stores::Streaming, Stores::Cached));
        assert_eq!(rows(MIB / 2, MIB), Stores::Streaming);
    }

    /// Of a size that is streamed for no other reason, in either direction.
    #[test]
    fn large_copies_are_written_past_the_caches_where_one_side_is_transposed() {
        let tuning = Tuning::new(16, &GpuOptions::new()).unwrap();
        let crossed = HostSide { is_crossed: true, ..HostSide::default() };
        let to_host = |bytes| tuning.manner(bytes, ToHost, crossed).0.stores;
        assert_eq!((to_host(8 * MIB - 1), to_host(8 * MIB)), (Stores::Cached, Stores::Streaming));
        let little = Tuning::new(16, &GpuOptions::new().pinned_bytes(MIB)).unwrap();
        assert_eq!(little.manner(4 * MIB, ToDevice, crossed).0.stores, Stores::Streaming);
        let (row, shape) = (4 * 8192, [8192, 8192]);
        let stores = |host: [isize; 2], ends| {
            let sides =
                Sides { ends, shape: &shape, host: &host, device: &[row, 4], itemsize: 4, meter: None };
            let side = sides.host_side();
            (side.is_crossed, tuning.manner(sides.bytes(), ends.direction(), side).0.stores)
        };
        let to_device = Ends::ToDevice { source: std::ptr::null(), target: 0 };
        let to_host = Ends::ToHost { source: 0, target: std::ptr::null_mut(), is_fresh: false };
        for ends in [to_device, to_host] {
            assert_eq!(stores([4, row], ends), (true, Stores::Streaming), "transposed, {ends:?}");
            assert_eq!(stores([row, 4], ends), (false, Stores::Cached), "packed, {ends:?}");
            assert_eq!(stores([row + 64, 4], ends), (false, Stores::Cached), "padded, {ends:?}");
        }
    }

    #[test]
    fn new_memory_is_divided_at_huge_pages() {
        let tuning = Tuning::new(16, &GpuOptions::new()).unwrap();
        let fresh = HostSide { is_fresh: true, ..HostSide::default() };
        let (manner, parts_of) = tuning.manner(64 * MIB, ToHost, fresh);
        assert_eq!((manner.sizes.alignment, parts_of.smallest), (Some(LARGEST_BLOCK), HUGE_PAGE));
        assert_eq!(tuning.manner(4 * MIB, ToHost, fresh).0.sizes.alignment, None);
        let crossed = HostSide { is_crossed: true, ..fresh };
        let (manner_of_crossed, parts) = tuning.manner(64 * MIB, ToHost, crossed);
        assert_eq!((manner_of_crossed.sizes.alignment, parts.most), (None, 12), "pages that all tiles share");
        let (start, total) = (16, 64 * MIB);
        let cut = Cut::new(&[total], &[1], &[1], 1, manner.sizes, start);
        let starts = cut.blocks().iter().skip(1).flat_map(|block| {
            let parts = cut.parts(block, parts_of.smallest, parts_of.most);
            let cut = &cut;
            (0..parts).map(move |index| start + cut.part(block, index, parts).host as usize)
        });
        assert!(starts.clone().all(|start| start % HUGE_PAGE == 0), "{:?}", starts.collect::<Vec<_>>());
    }

    #[test]
    fn a_block_is_divided_among_the_threads() {
        let tuning = Tuning::new(16, &GpuOptions::new()).unwrap();
        let (manner, parts_of) = tuning.manner(64 * MIB, ToDevice, HostSide::default());
        let cut = Cut::new(&[64 * MIB], &[1], &[1], 1, manner.sizes, 0);
        let parts = |block| cut.parts(block, parts_of.smallest, parts_of.most);
        let (first, last) = (&cut.blocks()[0], &cut.blocks()[8]);
        assert_eq!((cut.bytes(first), parts(first)), (MIB / 2, 8));
        assert_eq!((cut.bytes(last), parts(last)), (4 * MIB, 12));
    }

    #[test]
    fn never_more_threads_than_cores_nor_more_pinned_memory_than_allowed() {
        for cores in [2, 3, 8, 16, 200] {
            for pinned in [1 << 20, 32 << 20, 33_333_333, 192 << 20, 1 << 30] {
                let options = GpuOptions::new().copy_threads(64).pinned_bytes(pinned);
                let tuning = Tuning::new(cores, &options).unwrap();
                assert!((2..=cores).contains(&tuning.threads), "{tuning:?}");
                assert!(tuning.pinned_bytes() <= pinned, "{tuning:?}");
                assert!((FEWEST_SLOTS..=SLOTS).contains(&tuning.slots), "{tuning:?}");
                assert!((SMALLEST_LARGEST_BLOCK..=LARGEST_BLOCK).contains(&tuning.block), "{tuning:?}");
            }
        }
    }
}
