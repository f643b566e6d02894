//! What was not freed, told at exit.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use crate::config::LeakCheck;
use crate::log::report;
use crate::pinned::Kind;
use crate::state::{self, State};
use crate::sync::lock;

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
    fn fflush(stream: *mut c_void) -> c_int;
    fn _exit(status: c_int) -> !;
}

static EXIT_CODE: OnceLock<c_int> = OnceLock::new();

/// Arranges for the report.
pub fn check_at_exit(check: LeakCheck) {
    match check {
        LeakCheck::Off => return,
        LeakCheck::Report => {}
        LeakCheck::ExitCode(code) => {
            EXIT_CODE.get_or_init(|| code);
        }
    }
    // SAFETY: the function takes and returns nothing, and this library is never unloaded (it is linked with
    // `-z nodelete`), so it is there at exit.
    if unsafe { atexit(at_exit) } != 0 {
        report!("the leak check cannot run: the system refused an exit handler");
    }
}

/// Nothing may unwind into the C library's exit.
extern "C" fn at_exit() {
    let lines = std::panic::catch_unwind(|| state::get().map(leaks).unwrap_or_default()).unwrap_or_default();
    if lines.is_empty() {
        return;
    }
    report!("not freed at exit:");
    lines.iter().for_each(|line| report!("  {line}"));
    if let Some(&code) = EXIT_CODE.get() {
        exit_now(code);
    }
}

/// Ends the process with another code than it was about to, without running exit handlers twice.
fn exit_now(code: c_int) -> ! {
    // SAFETY: a null stream means all streams; Rust has flushed its own standard output before exit handlers
    // run.
    unsafe { fflush(std::ptr::null_mut()) };
    // SAFETY: `_exit` has no requirements, and the C streams were just flushed.
    unsafe { _exit(code) }
}

/// One line a kind. Empty where all was freed.
fn leaks(state: &State) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(device_memory(state));
    for (kind, name) in [
        (Kind::Pinned, "pinned host memory"),
        (Kind::Registered, "registered host memory"),
        (Kind::Managed, "managed memory"),
    ] {
        lines.extend(host_memory(state, kind, name));
    }
    lines.extend(lock(&state.reclaimed).lines());
    let counts = [
        ("streams", state.streams.len()),
        ("events", state.events.len()),
        ("graphs", state.graphs.len()),
        ("executable graphs", state.executables.len()),
        ("memory pools", state.pools.len() - state.devices.len()),
        ("contexts", state.live_contexts()),
    ];
    lines.extend(
        counts.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{name}: {count}")),
    );
    lines
}

fn device_memory(state: &State) -> Option<String> {
    let live = state.device_memory.all();
    let bytes: usize = live.iter().map(|allocation| allocation.request.size).sum();
    let first = live.first()?;
    Some(format!("device memory: {} allocations, {bytes} bytes; the first is {first}", live.len()))
}

fn host_memory(state: &State, kind: Kind, name: &str) -> Option<String> {
    let mut live = state.host_memory.all();
    live.retain(|block| block.kind == kind);
    let bytes: usize = live.iter().map(|block| block.size).sum();
    let first = live.first()?;
    let (count, size, address) = (live.len(), first.size, first.address);
    Some(format!("{name}: {count} blocks, {bytes} bytes; the first has {size} bytes at {address:#x}"))
}
