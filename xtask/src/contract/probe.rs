//! The line of JSON that `device_info` prints: the device's facts, the machine around it as a field
//! `host`, and whether CV-CUDA is there as a field `cvcuda`.

use serde::Deserialize;

use super::device::Device;
use super::host::Host;

/// What the probe found.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Found {
    /// The device, without the machine.
    #[serde(flatten)]
    pub device: Device,
    /// The machine; nothing is known about it where the probe says nothing.
    #[serde(default, deserialize_with = "host")]
    pub host: Host,
    /// What it knows of CV-CUDA; older ones say nothing.
    #[serde(default)]
    pub cvcuda: Option<Cvcuda>,
}

/// Whether the samples can load CV-CUDA.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Cvcuda {
    /// True if they can.
    pub found: bool,
    /// Which one and where; for a missing one, what was looked for.
    pub detail: String,
}

fn host<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Host, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(host: &str) -> Found {
        let text = format!(r#"{{"name":"a","simulated":true,"driver":"12.0","uuid":"u"{host}}}"#);
        serde_json::from_str(&text).expect("a valid answer")
    }

    #[test]
    fn the_machine_is_kept_apart_from_the_device() {
        let found = parsed(r#","host":{"cpu":"c","cores":4,"kernel":null}"#);
        assert_eq!(found.host, Host { cpu: Some("c".to_owned()), cores: Some(4), ..Host::default() });
        assert_eq!(found.device.more.keys().collect::<Vec<_>>(), ["uuid"]);
    }

    #[test]
    fn cvcuda_is_kept_apart_from_the_device() {
        let found = parsed(r#","cvcuda":{"found":false,"detail":"d"}"#);
        assert_eq!(found.cvcuda, Some(Cvcuda { found: false, detail: "d".to_owned() }));
        assert_eq!(found.device.more.keys().collect::<Vec<_>>(), ["uuid"]);
        assert_eq!((parsed("").cvcuda, parsed(r#","cvcuda":null"#).cvcuda), (None, None));
    }

    #[test]
    fn the_machine_may_be_unknown() {
        assert_eq!(parsed("").host, Host::default());
        assert_eq!(parsed(r#","host":null"#).host, Host::default());
    }
}
