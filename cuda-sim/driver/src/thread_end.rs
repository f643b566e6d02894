//! Cleaning up after a thread later than its thread-locals do.
//!
//! A destructor of a thread-local may call the driver, as a real one allows, so what the driver keeps for the
//! thread must outlive all of them. The C library runs the destructors of keys after those of thread-locals.

use std::ffi::{c_int, c_uint, c_void};
use std::panic::catch_unwind;
use std::sync::OnceLock;

use crate::current;
use crate::log::report;

unsafe extern "C" {
    fn pthread_key_create(key: *mut c_uint, destructor: extern "C" fn(*mut c_void)) -> c_int;
    fn pthread_setspecific(key: c_uint, value: *const c_void) -> c_int;
}

/// Destructors of keys run in rounds, as long as one of them sets its value again. Ours cleans up in its
/// second round, after the first of all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
enum Round {
    First = 1,
    Second = 2,
}

/// Arranges for [`current::clear`] at the end of this thread.
///
/// Where the system refuses, which is told, what the driver keeps for the thread is never freed.
pub fn clear_at_end() {
    set(Round::First);
}

fn set(round: Round) {
    let Some(key) = key() else { return };
    let value = std::ptr::without_provenance(round as usize);
    // SAFETY: the key exists, and its value is a number that nobody follows.
    let status = unsafe { pthread_setspecific(key, value) };
    if status != 0 {
        report!("no room for a thread's key: what is kept for that thread stays");
    }
}

/// The key of this library, which is never unloaded (it is linked with `-z nodelete`).
fn key() -> Option<c_uint> {
    static KEY: OnceLock<Option<c_uint>> = OnceLock::new();
    *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the pointer is to a live variable, and the destructor is there for as long as the process.
        let status = unsafe { pthread_key_create(&mut key, at_end) };
        if status != 0 {
            report!("the system has no key left: what is kept for each thread stays when it ends");
        }
        (status == 0).then_some(key)
    })
}

/// Nothing may unwind into the C library.
extern "C" fn at_end(value: *mut c_void) {
    let _ = catch_unwind(|| {
        if value.addr() == Round::First as usize { set(Round::Second) } else { current::clear() }
    });
}
