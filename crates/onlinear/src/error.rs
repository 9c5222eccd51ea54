//! The one error type of the library, and how its messages are worded.

mod message;

use std::fmt::{self, Display};
use std::sync::Arc;

pub use message::{Cure, Message, Request, Wording};

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

/// What the files are called that rows come from, one after another as one. As a text it is what a message about all of
/// them calls them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileNames {
    each: Arc<[Arc<str>]>,
    together: Arc<str>,
}

/// Above these bits of the number of a row's line is the number of its file.
const LINE_BITS: u32 = 48;

impl FileNames {
    /// These files, of which there is one at least.
    pub(crate) fn of(names: Vec<Arc<str>>) -> FileNames {
        let together = match &names[..] {
            [] => "".into(),
            [only] => only.clone(),
            [first, second] => format!("{first} and {second}").into(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()).into(),
        };
        FileNames { each: names.into(), together }
    }

    /// What numbers a line of the file of this number, counting from 0.
    pub(crate) fn number_line(file: usize, line: u64) -> u64 {
        (file as u64) << LINE_BITS | line
    }

    /// Where a row is, by the number of its line among all of them.
    pub fn place(&self, line: u64) -> Place {
        let file = self.each.get((line >> LINE_BITS) as usize).unwrap_or(&self.together).clone();
        Place { file, line: line & ((1 << LINE_BITS) - 1), column: 1 }
    }
}

impl From<&str> for FileNames {
    fn from(name: &str) -> FileNames {
        FileNames::of(vec![name.into()])
    }
}

impl std::ops::Deref for FileNames {
    type Target = str;

    fn deref(&self) -> &str {
        &self.together
    }
}

impl fmt::Display for FileNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

/// Everything that can go wrong. `Display` says it in the library's own words, [`Error::worded`] in those of others.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A row of a data file is wrong.
    #[error("{place}: {message}")]
    Row {
        /// Where.
        place: Place,
        /// What was seen and what was expected.
        message: Message,
    },
    /// A data file as a whole is wrong.
    #[error("{file}: {message}")]
    Data {
        /// The file as the user named it.
        file: String,
        /// What is wrong with it.
        message: Message,
    },
    /// A learner spec, an option or a combination of them is wrong.
    #[error("{0}")]
    Usage(Message),
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
    Memory(Message),
}

/// So many things, of which one is called `one`.
pub fn counted(count: impl Display + PartialEq + From<u8>, one: &str, many: &str) -> String {
    let name = if count == 1.into() { one } else { many };
    format!("{count} {name}")
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

    /// The error in the words of `wording`.
    pub fn worded(&self, wording: &dyn Wording) -> String {
        match self {
            Error::Row { place, message } => format!("{place}: {}", message.worded(wording)),
            Error::Data { file, message } => format!("{file}: {}", message.worded(wording)),
            Error::Usage(message) | Error::Memory(message) => message.worded(wording),
            Error::Io { .. } | Error::Model { .. } | Error::Interrupted => self.to_string(),
        }
    }

    /// That a row is wrong.
    pub fn row(place: Place, message: impl Into<Message>) -> Error {
        Error::Row { place, message: message.into() }
    }

    /// That a data file is wrong.
    pub fn data(file: &str, message: impl Into<Message>) -> Error {
        Error::Data { file: file.to_string(), message: message.into() }
    }

    /// The same error, whose message goes on with `more`.
    pub(crate) fn and(self, more: impl Into<Message>) -> Error {
        match self {
            Error::Row { place, message } => Error::Row { place, message: message.and(more) },
            Error::Data { file, message } => Error::Data { file, message: message.and(more) },
            Error::Usage(message) => Error::Usage(message.and(more)),
            other => other,
        }
    }

    /// That a spec, an option or a combination of them is wrong.
    pub fn usage(message: impl Into<Message>) -> Error {
        Error::Usage(message.into())
    }

    pub(crate) fn io(file: impl fmt::Display, reason: std::io::Error) -> Error {
        Error::Io { file: file.to_string(), reason }
    }
}
