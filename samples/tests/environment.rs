//! What the environment decides, seen from outside: which driver serves, and how a sample ends.

use std::process::{Command, Output};

/// Runs a sample with these variables set, and none else that matters.
fn run(sample: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(sample);
    for name in ["INTEROP_SIMULATE", "INTEROP_REQUIRE_GPU", "CUDA_VISIBLE_DEVICES"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied()).output().expect("the sample starts")
}

fn code_and_text(output: &Output) -> (Option<i32>, String) {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

const DEVICE_INFO: &str = env!("CARGO_BIN_EXE_device_info");

// Case 73.
#[test]
fn without_a_driver_there_is_one_line_and_never_a_simulation() {
    let (code, text) = code_and_text(&run(DEVICE_INFO, &[("INTEROP_SIMULATE", "0")]));
    // SAFETY: opens the driver's library, if there is one, and closes it again.
    if unsafe { cudarc::driver::sys::is_culib_present() } {
        let device_or_error = text.contains(r#""simulated":false"#) || text.starts_with("error: Gpu::open: ");
        assert!(device_or_error, "{text}");
        return;
    }
    assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
    let expected = "error: Gpu::open: expected the CUDA driver, got no library libcuda.so";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn the_simulated_device_serves_on_request_and_says_so() {
    let (code, text) = code_and_text(&run(DEVICE_INFO, &[("INTEROP_SIMULATE", "1")]));
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains(r#""simulated":true"#) && text.contains("Simulated"), "{text}");
}

#[test]
fn where_a_gpu_is_required_the_simulated_device_is_an_error() {
    let variables = [("INTEROP_SIMULATE", "1"), ("INTEROP_REQUIRE_GPU", "1")];
    let (code, text) = code_and_text(&run(env!("CARGO_BIN_EXE_cuda_interop_1"), &variables));
    assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
    assert!(text.contains("expected a GPU"), "{text}");
}

#[test]
fn a_driver_without_devices_is_an_error() {
    let variables = [("INTEROP_SIMULATE", "1"), ("CUDA_SIM_DEVICES", "0")];
    let (code, text) = code_and_text(&run(DEVICE_INFO, &variables));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("got 0 visible device(s)"), "{text}");
}

#[test]
fn a_device_without_memory_pools_works_and_leaks_nothing() {
    for sample in [env!("CARGO_BIN_EXE_cuda_interop_1"), env!("CARGO_BIN_EXE_copies")] {
        let variables = [
            ("INTEROP_SIMULATE", "1"),
            ("CUDA_SIM_MEMORY_POOLS", "0"),
            ("CUDA_SIM_LEAK_CHECK", "exitcode:9"),
        ];
        let (code, text) = code_and_text(&run(sample, &variables));
        assert_eq!(code, Some(0), "{text}");
    }
}

#[test]
fn no_sample_leaks() {
    for sample in [
        env!("CARGO_BIN_EXE_cuda_interop_1"),
        env!("CARGO_BIN_EXE_cuda_interop_2"),
        env!("CARGO_BIN_EXE_array_interface"),
        env!("CARGO_BIN_EXE_copies"),
        env!("CARGO_BIN_EXE_external_pointer"),
        env!("CARGO_BIN_EXE_overlap"),
        env!("CARGO_BIN_EXE_bandwidth"),
    ] {
        let variables = [("INTEROP_SIMULATE", "1"), ("CUDA_SIM_LEAK_CHECK", "exitcode:9")];
        let (code, text) = code_and_text(&run(sample, &variables));
        assert_eq!(code, Some(0), "{sample}: {text}");
    }
}

#[test]
fn a_device_that_runs_out_of_memory_is_an_error_with_the_figures() {
    let variables = [("INTEROP_SIMULATE", "1"), ("CUDA_SIM_MEMORY_BYTES", "65536"), ("CUDA_SIM_LOG", "0")];
    let (code, text) = code_and_text(&run(env!("CARGO_BIN_EXE_bandwidth"), &variables));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("out of memory with") && text.contains("bytes free"), "{text}");
}
