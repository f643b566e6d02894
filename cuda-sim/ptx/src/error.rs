//! What is wrong with a program, and where.

use std::fmt;

/// A mistake in PTX source, or something in it that is not interpreted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The line of the source, from 1.
    pub line: u32,
    /// What is wrong there.
    pub message: String,
    /// Whether the source may well be right, but this interpreter lacks what it asks for.
    pub is_lacking: bool,
}

/// The result of whatever reads source.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A mistake.
    pub fn new(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into(), is_lacking: false }
    }

    /// What is not interpreted, by its name.
    pub fn lacking(line: u32, what: impl fmt::Display) -> Self {
        Self { line, message: format!("{what} is not interpreted"), is_lacking: true }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Error {}
