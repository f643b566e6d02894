//! The folder where CV-CUDA lies, laid out as in its wheel. What is in it came there in one piece.

use std::path::{Path, PathBuf};

use super::wheel::Wheel;
use crate::error::{Error, Result};
use crate::python::library_in;

/// The library of tensors, by the start of its name.
pub const TYPES: &str = "libnvcv_types";

/// The library of operators, by the start of its name.
pub const OPERATORS: &str = "libcvcuda";

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

/// The library of tensors in a folder that has both: one alone serves nobody.
pub fn types_in(folder: &Path) -> Option<PathBuf> {
    library_in(folder, OPERATORS)?;
    library_in(folder, TYPES)
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

/// Renames `new` to `folder`. What was there goes into the temporary folder first, and with it; where `new`
/// cannot take its place, it comes back.
pub fn replace(folder: &Path, new: &Path, scratch: &Path) -> Result<()> {
    let renamed = |from: &Path, to: &Path| {
        std::fs::rename(from, to).map_err(|e| {
            Error::new(format!("renaming {} to {}", from.display(), to.display()))
                .got(e)
                .remedy("end whatever uses the folder and run it again")
        })
    };
    if folder.symlink_metadata().is_err() {
        return renamed(new, folder);
    }
    let old = scratch.join("old");
    renamed(folder, &old)?;
    // Of both errors, the first says what is wrong.
    renamed(new, folder).inspect_err(|_| drop(renamed(&old, folder)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_cannot_be_replaced_stays() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("cvcuda");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("library"), "old").expect("a file");
        let scratch = beside(&folder).expect("a folder");
        let error = replace(&folder, &scratch.path().join("missing"), scratch.path());
        let text = error.expect_err("there is nothing to rename").to_string();
        assert!(text.contains("missing to "), "{text}");
        drop(scratch);
        assert_eq!(fs::read(folder.join("library")).expect("the old file"), b"old");
    }
}
