//! Files and folders, with errors that name the path.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// Reads a whole file as bytes.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|e| Error::new(format!("reading {}", path.display())).got(e))
}

/// Reads a whole file as text; bytes that are no UTF-8 become replacement characters.
pub fn read_text(path: &Path) -> Result<String> {
    Ok(String::from_utf8_lossy(&read(path)?).into_owned())
}

/// What is read of a file that can be as long as a program likes.
const END: u64 = 64 << 10;

/// The last lines of a file as text, 64 KiB at most.
pub fn read_end(path: &Path) -> Result<String> {
    let failed = |e| Error::new(format!("reading {}", path.display())).got(e);
    let mut file = fs::File::open(path).map_err(failed)?;
    let start = file.metadata().map_err(failed)?.len().saturating_sub(END);
    file.seek(SeekFrom::Start(start)).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(END).read_to_end(&mut bytes).map_err(failed)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match text.split_once('\n') {
        // The first line has lost its beginning.
        Some((_, whole)) if start > 0 && !whole.is_empty() => Ok(whole.to_owned()),
        _ => Ok(text),
    }
}

/// Writes a file, and the folder it lies in where that is missing.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        create_folder(folder)?;
    }
    fs::write(path, bytes).map_err(|e| {
        Error::new(format!("writing {}", path.display())).got(e).remedy("choose a place that can be written")
    })
}

/// Makes a folder and those above it.
pub fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|e| {
        Error::new(format!("creating the folder {}", path.display()))
            .got(e)
            .remedy("choose a place that can be written")
    })
}

/// Removes a file; one that is not there is no error.
pub fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::new(format!("removing {}", path.display())).got(e))
        }
        _ => Ok(()),
    }
}

/// Makes sure that a result can be written to this file later, and that what an earlier run wrote there is gone.
/// What is neither a file nor a folder, such as `/dev/stdout`, stays as it is.
pub fn vacate(path: &Path) -> Result<()> {
    if path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Ok(());
    }
    write(path, "")?;
    match path.is_symlink() {
        // Whoever made the link wants the result where it leads.
        true => Ok(()),
        false => remove(path),
    }
}

/// Makes a path that was given relative to the current folder absolute, so that other processes find it.
pub fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|e| Error::new(format!("resolving {}", path.display())).got(e))
}

/// No JSON file of ours comes near this.
const MOST_JSON: u64 = 64 << 20;

/// What to do about a file that holds nothing for us.
const REMEDY: &str = "give a file that this workspace wrote";

/// Reads JSON; an error names the field that is wrong. A file without end is refused.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let origin = path.display().to_string();
    let failed = || Error::new(format!("reading {origin}")).remedy(REMEDY);
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MOST_JSON + 1).read_to_end(&mut bytes))
        .map_err(|e| failed().expected("a file that can be read").got(e))?;
    if bytes.len() as u64 > MOST_JSON {
        return Err(failed().expected(format!("at most {} MiB", MOST_JSON >> 20)).got("more"));
    }
    // What was expected is in the parser's own words.
    parse_json(&bytes, &origin).map_err(|error| error.remedy(REMEDY))
}

/// Parses JSON that came from `origin`; an error names the field that is wrong.
pub fn parse_json<T: DeserializeOwned>(bytes: &[u8], origin: &str) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|e| {
        let field = e.path().to_string();
        let place = if field == "." { origin.to_owned() } else { format!("{origin}, field `{field}`") };
        Error::new(format!("reading {place}")).got(e.inner())
    })?;
    // Whatever stands behind the value was not meant for us.
    reader.end().map_err(|e| Error::new(format!("reading {origin}, behind the value")).got(e))?;
    Ok(value)
}

/// A value as indented JSON with a final newline; `name` is what an error calls it.
pub fn json_text(value: &impl Serialize, name: &str) -> Result<Vec<u8>> {
    let mut text =
        serde_json::to_vec_pretty(value).map_err(|e| Error::new(format!("encoding {name}")).got(e))?;
    text.push(b'\n');
    Ok(text)
}

/// Writes a value as indented JSON with a final newline.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    write(path, json_text(value, &path.display().to_string())?)
}
