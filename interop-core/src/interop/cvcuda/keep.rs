//! What the library keeps of ours: a box behind a pointer, given back by its callback.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::library::{Library, Status};
use crate::{Memory, Result};

/// Has `wrap` give the library a reference to `memory`, which [`release`] takes back when the library's object goes. What
/// the library refuses, it keeps nothing of.
pub(super) fn keeping(
    library: &Library,
    operation: &'static str,
    function: &'static str,
    memory: &Memory,
    wrap: impl FnOnce(*mut c_void) -> Status,
) -> Result<()> {
    let kept = Box::into_raw(Box::new(memory.clone()));
    let made = library.check(operation, function, wrap(kept.cast()));
    if made.is_err() {
        // SAFETY: it came from a box, and the library keeps no context of what it refused.
        drop(unsafe { Box::from_raw(kept) });
    }
    made
}

/// Gives up what wrapped memory was kept by: called by the library on whatever thread drops the last reference.
///
/// # Safety
/// The context is the one that [`keeping`] gave, and this is called once for it.
pub(super) unsafe extern "C" fn release<T>(context: *mut c_void, _data: *const T) {
    // SAFETY: it came from a box, as the caller says.
    drop_quietly(unsafe { Box::from_raw(context.cast::<Memory>()) });
}

/// Drops what a foreign owner may panic in dropping, which must neither unwind into C++ nor stop work on other memory. The
/// panic's message was printed; its payload is forgotten, as that may panic, too.
pub(super) fn drop_quietly<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(payload);
    }
}
