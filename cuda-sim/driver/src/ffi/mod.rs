//! The C ABI: one module a part of the driver's interface.
//!
//! Each entry point checks its arguments, hands over to the modules that know what it means, and returns a
//! code. Parameters have the types of `cuda.h` or ones of the same representation: handles and host pointers
//! that are only passed on are `usize`, results are [`Out`](argument::Out).
#![allow(non_snake_case, reason = "the names are those of cuda.h")]

mod argument;
mod call;
mod context;
mod copy;
mod copy_shaped;
mod device;
mod driver;
mod event;
mod graph;
mod host;
mod memory;
mod memset;
mod pointer;
mod pool;
mod primary;
mod simulator;
mod stream;
mod unsupported;

use std::ffi::c_void;

/// The address of an entry point by its exact name.
fn lookup(name: &str) -> Option<*const c_void> {
    let tables = [
        context::lookup,
        copy::lookup,
        copy_shaped::lookup,
        device::lookup,
        driver::lookup,
        event::lookup,
        graph::lookup,
        host::lookup,
        memory::lookup,
        memset::lookup,
        pointer::lookup,
        pool::lookup,
        primary::lookup,
        simulator::lookup,
        stream::lookup,
        unsupported::lookup,
    ];
    tables.iter().find_map(|table| table(name))
}
