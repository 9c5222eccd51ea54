//! Parquet files as plain columns: numbers, texts, days and moments, a few rows at a time.
//!
//! All that is known of the crate `parquet` is known here: it has a new major version every quarter, and nothing else
//! shall depend on it. A file is not trusted: what its metadata say is checked before it is believed, pages that would
//! take more memory than there is are refused before they are unpacked, and a panic within that crate is a [`Fault`].

mod cells;
mod column;
mod pages;
mod source;
mod table;
#[cfg(test)]
mod tests;
mod writer;

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use parquet::errors::ParquetError;

pub use cells::{Cells, Texts};
pub use column::Column;
pub use source::Source;
pub use table::{Table, TableRows};
pub use writer::{OutputColumn, Writer};

/// Why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Reading or writing failed.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It would take so many bytes of memory, or more.
    #[error("its pages need {0} bytes of memory")]
    Memory(u64),
    /// It is not as Parquet should be, or not as it is known here.
    #[error("{0}")]
    Content(String),
}

impl From<ParquetError> for Fault {
    fn from(error: ParquetError) -> Fault {
        let error = match error {
            ParquetError::External(inner) => match inner.downcast::<Fault>() {
                Ok(fault) => return *fault,
                Err(inner) => match inner.downcast::<std::io::Error>() {
                    Ok(error) => return Fault::Io(*error),
                    Err(inner) => return Fault::Content(inner.to_string()),
                },
            },
            ParquetError::General(text) | ParquetError::EOF(text) | ParquetError::NYI(text) => text,
            other => other.to_string(),
        };
        Fault::Content(error)
    }
}

thread_local! {
    /// Whether a panic of this thread will be caught, so that there is nothing to print.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Calls into the crate `parquet`, which panics at some contents.
fn guarded<T>(call: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            if !IS_GUARDED.get() {
                print(about)
            }
        }));
    });
    IS_GUARDED.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    IS_GUARDED.set(false);
    result.unwrap_or_else(|_| Err(Fault::Content("it is damaged".to_string())))
}
