//! `operators.json`: the calls that the sample `cvcuda_operators` recorded. Of each only its operator is read
//! here; the rest is for the script that makes the calls again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::check_schema;
use crate::error::Result;
use crate::files;

#[derive(Deserialize)]
struct Recorded {
    schema: u32,
    calls: Vec<Call>,
}

#[derive(Deserialize)]
struct Call {
    operator: String,
}

/// How many calls of each operator were recorded.
pub fn counts(path: &Path) -> Result<BTreeMap<String, u64>> {
    let recorded: Recorded = files::read_json(path)?;
    check_schema(recorded.schema, &path.display().to_string())?;
    let mut counts = BTreeMap::new();
    for call in recorded.calls {
        *counts.entry(call.operator).or_default() += 1;
    }
    Ok(counts)
}
