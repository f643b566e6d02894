//! The folder for results belongs to one run at a time: two would mix their files.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::error::{Error, Result};
use crate::files;

const NAME: &str = ".lock";

/// Holds a folder until it is dropped, or until this program ends in whatever way.
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the folder, which is made where it is missing. The file stays: removing it would let two hold it.
    pub fn take(folder: &Path) -> Result<Self> {
        files::create_folder(folder)?;
        let operation = format!("taking the folder {} for results (--out)", folder.display());
        let opened = OpenOptions::new().create(true).append(true).open(folder.join(NAME));
        let file = opened.map_err(|e| {
            Error::new(&operation).got(e).remedy("choose a folder that can be written with --out DIR")
        })?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(Error::new(operation)
                .expected("no other run in it")
                .got("one that is not done")
                .remedy("wait for its end, or choose another folder with --out DIR")),
            Err(TryLockError::Error(e)) => Err(Error::new(operation)
                .got(e)
                .remedy("choose a folder on a file system that has locks with --out DIR")),
        }
    }
}

impl Drop for Lock {
    /// Gives the folder back, also where another thread is just starting a program: until that program runs, it has a
    /// copy of the open file, with which the lock would stay.
    fn drop(&mut self) {
        // What cannot be given back now goes with the file.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_free_again_after_its_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Lock::take(folder.path()).expect("a free folder");
        assert!(Lock::take(folder.path()).is_err());
        drop(first);
        assert!(Lock::take(folder.path()).is_ok());
    }

    #[test]
    fn a_copy_of_the_open_file_does_not_hold_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Lock::take(folder.path()).expect("a free folder");
        let copy = first.file.try_clone().expect("a copy, as a program that is being started has one");
        drop(first);
        assert!(Lock::take(folder.path()).is_ok());
        drop(copy);
    }
}
