//! The folder in which a server keeps what it has learned.
//!
//! ```text
//! STORE/lock               held by the server that uses the store
//! STORE/begin.json         what the store was begun with; begin.onlinear: the model, where it was one
//! STORE/log/*.jsonl        one line per labelled row, in the order of learning; a file is called by its first row
//! STORE/snapshot/          a model file called by the rows of the log that are in it, and what belongs to it
//! STORE/waiting/*.jsonl    rows that wait for their labels
//! ```

mod log;
mod snapshot;
mod waiting;

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use onlinear::workshop::{self, Replacement, folder_of};
use onlinear::{Error, Model, Result};
use serde_json::Value as Json;

pub(crate) use log::{Log, row_of};
pub(crate) use snapshot::{Snapshot, SnapshotNotes};
pub use waiting::Remember;
pub(crate) use waiting::{Waiting, WaitingRow};

/// A store that this server, and no other, uses.
pub(crate) struct Store {
    pub(crate) folder: PathBuf,
    /// Held for as long as the store is used; the system lets go of it however the server ends.
    _lock: File,
}

impl Store {
    /// Opens the store, or begins it, unless another server uses it.
    pub(crate) fn open(folder: &Path) -> Result<Store> {
        create_folder(folder)?;
        for part in ["log", "snapshot", "waiting"] {
            create_folder(&folder.join(part))?;
        }
        let path = folder.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed(&path))?;
        match lock.try_lock() {
            Ok(()) => {
                remove_temporary(folder)?;
                Snapshot::tidy(&folder.join("snapshot"))?;
                Ok(Store { folder: folder.to_path_buf(), _lock: lock })
            }
            Err(TryLockError::WouldBlock) => {
                Err(Error::data(&folder.display().to_string(), "another server uses this store"))
            }
            Err(TryLockError::Error(reason)) => Err(failed(&path)(reason)),
        }
    }

    /// Notes what the store begins with, or refuses what it was not begun with.
    pub(crate) fn begin(&self, with: &Json, model: Option<&mut Model>) -> Result<()> {
        let path = self.folder.join("begin.json");
        match fs::read(&path) {
            Ok(bytes) => {
                let known: Json = serde_json::from_slice(&bytes)
                    .map_err(|reason| Error::data(&path.display().to_string(), reason.to_string()))?;
                if known == *with {
                    return Ok(());
                }
                let differs = |key: &&String| known.get(key.as_str()) != with.get(key.as_str());
                let keys = with.as_object().into_iter().flat_map(|with| with.keys());
                let what: Vec<String> = keys.filter(differs).map(|key| format!("{key} {}", known[key])).collect();
                let message = format!("the store was begun with other settings: {}", what.join(", "));
                Err(Error::usage(format!("{}: {message}; name another store", self.folder.display())))
            }
            Err(reason) if reason.kind() == std::io::ErrorKind::NotFound => {
                if let Some(model) = model {
                    model.save(&self.begin_model())?;
                }
                write_whole(&path, format!("{with}\n").as_bytes())
            }
            Err(reason) => Err(failed(&path)(reason)),
        }
    }

    /// The model that the store was begun with, where it was one.
    pub(crate) fn begin_model(&self) -> PathBuf {
        self.folder.join("begin.onlinear")
    }
}

/// Writes a file whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || {
        let mut file = Replacement::of(path)?;
        file.write_all(bytes)?;
        file.complete()
    };
    write().map_err(failed(path))
}

/// Removes what a save leaves that was cut off.
fn remove_temporary(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(".onlinear")) {
            fs::remove_file(&path).map_err(failed(&path))?;
        }
    }
    Ok(())
}

/// Makes a folder for good, unless it is there, and those that it is in.
fn create_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let around = folder_of(folder);
    create_folder(around)?;
    fs::create_dir(folder).map_err(failed(folder))?;
    sync_folder(around)
}

/// That something cannot be done with a file.
pub(crate) fn failed(path: &Path) -> impl Fn(std::io::Error) -> Error {
    let file = path.display().to_string();
    move |reason| Error::Io { file: file.clone(), reason }
}

/// What files that are called by a row are called: so that they sort as their rows do.
fn file_name(row: u64, ending: &str) -> String {
    format!("{row:012}.{ending}")
}

/// The files of a folder that are called by a row and end so, in order.
fn files_by_row(folder: &Path, ending: &str) -> Result<Vec<(u64, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        let row = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
        if let Some(row) = row.filter(|_| path.extension().is_some_and(|it| it == ending)) {
            files.push((row, path));
        }
    }
    files.sort();
    Ok(files)
}

/// Makes new and removed names of a folder last.
fn sync_folder(folder: &Path) -> Result<()> {
    workshop::sync_folder(folder).map_err(failed(folder))
}

/// Whether what was written lasts. Once it could not be synced nobody knows: the system tells but once that it has lost
/// something, and syncs without a word the next time.
#[derive(Default)]
struct Lasting {
    lost: Option<String>,
}

impl Lasting {
    /// What `sync` comes to, unless one before has failed.
    fn sync(&mut self, sync: impl FnOnce() -> Result<()>) -> Result<()> {
        match &self.lost {
            Some(lost) => Err(Error::data("store", lost.as_str())),
            None => sync().inspect_err(|error| self.lost = Some(error.to_string())),
        }
    }
}
