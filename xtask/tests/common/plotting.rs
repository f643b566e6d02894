//! `plot` on a document: what it draws, and what it refuses.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Said, said, xtask};

/// A field of a document, a value that it must not have, and what the error calls it.
pub type Refusal<'a> = (&'a str, Value, &'a str);

/// Writes a document into a folder, under the name of its kind, and plots it there.
pub fn plot(document: &Value, file: &str, folder: &Path) -> Said {
    fs::create_dir_all(folder).expect("a folder for the test");
    let path = folder.join(file);
    fs::write(&path, document.to_string()).expect("a document");
    said(xtask().arg("plot").arg(&path).arg("--out").arg(folder))
}

/// Plots into a folder that stays, so that a person can look at the pictures: the SVG text of each plot.
pub fn drawn<const N: usize>(document: &Value, file: &str, plots: [&str; N]) -> [String; N] {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    let run = plot(document, file, &folder);
    assert_eq!(run.code, Some(0), "{}", run.err);
    plots.map(|name| {
        let png = fs::read(folder.join(format!("{name}.png"))).expect("a PNG");
        assert!(png.starts_with(b"\x89PNG"), "{name}");
        let svg = fs::read_to_string(folder.join(format!("{name}.svg"))).expect("an SVG");
        assert!(svg.starts_with("<svg role=\"img\""), "{name}: {}", &svg[..80]);
        svg
    })
}

/// Each value is refused in a line that names the file, the field, what was expected and a remedy; nothing is drawn.
pub fn refuses(document: &Value, file: &str, refusals: &[Refusal<'_>]) {
    for (place, value, field) in refusals {
        let folder = tempfile::tempdir().expect("a folder");
        let mut document = document.clone();
        *document.pointer_mut(place).expect("a field") = value.clone();
        let run = plot(&document, file, folder.path());
        assert_eq!((run.code, run.err.lines().count()), (Some(1), 1), "{place}: {}", run.err);
        let remedy = run.err.rsplit_once("; ").map(|(_, remedy)| remedy).unwrap_or_default();
        let remedies = ["measure", "give a file", "use the version"];
        assert!(remedies.iter().any(|words| remedy.starts_with(words)), "{place}: {}", run.err);
        for part in [file, field, "expected "] {
            assert!(run.err.contains(part), "{place}: {part} is missing in {}", run.err);
        }
        assert_eq!(fs::read_dir(folder.path()).map(Iterator::count).ok(), Some(1), "{place}");
    }
}
