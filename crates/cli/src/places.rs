//! The files that a command reads and writes: what it writes must not be another of them.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};

use onlinear::workshop::{Replacement, destination, files, folder_of, is_stream};
use onlinear::{Error, Input};

/// What a model file is called.
pub const MODEL: &str = "a model file";

/// What is known so far of the files of a command, and what has yet to be found out of those that it writes.
#[derive(Default)]
pub struct Places {
    known: Vec<(&'static str, PathBuf)>,
    to_write: Vec<(PathBuf, &'static str)>,
}

impl Places {
    /// The command reads `input`, which users know as `name`.
    pub fn reads(&mut self, name: &'static str, input: &Input) {
        self.known.extend(files(input).into_iter().map(|file| (name, file)));
    }

    /// The command reads a file.
    pub fn reads_file(&mut self, name: &'static str, file: &Option<PathBuf>) {
        self.known.extend(file.clone().map(|file| (name, file)));
    }

    /// The command writes a file, which is to be of a `kind`: none of those named so far.
    pub fn writes(&mut self, flag: &'static str, path: &Option<PathBuf>, kind: &'static str) -> onlinear::Result<()> {
        let Some(path) = path else { return Ok(()) };
        let same =
            |(_, other): &&(_, PathBuf)| FileIdentity::of(path).is_some_and(|it| Some(it) == FileIdentity::of(other));
        if let Some((other, _)) = self.known.iter().find(same) {
            return Err(Error::usage(format!("{flag} {} would write over {other}", path.display())));
        }
        self.known.push((flag, path.clone()));
        self.to_write.push((path.clone(), kind));
        Ok(())
    }

    /// The command writes files of this `ending` to a folder, in which none of those named so far is one.
    pub fn fills(&self, flag: &'static str, folder: &Option<PathBuf>, ending: &str) -> onlinear::Result<()> {
        let Some(Ok(place)) = folder.as_ref().map(std::fs::canonicalize) else { return Ok(()) };
        let is_inside = |(_, path): &&(_, PathBuf)| {
            let is_there = std::fs::canonicalize(folder_of(path)).is_ok_and(|there| there == place);
            is_there && path.extension().is_some_and(|other| other.eq_ignore_ascii_case(OsStr::new(ending)))
        };
        match self.known.iter().find(is_inside) {
            Some((other, path)) => Err(Error::usage(format!("{flag} could write over {other}: {}", path.display()))),
            None => Ok(()),
        }
    }

    /// Finds out before the work whether its results could be saved.
    pub fn require_writable(self) -> onlinear::Result<()> {
        self.to_write.iter().try_for_each(|(path, kind)| require_writable(path, kind))
    }
}

/// What tells a file from others, by whatever names and links it is reached.
#[derive(PartialEq)]
enum FileIdentity {
    /// Its device and its number there.
    Node(u64, u64),
    /// Where it will be.
    Path(PathBuf),
}

impl FileIdentity {
    /// That of the file at `path`; none for devices, pipes and folders.
    fn of(path: &Path) -> Option<FileIdentity> {
        match std::fs::metadata(path) {
            #[cfg(unix)]
            Ok(about) => {
                use std::os::unix::fs::MetadataExt;
                about.is_file().then(|| FileIdentity::Node(about.dev(), about.ino()))
            }
            #[cfg(not(unix))]
            Ok(about) => Some(FileIdentity::Path(std::fs::canonicalize(path).ok()?)).filter(|_| about.is_file()),
            Err(_) => {
                let place = destination(path).ok()?;
                let folder = std::fs::canonicalize(folder_of(&place)).ok()?;
                Some(FileIdentity::Path(folder.join(place.file_name()?)))
            }
        }
    }
}

/// Finds out before the work whether a file could be written; `kind` is what it is to be.
fn require_writable(path: &Path, kind: &str) -> onlinear::Result<()> {
    let refuse = |message: String| Error::data(&path.display().to_string(), message);
    let folder = folder_of(path);
    if path.is_dir() {
        return Err(refuse(format!("is a directory; expected the name of {kind}")));
    }
    if !folder.is_dir() {
        return Err(refuse(format!("there is no folder '{}'", folder.display())));
    }
    // A model must be a file: it may be saved again and again. Others go into a pipe as they come.
    if kind != MODEL && is_stream(path) {
        return Ok(());
    }
    let probe = match std::fs::metadata(path) {
        Ok(about) if about.permissions().readonly() => return Err(refuse("is read-only".to_string())),
        Ok(about) if about.is_file() => File::options().append(true).open(path).map(drop),
        _ => Ok(()),
    };
    let probe = probe.and_then(|()| Replacement::of(path).map(drop));
    probe.map_err(|reason| refuse(format!("cannot be written: {reason}")))
}
