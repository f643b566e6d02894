//! [`Tuning`]: how many threads, which blocks, and from which size on, for the machine at hand.

use super::Way;
use super::cut::Sizes;
use super::stage::SEGMENT;
use crate::copy::streaming::Stores;
use crate::gpu::GpuOptions;

/// Pinned blocks a thread: one on its way while the other is filled or emptied, and one to spare.
pub(super) const SLOTS: usize = 3;
/// The bytes of a huge page on x86-64, and on 64-bit ARM with pages of 4 KiB.
pub(in crate::copy) const HUGE_PAGE: usize = 2 << 20;
/// Below this a block costs more in calls than it gains.
const SMALLEST_BLOCK: usize = 128 << 10;
/// No smaller ones are made on demand either.
const FLOOR: usize = 4 << 10;
/// Above this, blocks leave the caches: the second level of a core that drives an H200 holds 2 MiB, and 4 MiB
/// were measured a tenth slower.
const LARGEST_BLOCK: usize = 2 << 20;
/// The same where a copy is over before a pinned block is used again, and so finds it in no cache: it is written
/// past the caches then, and what counts is that the first blocks are soon on their way.
const SMALLEST_BLOCK_ONCE: usize = 256 << 10;
const LARGEST_BLOCK_ONCE: usize = 1 << 20;
/// More threads do not copy faster.
const MOST_THREADS: usize = 16;
/// From so many bytes on the threads were measured to be faster than one, on an H200 with 16 cores: to the device
/// one is quick up to some MiB.
const TO_DEVICE_FROM: usize = 2 << 20;
/// To the host.
const TO_HOST_FROM: usize = 1 << 20;
/// And either way where the elements lie in many small pieces.
const IN_PIECES_FROM: usize = 1 << 20;
/// One thread is no faster than the driver's call from so many bytes on.
const STAGED_BELOW: usize = 2 << 20;
/// Arrays of so many bytes are no longer in the caches when they are read next: they are written past them.
const PAST_CACHES_FROM: usize = 8 << 20;

