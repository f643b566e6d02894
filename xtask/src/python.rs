//! What python3 has to offer: where its packages lie and which of them are there. Nothing is imported, so that
//! a broken package cannot hang or crash us.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::run::helper::answer;

/// The command that gets it, with pip.
pub const INSTALL: &str = "sudo apt-get install -y python3 python3-pip";

const SCRIPT: &str = "
import sys
# The folder we happen to be in holds no installed package.
sys.path[:] = [p for p in sys.path if p]
import importlib.util, json, platform
def installed(name):
    # A mere folder of this name is found, too, but has no origin.
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None
names = ('torch', 'cupy', 'cvcuda', 'jupyterlab', 'notebook', 'jupyter_core', 'pip')
print(json.dumps({
    'version': platform.python_version(),
    'paths': [p for p in sys.path if p.endswith('-packages')],
    'packages': {n: installed(n) for n in names},
}))
";

/// A Python interpreter.
#[derive(Debug, Deserialize)]
pub struct Python {
    /// Its version.
    pub version: String,
    paths: Vec<PathBuf>,
    packages: BTreeMap<String, bool>,
}

impl Python {
    /// Asks `python3`, or says why it gives no answer.
    pub fn find() -> Result<Self, &'static str> {
        let mut command = Command::new("python3");
        command.args(["-c", SCRIPT]);
        let python = answer(command).and_then(|bytes| serde_json::from_slice(&bytes).ok());
        python.ok_or_else(|| if is_there() { "python3 is there but does not work" } else { "no python3" })
    }

    /// True where a package is installed.
    pub fn has(&self, package: &str) -> bool {
        self.packages.get(package).copied().unwrap_or(false)
    }

    /// A shared library that a package brought, by the start of its name.
    pub fn library_of_wheel(&self, name: &str) -> Option<PathBuf> {
        self.paths.iter().find_map(|packages| library_of_wheel(packages, name))
    }

    /// NVRTC, which pip puts below the folder `nvidia`.
    pub fn nvrtc(&self) -> Option<PathBuf> {
        let roots = self.paths.iter().map(|packages| packages.join("nvidia"));
        roots.flat_map(|root| subfolders(&root)).find_map(|part| library_in(&part.join("lib"), "libnvrtc.so"))
    }
}

fn is_there() -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join("python3").is_file())
}

/// The first such library in the folders `*.libs`, where wheels have theirs.
pub fn library_of_wheel(packages: &Path, start: &str) -> Option<PathBuf> {
    let folders = subfolders(packages).into_iter();
    folders.filter(|f| f.extension().is_some_and(|e| e == "libs")).find_map(|f| library_in(&f, start))
}

/// The first file in a folder whose name starts so and that is a shared library.
pub fn library_in(folder: &Path, start: &str) -> Option<PathBuf> {
    let mut matches: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    matches.retain(|path| {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with(start) && name.contains(".so")
    });
    matches.sort();
    matches.into_iter().next()
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    folders
}
