//! A compressed archive, written file by file.

use std::fs::Permissions;
use std::io::BufWriter;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use crate::files;

/// The folder that everything unpacks into.
pub const FOLDER: &str = "interop-bundle";

/// An archive that is being written.
pub struct Archive {
    builder: tar::Builder<GzEncoder<BufWriter<NamedTempFile>>>,
    place: PathBuf,
    time: u64,
}

impl Archive {
    /// Starts a new file beside its place, so that nobody takes a part for the whole; every entry gets this time, in
    /// seconds since 1970.
    pub fn create(path: &Path, time: u64) -> Result<Self> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        files::create_folder(folder)?;
        // As readable as any new file, which a temporary one is not by itself.
        let mode = Permissions::from_mode(0o666);
        let file = tempfile::Builder::new().permissions(mode).tempfile_in(folder);
        let file = file.map_err(|e| failed(&path.display().to_string(), &e))?;
        let encoder = GzEncoder::new(BufWriter::new(file), Compression::default());
        Ok(Self { builder: tar::Builder::new(encoder), place: path.to_owned(), time })
    }

    /// Adds a file; `mode` says who may read and run it.
    pub fn add(&mut self, name: &str, bytes: &[u8], mode: u32) -> Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(mode);
        header.set_mtime(self.time);
        self.builder.append_data(&mut header, format!("{FOLDER}/{name}"), bytes).map_err(|e| failed(name, &e))
    }

    /// Completes the file and puts it in its place, unless it is larger than `most` bytes: its size.
    pub fn finish(self, most: u64) -> Result<u64> {
        let encoder = self.builder.into_inner().map_err(|e| failed("the end", &e))?;
        let file = encoder.finish().map_err(|e| failed("the end", &e))?;
        let file = file.into_inner().map_err(|e| failed("the end", e.error()))?;
        let size = file.as_file().metadata().map_err(|e| failed("the end", &e))?.len();
        if size > most {
            return Err(Error::new("packing the bundle")
                .expected(format!("at most {} MiB", most >> 20))
                .got(format!("{} MiB", size >> 20))
                .remedy("make the samples smaller"));
        }
        file.persist(&self.place).map_err(|e| failed(&self.place.display().to_string(), &e.error))?;
        Ok(size)
    }
}

fn failed(what: &str, cause: &std::io::Error) -> Error {
    Error::new(format!("packing {what}")).got(cause).remedy("choose another file with --out FILE")
}