/// How the blocks of a copy are cut, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manner {
    pub sizes: Sizes,
    pub stores: Stores,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tuning {
    pub threads: usize,
    smallest_block: usize,
    largest_block: usize,
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
        let smallest_block = SMALLEST_BLOCK.min(options.block().unwrap_or(SMALLEST_BLOCK)).max(FLOOR);
        let affordable = options.pinned() / (SLOTS * smallest_block);
        let threads = wanted.min(cores).min(affordable);
        if threads < 2 {
            let needed = 2 * SLOTS * smallest_block;
            return Err(format!(
                "expected at least {needed} bytes of pinned memory, may use {}",
                options.pinned()
            ));
        }
        let share = options.pinned() / (SLOTS * threads);
        let largest_block = options.block().unwrap_or(LARGEST_BLOCK).min(share).max(smallest_block);
        Ok(Self { threads, smallest_block, largest_block, from_bytes: options.threads_from_bytes() })
    }

    /// The most pinned memory that all threads hold.
    pub fn pinned_bytes(&self) -> usize {
        self.threads * SLOTS * self.largest_block
    }

    /// What makes a copy of so many bytes, None for the driver's own call; `in_pieces` where its elements lie in many
    /// small ones.
    pub fn way(&self, bytes: usize, to_device: bool, in_pieces: bool) -> Option<Way> {
        let threads_from = self.from_bytes.unwrap_or(match (in_pieces, to_device) {
            (true, _) => IN_PIECES_FROM,
            (false, true) => TO_DEVICE_FROM,
            (false, false) => TO_HOST_FROM,
        });
        match bytes {
            _ if bytes >= threads_from => Some(Way::Threads),
            _ if bytes < STAGED_BELOW => Some(Way::Stage),
            _ => None,
        }
    }

    /// How a small copy through a stage is made.
    pub fn manner_of_small() -> Manner {
        let sizes =
            Sizes { smallest: SEGMENT, largest: SEGMENT, abreast: 1, eases_out: false, alignment: None };
        Manner { sizes, stores: Stores::Cached }
    }

    /// How a copy of so many bytes is made. New memory is copied by huge pages, so that no two threads wait for the
    /// same one.
    pub fn manner(&self, bytes: usize, to_device: bool, is_fresh: bool) -> Manner {
        let is_once = bytes <= self.pinned_bytes();
        let (smallest, largest) = match is_once {
            true => (SMALLEST_BLOCK_ONCE, LARGEST_BLOCK_ONCE),
            false => (self.smallest_block, self.largest_block),
        };
        let sizes = Sizes {
            smallest: smallest.min(self.largest_block),
            largest: largest.min(self.largest_block),
            abreast: self.threads,
            eases_out: !to_device,
            alignment: (is_fresh && self.largest_block >= HUGE_PAGE).then_some(HUGE_PAGE),
        };
        let is_streaming = if to_device { is_once } else { bytes >= PAST_CACHES_FROM };
        Manner { sizes, stores: if is_streaming { Stores::Streaming } else { Stores::Cached } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_core_or_too_little_pinned_memory_is_the_drivers() {
        assert!(Tuning::new(1, &GpuOptions::new()).unwrap_err().contains("one core"));
        assert!(Tuning::new(8, &GpuOptions::new().copy_threads(1)).is_err());
        assert!(Tuning::new(8, &GpuOptions::new().pinned_bytes(1000)).unwrap_err().contains("pinned"));
    }

    #[test]
    fn small_copies_are_the_callers_and_large_ones_the_threads() {
        const MIB: usize = 1 << 20;
        let way = |options: &GpuOptions, bytes, to_device, in_pieces| {
            Tuning::new(8, options).unwrap().way(bytes, to_device, in_pieces)
        };
        let default = GpuOptions::new();
        assert_eq!(way(&default, 2 * MIB - 1, true, false), Some(Way::Stage));
        assert_eq!(way(&default, 2 * MIB, true, false), Some(Way::Threads));
        assert_eq!(way(&default, MIB - 1, false, false), Some(Way::Stage));
        assert_eq!(way(&default, MIB, false, false), Some(Way::Threads));
        assert_eq!(way(&default, MIB, true, true), Some(Way::Threads));
        let always = GpuOptions::new().threads_from(1);
        assert_eq!(way(&always, 1, true, false), Some(Way::Threads));
        let hardly = GpuOptions::new().threads_from(64 * MIB);
        assert_eq!(way(&hardly, MIB, false, false), Some(Way::Stage));
        assert_eq!(way(&hardly, 2 * MIB, true, false), None, "the driver's");
    }

    #[test]
    fn blocks_that_serve_once_are_written_past_the_caches() {
        let tuning = Tuning::new(16, &GpuOptions::new()).unwrap();
        let stores = |bytes, to_device| tuning.manner(bytes, to_device, false).stores;
        assert_eq!((stores(96 << 20, true), stores(97 << 20, true)), (Stores::Streaming, Stores::Cached));
        assert_eq!((stores(8 << 20, false), stores(1 << 30, false)), (Stores::Streaming, Stores::Streaming));
        assert_eq!(stores(4 << 20, false), Stores::Cached);
    }

    #[test]
    fn never_more_threads_than_cores_nor_more_pinned_memory_than_allowed() {
        for cores in [2, 3, 8, 16, 200] {
            for pinned in [1 << 20, 32 << 20, 192 << 20, 1 << 30] {
                let options = GpuOptions::new().copy_threads(64).pinned_bytes(pinned);
                let Ok(tuning) = Tuning::new(cores, &options) else { continue };
                assert!((2..=cores).contains(&tuning.threads), "{tuning:?}");
                assert!(tuning.pinned_bytes() <= pinned, "{tuning:?}");
            }
        }
    }
}
