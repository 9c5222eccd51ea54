//! The library's errors as Python's exceptions.

use onlinear::{Error, Place};
use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyValueError};

/// What messages of the library say in the words of the program, and what Python calls it.
const WORDS: [(&str, &str); 6] = [
    ("--normalize lp: ", "normalize='lp': "),
    ("--normalize l2", "normalize='l2'"),
    ("; hash them with --hash BITS", ""),
    ("; raise --max-memory", ""),
    ("--max-memory allows", "this machine has to spare"),
    ("--labels ", "classes "),
];

/// A message in Python's words.
pub fn worded(message: impl Into<String>) -> String {
    WORDS.iter().fold(message.into(), |message, (theirs, ours)| message.replace(theirs, ours))
}

/// The exception for an error.
pub fn raised(error: Error) -> PyErr {
    match error {
        Error::Io { file, reason } => match reason.raw_os_error() {
            Some(number) => PyOSError::new_err((number, reason.kind().to_string(), file)),
            None => PyOSError::new_err(format!("{file}: {reason}")),
        },
        Error::Memory(message) => PyMemoryError::new_err(worded(message)),
        Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        // Rows of an array have no lines and columns.
        Error::Row { place: Place { file, line, .. }, message } if &*file == crate::rows::NAME => {
            PyValueError::new_err(format!("row {} of {file}: {message}", line.saturating_sub(1)))
        }
        error => PyValueError::new_err(worded(error.to_string())),
    }
}
