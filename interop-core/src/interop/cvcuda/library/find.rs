//! Where CV-CUDA's libraries may lie, and which of several to take.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::python;
use crate::{Error, Result};

/// Names the folder, or one of the two libraries in it, where `CvCuda::open` looks before anything else.
const VARIABLE: &str = "INTEROP_CVCUDA";

/// The folder beside a program's own that `cargo xtask cvcuda` fills.
const BESIDE: &str = "cvcuda";

/// How many folders above the program are looked at: a program lies at most so deep in cargo's target folder.
const DEPTH: usize = 4;

/// The two libraries of one wheel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    /// `libnvcv_types`
    pub types: PathBuf,
    /// `libcvcuda`
    pub operators: PathBuf,
}

/// Finds the libraries for a driver that speaks this major version of CUDA, or any where it is None.
///
/// The first place that holds some decides: an explicit path, the environment variable, the Python environment in use,
/// the folder beside the program.
pub(super) fn find(explicit: Option<&Path>, driver: Option<u32>) -> Result<Pair> {
    let mut places = Places { driver, looked: Vec::new() };
    if let Some(path) = explicit {
        let found = places.look(path.display().to_string(), &[around(path)])?;
        return found.ok_or_else(|| places.nothing());
    }
    if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        let name = format!("{VARIABLE}={}", path.display());
        let found = places.look(name, &[around(Path::new(&path))])?;
        return found.ok_or_else(|| places.nothing());
    }
    places.looked.push(format!("{VARIABLE} (not set)"));
    let environment = python::environment();
    let found = places.look(environment.name, &environment.packages)?;
    if let Some(pair) = found {
        return Ok(pair);
    }
    let folders = beside_program();
    let name = format!("the folder {BESIDE} beside this program or up to {DEPTH} folders above");
    places.look(name, &folders)?.ok_or_else(|| places.nothing())
}

/// The folder that a path names: itself, or that of the library that it is.
fn around(path: &Path) -> PathBuf {
    match path.is_file() {
        true => path.parent().unwrap_or(Path::new(".")).to_owned(),
        false => path.to_owned(),
    }
}

fn beside_program() -> Vec<PathBuf> {
    let program = std::env::current_exe().unwrap_or_default();
    program.ancestors().skip(1).take(DEPTH + 1).map(|folder| folder.join(BESIDE)).collect()
}

struct Places {
    driver: Option<u32>,
    looked: Vec<String>,
}

impl Places {
    /// The best pair in folders that count as one place; None where there is no pair at all.
    ///
    /// # Errors
    /// Where there are some, and none is for this driver.
    fn look(&mut self, name: String, folders: &[PathBuf]) -> Result<Option<Pair>> {
        self.looked.push(name);
        let pairs: Vec<Pair> = folders.iter().flat_map(|folder| pairs_in(folder)).collect();
        let fits = |pair: &&Pair| match (cuda_of(pair), self.driver) {
            (Some(made_for), Some(spoken)) => made_for <= spoken,
            _ => true,
        };
        match pairs
            .iter()
            .filter(fits)
            .max_by_key(|pair| (version_of(pair), cuda_of(pair), pair.operators.clone()))
        {
            Some(pair) => Ok(Some(pair.clone())),
            None => pairs.first().map_or(Ok(None), |pair| Err(too_new(pair, self.driver.unwrap_or(0)))),
        }
    }

    fn nothing(&mut self) -> Error {
        Error::CvCudaNotFound { looked: std::mem::take(&mut self.looked) }
    }
}

fn too_new(pair: &Pair, spoken: u32) -> Error {
    let made_for = cuda_of(pair).unwrap_or(0);
    Error::CvCudaUnusable {
        path: pair.operators.clone(),
        reason: format!("it is made for CUDA {made_for}, the driver speaks CUDA {spoken}"),
    }
}

/// The pairs in a folder, and in its subfolders that wheels put libraries into (`cvcuda_cu12.libs`).
fn pairs_in(folder: &Path) -> Vec<Pair> {
    let is_libs = |path: &PathBuf| path.extension() == Some(OsStr::new("libs")) && path.is_dir();
    let mut folders: Vec<PathBuf> = files_in(folder).into_iter().filter(is_libs).collect();
    folders.push(folder.to_owned());
    folders.iter().filter_map(|folder| pair_in(folder)).collect()
}

fn pair_in(folder: &Path) -> Option<Pair> {
    let files = files_in(folder);
    let newest =
        |start: &str| files.iter().filter(|path| is_library(path, start)).max_by_key(|path| numbers(path));
    let (types, operators) = (newest("libnvcv_types")?, newest("libcvcuda")?);
    Some(Pair { types: types.clone(), operators: operators.clone() })
}

