//! Shared libraries, looked for where the loader looks, without loading them.

use std::path::PathBuf;
use std::process::Command;

use super::check::Check;
use crate::python::{Python, library_in};
use crate::run::helper::answer;

const FOLDERS: [&str; 6] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/lib/wsl/lib",
    "/usr/local/cuda/lib64",
];

/// A library by the start of its name: `LD_LIBRARY_PATH`, the loader's cache, the usual folders.
pub fn find(name: &str) -> Option<PathBuf> {
    let variable = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut given = std::env::split_paths(&variable).filter(|folder| !folder.as_os_str().is_empty());
    given
        .find_map(|folder| library_in(&folder, name))
        .or_else(|| in_cache(name))
        .or_else(|| FOLDERS.iter().find_map(|folder| library_in(folder.as_ref(), name)))
}

fn in_cache(name: &str) -> Option<PathBuf> {
    let known = ["ldconfig", "/sbin/ldconfig"];
    let ask = |program: &&str| {
        let mut command = Command::new(program);
        command.arg("-p");
        answer(command)
    };
    let text = String::from_utf8_lossy(&known.iter().find_map(ask)?).into_owned();
    let line = text.lines().find(|line| line.trim_start().starts_with(name))?;
    line.split_once("=> ").map(|(_, path)| PathBuf::from(path.trim()))
}

/// The compiler of kernels.
pub fn nvrtc(python: Option<&Python>) -> Check {
    let found = find("libnvrtc.so").or_else(|| python?.nvrtc());
    Check::new(
        "NVRTC",
        found.map(|path| path.display().to_string()),
        "compiles kernels at run time",
        "no libnvrtc.so",
        "pip install nvidia-cuda-nvrtc-cu12",
    )
}
