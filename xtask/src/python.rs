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

    /// The first that is found in a folder of shared libraries that a package brought.
    pub fn in_wheels<T>(&self, find: impl Fn(&Path) -> Option<T>) -> Option<T> {
        self.paths.iter().find_map(|packages| in_wheels(packages, &find))
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

/// The first that is found in the folders `*.libs`, where wheels have their shared libraries.
pub fn in_wheels<T>(packages: &Path, find: impl Fn(&Path) -> Option<T>) -> Option<T> {
    let folders = subfolders(packages).into_iter();
    folders.filter(|f| f.extension().is_some_and(|e| e == "libs")).find_map(|f| find(&f))
}

/// The first shared library in a folder whose name starts so. A file without content is none.
pub fn library_in(folder: &Path, start: &str) -> Option<PathBuf> {
    let mut matches: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    matches.retain(|path| {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let has_content = || path.metadata().is_ok_and(|m| m.is_file() && m.len() > 0);
        name.starts_with(start) && name.contains(".so") && has_content()
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
