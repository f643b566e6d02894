//! CV-CUDA: what the samples say that they load; where they say nothing, what lies around.

use std::path::PathBuf;

use super::check::Check;
use super::libraries;
use crate::contract::probe::Cvcuda;
use crate::cvcuda::place::{OPERATORS, TYPES, types_in};
use crate::home::Home;
use crate::python::{Python, in_wheels};

/// The check; `told` is what the probe says.
pub fn check(home: &Home, told: Option<Cvcuda>, python: Option<&Python>) -> Check {
    let install = if home.is_bundle() { "./run cvcuda" } else { "cargo xtask cvcuda" };
    let folder = home.cvcuda();
    let place = match &folder {
        Ok(folder) => format!("`{install}` puts it into {}", folder.display()),
        Err(error) => error.to_string(),
    };
    let (found, missing) = match told {
        Some(Cvcuda { found: true, detail }) => (Some(detail), String::new()),
        Some(Cvcuda { found: false, detail }) => (None, detail),
        None => {
            let found = lying_around(folder.ok(), python).map(|path| path.display().to_string());
            (found, format!("{TYPES} and {OPERATORS} are not in Python's packages"))
        }
    };
    Check::new("CV-CUDA", found, "runs the cvcuda_ samples", &format!("{missing}; {place}"), install)
}

/// In our own folder, where the loader looks, or in Python's packages.
fn lying_around(folder: Option<PathBuf>, python: Option<&Python>) -> Option<PathBuf> {
    folder
        .and_then(|folder| in_wheels(&folder, types_in))
        .or_else(|| types_in(libraries::find(&format!("{TYPES}.so"))?.parent()?))
        .or_else(|| python?.in_wheels(types_in))
}
