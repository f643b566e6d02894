//! Cargo: which samples there are, and where it put what it built.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, Result};
use crate::files;

#[derive(Deserialize)]
struct Packages {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Folders {
    target_directory: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    target: Option<Target>,
    #[serde(default)]
    executable: Option<PathBuf>,
}

/// Starts a command line of the cargo that runs us.
pub fn command(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// The names of the binaries of a package, sorted, without building anything.
pub fn binaries_of(root: &Path, package: &str) -> Result<Vec<String>> {
    let Packages { packages } = metadata(root)?;
    let targets = packages.into_iter().filter(|p| p.name == package).flat_map(|p| p.targets);
    let mut names: Vec<String> = targets.filter(Target::is_binary).map(|t| t.name).collect();
    names.sort();
    Ok(names)
}

/// Where cargo puts what it builds, wherever that was set.
pub fn target_folder(root: &Path) -> Result<PathBuf> {
    metadata(root).map(|folders: Folders| folders.target_directory)
}

/// The part of cargo's answer that somebody asks for.
fn metadata<T: DeserializeOwned>(root: &Path) -> Result<T> {
    let operation = "asking cargo about the workspace (`cargo metadata`)";
    let output = command(root)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| missing(operation, &e))?;
    if !output.status.success() {
        return Err(Error::new(operation).got(output.status).remedy("cargo's own message stands above"));
    }
    files::parse_json(&output.stdout, "the answer of `cargo metadata`")
}

/// Builds in release mode; cargo's progress and errors go to stderr. The executables by name.
pub fn build(root: &Path, arguments: &[&str]) -> Result<BTreeMap<String, PathBuf>> {
    run_build(command(root), arguments)
}

/// The same for programs that leave this machine: they hold no path of it.
pub fn build_to_give_away(root: &Path, arguments: &[&str]) -> Result<BTreeMap<String, PathBuf>> {
    let mut command = command(root);
    command.env("CARGO_ENCODED_RUSTFLAGS", flags_without_paths(root).join("\u{1f}"));
    run_build(command, arguments)
}

fn run_build(mut command: Command, arguments: &[&str]) -> Result<BTreeMap<String, PathBuf>> {
    let operation = format!("building (`cargo build --release {}`)", arguments.join(" "));
    let mut child = command
        .args(["build", "--release", "--message-format=json-render-diagnostics"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| missing(&operation, &e))?;
    let mut built = BTreeMap::new();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line.map_err(|e| Error::new(&operation).got(e))?;
            built.extend(executable_in(&line));
        }
    }
    let status = child.wait().map_err(|e| Error::new(&operation).got(e))?;
    if status.success() {
        return Ok(built);
    }
    Err(Error::new(operation).got(status).remedy("the compiler's errors stand above"))
}

/// The executable that a line of cargo's messages tells of.
fn executable_in(line: &str) -> Option<(String, PathBuf)> {
    let message: Message = serde_json::from_str(line).ok()?;
    Some((message.target?.name, message.executable?))
}

/// The compiler's flags that are set anyway, and those that shorten the paths in panic messages.
fn flags_without_paths(root: &Path) -> Vec<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut flags: Vec<String> = match variable("CARGO_ENCODED_RUSTFLAGS") {
        Some(encoded) => encoded.split('\u{1f}').map(str::to_owned).collect(),
        None => variable("RUSTFLAGS").unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
    };
    let home = variable("CARGO_HOME").map(PathBuf::from);
    if let Some(home) = home.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".cargo"))) {
        flags.push(format!("--remap-path-prefix={}=cargo", home.display()));
    }
    flags.push(format!("--remap-path-prefix={}=workspace", root.display()));
    flags
}

fn missing(operation: &str, cause: &std::io::Error) -> Error {
    Error::new(operation).expected("cargo to start").got(cause).remedy("install Rust from https://rustup.rs")
}

impl Target {
    fn is_binary(&self) -> bool {
        self.kind.iter().any(|kind| kind == "bin")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_executables_from_messages() {
        let line =
            r#"{"reason":"compiler-artifact","target":{"name":"a","kind":["bin"]},"executable":"/x/a"}"#;
        assert_eq!(executable_in(line), Some(("a".to_owned(), PathBuf::from("/x/a"))));
        assert_eq!(executable_in(r#"{"reason":"build-finished","success":true}"#), None);
    }
}
