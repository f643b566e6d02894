//! Opaque handles: what C calls `CUstream`, `CUevent` and so on.
//!
//! A handle is a number that was never an address of ours: a stale or made-up one is looked up and refused,
//! where the real driver would follow it. Numbers are never reused, for the same reason.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::sync::lock;

/// Objects of one kind by their handles.
pub struct Registry<T> {
    entries: Mutex<Entries<T>>,
}

struct Entries<T> {
    next: usize,
    live: HashMap<usize, Arc<T>>,
}

/// Apart far enough that a handle plus a small offset is no other handle.
const STEP: usize = 0x100;

impl<T> Registry<T> {
    /// An empty registry whose handles count up from `base`, which tells kinds apart in a debugger.
    pub fn new(base: usize) -> Self {
        Self { entries: Mutex::new(Entries { next: base + STEP, live: HashMap::new() }) }
    }

    /// Makes an object that knows its handle, and keeps it.
    pub fn insert_with<E>(&self, make: impl FnOnce(usize) -> Result<T, E>) -> Result<Arc<T>, E> {
        let mut entries = lock(&self.entries);
        let handle = entries.next;
        let object = Arc::new(make(handle)?);
        entries.next += STEP;
        entries.live.insert(handle, Arc::clone(&object));
        Ok(object)
    }

    /// The object behind a handle.
    pub fn get(&self, handle: usize) -> Option<Arc<T>> {
        lock(&self.entries).live.get(&handle).cloned()
    }

    /// Ends a handle.
    pub fn remove(&self, handle: usize) -> Option<Arc<T>> {
        lock(&self.entries).live.remove(&handle)
    }

    /// Ends the handles of all objects that match, and returns how many there were.
    pub fn remove_where(&self, matches: impl Fn(&T) -> bool) -> usize {
        let removed: Vec<_> = lock(&self.entries).live.extract_if(|_, object| matches(object)).collect();
        removed.len()
    }

    /// How many are live.
    pub fn len(&self) -> usize {
        lock(&self.entries).live.len()
    }

    /// All live objects.
    pub fn all(&self) -> Vec<Arc<T>> {
        lock(&self.entries).live.values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_never_reused() {
        let registry = Registry::new(0x1000);
        let first = registry.insert_with(Ok::<_, ()>).unwrap();
        registry.remove(*first);
        let second = registry.insert_with(Ok::<_, ()>).unwrap();
        assert_ne!(first, second);
        assert!(registry.get(*first).is_none());
        assert_eq!(registry.len(), 1);
    }

    #[test]
    fn a_failed_make_leaves_nothing() {
        let registry = Registry::<u8>::new(0);
        assert_eq!(registry.insert_with(|_| Err("no")).unwrap_err(), "no");
        assert_eq!(registry.len(), 0);
    }
}
