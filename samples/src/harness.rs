//! The frame around a sample.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

use interop_core::Gpu;

/// What a sample returns.
pub type Outcome = Result<(), Box<dyn Error>>;

/// Why a sample cannot run here. Returned as an error, it ends the sample as waived, not as failed.
#[derive(Debug)]
pub struct Waived(
    /// What is missing.
    pub String,
);

impl fmt::Display for Waived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Waived {}

/// Opens device 0, prints which it is, runs the sample, and turns its outcome into an exit code.
pub fn run(sample: impl FnOnce(&Gpu) -> Outcome) -> ExitCode {
    let outcome = open_gpu().and_then(|gpu| {
        println!("Device 0: {}", gpu.info());
        if gpu.info().simulated {
            println!("          simulated in host memory, no GPU is used");
        }
        println!();
        sample(&gpu)?;
        match gpu.take_drop_error() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    });
    exit_code(outcome)
}

/// Opens device 0; with `INTEROP_REQUIRE_GPU=1` never the simulated one.
///
/// # Errors
/// Those of [`Gpu::open`], and where a GPU is required and there is none.
pub fn open_gpu() -> Result<Gpu, Box<dyn Error>> {
    let gpu = Gpu::open(0)?;
    let required = std::env::var_os("INTEROP_REQUIRE_GPU").is_some_and(|value| value == "1");
    if required && gpu.info().simulated {
        return Err("expected a GPU (INTEROP_REQUIRE_GPU=1), got the simulated device".into());
    }
    Ok(gpu)
}

fn exit_code(outcome: Outcome) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    match error.downcast_ref::<Waived>() {
        Some(reason) => {
            println!("waived: {reason}");
            ExitCode::from(2)
        }
        None => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
