//! [`Tuning`]: how many threads, which blocks, and from which size on, for the machine at hand.

use super::cut::Sizes;
use crate::gpu::GpuOptions;

/// Pinned blocks a thread: one on its way while the other is filled or emptied, and one to spare.
pub(super) const SLOTS: usize = 3;
/// The bytes of a huge page on x86-64, and on 64-bit ARM with pages of 4 KiB.
pub(in crate::copy) const HUGE_PAGE: usize = 2 << 20;
/// Below this a block costs more in calls than it gains.
const SMALLEST_BLOCK: usize = 128 << 10;
/// Above this, blocks leave the caches: the second level of a core that drives an H200 holds 2 MiB, and 4 MiB
/// were measured a tenth slower.
const LARGEST_BLOCK: usize = 2 << 20;
/// More threads do not copy faster.
const MOST_THREADS: usize = 16;
/// From so many bytes on the threads were measured to be faster than the driver's call, on an H200 with 16
/// cores: to the device the driver is quick up to a few MiB.
const TO_DEVICE_FROM: usize = 4 << 20;
/// To the host.
const TO_HOST_FROM: usize = 1 << 20;
/// And either way where the driver would copy in many small pieces.
const IN_PIECES_FROM: usize = 1 << 20;

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
        let smallest_block = SMALLEST_BLOCK.min(options.block().unwrap_or(SMALLEST_BLOCK)).max(1);
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

    /// From how many bytes on the threads serve; `in_pieces` where the driver would copy many small ones.
    pub fn threshold(&self, to_device: bool, in_pieces: bool) -> usize {
        self.from_bytes.unwrap_or(match (in_pieces, to_device) {
            (true, _) => IN_PIECES_FROM,
            (false, true) => TO_DEVICE_FROM,
            (false, false) => TO_HOST_FROM,
        })
    }

    /// The blocks of a copy. New memory is copied by huge pages, so that no two threads wait for the same one.
    pub fn sizes(&self, is_fresh: bool) -> Sizes {
        Sizes {
            smallest: self.smallest_block,
            largest: self.largest_block,
            abreast: self.threads,
            alignment: (is_fresh && self.largest_block >= HUGE_PAGE).then_some(HUGE_PAGE),
        }
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
