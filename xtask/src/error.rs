//! What goes wrong in a command: the operation, what was expected, what came, and what to do about it.

use std::fmt;

/// The result of everything that can fail here.
pub type Result<T> = std::result::Result<T, Error>;

/// How a failed command ends: with 1 (it did not work) or 2 (it was called wrongly).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The work failed: exit code 1.
    Failure,
    /// The command line is wrong: exit code 2.
    Usage,
    /// A person or a supervisor asked to stop: exit code 130.
    Interrupted,
}

/// A failure in four parts; only the operation is always there.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    operation: String,
    expected: Option<String>,
    got: Option<String>,
    remedy: Option<String>,
}

impl Error {
    /// A failure of `operation`, a phrase such as `reading manifest.json`.
    pub fn new(operation: impl Into<String>) -> Self {
        Self { kind: Kind::Failure, operation: operation.into(), expected: None, got: None, remedy: None }
    }

    /// A wrong command line.
    pub fn usage(operation: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, ..Self::new(operation) }
    }

    /// The work was stopped by a signal.
    pub fn interrupted() -> Self {
        Self { kind: Kind::Interrupted, ..Self::new("stopped by a signal") }
    }

    /// Adds what should have been there.
    pub fn expected(mut self, text: impl Into<String>) -> Self {
        self.expected = Some(text.into());
        self
    }

    /// Adds what was there.
    pub fn got(mut self, text: impl fmt::Display) -> Self {
        self.got = Some(text.to_string());
        self
    }

    /// Adds what to do about it.
    pub fn remedy(mut self, text: impl Into<String>) -> Self {
        self.remedy = Some(text.into());
        self
    }

    /// Adds a remedy behind the one that is there already.
    pub fn also(self, text: impl Into<String>) -> Self {
        let text = text.into();
        let both = self.remedy.as_ref().map(|first| format!("{first}; {text}"));
        self.remedy(both.unwrap_or(text))
    }

    /// The exit code of a command that ends with this error.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::Failure => 1,
            Kind::Usage => 2,
            Kind::Interrupted => 130,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.operation)?;
        match (&self.expected, &self.got) {
            (Some(expected), Some(got)) => write!(f, ": expected {expected}, got {got}")?,
            (Some(expected), None) => write!(f, ": expected {expected}")?,
            (None, Some(got)) => write!(f, ": {got}")?,
            (None, None) => {}
        }
        match &self.remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_each_part_that_is_there() {
        let full = Error::new("reading a").expected("x").got("y").remedy("do z");
        assert_eq!(full.to_string(), "reading a: expected x, got y; do z");
        assert_eq!(Error::new("reading a").got("y").to_string(), "reading a: y");
        assert_eq!(Error::new("a").also("x").also("z").to_string(), "a; x; z");
    }

    #[test]
    fn knows_its_exit_code() {
        assert_eq!((Error::new("a").exit_code(), Error::usage("a").exit_code()), (1, 2));
    }
}
