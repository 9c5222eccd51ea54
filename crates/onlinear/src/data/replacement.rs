//! A file that takes the place of another whole, or not at all.

use std::fs::{File, Metadata, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Longer chains of links lead nowhere; systems have the same limit.
const MOST_LINKS: usize = 40;

/// How temporary files are called.
const PREFIX: &str = ".onlinear";

/// A temporary file beside another, which takes its place once it is complete. Dropped before that, it vanishes and
/// leaves the old file as it was.
pub struct Replacement {
    /// The file to replace: where `path` leads to through links, which stay.
    place: PathBuf,
    out: BufWriter<Sink>,
}

enum Sink {
    Beside(NamedTempFile),
    /// A pipe, a terminal or another device, which nothing can take the place of.
    Stream(Box<dyn Write + Send>),
}

impl Replacement {
    /// A file for the place of `path`, with the permissions of the one that is there; else those of any new file.
    pub fn of(path: &Path) -> io::Result<Replacement> {
        let place = destination(path)?;
        let old = std::fs::metadata(&place).ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return Err(no_file());
        }
        let mut builder = tempfile::Builder::new();
        if let Some(permissions) = new_permissions(old.as_ref()) {
            builder.permissions(permissions);
        }
        let file = builder.prefix(PREFIX).tempfile_in(folder_of(&place))?;
        if let Some(old) = old {
            require_replaceable(file.as_file(), &old, folder_of(&place))?;
            // Exactly the old permissions. Some file systems have none to set, which is no reason to save nothing.
            let _ = file.as_file().set_permissions(old.permissions());
        }
        Ok(Replacement { place, out: BufWriter::new(Sink::Beside(file)) })
    }

    /// The same, but what is no file is written to as it is.
    pub fn or_stream(path: &Path) -> io::Result<Replacement> {
        let stream: Box<dyn Write + Send> = match path.to_str() {
            // Opened by these names, a file would be written to from its start, over what is printed.
            Some("/dev/stdout") => Box::new(io::stdout()),
            Some("/dev/stderr") => Box::new(io::stderr()),
            _ if is_stream(path) => Box::new(File::options().write(true).open(path)?),
            _ => return Replacement::of(path),
        };
        Ok(Replacement { place: path.to_path_buf(), out: BufWriter::new(Sink::Stream(stream)) })
    }

    /// A file for the place of `path` that nobody can read who cannot read `source`.
    pub(crate) fn as_private_as(source: &Path, path: &Path) -> io::Result<Replacement> {
        let place = destination(path)?;
        if is_stream(&place) {
            return Err(no_file());
        }
        let file = tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder_of(&place))?; // its owner's alone
        let _ = share_like(&std::fs::metadata(source)?, file.as_file());
        Ok(Replacement { place, out: BufWriter::new(Sink::Beside(file)) })
    }

    /// Forgets what was written; what went to a stream is gone.
    pub fn restart(self) -> io::Result<Replacement> {
        match self.out.get_ref() {
            Sink::Beside(_) => Replacement::of(&self.place),
            Sink::Stream(_) => Ok(self),
        }
    }

    /// Syncs it to the disk and puts it in its place, for good: the folder is synced as well.
    pub fn complete(self) -> io::Result<()> {
        match self.out.into_inner().map_err(io::IntoInnerError::into_error)? {
            Sink::Stream(mut stream) => stream.flush(),
            Sink::Beside(file) => {
                file.as_file().sync_all()?;
                file.persist(&self.place).map_err(|error| error.error)?;
                sync_folder(folder_of(&self.place))
            }
        }
    }
}

/// The file that `path` leads to through links, be it there or not.
pub fn destination(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&place) {
            Ok(link) => place = folder_of(&place).join(link),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "too many links lead to one another"))
}

fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is no file, which another could replace")
}

/// The folder that `path` is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Whether there is something at `path` that is no file: it can be written to, but not replaced. What a program has
/// open counts as well, by the names that the system gives it.
pub fn is_stream(path: &Path) -> bool {
    let is_open = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    std::fs::metadata(path).is_ok_and(|about| !about.is_dir() && (is_open || !about.is_file()))
}

/// Makes a new name last through a power cut, where the system can.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(()); // a folder is no file there
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot sync a folder, and some folders cannot be opened: then there is nothing to wait for.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::PermissionDenied) => Ok(()),
        done => done,
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Beside(file) => file.write(bytes),
            Sink::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Beside(file) => file.flush(),
            Sink::Stream(stream) => stream.flush(),
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(unix)]
mod system {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    /// Those of the old file, or of any new one; the system takes what the user's mask denies off them.
    pub(super) fn new_permissions(old: Option<&Metadata>) -> Option<Permissions> {
        Some(Permissions::from_mode(old.map_or(0o666, |old| old.mode() & 0o777)))
    }

    /// Lets those read and write `file` who may read and write `source`; the group of `source` only where it is that
    /// of `file` too.
    pub(super) fn share_like(source: &Metadata, file: &File) -> io::Result<()> {
        let same = source.gid() == file.metadata()?.gid();
        let mode = source.mode() & 0o666;
        let group = if same { mode & 0o060 } else { (mode & 0o006) << 3 & mode };
        file.set_permissions(Permissions::from_mode(mode & 0o606 | group))
    }

    /// In a sticky folder none but its owner, that of the file and the superuser may replace a file.
    pub(super) fn require_replaceable(new: &File, old: &Metadata, folder: &Path) -> io::Result<()> {
        let (user, folder) = (new.metadata()?.uid(), std::fs::metadata(folder)?);
        if folder.mode() & 0o1000 == 0 || [0, old.uid(), folder.uid()].contains(&user) {
            return Ok(());
        }
        let reason = "it is another user's, and in its folder only the owners of files may replace them";
        Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
    }
}

#[cfg(not(unix))]
mod system {
    use super::*;

    pub(super) fn new_permissions(_: Option<&Metadata>) -> Option<Permissions> {
        None
    }

    pub(super) fn share_like(_: &Metadata, _: &File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn require_replaceable(_: &File, _: &Metadata, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

use system::{new_permissions, require_replaceable, share_like};
