//! The machine: what a reader needs in order to judge a number.

use std::fs;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// The machine around the device. What could not be found out is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The processor's name.
    pub cpu: Option<String>,
    /// How many processors this process may use.
    pub cores: Option<usize>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// The operating system's kernel.
    pub kernel: Option<String>,
    /// The version of the GPU's kernel module.
    pub nvidia_driver: Option<String>,
}

impl Host {
    /// Looks at this machine.
    pub fn detect() -> Self {
        Self {
            cpu: field_of("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().ok().map(usize::from),
            memory_bytes: field_of("/proc/meminfo", "MemTotal").and_then(|text| kibibytes(&text)),
            kernel: kernel(),
            nvidia_driver: fs::read_to_string("/proc/driver/nvidia/version")
                .ok()
                .and_then(|text| module_version(&text)),
        }
    }
}

fn field_of(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

fn kibibytes(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse::<u64>().ok().map(|n| n * 1024)
}

fn kernel() -> Option<String> {
    let output = Command::new("uname").arg("-sr").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()).filter(|text| !text.is_empty())
}

/// The first word like `580.159.03` of the module's version text.
fn module_version(text: &str) -> Option<String> {
    let is_version = |word: &&str| {
        word.contains('.') && word.split('.').all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()))
    };
    text.split_whitespace().find(is_version).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_version_of_the_module() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.03  Release Build";
        assert_eq!(module_version(text).as_deref(), Some("580.159.03"));
    }
}
