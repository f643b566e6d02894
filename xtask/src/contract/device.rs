//! The device a run used, as `device_info` prints it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One GPU, or the simulated one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// The name that the driver gives it.
    pub name: String,
    /// True on the simulated driver: no time measured there means anything.
    pub simulated: bool,
    /// The CUDA version that the driver supports, such as `12.0`.
    pub driver: String,
    /// The compute capability, such as `9.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compute_capability: Option<String>,
    /// Bytes of memory on the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Where it sits on the PCI bus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pci_bus_id: Option<String>,
    /// Its number for the driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// The generation of its PCIe link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pcie_gen: Option<u32>,
    /// The number of lanes of its PCIe link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pcie_width: Option<u32>,
    /// Whatever else the writer knew; kept as it is.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Device {
    /// The device in words, for a banner.
    pub fn in_words(&self) -> String {
        let mut words = self.name.clone();
        if let Some(bytes) = self.memory_bytes {
            words += &format!(", {:.0} GiB", bytes as f64 / (1u64 << 30) as f64);
        }
        if let Some(capability) = &self.compute_capability {
            words += &format!(", compute capability {capability}");
        }
        words + &format!(", CUDA {}", self.driver)
    }

    /// The link's raw rate in GB/s, where generation and width are known.
    pub fn link_gbps(&self) -> Option<f64> {
        let lane = match self.pcie_gen? {
            1 => 0.25,
            2 => 0.5,
            3 => 128.0 / 130.0,
            4 => 2.0 * 128.0 / 130.0,
            5 => 4.0 * 128.0 / 130.0,
            6 => 8.0 * 242.0 / 256.0,
            _ => return None,
        };
        self.pcie_width.filter(|&width| width > 0).map(|width| lane * f64::from(width))
    }

    /// The link in words, such as `PCIe 5 x16`.
    pub fn link_in_words(&self) -> Option<String> {
        Some(format!("PCIe {} x{}", self.pcie_gen?, self.pcie_width?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_rate_of_a_link() {
        let text =
            r#"{"name":"a","simulated":false,"driver":"12.0","pcie_gen":5,"pcie_width":16,"uuid":"u"}"#;
        let device: Device = serde_json::from_str(text).expect("a valid device");
        assert_eq!(device.link_gbps().map(f64::round), Some(63.0));
        assert_eq!(device.link_in_words().as_deref(), Some("PCIe 5 x16"));
        assert_eq!(device.more["uuid"], "u");
    }
}
