//! A stand-in for CV-CUDA's libraries, for tests on the simulated device, and what they ask of it and set.

mod build;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use interop_core::Gpu;
use interop_core::cvcuda::CvCuda;
use libloading::Library;

/// Kinds of handles, in the order of `Kind` in `stand_in.h`.
#[derive(Clone, Copy, Debug)]
#[repr(i32)]
pub enum Live {
    Tensors,
    Allocators,
    Images,
    Batches,
    Operators,
}

impl Live {
    pub const ALL: [Self; 5] =
        [Self::Tensors, Self::Allocators, Self::Images, Self::Batches, Self::Operators];
}

/// One copy of the two libraries, with books of its own.
pub struct StandIn {
    folder: PathBuf,
    /// The same copy of `libnvcv_types` as interop-core's, which opens the same file.
    types: Library,
}

/// That of all tests that count nothing.
pub fn shared() -> &'static StandIn {
    static SHARED: OnceLock<StandIn> = OnceLock::new();
    SHARED.get_or_init(|| StandIn::new("shared", &[]))
}

impl StandIn {
    /// The copy of this name, which no other test uses that runs at the same time; the C sources are compiled
    /// with these options.
    pub fn new(name: &str, options: &[&str]) -> Self {
        let folder = build::folder(name, options);
        // SAFETY: it has no initialisers.
        let types =
            unsafe { Library::new(library_in(&folder, "libnvcv_types")) }.expect("the stand-in opens");
        Self { folder, types }
    }

    /// Where the libraries lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of `libcvcuda`.
    pub fn operators(&self) -> PathBuf {
        library_in(&self.folder, "libcvcuda")
    }

    /// On the simulated device, which alone takes it; elsewhere says that the caller checks nothing.
    #[track_caller]
    pub fn open(&self) -> Option<CvCuda> {
        let gpu = Gpu::open(0).expect("device 0");
        if !gpu.info().simulated {
            crate::waive("the stand-in is for the simulated device");
            return None;
        }
        // SAFETY: the stand-in's functions are CV-CUDA's, as far as they are used.
        let opened = unsafe { CvCuda::open_at(&gpu, &self.folder) };
        Some(opened.unwrap_or_else(|error| panic!("{error}")))
    }

    /// How many handles of this kind there are.
    pub fn live(&self, kind: Live) -> c_int {
        // SAFETY: the type is that of the function in objects.c.
        let live = unsafe { self.types.get::<extern "C" fn(c_int) -> c_int>(c"stand_in_live") };
        live.expect("it is there")(kind as c_int)
    }

    /// How often this function was called.
    pub fn calls(&self, function: &str) -> c_int {
        let function = CString::new(function).expect("no zero");
        // SAFETY: the type is that of the function in objects.c.
        let calls =
            unsafe { self.types.get::<unsafe extern "C" fn(*const c_char) -> c_int>(c"stand_in_calls") };
        // SAFETY: the text ends with a zero.
        unsafe { calls.expect("it is there")(function.as_ptr()) }
    }

    /// The name of the operator's function that was called last, the stream, the handles and the other
    /// arguments.
    pub fn last_call(&self) -> String {
        let mut text = [0u8; 512];
        // SAFETY: the type is that of the function in objects.c.
        let last =
            unsafe { self.types.get::<unsafe extern "C" fn(*mut c_char, c_int)>(c"stand_in_last_call") };
        // SAFETY: the pointer is valid for writes of the length passed.
        unsafe { last.expect("it is there")(text.as_mut_ptr().cast(), text.len() as c_int) };
        CStr::from_bytes_until_nul(&text).expect("a zero").to_str().expect("ASCII").to_owned()
    }

    /// Has the next call of `function` fail before it does anything.
    pub fn fail_next(&self, function: &str, status: c_int, message: &str) {
        type FailNext = unsafe extern "C" fn(*const c_char, c_int, *const c_char);
        let (function, message) = [function, message].map(|text| CString::new(text).expect("no zero")).into();
        // SAFETY: the type is that of the function in objects.c.
        let fail_next = unsafe { self.types.get::<FailNext>(c"stand_in_fail_next") };
        // SAFETY: the texts end with a zero.
        unsafe { fail_next.expect("it is there")(function.as_ptr(), status, message.as_ptr()) };
    }

    /// Takes another reference to a tensor, as C code would that was given the handle.
    pub fn take(&self, tensor: *mut c_void) {
        self.reference(c"nvcvTensorIncRef", tensor);
    }

    /// Gives such a reference up.
    pub fn give_up(&self, tensor: *mut c_void) {
        self.reference(c"nvcvTensorDecRef", tensor);
    }

    fn reference(&self, function: &CStr, tensor: *mut c_void) {
        // SAFETY: the type is that of the function in types.c.
        let function =
            unsafe { self.types.get::<unsafe extern "C" fn(*mut c_void, *mut c_int) -> c_int>(function) };
        // SAFETY: no count is asked for.
        let status = unsafe { function.expect("it is there")(tensor, std::ptr::null_mut()) };
        assert_eq!(status, 0);
    }

    /// Fails if there is any handle.
    #[track_caller]
    pub fn assert_nothing_lives(&self) {
        for kind in Live::ALL {
            assert_eq!(self.live(kind), 0, "{kind:?}");
        }
    }
}

fn library_in(folder: &Path, start: &str) -> PathBuf {
    let entries =
        folder.read_dir().expect("the folder of the stand-in").map(|entry| entry.expect("an entry"));
    let named =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start));
    entries.map(|entry| entry.path()).find(named).expect("the library")
}
