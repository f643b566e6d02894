//! The bandwidth sweep: 4 bytes to 1 GiB, up, down and within the device, from and to page-locked, ordinary, new
//! and strided host arrays, beside the driver's own calls. The data is checked after every copy. On the simulated
//! device only the data is checked: a time measured there means nothing.

use std::process::ExitCode;

use interop_core::Gpu;
use samples::Outcome;
use samples::bandwidth::{
    Driver, Effort, LARGEST, SMALLEST, Timing, all_series, document, extra_figures, print_table,
};

fn main() -> ExitCode {
    samples::run(|gpu| {
        let driver = Driver::new(gpu.info().ordinal)?;
        if gpu.info().simulated { check(gpu, &driver) } else { sweep(gpu, &driver) }
    })
}

/// Every kind of copy with either content, in a few sizes, checked and not timed.
fn check(gpu: &Gpu, driver: &Driver) -> Outcome {
    for exponent in [SMALLEST, 12, 16, 20, 22] {
        all_series(gpu, driver, exponent..=exponent, Timing::ONCE)?;
    }
    extra_figures(gpu, driver, &[], Effort::ONCE)?;
    println!("checked the data of every kind of copy, at 4 bytes, 4 and 64 KiB, 1 and 4 MiB");
    println!("no bandwidth is measured on a simulated device");
    Ok(())
}

fn sweep(gpu: &Gpu, driver: &Driver) -> Outcome {
    let series = all_series(gpu, driver, SMALLEST..=LARGEST, Timing::FULL)?;
    let figures = extra_figures(gpu, driver, &series, Effort::FULL)?;
    print_table(&series, &figures);
    samples::document::write("bandwidth.json", &document(gpu.info(), &series, &figures))?;
    Ok(())
}
