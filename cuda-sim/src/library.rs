//! Loading the embedded driver and finding it again.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::fs::File;
use std::io::{self, Write};
use std::mem::forget;
use std::os::fd::{AsRawFd, FromRawFd};
use std::sync::{Mutex, PoisonError};

use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL, RTLD_NOW, Symbol};

use crate::{InstallError, Stats, embedded_driver};

/// The name that the driver has for the loader, and the first that cudarc asks for.
const NAME: &str = "libcuda.so";

/// The name that a real driver has for the loader.
const REAL_NAME: &str = "libcuda.so.1";

/// Finds a library only if it is loaded already.
const RTLD_NOLOAD: c_int = 4;

const MFD_CLOEXEC: c_uint = 1;

unsafe extern "C" {
    fn memfd_create(name: *const c_char, flags: c_uint) -> c_int;
}

pub fn install() -> Result<(), InstallError> {
    /// Two threads that install at once would load two drivers.
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _guard = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    if is_installed() {
        return Ok(());
    }
    if let Some(name) = [NAME, REAL_NAME].into_iter().find(|name| loaded(name).is_some()) {
        return Err(InstallError::RealDriver(name));
    }
    load()?;
    if is_installed() { Ok(()) } else { Err(InstallError::NotFound) }
}

pub fn is_installed() -> bool {
    simulator().is_some()
}

pub fn stats() -> Option<Stats> {
    type Function = extern "C" fn(*mut Stats, usize) -> c_int;
    let library = simulator()?;
    // SAFETY: a library with `cudaSimVersion` is the simulator, whose `cudaSimStats` has this type.
    let function: Symbol<Function> = unsafe { library.get(c"cudaSimStats") }.ok()?;
    let mut stats = Stats::default();
    let code = function(&mut stats, size_of::<Stats>());
    (code == 0).then_some(stats)
}

/// The process's `libcuda.so`, if that is the simulator.
fn simulator() -> Option<Library> {
    let library = loaded(NAME)?;
    // SAFETY: the symbol is only looked for; its type is not used.
    let symbol = unsafe { library.get::<*const ()>(c"cudaSimVersion") };
    symbol.is_ok().then_some(library)
}

/// A library that the process loaded already.
fn loaded(name: &str) -> Option<Library> {
    // SAFETY: with RTLD_NOLOAD nothing is loaded, so no initialiser runs.
    unsafe { Library::open(Some(name), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD) }.ok()
}

/// Loads the driver for the rest of the process, from an anonymous file: there is none on disk to find or
/// lose.
fn load() -> Result<(), InstallError> {
    let file = anonymous_file(c"libcuda_sim_driver.so", embedded_driver()).map_err(InstallError::Memory)?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    // SAFETY: the driver is ours, and loading it runs nothing but the initialisers of Rust's standard
    // library.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(InstallError::Load)?;
    forget(library);
    // The loader remembers the path. While the descriptor stays open, no other file gets that path.
    forget(file);
    Ok(())
}

fn anonymous_file(name: &CStr, content: &[u8]) -> io::Result<File> {
    // SAFETY: the name is a terminated string.
    let descriptor = unsafe { memfd_create(name.as_ptr(), MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just created, and nothing else owns it.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(content)?;
    Ok(file)
}
