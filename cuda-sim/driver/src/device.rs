//! What the device says of itself.

use std::sync::{Arc, Mutex};

use crate::code::{Code, Result};
use crate::config::Config;
use crate::context::Context;
use crate::pool::Pool;

/// Its name says that it is none.
pub const NAME: &str = "Simulated GPU (cuda-sim)";

/// Compute capability 9.0, so that kernels compiled for current GPUs are for it too.
pub const CAPABILITY: (i32, i32) = (9, 0);

/// `CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT`, to which pitched memory is padded.
pub const TEXTURE_ALIGNMENT: usize = 512;

/// `CU_DEVICE_ATTRIBUTE_MAX_PITCH`.
pub const MAX_PITCH: usize = 2_147_483_647;

/// One device.
pub struct Device {
    /// The ordinal, which is also the `CUdevice`.
    pub ordinal: i32,
    /// Its primary context.
    pub primary: Arc<Context>,
    /// Held while the primary context is retained or ends: one user must not get what another is ending.
    pub lifecycle: Mutex<()>,
    /// Its default pool.
    pub default_pool: Arc<Pool>,
    /// The pool that `cuMemAllocAsync` takes from.
    pub pool: Mutex<Arc<Pool>>,
}

impl Device {
    /// `domain:bus:device.function`
    pub fn pci_bus_id(&self) -> String {
        format!("{:04x}:{:02x}:{:02x}.0", PCI_DOMAIN, self.bus(), PCI_DEVICE)
    }

    /// Readable, like the addresses: `cuda-sim` and the ordinal.
    pub fn uuid(&self) -> [u8; 16] {
        let mut uuid = *b"cuda-sim device\0";
        uuid[15] = b'0'.wrapping_add(self.ordinal as u8);
        uuid
    }

    fn bus(&self) -> i32 {
        self.ordinal + 1
    }

    /// `cuDeviceGetAttribute`, for what is known of a device that computes nothing yet.
    pub fn attribute(&self, attribute: u32, config: &Config) -> Result<i32> {
        let value = match attribute {
            1..=10 | 12 | 31 | 39 | 81 | 82 | 95 | 97 | 106 | 111 => launch_limit(attribute),
            11 => MAX_PITCH as i32,
            13 | 36 => 1_000_000, // clock rates, kHz
            14 | 30 => TEXTURE_ALIGNMENT as i32,
            16 => std::thread::available_parallelism().map_or(1, |cores| cores.get() as i32),
            19 | 41 | 91 | 99 => 1, // mapped host memory, unified addressing, registered memory
            15 | 78 | 83 => 1,      // overlap, stream priorities, managed memory
            17 | 18 | 20 | 32 | 35 => 0, // execution timeout, integrated, compute mode, ECC, TCC
            33 => self.bus(),
            34 => PCI_DEVICE,
            37 => 64,      // bits of the memory bus
            38 => 1 << 20, // bytes of L2
            40 => 2,       // copy engines
            50 => PCI_DOMAIN,
            51 => 32, // texture pitch alignment
            75 => CAPABILITY.0,
            76 => CAPABILITY.1,
            115 => i32::from(config.memory_pools),
            21..=29 | 42..=49 | 52..=74 | 77 | 79 | 80 => 0, // textures and surfaces: not simulated
            84..=90 | 92..=94 | 96 | 98 | 100..=105 | 107..=110 | 112..=114 | 116..=129 => 0, // not simulated
            _ => return Err(Code::InvalidValue),
        };
        Ok(value)
    }
}

const PCI_DOMAIN: i32 = 0;
const PCI_DEVICE: i32 = 0;

/// What a launch may ask for: the figures of compute capability 9.0.
fn launch_limit(attribute: u32) -> i32 {
    match attribute {
        1..=3 => 1024, // threads a block, and its sides
        4 => 64,
        5 => 2_147_483_647,
        6 | 7 => 65_535,
        8 => 48 << 10,     // shared memory a block
        9 => 64 << 10,     // constant memory
        10 => 32,          // warp
        12 | 82 => 65_536, // registers
        39 => 2048,        // threads a multiprocessor
        81 => 228 << 10,
        97 => 227 << 10,
        106 => 32,
        111 => 1024,
        _ => 0,
    }
}
