//! A file that takes the place of another whole, or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A temporary file beside `path`, which takes its place once it is complete. Dropped before that,
/// it vanishes and leaves the old file as it was.
pub(crate) struct Replacement {
    path: PathBuf,
    out: BufWriter<NamedTempFile>,
}

impl Replacement {
    pub(crate) fn of(path: &Path) -> io::Result<Replacement> {
        let file = tempfile::Builder::new().prefix(".onlinear").tempfile_in(folder_of(path))?;
        Ok(Replacement { path: path.to_path_buf(), out: BufWriter::new(file) })
    }

    /// Syncs it to the disk and puts it in its place, for good: the folder is synced as well.
    pub(crate) fn complete(self) -> io::Result<()> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        share_like_a_new_file(file.as_file(), &self.path)?;
        file.persist(&self.path).map_err(|error| error.error)?;
        sync_folder(folder_of(&self.path))
    }
}

/// The folder that `path` is in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Makes a new name last through a power cut.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(()); // a folder is no file there
    }
    match File::open(folder)?.sync_all() {
        // Some file systems cannot sync a folder: then there is nothing to wait for.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        done => done,
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

/// Temporary files are private; ours are as readable as any new file, or as the one they replace.
#[cfg(unix)]
fn share_like_a_new_file(file: &File, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match std::fs::metadata(path) {
        Ok(old) => old.permissions().mode() & 0o777,
        Err(_) => 0o644,
    };
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn share_like_a_new_file(_: &File, _: &Path) -> io::Result<()> {
    Ok(())
}
