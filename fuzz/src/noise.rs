//! [`Noise`]: random bytes, made once.

use std::sync::Arc;

use crate::placement::WINDOW;
use crate::random::Random;

/// Random bytes from which every window is filled; cheap to clone.
#[derive(Clone)]
pub struct Noise(Arc<[u8]>);

impl Noise {
    /// The same bytes in every process.
    pub fn new() -> Self {
        let mut random = Random::new(0);
        Self((0..2 * WINDOW / 8).flat_map(|_| random.next().to_ne_bytes()).collect())
    }

    /// Fills a window.
    pub(crate) fn fill(&self, window: &mut [u8], choice: u64) {
        let start = choice as usize % (self.0.len() - window.len());
        window.copy_from_slice(&self.0[start..start + window.len()]);
    }
}

impl Default for Noise {
    fn default() -> Self {
        Self::new()
    }
}
