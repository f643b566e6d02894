//! Programs and Python packages.

use std::process::Command;

use super::check::Check;
use crate::python::{self, Python};
use crate::run::helper::answer;

/// The Rust toolchain, the C compiler, and the notebook's kernel.
pub fn programs() -> Vec<Check> {
    let evcxr = first_line("evcxr_jupyter", "--help").map(|_| "evcxr_jupyter".to_owned());
    vec![
        Check::new(
            "Rust",
            first_line("rustc", "--version"),
            "builds the workspace",
            "no rustc",
            "curl --proto =https -sSf https://sh.rustup.rs | sh",
        ),
        Check::new(
            "C compiler",
            first_line("cc", "--version"),
            "links Rust programs",
            "no cc",
            "sudo apt-get install -y gcc",
        ),
        Check::new(
            "evcxr",
            evcxr,
            "runs Rust in notebooks",
            "no evcxr_jupyter",
            "cargo install --locked evcxr_jupyter && evcxr_jupyter --install",
        ),
    ]
}

/// Python and what it brings.
pub fn python(found: &Result<Python, &str>) -> Vec<Check> {
    let python = found.as_ref().ok();
    let package = |name: &str| python.filter(|p| p.has(name)).map(|_| "installed".to_owned());
    let jupyter = package("jupyterlab").or_else(|| package("notebook")).or_else(|| package("jupyter_core"));
    vec![
        Check::new(
            "python3",
            python.map(|p| p.version.clone()),
            "peers and notebooks",
            found.as_ref().err().unwrap_or(&""),
            python::INSTALL,
        ),
        Check::new(
            "PyTorch",
            package("torch"),
            "bandwidth to compare with",
            "no package torch",
            "pip install torch",
        ),
        Check::new(
            "CuPy",
            package("cupy"),
            "bandwidth to compare with",
            "no package cupy",
            "pip install cupy-cuda12x",
        ),
        Check::new("Jupyter", jupyter, "opens the notebooks", "no jupyterlab", "pip install jupyterlab"),
    ]
}

/// The first line that a program prints; none where it does not start or fails.
fn first_line(program: &str, argument: &str) -> Option<String> {
    let mut command = Command::new(program);
    command.arg(argument);
    let text = String::from_utf8_lossy(&answer(command)?).into_owned();
    Some(text.lines().next().unwrap_or("found").trim().to_owned())
}
