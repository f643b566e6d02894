//! What environment variables change. Read once, by the first call that needs it.

use std::sync::OnceLock;
use std::time::Duration;

use crate::code::{Code, Result};
use crate::log::report;

/// The configuration of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// `CUDA_SIM_MEMORY_BYTES`: the memory of the device.
    pub memory_bytes: u64,
    /// `CUDA_SIM_PINNED_BYTES`: the most host memory that is pinned or registered at once; None for no bound.
    pub pinned_bytes: Option<u64>,
    /// `CUDA_SIM_DRIVER_VERSION`: what `cuDriverGetVersion` answers, 12040 for CUDA 12.4.
    pub driver_version: i32,
    /// `CUDA_SIM_DEVICES`: how many devices there are.
    pub devices: i32,
    /// `CUDA_SIM_MEMORY_POOLS`: whether `cuMemAllocAsync` and the pools exist.
    pub memory_pools: bool,
    /// `CUDA_SIM_LEAK_CHECK`: what happens at exit.
    pub leak_check: LeakCheck,
    /// `CUDA_SIM_STREAM_DELAY_US`: how long each piece of work waits before its stream does it.
    pub stream_delay: Duration,
}

/// What to do at exit with what was not freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeakCheck {
    /// Nothing.
    Off,
    /// Report it on stderr.
    Report,
    /// Report it and end with this exit code.
    ExitCode(i32),
}

impl Default for Config {
    fn default() -> Self {
        Self {
            memory_bytes: 4 << 30,
            pinned_bytes: None,
            driver_version: 12000,
            devices: 1,
            memory_pools: true,
            leak_check: LeakCheck::Off,
            stream_delay: Duration::ZERO,
        }
    }
}

/// The configuration, or the code that `cuInit` answers where it makes no sense.
pub fn config() -> Result<&'static Config> {
    static CONFIG: OnceLock<Result<Config>> = OnceLock::new();
    CONFIG.get_or_init(from_environment).as_ref().map_err(|&code| code)
}

fn from_environment() -> Result<Config> {
    let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    Config::from_variables(variable).map_err(|mistake| {
        report!("{mistake}");
        Code::InvalidValue
    })
}

impl Config {
    /// Reads all variables. The error names the variable, its value and what it may be.
    fn from_variables(get: impl Fn(&str) -> Option<String>) -> std::result::Result<Self, String> {
        let mut config = Self::default();
        if let Some(bytes) = number(&get, "CUDA_SIM_MEMORY_BYTES", "a number of bytes")? {
            config.memory_bytes = bytes;
        }
        config.pinned_bytes = number(&get, "CUDA_SIM_PINNED_BYTES", "a number of bytes")?;
        if let Some(version) = number(&get, "CUDA_SIM_DRIVER_VERSION", "a version such as 12040")? {
            config.driver_version = version;
        }
        if let Some(devices) = number(&get, "CUDA_SIM_DEVICES", "0 or 1")? {
            config.devices = devices;
        }
        if let Some(pools) = number::<u8>(&get, "CUDA_SIM_MEMORY_POOLS", "0 or 1")? {
            config.memory_pools = pools != 0;
        }
        if let Some(value) = get("CUDA_SIM_LEAK_CHECK") {
            config.leak_check = leak_check(&value)?;
        }
        if let Some(delay) = number(&get, "CUDA_SIM_STREAM_DELAY_US", "a number of microseconds")? {
            config.stream_delay = Duration::from_micros(delay);
        }
        config.check()
    }

    fn check(self) -> std::result::Result<Self, String> {
        match self.devices {
            0 | 1 => Ok(self),
            other => Err(format!("CUDA_SIM_DEVICES={other}: only 0 or 1 device is simulated")),
        }
    }
}

fn number<T: std::str::FromStr>(
    get: impl Fn(&str) -> Option<String>,
    name: &str,
    expected: &str,
) -> std::result::Result<Option<T>, String> {
    let Some(value) = get(name) else { return Ok(None) };
    value.trim().parse().map(Some).map_err(|_| format!("{name}={value}: expected {expected}"))
}

fn leak_check(value: &str) -> std::result::Result<LeakCheck, String> {
    let code = value.strip_prefix("exitcode:").and_then(|code| code.parse::<u8>().ok());
    match (value, code) {
        ("" | "0", _) => Ok(LeakCheck::Off),
        ("1", _) => Ok(LeakCheck::Report),
        (_, Some(code)) => Ok(LeakCheck::ExitCode(i32::from(code))),
        _ => Err(format!("CUDA_SIM_LEAK_CHECK={value}: expected 0, 1 or exitcode:N with N up to 255")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, value: &str) -> std::result::Result<Config, String> {
        Config::from_variables(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn nothing_set_is_the_default() {
        assert_eq!(Config::from_variables(|_| None), Ok(Config::default()));
    }

    #[test]
    fn each_variable_is_read() {
        assert_eq!(with("CUDA_SIM_MEMORY_BYTES", "4096").unwrap().memory_bytes, 4096);
        assert_eq!(with("CUDA_SIM_PINNED_BYTES", "0").unwrap().pinned_bytes, Some(0));
        assert_eq!(with("CUDA_SIM_DRIVER_VERSION", "12040").unwrap().driver_version, 12040);
        assert_eq!(with("CUDA_SIM_DEVICES", "0").unwrap().devices, 0);
        assert!(!with("CUDA_SIM_MEMORY_POOLS", "0").unwrap().memory_pools);
        assert_eq!(with("CUDA_SIM_LEAK_CHECK", "exitcode:7").unwrap().leak_check, LeakCheck::ExitCode(7));
        let delay = with("CUDA_SIM_STREAM_DELAY_US", "1500").unwrap().stream_delay;
        assert_eq!(delay, Duration::from_micros(1500));
    }

    #[test]
    fn nonsense_is_named() {
        for (name, value) in [
            ("CUDA_SIM_MEMORY_BYTES", "4GiB"),
            ("CUDA_SIM_PINNED_BYTES", "none"),
            ("CUDA_SIM_DEVICES", "2"),
            ("CUDA_SIM_LEAK_CHECK", "exitcode:900"),
            ("CUDA_SIM_STREAM_DELAY_US", "-1"),
        ] {
            let mistake = with(name, value).unwrap_err();
            assert!(mistake.starts_with(&format!("{name}={value}: ")), "{mistake}");
        }
    }
}
