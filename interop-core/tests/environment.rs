//! What the environment decides. Each test runs itself again in a process of its own.

use std::process::{Command, Output};

use interop_core::{CudaBuffer, Error, Gpu};

/// Runs the child test `name` of this file with these variables set.
fn child(name: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored", "--nocapture"]).env_remove("INTEROP_SIMULATE");
    command.envs(variables.iter().copied()).output().unwrap()
}

fn assert_passes(name: &str, variables: &[(&str, &str)]) {
    let output = child(name, variables);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{name}: {text}");
}

// Case 73.
#[test]
fn no_driver_is_an_error_and_never_a_simulation() {
    assert_passes("child_without_simulation", &[("INTEROP_SIMULATE", "0")]);
}

#[test]
#[ignore = "run by no_driver_is_an_error_and_never_a_simulation"]
fn child_without_simulation() {
    match Gpu::open(0) {
        Err(error @ Error::NoDriver) => assert!(error.to_string().contains("libcuda.so")),
        // A machine with a driver, with or without a device.
        Err(error) => assert!(matches!(error, Error::NoDevice { .. }), "{error}"),
        Ok(gpu) => assert!(!gpu.info().simulated),
    }
}

#[test]
fn the_simulated_device_says_so() {
    assert_passes("child_simulated", &[("INTEROP_SIMULATE", "1")]);
}

#[test]
#[ignore = "run by the_simulated_device_says_so"]
fn child_simulated() {
    let gpu = Gpu::open(0).unwrap();
    assert!(gpu.info().simulated);
    assert!(gpu.info().to_string().contains("Simulated"), "{}", gpu.info());
}

#[test]
fn a_device_without_memory_pools_works() {
    assert_passes("child_round_trip", &[("INTEROP_SIMULATE", "1"), ("CUDA_SIM_MEMORY_POOLS", "0")]);
}

#[test]
#[ignore = "run by a_device_without_memory_pools_works"]
fn child_round_trip() {
    let gpu = Gpu::open(0).unwrap();
    let buffer = CudaBuffer::from_host(&gpu, &[1u8, 2, 3]).unwrap();
    assert_eq!(buffer.to_vec::<u8>().unwrap(), [1, 2, 3]);
    buffer.free().unwrap();
    assert_eq!(gpu.take_drop_error(), None);
}

#[test]
fn a_driver_without_devices_is_an_error() {
    assert_passes("child_no_device", &[("INTEROP_SIMULATE", "1"), ("CUDA_SIM_DEVICES", "0")]);
}

#[test]
#[ignore = "run by a_driver_without_devices_is_an_error"]
fn child_no_device() {
    assert!(matches!(Gpu::open(0), Err(Error::NoDevice { available: 0, .. })));
}
