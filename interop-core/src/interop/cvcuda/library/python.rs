//! The folders of packages of the Python environment in use.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where a Python environment keeps its packages.
pub(super) struct Environment {
    /// What it is, for a person.
    pub name: String,
    pub packages: Vec<PathBuf>,
}

/// The environment that is activated, else that of the `python3` on the path, which is asked.
pub(super) fn environment() -> Environment {
    for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        if let Some(root) = std::env::var_os(variable).filter(|root| !root.is_empty()) {
            let name = format!("the packages of {variable}={}", root.display());
            return Environment { name, packages: packages_below(Path::new(&root)) };
        }
    }
    match ask() {
        Some(packages) if !packages.is_empty() => {
            let folders: Vec<String> = packages.iter().map(|path| path.display().to_string()).collect();
            Environment { name: format!("the packages of python3 ({})", folders.join(", ")), packages }
        }
        _ => Environment { name: "the packages of python3 (no python3)".to_owned(), packages: Vec::new() },
    }
}

/// `lib/python3.*/site-packages`, newest first by name.
fn packages_below(root: &Path) -> Vec<PathBuf> {
    let versions = std::fs::read_dir(root.join("lib")).into_iter().flatten().flatten();
    let mut packages: Vec<PathBuf> = versions.map(|entry| entry.path().join("site-packages")).collect();
    packages.retain(|folder| folder.is_dir());
    packages.sort();
    packages.reverse();
    packages
}

/// Has Python say where it looks for packages; nothing is imported from there (`-I`, no folder we happen to be in).
fn ask() -> Option<Vec<PathBuf>> {
    const SCRIPT: &str = "import sys\nfor p in sys.path:\n if p.endswith('-packages'): print(p)";
    let mut python = Command::new("python3");
    python.args(["-I", "-c", SCRIPT]).stdin(Stdio::null()).stderr(Stdio::null());
    let output = python.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.lines().map(PathBuf::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_keeps_its_packages_by_version() {
        let root = std::env::temp_dir().join(format!("interop-python-{}", std::process::id()));
        let packages = root.join("lib/python3.12/site-packages");
        std::fs::create_dir_all(&packages).unwrap();
        std::fs::create_dir_all(root.join("lib/pkgconfig")).unwrap();
        assert_eq!(packages_below(&root), [packages]);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
