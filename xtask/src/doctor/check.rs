//! One thing that is here or missing.

use serde::Serialize;

use crate::lines::wrap;

const COLUMNS: usize = 80;

/// The outcome for one thing.
#[derive(Debug, Serialize)]
pub struct Check {
    /// What it is.
    pub name: &'static str,
    /// True if it is here.
    pub found: bool,
    /// Which one, or where; for a missing thing, what was looked for.
    pub detail: String,
    /// What it is needed for.
    pub purpose: &'static str,
    /// The one command that gets it, or that takes us to it.
    pub install: &'static str,
}

impl Check {
    /// A thing that may be there.
    pub fn new(
        name: &'static str,
        found: Option<String>,
        purpose: &'static str,
        missing: &str,
        install: &'static str,
    ) -> Self {
        let detail = found.clone().unwrap_or_else(|| missing.to_owned());
        Self { name, found: found.is_some(), detail, purpose, install }
    }

    /// The check in lines of at most 80 columns.
    pub fn lines(&self) -> Vec<String> {
        let status = if self.found { "ok" } else { "missing" };
        let mut lines = wrap(
            &format!("{status:8}{:13}", self.name),
            &format!("{} ({})", self.detail, self.purpose),
            COLUMNS,
        );
        if !self.found {
            // A command stays in one piece, so that it can be copied.
            lines.push(format!("{:8}get it: {}", "", self.install));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_80_columns() {
        let check =
            Check::new("a", None, "many words that say what it is for", &"looked everywhere ".repeat(8), "x");
        let lines = check.lines();
        assert!(lines.len() > 2 && lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
        assert_eq!(lines.last().map(|l| l.trim()), Some("get it: x"));
    }
}
