//! The machine around the device: what a reader needs in order to judge a number.

use serde::{Deserialize, Serialize};

/// What `device_info` could find out about the machine; the rest is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The processor's name.
    pub cpu: Option<String>,
    /// How many processors a process may use.
    pub cores: Option<usize>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// The operating system's kernel.
    pub kernel: Option<String>,
    /// The version of the GPU's kernel module.
    pub nvidia_driver: Option<String>,
}
