//! What calls of CV-CUDA cost from Rust, and how many images a second the pipeline takes. The script
//! `samples/peers/cvcuda.py` measures the same of CV-CUDA's Python API.

use std::process::ExitCode;

use interop_core::Gpu;
use samples::{Outcome, document};

fn main() -> ExitCode {
    samples::run(lesson)
}

fn lesson(gpu: &Gpu) -> Outcome {
    let cv = samples::cvcuda::open(gpu)?;
    let calls = samples::cvcuda::speed::calls(&cv)?;
    for call in &calls {
        let recorded = if call.is_recorded { ", recorded" } else { "" };
        println!("{:15} {:6.2} us{recorded}", call.name, call.median() * 1e6);
        assert!(call.median() > 0.0);
    }
    let pipeline = samples::cvcuda::speed::pipeline(&cv)?;
    let rate = samples::cvcuda::speed::images_per_second(&pipeline);
    println!("pipeline        {rate:6.0} images of 1080p a second, from ordinary memory");
    assert!(rate > 0.0);

    let mut found = document::head(gpu.info());
    found["host"] = samples::facts::host();
    let (major, minor, patch) = cv.library().version;
    found["library"] = format!("{major}.{minor}.{patch}").into();
    samples::cvcuda::speed::add_to(&mut found, &calls, &pipeline);
    document::write("cvcuda.json", &found)?;
    Ok(())
}
