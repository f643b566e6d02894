//! Lines on stderr that say what a bare result code cannot.

use std::io::Write;
use std::sync::OnceLock;

/// Writes `cuda-sim: ...` to stderr unless `CUDA_SIM_LOG=0`.
macro_rules! report {
    ($($part:tt)*) => { $crate::log::line(format_args!($($part)*)) };
}
pub(crate) use report;

/// The function behind [`report!`]. A closed stderr is no reason to fail.
pub fn line(text: std::fmt::Arguments<'_>) {
    if enabled() {
        let _ = writeln!(std::io::stderr(), "cuda-sim: {text}");
    }
}

/// Read once and not as part of the configuration, so that a mistake in that can be reported too.
fn enabled() -> bool {
    static ENABLED: OnceLock<bool> = OnceLock::new();
    *ENABLED.get_or_init(|| std::env::var_os("CUDA_SIM_LOG").is_none_or(|value| value != "0"))
}
