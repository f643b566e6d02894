//! [`Lanes`]: the lanes of one opened device, so that memory that one of them keeps serves another that is short of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::Shared;

/// Which lanes there are. It keeps none of them.
#[derive(Default)]
pub(super) struct Lanes(Mutex<Vec<Weak<Shared>>>);

impl Lanes {
    /// Adds a lane.
    pub fn join(&self, lane: &Arc<Shared>) {
        let mut lanes = self.lock();
        lanes.retain(|lane| lane.strong_count() > 0);
        lanes.push(Arc::downgrade(lane));
    }

    /// Gives back all that other lanes keep, which takes waiting for their streams.
    pub fn release_cached_of_others(&self, operation: &'static str, lane: &Arc<Shared>) {
        // The lock is not held while a lane is waited for, or goes.
        let others: Vec<_> = self.lock().iter().filter_map(Weak::upgrade).collect();
        for other in others.iter().filter(|other| !Arc::ptr_eq(other, lane)) {
            // A lane that cannot give anything back leaves the allocation as short as it was.
            let _ = other.allocator.release_cached(operation, &other.stream);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<Shared>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
