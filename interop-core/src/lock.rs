//! [`lock`]: a mutex whose content holds whatever panicked while it was locked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also after a panic of whoever had it: what this crate keeps in one is whole after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
