//! [`Lanes`]: the lanes of one opened device, so that memory that one of them keeps serves another that is short of it.

use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, Weak};

use super::{Block, Shared};
use crate::Result;
use crate::driver::is_exhaustion;
use crate::lock::lock;

/// What others free meanwhile, and their lanes keep, is given back, too: so often.
const MOST_TRIES: usize = 8;

/// Which lanes there are. It keeps none of them.
#[derive(Default)]
pub(super) struct Lanes {
    /// Those that are going, too, until they have given back what they kept.
    all: Mutex<Vec<Weak<Shared>>>,
    /// Where one that is short of memory waits for those that are going.
    gone: Condvar,
    /// Held for reading by whoever takes memory of the driver, for writing by one that is short: nobody takes from it
    /// what the others have given back.
    taking: RwLock<()>,
}

impl Lanes {
    /// Adds a lane.
    pub fn join(&self, lane: &Arc<Shared>) {
        lock(&self.all).push(Arc::downgrade(lane));
    }

    /// Takes a lane off that is about to go, and has given back what it kept.
    pub fn leave(&self, lane: &Shared) {
        lock(&self.all).retain(|other| !std::ptr::eq(other.as_ptr(), lane));
        self.gone.notify_all();
    }

    /// A block of at least `bytes` (not zero) from the driver. Where there is too little memory, all lanes give back
    /// what they keep.
    pub fn allocate(&self, operation: &'static str, lane: &Arc<Shared>, bytes: usize) -> Result<Block> {
        let allocated = {
            let _taking = self.taking.read().unwrap_or_else(PoisonError::into_inner);
            lane.allocator.allocate(operation, bytes, &lane.stream)
        };
        match allocated {
            // Nothing helps one that wants more than there is.
            Err(error) if is_exhaustion(&error) && bytes <= lane.info.memory_bytes => {
                self.allocate_from_what_is_kept(operation, lane, bytes)
            }
            allocated => allocated,
        }
    }

    fn allocate_from_what_is_kept(
        &self,
        operation: &'static str,
        lane: &Arc<Shared>,
        bytes: usize,
    ) -> Result<Block> {
        let _alone = self.taking.write().unwrap_or_else(PoisonError::into_inner);
        let mut tries = 1;
        loop {
            lane.allocator.release_cached(operation, &lane.stream)?;
            for other in self.keeping(operation).iter().filter(|other| !Arc::ptr_eq(other, lane)) {
                // A lane that cannot give anything back leaves the allocation as short as it was.
                let _ = other.allocator.release_cached(operation, &other.stream);
            }
            match lane.allocator.allocate_tightly(operation, bytes, &lane.stream) {
                Err(error)
                    if is_exhaustion(&error) && tries < MOST_TRIES && !self.keeping(operation).is_empty() =>
                {
                    tries += 1;
                }
                allocated => return allocated,
            }
        }
    }

    /// The lanes that keep something, when all that are going are gone.
    fn keeping(&self, operation: &'static str) -> Vec<Arc<Shared>> {
        let is_going = |lane: &Weak<Shared>| lane.strong_count() == 0;
        let there: Vec<_> = {
            let all = self.gone.wait_while(lock(&self.all), |all| all.iter().any(is_going));
            all.unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect()
        };
        // Without the lock: a lane may be dropped here.
        there.into_iter().filter(|lane| lane.allocator.cached_bytes(operation) > 0).collect()
    }
}
