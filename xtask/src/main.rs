//! The program `xtask`; everything it does is in the library.

fn main() -> std::process::ExitCode {
    xtask::run()
}