/// Sorted, so that the choice among equals is always the same.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// Such as `libcvcuda.so.0` or, as wheels name them, `libcvcuda-a5853d79.so.0.19.0`.
fn is_library(path: &Path, start: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let rest = name.strip_prefix(start);
    rest.is_some_and(|rest| rest.starts_with(['.', '-']) && rest.contains(".so")) && path.is_file()
}

/// The numbers behind `.so.` in a library's name.
fn numbers(path: &Path) -> Vec<u32> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some((_, version)) = name.split_once(".so.") else { return Vec::new() };
    version.split('.').map_while(|number| number.parse().ok()).collect()
}

fn version_of(pair: &Pair) -> Vec<u32> {
    numbers(&pair.operators)
}

/// The major version of CUDA that a wheel's folder names, such as `cvcuda_cu12.libs`.
fn cuda_of(pair: &Pair) -> Option<u32> {
    let folder = pair.operators.parent()?.file_name()?.to_string_lossy().into_owned();
    folder.strip_suffix(".libs")?.rsplit_once("_cu")?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder of packages with empty libraries; gone when it drops.
    struct Packages(PathBuf);

    impl Packages {
        fn new(name: &str, libraries: &[&str]) -> Self {
            let root = std::env::temp_dir().join(format!("interop-cvcuda-{name}-{}", std::process::id()));
            for library in libraries {
                let path = root.join(library);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "").unwrap();
            }
            Self(root)
        }

        fn find(&self, driver: u32) -> Result<String> {
            let pair = find(Some(&self.0), Some(driver))?;
            Ok(pair.operators.strip_prefix(&self.0).unwrap().display().to_string())
        }
    }

    impl Drop for Packages {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const BOTH: [&str; 4] = [
        "cvcuda_cu12.libs/libnvcv_types-77.so.0.19.0",
        "cvcuda_cu12.libs/libcvcuda-1a.so.0.19.0",
        "cvcuda_cu13.libs/libnvcv_types-9b.so.0.19.0",
        "cvcuda_cu13.libs/libcvcuda-2b.so.0.19.0",
    ];

    // Case 76.
    #[test]
    fn of_two_wheels_the_newest_that_fits_the_driver_is_taken() {
        let both = Packages::new("both", &BOTH);
        assert_eq!(both.find(13), Ok("cvcuda_cu13.libs/libcvcuda-2b.so.0.19.0".to_owned()));
        assert_eq!(both.find(12), Ok("cvcuda_cu12.libs/libcvcuda-1a.so.0.19.0".to_owned()));
    }

    #[test]
    fn of_two_versions_the_higher_is_taken() {
        let names = [
            "libnvcv_types.so.0.9.0",
            "libcvcuda.so.0.9.0",
            "libnvcv_types.so.0.19.0",
            "libcvcuda.so.0.19.0",
        ];
        assert_eq!(Packages::new("versions", &names).find(12), Ok("libcvcuda.so.0.19.0".to_owned()));
    }

    #[test]
    fn the_version_comes_before_the_version_of_cuda() {
        let mut names = BOTH.to_vec();
        names[2] = "cvcuda_cu13.libs/libnvcv_types-9b.so.0.15.0";
        names[3] = "cvcuda_cu13.libs/libcvcuda-2b.so.0.15.0";
        let mixed = Packages::new("mixed", &names);
        assert_eq!(mixed.find(13), Ok("cvcuda_cu12.libs/libcvcuda-1a.so.0.19.0".to_owned()));
    }

    #[test]
    fn a_wheel_for_a_newer_driver_is_refused_with_both_versions() {
        let newer = Packages::new("newer", &BOTH[2..]);
        let text = newer.find(12).unwrap_err().to_string();
        assert!(
            text.contains("CUDA 13") && text.contains("CUDA 12") && text.contains("cvcuda_cu13"),
            "{text}"
        );
    }

    #[test]
    fn one_library_alone_is_no_wheel() {
        let half = Packages::new("half", &BOTH[..1]);
        assert!(matches!(half.find(12), Err(Error::CvCudaNotFound { .. })));
        let others = ["a.libs/libcvcuda_tools.so", "a.libs/libnvcv_types.so", "a.libs/libcvcuda.a"];
        assert!(matches!(Packages::new("others", &others).find(12), Err(Error::CvCudaNotFound { .. })));
    }

    #[test]
    fn a_library_names_its_folder() {
        let both = Packages::new("file", &BOTH);
        let file = both.0.join(BOTH[1]);
        assert_eq!(find(Some(&file), Some(13)).unwrap().operators, file);
    }

    #[test]
    fn what_was_looked_for_is_said() {
        let nowhere = Path::new("/nowhere/at/all");
        let text = find(Some(nowhere), None).unwrap_err().to_string();
        assert!(text.contains("/nowhere/at/all") && text.contains("unset INTEROP_CVCUDA"), "{text}");
    }
}
