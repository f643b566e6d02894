//! `manifest.json` of a bundle: what it was made from and what it needs.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::check_schema;
use crate::error::Result;
use crate::files;

/// Describes a bundle.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the format.
    pub schema: u32,
    /// The commit that the programs were built from.
    pub commit: String,
    /// When it was packed.
    pub date: String,
    /// The platform of the programs.
    pub target: String,
    /// The oldest glibc that runs them, such as `2.34`.
    #[serde(default)]
    pub glibc: Option<String>,
    /// The samples in `bin/`.
    pub samples: Vec<String>,
}

impl Manifest {
    /// Reads and checks a manifest.
    pub fn read(path: &Path) -> Result<Self> {
        let manifest: Self = files::read_json(path)?;
        check_schema(manifest.schema, &path.display().to_string())?;
        Ok(manifest)
    }
}
