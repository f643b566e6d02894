//! [`DeviceInfo`]: what a device is.

use std::fmt;

use cudarc::driver::sys::CUdevice_attribute;

use crate::Result;
use crate::driver::{Context, major_and_minor};

/// What a device is, read once when it is opened.
///
/// ```
/// use interop_core::Gpu;
///
/// let gpu = Gpu::open(0)?;
/// let info = gpu.info();
/// println!("{} with {} bytes", info.name, info.memory_bytes);
/// assert!(info.driver_version >= (12, 0));
/// # Ok::<(), interop_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its number, as the driver counts.
    pub ordinal: usize,
    /// The vendor's name for it.
    pub name: String,
    /// Whether it is simulated in host memory: then no time measured on it means anything.
    pub simulated: bool,
    /// The CUDA version that the driver supports, major and minor.
    pub driver_version: (u32, u32),
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Memory, in bytes.
    pub memory_bytes: usize,
    /// Its address on the PCI bus, `domain:bus:device.function`.
    pub pci_bus_id: String,
}

impl DeviceInfo {
    pub(crate) fn read(context: &Context, ordinal: usize, simulated: bool) -> Result<Self> {
        use CUdevice_attribute::{
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as MINOR,
        };
        Ok(Self {
            ordinal,
            name: context.name()?,
            simulated,
            driver_version: major_and_minor(context.driver().version()?),
            compute_capability: (
                context.attribute(MAJOR)?.unsigned_abs(),
                context.attribute(MINOR)?.unsigned_abs(),
            ),
            memory_bytes: context.total_memory()?,
            pci_bus_id: context.pci_bus_id()?,
        })
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, driver_version: (major, minor), compute_capability: (cc_major, cc_minor), .. } =
            self;
        let gib = self.memory_bytes as f64 / (1u64 << 30) as f64;
        write!(
            f,
            "{name}, compute capability {cc_major}.{cc_minor}, {gib:.0} GiB, driver for CUDA {major}.{minor}"
        )
    }
}
