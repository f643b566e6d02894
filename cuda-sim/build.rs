//! Compiles the simulated driver to a shared object, which `src/lib.rs` embeds.
//!
//! Cargo cannot make one crate's shared object an input of another, so this calls the compiler. The driver and its PTX
//! interpreter need only the standard library.

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Not `libcuda.so`: `cargo run` and `cargo test` put target folders on the library path, where a file of
/// that name would replace a real driver silently.
const FILE: &str = "libcuda_sim_driver.so";

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cuda-sim: the simulated driver could not be built: {error}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let (driver, ptx) = (root.join("driver/src"), root.join("ptx/src"));
    println!("cargo::rerun-if-changed=build.rs");
    for source in [&driver, &ptx] {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    println!("cargo::rustc-check-cfg=cfg(simulated)");
    if !simulated()? {
        return Ok(());
    }
    println!("cargo::rustc-cfg=simulated");
    let folder = PathBuf::from(env::var("OUT_DIR")?);
    let (interpreter, output) = (folder.join("libptx.rlib"), folder.join(FILE));
    println!("cargo::rustc-env=CUDA_SIM_DRIVER={}", output.display());
    compile_interpreter(&root, &interpreter)?;
    compile_driver(&root, &interpreter, &output)
}

/// The driver relies on memfd, on 64-bit addresses and on the GNU C library's loader.
fn simulated() -> Result<bool, env::VarError> {
    let linux = env::var("CARGO_CFG_TARGET_OS")? == "linux" && env::var("CARGO_CFG_TARGET_ENV")? == "gnu";
    Ok(linux && env::var("CARGO_CFG_TARGET_POINTER_WIDTH")? == "64")
}

/// The PTX interpreter, a library of its own.
fn compile_interpreter(root: &Path, output: &Path) -> Result<(), Box<dyn Error>> {
    let mut rustc = compiler(root, &root.join("ptx/src/lib.rs"), output)?;
    run(rustc.args(["--crate-name=ptx", "--crate-type=rlib"]))
}

fn compile_driver(root: &Path, interpreter: &Path, output: &Path) -> Result<(), Box<dyn Error>> {
    let mut rustc = compiler(root, &root.join("driver/src/lib.rs"), output)?;
    rustc.args(["--crate-name=cuda_sim_driver", "--crate-type=cdylib", "-Cstrip=symbols"]);
    let mut library = OsString::from("--extern=ptx=");
    library.push(interpreter);
    rustc.arg(library);
    // Loaders find a library that is already there by this name, which is the first that cudarc asks for.
    rustc.arg("-Clink-arg=-Wl,-soname,libcuda.so");
    // Its worker threads and exit handler must never lose their code.
    rustc.arg("-Clink-arg=-Wl,-z,nodelete");
    run(&mut rustc)
}

/// A call of the compiler with what both parts need.
fn compiler(root: &Path, source: &Path, output: &Path) -> Result<Command, Box<dyn Error>> {
    let mut rustc = Command::new(env::var_os("RUSTC").ok_or("cargo did not say which compiler to use")?);
    rustc.arg(source).arg("-o").arg(output);
    rustc.args(["--edition=2024", "-Copt-level=3", "-Cdebuginfo=0", "-Cpanic=unwind"]);
    // The shared object travels in other programs, where the paths of this machine mean nothing.
    let mut option = OsString::from("--remap-path-prefix=");
    option.push(root);
    option.push("=cuda-sim");
    rustc.arg(option);
    rustc.arg("--target").arg(env::var("TARGET")?);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = OsString::from("-Clinker=");
        option.push(linker);
        rustc.arg(option);
    }
    Ok(rustc)
}

fn run(rustc: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = rustc.status().map_err(|error| format!("{rustc:?} did not start: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{rustc:?} failed ({status}); its messages are above").into())
    }
}
