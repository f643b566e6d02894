//! Prints what device 0 is and which machine it is in, as one line of JSON.

use std::process::ExitCode;

fn main() -> ExitCode {
    match samples::open_gpu() {
        Ok(gpu) => {
            let mut facts = samples::facts::device(gpu.info());
            facts["host"] = samples::facts::host();
            println!("{facts}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
