//! Which samples there are, which of them to run, and where their programs are.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::bandwidth;
use super::cvcuda::SPEED;
use crate::cargo;
use crate::error::{Error, Result};
use crate::home::Home;

/// The program that describes the device; it is no sample.
pub const PROBE: &str = "device_info";

/// Where the programs come from.
pub enum Programs {
    /// Cargo builds them.
    Built,
    /// They lie in a folder.
    Folder(PathBuf),
}

impl Programs {
    /// Those of a workspace are built, those of a bundle or of a given folder are there.
    pub fn of(home: &Home, folder: Option<&Path>) -> Result<Self> {
        match (home, folder) {
            (_, Some(folder)) => Ok(Self::Folder(crate::files::absolute(folder)?)),
            (Home::Bundle { root, .. }, None) => Ok(Self::Folder(root.join("bin"))),
            (Home::Workspace { .. }, None) => Ok(Self::Built),
        }
    }

    /// The names of all samples, sorted; those that measure come last.
    pub fn names(&self, home: &Home) -> Result<Vec<String>> {
        let mut names = match self {
            Self::Built => cargo::binaries_of(home.root(), "samples")?,
            Self::Folder(folder) => executables(folder)?.into_keys().collect(),
        };
        names.retain(|name| name != PROBE && name != "xtask");
        // The sweep takes minutes: whatever else fails should show before.
        names.sort_by_key(|name| match name.as_str() {
            bandwidth::SAMPLE => 2,
            name => u8::from(name == SPEED.sample),
        });
        Ok(names)
    }

    /// Builds what has to be built: every program by name.
    pub fn ready(&self, home: &Home) -> Result<BTreeMap<String, PathBuf>> {
        match self {
            Self::Built => cargo::build(home.root(), &["-p", "samples", "--bins"]),
            Self::Folder(folder) => executables(folder),
        }
    }
}

/// The samples to run: those that are named, or all.
pub fn choose(all: &[String], wanted: &[String]) -> Result<Vec<String>> {
    if let Some(unknown) = wanted.iter().find(|name| !all.contains(name)) {
        return Err(Error::usage(format!("unknown sample `{unknown}`"))
            .remedy(format!("the samples are: {}", all.join(", "))));
    }
    if wanted.is_empty() {
        return Ok(all.to_vec());
    }
    let mut chosen: Vec<String> = Vec::new();
    for name in wanted {
        if !chosen.contains(name) {
            chosen.push(name.clone());
        }
    }
    Ok(chosen)
}

fn executables(folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let failed = |e| Error::new(format!("listing the programs in {}", folder.display())).got(e);
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let runs = path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
        if let Some(name) = path.file_name().filter(|_| runs) {
            found.insert(name.to_string_lossy().into_owned(), path.clone());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chooses_in_the_order_given_and_once() {
        let all = ["a".to_owned(), "b".to_owned()];
        let wanted = ["b".to_owned(), "a".to_owned(), "b".to_owned()];
        assert_eq!(choose(&all, &wanted).ok(), Some(vec!["b".to_owned(), "a".to_owned()]));
        assert_eq!(choose(&all, &[]).ok(), Some(all.to_vec()));
    }

    #[test]
    fn an_unknown_name_is_wrong_usage_and_lists_the_names() {
        let error = choose(&["a".to_owned()], &["c".to_owned()]).expect_err("c is unknown");
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("samples are: a"));
    }
}
