//! Builds the stand-in from its C sources.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

const SOURCES: [&str; 6] = [
    include_str!("stand_in.h"),
    include_str!("objects.c"),
    include_str!("types.c"),
    include_str!("types.map"),
    include_str!("operators.c"),
    include_str!("operators.map"),
];

/// A folder with the two libraries. It is named by what is in it and appears at once: test programs that run
/// at the same time share it, and none sees a half or has another replace what it opened.
pub fn folder(name: &str, options: &[&str]) -> PathBuf {
    let key = key(name, options);
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = root.join(format!("stand-in-{name}-{key}"));
    if folder.is_dir() {
        return folder;
    }
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let unfinished = root.join(format!("stand-in-{key}.{}-{number}", std::process::id()));
    fs::create_dir_all(&unfinished).expect("a folder in the target folder");
    build(&unfinished, &key, options);
    // Fails where another was faster.
    if fs::rename(&unfinished, &folder).is_err() {
        fs::remove_dir_all(&unfinished).expect("it is ours");
    }
    assert!(folder.is_dir(), "{}", folder.display());
    folder
}

fn key(name: &str, options: &[&str]) -> String {
    let mut hasher = DefaultHasher::new();
    (name, options, SOURCES).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// The key is part of the libraries' names, as wheels do it: the system's loader takes a library for one that
/// is open already if both have the same name, and each copy must use its own of the other.
fn build(folder: &Path, key: &str, options: &[&str]) {
    let types = folder.join(format!("libnvcv_types-{key}.so.0.19.0"));
    let operators = folder.join(format!("libcvcuda-{key}.so.0.19.0"));
    compile(&types, "types.map", options, &[Path::new("objects.c"), Path::new("types.c")]);
    compile(&operators, "operators.map", options, &[Path::new("operators.c"), &types]);
}

fn compile(library: &Path, map: &str, options: &[&str], inputs: &[&Path]) {
    let name = library.file_name().unwrap_or_default().to_string_lossy();
    let mut compiler = Command::new("cc");
    compiler.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cvcuda/stand_in"));
    compiler.args([
        "-std=gnu11",
        "-O1",
        "-Wall",
        "-Wextra",
        "-shared",
        "-fPIC",
        "-pthread",
        "-Wl,-rpath,$ORIGIN",
    ]);
    compiler.args([format!("-Wl,-soname,{name}"), format!("-Wl,--version-script={map}")]);
    let output = compiler.args(options).args(inputs).arg("-o").arg(library).output();
    let output = output.expect("a C compiler, `cc`");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
