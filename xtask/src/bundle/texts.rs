//! The texts of a bundle.

use crate::contract::manifest::Manifest;

/// The script that a person starts.
pub const RUN: &str = r#"#!/bin/sh
# Runs the samples; `./run --help` names the options.
# `./run doctor` says what is missing here, `./run plot FILE.json` redraws plots, `./run cvcuda` gets CV-CUDA.
self=$(readlink -f -- "$0") || exit 1
here=$(dirname -- "$self") || exit 1
case "${1-}" in
    samples | doctor | plot | cvcuda) ;;
    *) set -- samples "$@" ;;
esac
exec "$here/bin/xtask" "$@"
"#;

/// What it is and how to use it.
pub fn readme(manifest: &Manifest) -> String {
    let glibc = manifest.glibc.as_deref().map_or(String::new(), |v| format!(" with glibc {v} or newer"));
    format!(
        "Sharing GPU memory from Rust: samples for a GPU machine
without network or Rust.

    ./run                      run all samples, measure, write a report
    ./run --require-gpu        the same, and fail where there is no GPU
    ./run --list               the names of the samples
    ./run NAME --out DIR       one sample, results into DIR
    ./run --help               all options
    ./run doctor               what is here and what is missing
    ./run plot FILE.json       redraw the plots of a recorded run
    ./run cvcuda               get NVIDIA's CV-CUDA (needs a network and pip);
                               or copy the folder cvcuda, made elsewhere, here

Needs {target}{glibc}, and an NVIDIA driver for
CUDA 12.0 or newer (without one the samples run on a simulated device and say
so). With python3 and PyTorch or CuPy, these are measured, too; with CuPy and
CV-CUDA's Python package, its results are compared with those of the samples.

Results go to target/interop in this folder unless --out names another one:
report.html, samples.json, bandwidth.json, cvcuda.json, the plots and the
pictures.

Made from commit {commit} on {date}.
bin/xtask embeds the DejaVu fonts (their licence is part of the font files).
",
        target = manifest.target,
        commit = manifest.commit,
        date = manifest.date,
    )
}
