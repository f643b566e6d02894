#!/bin/sh
# The rustdoc of `cargo xtask test`. A stable one ignores the codes of `compile_fail,E0505`, so that an example
# which fails for a slip of the pen passes; as a bootstrap compiler of this crate it compares them. The examples
# themselves are crates of other names, and see no unstable feature. Cargo and the crates' build scripts, which would
# all run again, do not see the variable. The rustdoc is that of the cargo which asks.
RUSTC_BOOTSTRAP=interop_core exec "${CARGO:+$(dirname "$CARGO")/}rustdoc" "$@"
