//! Runs the samples: a process each, with a time limit, judged by how it ended.

pub mod bandwidth;
pub mod bless;
pub mod cvcuda;
pub mod helper;
pub mod judge;
pub mod lock;
pub mod measured;
pub mod peers;
pub mod plan;
pub mod process;
pub mod script;
pub mod signals;
pub mod timeline;
