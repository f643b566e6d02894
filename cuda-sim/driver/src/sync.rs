//! Locks that outlive a panic.
//!
//! A panic is caught at the FFI edge and becomes `CUDA_ERROR_UNKNOWN`; the process lives on, so a lock that
//! was held then must not turn every later call into another panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, poisoned or not.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
