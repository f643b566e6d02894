//! A CUDA driver over host memory, behind the C ABI of the real one.
//!
//! The crate `cuda-sim` compiles this source to a shared object and installs it; its documentation says what
//! is simulated. Nothing here is meant to be called from Rust: the interface is the set of C symbols in
//! `ffi`.
//!
//! From the outside in: `ffi` (entry points and argument checks), `context` and `current` (which context a
//! call acts on), `place`, `copy` and `memset` (what a transfer touches), `reach` (what a kernel touches),
//! `allocation`, `pinned` and `pool` (who owns the bytes), `block` and `mapped` (access to them), `lane`,
//! `stream`, `event` and `graph` (when it happens).
#![deny(missing_docs, unsafe_op_in_unsafe_fn, unused_unsafe)]
#![deny(
    clippy::undocumented_unsafe_blocks,
    clippy::multiple_unsafe_ops_per_block,
    clippy::missing_safety_doc
)]

mod address;
mod allocation;
mod block;
mod code;
mod config;
mod context;
mod copy;
mod current;
mod device;
mod event;
mod ffi;
mod graph;
mod lane;
mod leak;
mod list;
mod log;
mod mapped;
mod memset;
mod order;
mod pinned;
mod place;
mod pool;
#[cfg_attr(not(test), expect(dead_code, reason = "kernels will use it"))]
mod reach;
mod reclaimed;
mod registry;
mod shape;
mod state;
mod stream;
mod sync;
mod thread_end;
