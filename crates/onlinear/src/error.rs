//! The one error type of the library.

use std::fmt;
use std::sync::Arc;

/// What every fallible function of the library returns.
pub type Result<T> = std::result::Result<T, Error>;

/// Where in a data file something was seen. Lines and columns count from 1; columns are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as the user named it, or `<stdin>`.
    pub file: Arc<str>,
    /// The line (for idx files: the row).
    pub line: u64,
    /// The byte within the line (for idx files: the value within the row).
    pub column: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Everything that can go wrong, worded for the person who typed the command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A row of a data file is wrong.
    #[error("{place}: {message}")]
    Row {
        /// Where.
        place: Place,
        /// What was seen and what was expected.
        message: String,
    },
    /// A data file as a whole is wrong.
    #[error("{file}: {message}")]
    Data {
        /// The file as the user named it.
        file: String,
        /// What is wrong with it.
        message: String,
    },
    /// A learner spec, an option or a combination of them is wrong.
    #[error("{0}")]
    Usage(String),
    /// The operating system refused.
    #[error("{file}: {reason}")]
    Io {
        /// The file as the user named it.
        file: String,
        /// The system's reason.
        reason: std::io::Error,
    },
    /// A model file cannot be used.
    #[error("{file}: not a usable model: {reason}")]
    Model {
        /// The file as the user named it.
        file: String,
        /// Why.
        reason: String,
    },
    /// The user asked the program to stop.
    #[error("interrupted")]
    Interrupted,
    /// The work would need more memory than allowed.
    #[error("{0}")]
    Memory(String),
}

/// A number of bytes, for a message.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

impl Error {
    /// Whether the command or a spec is at fault (exit code 2), not the data (exit code 1).
    pub fn is_usage(&self) -> bool {
        matches!(self, Error::Usage(_))
    }

    pub(crate) fn usage(message: impl Into<String>) -> Error {
        Error::Usage(message.into())
    }

    pub(crate) fn data(file: &str, message: impl Into<String>) -> Error {
        Error::Data { file: file.to_string(), message: message.into() }
    }

    pub(crate) fn io(file: impl fmt::Display, reason: std::io::Error) -> Error {
        Error::Io { file: file.to_string(), reason }
    }
}
