//! [`Library`]: CV-CUDA's two C libraries, found, opened and checked.

mod find;
mod loaded;
mod python;
mod table;
mod types;

use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};

use self::find::Pair;
use self::loaded::Loaded;
pub(super) use self::table::{ConvertTo, Operators, Types};
pub(super) use self::types::*;
use crate::{Error, Result};

/// The oldest version whose functions have the signatures that are used here.
const OLDEST: (u32, u32, u32) = (0, 15, 0);

/// A library that says by this symbol that it is a stand-in for tests on the simulated device.
const STAND_IN: &CStr = c"interop_cvcuda_stand_in";

/// CV-CUDA's libraries, loaded for good.
pub(super) struct Library {
    pub types: Types,
    pub operators: Operators,
    pub convert_to: ConvertTo,
    pub is_stand_in: bool,
    pub info: LibraryInfo,
}

/// Which CV-CUDA was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryInfo {
    /// Major, minor and patch.
    pub version: (u32, u32, u32),
    /// The file of `libcvcuda`.
    pub path: PathBuf,
}

impl std::fmt::Display for LibraryInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CV-CUDA {} at {}", text_of(self.version), self.path.display())
    }
}

impl Library {
    /// Finds, opens and checks the libraries for a driver of this major version of CUDA.
    pub fn open(explicit: Option<&Path>, driver: Option<u32>) -> Result<Self> {
        let pair = find::find(explicit, driver)?;
        let of = |path: &Path, reason| Error::CvCudaUnusable { path: path.to_owned(), reason };
        let (types, version, is_stand_in) = open_types(&pair).map_err(|reason| of(&pair.types, reason))?;
        let (operators, convert_to) =
            open_operators(&pair, &types).map_err(|reason| of(&pair.operators, reason))?;
        let info = LibraryInfo { version, path: pair.operators };
        Ok(Self { types, operators, convert_to, is_stand_in, info })
    }

    /// Whether the functions are the same: a library that is opened twice is one, a copy of it another.
    pub fn is_same(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.types.nvcvTensorDecRef, other.types.nvcvTensorDecRef)
    }

    /// Why this library cannot serve.
    pub fn refuse(&self, reason: &str) -> Error {
        Error::CvCudaUnusable { path: self.info.path.clone(), reason: reason.to_owned() }
    }

    /// Turns the status of the function that this thread called last into an error with CV-CUDA's own message.
    pub fn check(&self, operation: &'static str, function: &'static str, status: Status) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        Err(self.explain(operation, function, status))
    }

    #[cold]
    fn explain(&self, operation: &'static str, function: &'static str, status: Status) -> Error {
        let mut text = [0u8; 256];
        // SAFETY: the pointer is valid for writes of the length passed.
        let _ = unsafe { (self.types.nvcvGetLastErrorMessage)(text.as_mut_ptr().cast(), text.len() as i32) };
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        // SAFETY: any number may be asked for.
        let name = unsafe { (self.types.nvcvStatusGetName)(status) };
        let message = String::from_utf8_lossy(text).trim().to_owned();
        Error::CvCuda { operation, function, status, name: text_at(name), message }
    }
}

type Opened<T> = std::result::Result<T, String>;

/// The functions of `libnvcv_types`, its version, and whether it is a stand-in.
fn open_types(pair: &Pair) -> Opened<(Types, (u32, u32, u32), bool)> {
    let library = Loaded::open(&pair.types)?;
    let types = Types::resolve(&library).map_err(missing)?;
    // SAFETY: it takes nothing.
    let version = version_of(unsafe { (types.nvcvGetVersion)() });
    match version < OLDEST {
        true => Err(format!("it is version {}, older than {}", text_of(version), text_of(OLDEST))),
        false => Ok((types, version, library.has(STAND_IN))),
    }
}

/// The functions of `libcvcuda`, if it uses this library of types: to another, our handles would mean nothing.
fn open_operators(pair: &Pair, types: &Types) -> Opened<(Operators, ConvertTo)> {
    let library = Loaded::open(&pair.operators)?;
    // What a library needs is looked through, too.
    let needed = Types::resolve(&library).map_err(missing)?;
    if !std::ptr::fn_addr_eq(needed.nvcvTensorDecRef, types.nvcvTensorDecRef) {
        return Err(format!("it belongs to another library than {}", pair.types.display()));
    }
    let operators = Operators::resolve(&library).map_err(missing)?;
    Ok((operators, ConvertTo::resolve(&library).map_err(missing)?))
}

fn missing(symbol: String) -> String {
    format!("it lacks the function {symbol}")
}

/// A text of the library; empty where there is none.
fn text_at(name: *const c_char) -> String {
    if name.is_null() {
        return String::new();
    }
    // SAFETY: the library returns a zero-terminated text that lives until its next call on this thread.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// CV-CUDA writes 0.19.0 as 190000: major, minor, patch, tweak of two digits each.
fn version_of(number: u32) -> (u32, u32, u32) {
    (number / 1_000_000, number / 10_000 % 100, number / 100 % 100)
}

fn text_of((major, minor, patch): (u32, u32, u32)) -> String {
    format!("{major}.{minor}.{patch}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_cv_cuda_writes_them() {
        assert_eq!(version_of(190_000), (0, 19, 0));
        assert_eq!(version_of(1_020_304), (1, 2, 3));
        assert!(version_of(140_000) < OLDEST);
    }
}
