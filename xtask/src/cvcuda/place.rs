//! The folder where CV-CUDA lies, laid out as in its wheel. What is in it came there in one piece.

use std::path::{Path, PathBuf};

use super::wheel::Wheel;
use crate::error::{Error, Result};
use crate::python::library_in;

/// The library of tensors, by the start of its name.
pub const TYPES: &str = "libnvcv_types";

/// The library of operators, by the start of its name.
const OPERATORS: &str = "libcvcuda";

/// The parts that are there: the two libraries, the folder of the licence.
pub fn parts(folder: &Path, wheel: &Wheel) -> Result<[PathBuf; 3]> {
    let libraries = folder.join(wheel.libraries());
    let licences = folder.join(wheel.licences());
    let failed = |part: &str| {
        Error::new(format!("looking for {wheel} in {}", folder.display())).expected(part).got("none")
    };
    Ok([
        library_in(&libraries, TYPES).ok_or_else(|| failed(TYPES))?,
        library_in(&libraries, OPERATORS).ok_or_else(|| failed(OPERATORS))?,
        Some(licences).filter(|path| path.is_dir()).ok_or_else(|| failed("a folder `licenses`"))?,
    ])
}

/// A temporary folder on the file system of `folder`, from where a rename takes it into place.
pub fn beside(folder: &Path) -> Result<tempfile::TempDir> {
    let parent = folder.parent().unwrap_or(folder);
    crate::files::create_folder(parent)?;
    let made = tempfile::Builder::new().prefix(".cvcuda-").tempdir_in(parent);
    made.map_err(|e| {
        Error::new(format!("creating a temporary folder in {}", parent.display()))
            .got(e)
            .remedy("make it writable")
    })
}

/// Renames `new` to `folder`. What was there goes into the temporary folder first, and with it.
pub fn replace(folder: &Path, new: &Path, scratch: &Path) -> Result<()> {
    let renamed = |from: &Path, to: &Path| {
        std::fs::rename(from, to).map_err(|e| {
            Error::new(format!("renaming {} to {}", from.display(), to.display()))
                .got(e)
                .remedy("end whatever uses the folder and run it again")
        })
    };
    let old = scratch.join("old");
    let was_there = folder.symlink_metadata().is_ok();
    if was_there {
        renamed(folder, &old)?;
    }
    renamed(new, folder).inspect_err(|_| {
        if was_there {
            // Better the old than none. Where that fails, too, the error tells of the new.
            let _ = std::fs::rename(&old, folder);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_is_back_where_the_new_cannot_come() {
        let root = tempfile::tempdir().expect("a folder");
        let (folder, scratch) = (root.path().join("cvcuda"), root.path().join("scratch"));
        for made in [&folder, &scratch] {
            std::fs::create_dir(made).expect("a folder");
        }
        std::fs::write(folder.join("library"), "old").expect("a file");
        assert!(replace(&folder, &root.path().join("missing"), &scratch).is_err());
        assert_eq!(std::fs::read(folder.join("library")).expect("the file"), b"old");
        std::fs::create_dir(root.path().join("new")).expect("a folder");
        replace(&folder, &root.path().join("new"), &scratch).expect("it is there");
        assert!(folder.is_dir() && !folder.join("library").exists());
    }
}
