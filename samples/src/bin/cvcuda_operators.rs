//! Every operator on tensors, for the dtypes, channels and layouts that most of them take. What they compute is recorded,
//! and compared bit for bit with what CV-CUDA's Python API computes from the same inputs (`samples/peers/cvcuda.py`).

use std::process::ExitCode;

use interop_core::Gpu;
use samples::Outcome;
use samples::cvcuda::operators::{OPERATORS, call_all};

fn main() -> ExitCode {
    samples::run(lesson)
}

fn lesson(gpu: &Gpu) -> Outcome {
    let cv = samples::cvcuda::open(gpu)?;
    let record = call_all(&cv)?;
    for operator in OPERATORS {
        let calls = record.calls_of(operator);
        println!("{operator:15} {calls} calls");
        assert!(calls > 0);
    }
    record.write(&samples::document::folder().join("cvcuda"))?;
    println!("recorded        cvcuda/operators.json, to be compared with CV-CUDA's Python API");
    Ok(())
}
