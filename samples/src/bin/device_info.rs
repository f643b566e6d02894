//! Prints what device 0 is, as one line of JSON.

use std::process::ExitCode;

fn main() -> ExitCode {
    match samples::open_gpu() {
        Ok(gpu) => {
            println!("{}", samples::facts::device(gpu.info()));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
