//! [`Meter`]: how many bytes of a copy have arrived, for whoever looks on from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Clones share the figure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Arc<AtomicUsize>);

impl Meter {
    pub fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn read(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
