//! Which library is found, and what is said of one that does not serve.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use interop_core::cvcuda::{CvCuda, find_library};
use interop_core::{DType, Error, Layout};

use crate::stand_in::{StandIn, shared};
use crate::{children, common, counting};

/// Why the library cannot serve, and the file that it is said of.
#[track_caller]
fn unusable(folder: &Path) -> (PathBuf, String) {
    // SAFETY: these are stand-ins, or no libraries at all.
    match unsafe { CvCuda::open_at(&common::gpu(), folder) } {
        Err(Error::CvCudaUnusable { path, reason }) => (path, reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_missing_function_is_named_with_its_version() {
    for (function, version) in [("cvcudaFlipSubmit", "CVCUDA_0.2"), ("nvcvTensorIncRef", "NVCV_0.3")] {
        let stand_in = StandIn::new("missing", &[&format!("-D{function}=absent")]);
        let (path, reason) = unusable(stand_in.folder());
        assert_eq!(reason, format!("it lacks the function {function}@{version}"));
        let start = if function.starts_with("nvcv") { "libnvcv_types" } else { "libcvcuda" };
        assert!(path.file_name().unwrap().to_string_lossy().starts_with(start), "{}", path.display());
    }
}

#[test]
fn an_older_version_is_refused_with_both() {
    let stand_in = StandIn::new("older", &["-DVERSION=140000"]);
    assert_eq!(unusable(stand_in.folder()).1, "it is version 0.14.0, older than 0.15.0");
}

#[test]
fn a_file_that_is_no_library_is_refused_in_the_loaders_words() {
    let folder = Folder::new("no-library");
    let types = folder.0.join("libnvcv_types.so.0.19.0");
    fs::write(&types, "<html>404 Not Found</html>".repeat(9)).unwrap();
    fs::write(folder.0.join("libcvcuda.so.0.19.0"), "").unwrap();
    let (path, reason) = unusable(&folder.0);
    assert_eq!(path, types);
    assert!(reason.contains("invalid ELF header"), "{reason}");
}

/// Fails unless CV-CUDA of this folder is refused: on a GPU for this reason.
#[track_caller]
fn assert_refused_here(folder: &Path, on_gpu: &str) {
    let gpu = common::gpu();
    // SAFETY: it is a stand-in.
    let error = unsafe { CvCuda::open_at(&gpu, folder) }.unwrap_err();
    let is_right = match error {
        Error::CvCudaNeedsGpu => gpu.info().simulated,
        Error::CvCudaUnusable { ref reason, .. } => !gpu.info().simulated && reason.contains(on_gpu),
        _ => false,
    };
    assert!(is_right, "{error}");
}

#[test]
fn the_real_library_is_refused_on_the_simulated_device_and_the_stand_in_on_a_gpu() {
    let real = StandIn::new("unmarked", &["-Dinterop_cvcuda_stand_in=absent"]);
    let refused = if common::gpu().info().simulated { &real } else { shared() };
    assert_refused_here(refused.folder(), "a stand-in");
}

// Whoever has no GPU is not sent for the wheel of another CUDA.
#[test]
fn a_library_for_a_newer_cuda_is_refused_for_the_first_of_the_reasons() {
    let real = StandIn::new("newer", &["-Dinterop_cvcuda_stand_in=absent"]);
    let folder = Folder::new("newer");
    let libraries = folder.0.join("cvcuda_cu99.libs");
    symlink(real.folder(), &libraries).unwrap();
    assert_refused_here(&libraries, "made for CUDA 99");
}

// Case 77: before 0.17 there was no rounding to choose. 16-bit floats came in 0.18.
#[test]
fn an_older_version_gets_the_arguments_that_it_knows() {
    let stand_in = StandIn::new("rounding", &["-DWITHOUT_ROUNDING", "-DVERSION=160100"]);
    let Some(cv) = stand_in.open() else { return };
    assert_eq!(cv.library().version, (0, 16, 1));
    let (image, _) = counting(cv.gpu(), &[8, 8, 3], Layout::HWC);
    cv.convertto(&image, DType::F32, 0.25, -3.5, Default::default()).unwrap();
    let call = stand_in.last_call();
    assert!(call.starts_with("cvcudaConvertToSubmit ") && call.ends_with(" 0.25 -3.5"), "{call}");
    let error = cv.tensor(&[4], DType::F16, None).unwrap_err().to_string();
    assert!(error.contains("0.16.1") && error.contains("0.18"), "{error}");
}

#[test]
fn a_library_says_what_it_is() {
    let Some(cv) = shared().open() else { return };
    assert_eq!((cv.library().version, &cv.library().path), ((0, 19, 0), &shared().operators()));
    assert_eq!(cv.library().to_string(), format!("CV-CUDA 0.19.0 at {}", shared().operators().display()));
}

/// A folder that is gone when this drops.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = format!("loader-{name}-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A folder of the stand-in's libraries below this.
    fn with_libraries(&self, path: &str) -> PathBuf {
        let folder = self.0.join(path);
        fs::create_dir_all(folder.parent().unwrap()).unwrap();
        symlink(shared().folder(), &folder).unwrap();
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What the test below prints first, before what it found.
const FOUND: &str = "find_library: ";

#[test]
#[ignore = "run by the others in processes with environments of their own"]
fn prints_what_is_found() {
    match find_library(None) {
        Ok(info) => println!("{FOUND}{}", info.path.display()),
        Err(error) => println!("{FOUND}{error}"),
    }
}

/// What is found by this program when it lies five folders below this one, with these variables and no other.
fn found_with<S: AsRef<OsStr>>(home: &Folder, variables: &[(&str, S)]) -> String {
    let program = home.0.join("1/2/3/4/program");
    if !program.exists() {
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        // Not copied: what is open for writing cannot be started, and what another test starts meanwhile
        // has for a moment what is open here, too.
        fs::hard_link(std::env::current_exe().unwrap(), &program).unwrap();
    }
    let mut test = children::running(&program, "loader::prints_what_is_found");
    // No python3 on the path, unless the caller says so.
    test.env_clear().env("PATH", &home.0).envs(variables.iter().map(|(name, value)| (name, value)));
    let output = test.stderr(Stdio::inherit()).output().expect("it starts");
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find_map(|line| line.split_once(FOUND));
    line.unwrap_or_else(|| panic!("{text}")).1.to_owned()
}

const NONE: [(&str, &str); 0] = [];

fn stand_in_at(folder: &Path) -> String {
    folder.join(shared().operators().file_name().unwrap()).display().to_string()
}

#[test]
fn where_nothing_is_found_all_places_are_listed() {
    let home = Folder::new("nothing");
    let text = found_with(&home, &NONE);
    for part in ["INTEROP_CVCUDA (not set)", "no python3", "the folder cvcuda beside", "cargo xtask cvcuda"] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    let text = found_with(&home, &[("VIRTUAL_ENV", "/nowhere/venv")]);
    assert!(text.contains("VIRTUAL_ENV=/nowhere/venv") && !text.contains("python3"), "{text}");
}

#[test]
fn the_environment_in_use_is_looked_at() {
    let home = Folder::new("venv");
    let root = home.0.join("venv");
    let libraries = home.with_libraries("venv/lib/python3.12/site-packages/cvcuda_cu12.libs");
    assert_eq!(found_with(&home, &[("VIRTUAL_ENV", &root)]), stand_in_at(&libraries));
    assert_eq!(found_with(&home, &[("CONDA_PREFIX", &root)]), stand_in_at(&libraries));
}

#[test]
fn the_python_on_the_path_is_asked() {
    let home = Folder::new("python");
    let libraries = home.with_libraries("site-packages/cvcuda_cu13.libs");
    let python = home.0.join("python3");
    // Written by another process, for the reason given above.
    let script = "printf '#!/bin/sh\necho \"%s\"\n' \"$1\" > \"$0\" && chmod +x \"$0\"";
    let mut shell = std::process::Command::new("sh");
    let packages = home.0.join("site-packages");
    assert!(shell.args(["-c", script]).args([&python, &packages]).status().unwrap().success());
    assert_eq!(found_with(&home, &NONE), stand_in_at(&libraries));
}

#[test]
fn the_folder_beside_the_program_or_above_is_looked_at() {
    for place in ["cvcuda", "1/2/3/4/cvcuda"] {
        let home = Folder::new("beside");
        let libraries = home.with_libraries(place);
        assert_eq!(found_with(&home, &NONE), stand_in_at(&libraries));
    }
}

#[test]
fn the_variable_comes_first_and_names_a_folder_or_a_file() {
    let home = Folder::new("variable");
    home.with_libraries("cvcuda");
    let libraries = home.with_libraries("chosen");
    for path in [libraries.clone(), PathBuf::from(stand_in_at(&libraries))] {
        assert_eq!(found_with(&home, &[("INTEROP_CVCUDA", path)]), stand_in_at(&libraries));
    }
    // Set to nothing is not set.
    assert_eq!(found_with(&home, &[("INTEROP_CVCUDA", "")]), stand_in_at(&home.0.join("cvcuda")));
}

#[test]
fn a_wrong_variable_is_an_error() {
    let home = Folder::new("wrong");
    home.with_libraries("cvcuda");
    let text = found_with(&home, &[("INTEROP_CVCUDA", "/nowhere/at/all")]);
    assert!(text.contains("none in: INTEROP_CVCUDA=/nowhere/at/all"), "{text}");
    assert!(!text.contains("beside"), "no other place is named: {text}");
}
