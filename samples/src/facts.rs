//! The machine that a result was measured on, as JSON.

use std::fs;

use interop_core::{DeviceInfo, Gpu};
use serde_json::{Value, json};

/// The device: its name, driver, memory, and its link where the system knows it.
pub fn device(info: &DeviceInfo) -> Value {
    let (major, minor) = info.driver_version;
    let (cc_major, cc_minor) = info.compute_capability;
    let mut facts = json!({
        "ordinal": info.ordinal,
        "name": info.name,
        "simulated": info.simulated,
        "driver": format!("{major}.{minor}"),
        "compute_capability": format!("{cc_major}.{cc_minor}"),
        "memory_bytes": info.memory_bytes,
        "pci_bus_id": info.pci_bus_id,
    });
    if let Some((generation, width)) = pcie_link(&info.pci_bus_id) {
        facts["pcie_gen"] = json!(generation);
        facts["pcie_width"] = json!(width);
    }
    facts
}

/// Whether CV-CUDA's libraries are there for this device, and which, or what was looked for. No GPU is used for that.
pub fn cvcuda(gpu: &Gpu) -> Value {
    let real = Some(gpu).filter(|gpu| !gpu.info().simulated);
    match interop_core::cvcuda::find_library(real) {
        Ok(library) => json!({ "found": true, "detail": library.to_string() }),
        Err(interop_core::Error::CvCudaNotFound { looked }) => {
            json!({ "found": false, "detail": format!("looked in: {}", looked.join("; ")) })
        }
        Err(error) => json!({ "found": false, "detail": error.to_string() }),
    }
}

/// The host: processor, cores that this process may use, memory, system, NVIDIA's kernel module.
pub fn host() -> Value {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = field(&meminfo, "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    json!({
        "cpu": field(&cpuinfo, "model name"),
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "memory_bytes": kilobytes.map(|kilobytes| kilobytes * 1024),
        "kernel": kernel(),
        "nvidia_driver": line("/sys/module/nvidia/version"),
    })
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim())
}

/// The largest link that the device can have, as the system sees it: generation and width. (Idle devices
/// lower the current one.)
fn pcie_link(bus_id: &str) -> Option<(u32, u32)> {
    let folder = format!("/sys/bus/pci/devices/{}", bus_id.to_lowercase());
    let speed = fs::read_to_string(format!("{folder}/max_link_speed")).ok()?;
    let width = fs::read_to_string(format!("{folder}/max_link_width")).ok()?;
    let generation = match speed.split_whitespace().next()? {
        "2.5" => 1,
        "5.0" => 2,
        "8.0" => 3,
        "16.0" => 4,
        "32.0" => 5,
        "64.0" => 6,
        _ => return None,
    };
    Some((generation, width.trim().parse().ok().filter(|lanes| (1..=32).contains(lanes))?))
}

/// The version of the system's kernel, without what its builder added.
fn kernel() -> Option<String> {
    let release = line("/proc/sys/kernel/osrelease")?;
    Some(format!("Linux {}", release.split(['-', '+']).next()?))
}

/// The text of a file that holds one line.
fn line(file: &str) -> Option<String> {
    Some(fs::read_to_string(file).ok()?.trim().to_owned())
}
