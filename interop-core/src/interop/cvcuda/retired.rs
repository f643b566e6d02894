//! [`Retired`]: what must outlive the work that was queued on it.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::keep::drop_quietly;
use crate::Result;
use crate::driver::{Context, Event, Stream, is_end_of_device};
use crate::lock::lock;

/// Objects that are dropped when the stream has passed the point at which they were put here.
///
/// An operator keeps none of its arguments (`TensorWrapHandle` in CV-CUDA's sources). Memory that is freed in
/// the order of the stream needs nothing more; what another object owns, or what holds memory of the host,
/// waits here.
#[derive(Default)]
pub(super) struct Retired {
    waiting: Mutex<VecDeque<(Event, Kept)>>,
    /// Whether someone drops what was passed.
    is_releasing: AtomicBool,
}

type Kept = Box<dyn Any + Send>;

impl Retired {
    /// Keeps `what` until all that is queued on `stream` now is done. Where that cannot be noted, waits for
    /// it.
    pub fn keep(
        &self,
        operation: &'static str,
        context: &Arc<Context>,
        stream: &Stream,
        what: impl Any + Send,
    ) -> Result<()> {
        let Ok(event) = Event::behind(operation, context, stream) else {
            return stream.synchronize(operation);
        };
        lock(&self.waiting).push_back((event, Box::new(what)));
        Ok(())
    }

    /// Drops what the stream has passed.
    pub fn release(&self, operation: &'static str) {
        // An owner's drop may come back here: it finds no lock held, and leaves the others to who dropped it,
        // since each would else do so deeper on the stack.
        if self.is_releasing.swap(true, Ordering::AcqRel) {
            return;
        }
        while let Some(passed) = self.next_passed(operation) {
            drop_quietly(passed);
        }
        self.is_releasing.store(false, Ordering::Release);
    }

    fn next_passed(&self, operation: &'static str) -> Option<Kept> {
        let mut waiting = lock(&self.waiting);
        let (event, _) = waiting.front()?;
        let is_passed = match event.is_reached(operation) {
            Ok(is_reached) => is_reached,
            // Then nothing runs any more; after any other error it may.
            Err(error) => is_end_of_device(&error),
        };
        is_passed.then(|| waiting.pop_front())?.map(|(_, kept)| kept)
    }
}

impl Drop for Retired {
    fn drop(&mut self) {
        let waiting = std::mem::take(&mut *lock(&self.waiting));
        waiting.into_iter().for_each(|(_, kept)| drop_quietly(kept));
    }
}
