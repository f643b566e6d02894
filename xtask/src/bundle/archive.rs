//! A compressed archive, written file by file.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::error::{Error, Result};
use crate::files;

/// The folder that everything unpacks into.
pub const FOLDER: &str = "interop-bundle";

/// An archive that is being written.
pub struct Archive {
    builder: tar::Builder<GzEncoder<BufWriter<File>>>,
    time: u64,
}

impl Archive {
    /// Starts a new file; every entry gets this time, in seconds since 1970.
    pub fn create(path: &Path, time: u64) -> Result<Self> {
        files::write(path, "")?;
        let file = File::create(path).map_err(|e| failed(&path.display().to_string(), &e))?;
        let encoder = GzEncoder::new(BufWriter::new(file), Compression::default());
        Ok(Self { builder: tar::Builder::new(encoder), time })
    }

    /// Adds a file; `mode` says who may read and run it.
    pub fn add(&mut self, name: &str, bytes: &[u8], mode: u32) -> Result<()> {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(mode);
        header.set_mtime(self.time);
        self.builder.append_data(&mut header, format!("{FOLDER}/{name}"), bytes).map_err(|e| failed(name, &e))
    }

    /// Completes the file.
    pub fn finish(self) -> Result<()> {
        let encoder = self.builder.into_inner().map_err(|e| failed("the end", &e))?;
        let file = encoder.finish().map_err(|e| failed("the end", &e))?;
        file.into_inner().map(drop).map_err(|e| failed("the end", e.error()))
    }
}

fn failed(what: &str, cause: &std::io::Error) -> Error {
    Error::new(format!("packing {what}")).got(cause).remedy("choose another file with --out FILE")
}
