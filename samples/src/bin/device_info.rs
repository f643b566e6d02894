//! Prints what device 0 is, which machine it is in and whether CV-CUDA is there, as one line of JSON.

use std::process::ExitCode;

fn main() -> ExitCode {
    match samples::open_gpu() {
        Ok(gpu) => {
            let mut facts = samples::facts::device(gpu.info());
            facts["host"] = samples::facts::host();
            facts["cvcuda"] = samples::facts::cvcuda(&gpu);
            println!("{facts}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
