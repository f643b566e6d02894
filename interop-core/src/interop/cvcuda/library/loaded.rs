//! [`Loaded`]: a shared library that stays open, and its functions by name and version.

use std::ffi::{CString, c_void};
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
compile_error!("the feature `cvcuda` needs Linux with glibc, for which alone NVIDIA builds CV-CUDA");

/// A shared library. It is never closed: the CUDA runtime inside has threads and handlers that run until the process
/// ends.
pub(super) struct Loaded {
    handle: *mut c_void,
}

impl Loaded {
    /// Opens the library; its symbols are not offered to others.
    pub fn open(path: &Path) -> Result<Self, String> {
        // SAFETY: runs the library's initialisers. NVIDIA's register its kernels; that the file is NVIDIA's, whoever named
        // it vouches for: by `unsafe`, or by what was installed for Python or put beside the program.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
        library.map(|library| Self { handle: library.into_raw() }).map_err(|error| with_cause(&error))
    }

    /// The function of this name and version: the newest, which a lookup without a version finds, may have other
    /// arguments. None where there is none.
    ///
    /// # Safety
    /// `F` is the C signature of that function.
    pub unsafe fn function<F: Copy>(&self, name: &str, version: &str) -> Option<F> {
        assert!(size_of::<F>() == size_of::<*mut c_void>(), "a function pointer");
        let (name, version) = (CString::new(name).ok()?, CString::new(version).ok()?);
        // SAFETY: the handle is that of an open library, the texts end with a zero.
        let address = unsafe { libc::dlvsym(self.handle, name.as_ptr(), version.as_ptr()) };
        if address.is_null() {
            return None;
        }
        // SAFETY: the address is that of a function whose signature is F, as the caller says; the sizes are the same.
        Some(unsafe { std::mem::transmute_copy(&address) })
    }

    /// Whether there is a symbol of this name, of any version.
    pub fn has(&self, name: &std::ffi::CStr) -> bool {
        // SAFETY: the handle is that of an open library, the text ends with a zero.
        !unsafe { libc::dlsym(self.handle, name.as_ptr()) }.is_null()
    }
}

/// libloading's own text lacks what the system said.
fn with_cause(error: &libloading::Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => cause.to_string(),
        None => error.to_string(),
    }
}
