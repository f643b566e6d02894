//! The documents that samples write: what they begin with, and where they go.

use std::io::Result;
use std::path::PathBuf;
use std::time::SystemTime;

use interop_core::DeviceInfo;
use serde_json::{Value, json};

use crate::facts;

/// What every document holds, schema 1: the device, the commit that the runner names, and the time now.
pub fn head(device: &DeviceInfo) -> Value {
    json!({
        "schema": 1,
        "device": facts::device(device),
        "commit": std::env::var("INTEROP_COMMIT").unwrap_or_else(|_| "unknown".to_owned()),
        "date": humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
    })
}

/// The folder that the runner names for what samples write.
pub fn folder() -> PathBuf {
    std::env::var_os("INTEROP_OUT").map_or_else(|| PathBuf::from("target/interop"), PathBuf::from)
}

/// Writes a document into the folder that the runner names, and says so.
///
/// # Errors
/// Those of the file system.
pub fn write(name: &str, document: &Value) -> Result<()> {
    let folder = folder();
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join(name), format!("{document}\n"))?;
    println!("\nwritten to {name}");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn begins_with_where_and_when_it_was_measured() {
        let gpu = crate::open_gpu().expect("a device");
        let head = super::head(gpu.info());
        assert_eq!((&head["schema"], &head["device"]["name"]), (&1.into(), &gpu.info().name.as_str().into()));
        assert_eq!(head["device"]["simulated"], gpu.info().simulated);
        let date = head["date"].as_str().expect("a date");
        assert!(date.len() == "2026-01-01T00:00:00Z".len() && date.ends_with('Z'), "{date}");
        assert!(head["commit"].is_string());
    }
}
