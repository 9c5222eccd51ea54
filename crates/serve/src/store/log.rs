//! The log: every labelled row on a line of its own, in the order of learning.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use onlinear::{Error, Result};

use super::{Lasting, failed, file_name, files_by_row, sync_folder};

/// A file of the log that has become so long is followed by another.
const SEGMENT: u64 = 64 << 20;
/// So much of the log is read at a time.
const CHUNK: usize = 4 << 20;

/// The log, open at its end.
pub(crate) struct Log {
    folder: PathBuf,
    /// The last file; none before the first row.
    last: Option<Segment>,
    /// Bytes in all files.
    pub(crate) bytes: u64,
    /// Rows so far, those of files that were dropped as well.
    pub(crate) rows: u64,
    lasting: Lasting,
}

struct Segment {
    path: PathBuf,
    file: File,
    /// Of its rows.
    length: u64,
    /// Whether there may be something behind them.
    is_torn: bool,
}

/// What lies behind a row of the log: where it is, to be read piece by piece.
pub(crate) struct LogTail {
    files: Vec<(u64, PathBuf)>,
    /// How many lines of the first file are to be passed over.
    skip: u64,
}

/// A place in the log that it can be cut off at.
#[derive(Clone, Copy)]
pub(crate) struct LogEnd {
    rows: u64,
    bytes: u64,
    /// The length of the last file.
    length: u64,
}

impl Log {
    /// Opens the log. What a row that was not written to its end has left is cut off, and `say` is told.
    pub(crate) fn open(folder: PathBuf, say: &dyn Fn(&str)) -> Result<Log> {
        let mut files = files_by_row(&folder, "jsonl")?;
        while let Some((_, path)) = files.last() {
            let file = File::options().read(true).write(true).open(path).map_err(failed(path))?;
            let (length, whole) = whole_lines(&file).map_err(failed(path))?;
            if whole < length {
                say(&format!("{}: the last row is torn; {} bytes cut off", path.display(), length - whole));
                file.set_len(whole).and_then(|()| file.sync_all()).map_err(failed(path))?;
            }
            if whole > 0 {
                break;
            }
            fs::remove_file(path).map_err(failed(path))?;
            sync_folder(&folder)?;
            files.pop();
        }
        let mut log = Log { folder, last: None, bytes: 0, rows: 0, lasting: Lasting::default() };
        for (_, path) in &files {
            log.bytes += fs::metadata(path).map_err(failed(path))?.len();
        }
        if let Some((first, path)) = files.pop() {
            let mut file = File::options().read(true).write(true).open(&path).map_err(failed(&path))?;
            log.rows = first - 1 + count_lines(&mut file).map_err(failed(&path))?;
            let length = file.seek(SeekFrom::End(0)).map_err(failed(&path))?;
            log.last = Some(Segment { path, file, length, is_torn: false });
        }
        Ok(log)
    }

    /// Where the log ends now.
    pub(crate) fn end(&self) -> LogEnd {
        let length = self.last.as_ref().map_or(0, |last| last.length);
        LogEnd { rows: self.rows, bytes: self.bytes, length }
    }

    /// Appends so many rows, each a line. Where that fails, the log is as it was.
    pub(crate) fn append(&mut self, lines: &[u8], rows: u64) -> Result<()> {
        if let Some(length) = self.last.as_ref().filter(|last| last.is_torn).map(|last| last.length) {
            self.shorten(length)?;
        }
        if self.last.as_ref().is_none_or(|last| last.length >= SEGMENT) {
            self.begin_segment()?;
        }
        let Some(last) = &mut self.last else { return Err(Error::data("log", "no file is open")) };
        if let Err(reason) = last.file.write_all(lines) {
            let (path, length) = (last.path.clone(), last.length);
            self.shorten(length)?;
            return Err(failed(&path)(reason));
        }
        last.length += lines.len() as u64;
        self.bytes += lines.len() as u64;
        self.rows += rows;
        Ok(())
    }

    fn begin_segment(&mut self) -> Result<()> {
        self.sync()?;
        let path = self.folder.join(file_name(self.rows + 1, "jsonl"));
        let file = File::options().create(true).truncate(true).write(true).open(&path).map_err(failed(&path))?;
        sync_folder(&self.folder)?;
        self.last = Some(Segment { path, file, length: 0, is_torn: false });
        Ok(())
    }

    /// Makes everything that was appended last through a power cut.
    pub(crate) fn sync(&mut self) -> Result<()> {
        let Log { last, lasting, .. } = self;
        lasting.sync(|| match last {
            Some(last) => last.file.sync_data().map_err(failed(&last.path)),
            None => Ok(()),
        })
    }

    /// Forgets what was appended behind `end`.
    pub(crate) fn cut_off(&mut self, end: LogEnd) -> Result<()> {
        // A file that was begun behind it has its first row there.
        let begun = file_name(end.rows + 1, "jsonl");
        let is_begun = self.last.as_ref().and_then(|last| last.path.file_name()).is_some_and(|name| *name == *begun);
        self.shorten(if is_begun { 0 } else { end.length })?;
        (self.rows, self.bytes) = (end.rows, end.bytes);
        Ok(())
    }

    /// Makes the last file so long. One without rows would be no file of rows: it is removed. Where that fails it is
    /// torn, and nothing is appended before it has been shortened.
    fn shorten(&mut self, length: u64) -> Result<()> {
        let Some(last) = &mut self.last else { return Ok(()) };
        (last.length, last.is_torn) = (length, true);
        if length == 0 {
            fs::remove_file(&last.path).map_err(failed(&last.path))?;
            self.last = None;
            return sync_folder(&self.folder);
        }
        let cut = last.file.set_len(length).and_then(|()| last.file.seek(SeekFrom::Start(length)));
        cut.map_err(failed(&last.path))?;
        self.lasting.sync(|| last.file.sync_all().map_err(failed(&last.path)))?;
        last.is_torn = false;
        Ok(())
    }

    /// Cuts off the row of this number and all behind it, in the file that is the last.
    pub(crate) fn cut_off_from(&mut self, row: u64) -> Result<()> {
        let Some(last) = &mut self.last else { return Ok(()) };
        let first = row_of(&last.path)?;
        if row < first {
            let message = format!("row {row} of the log cannot be learned from any more, and files follow its own");
            return Err(Error::data(&last.path.display().to_string(), message));
        }
        let text = fs::read(&last.path).map_err(failed(&last.path))?;
        let kept = (row - first) as usize;
        let lines = text.split_inclusive(|&byte| byte == b'\n').take(kept);
        let length = lines.map(|line| line.len() as u64).sum::<u64>();
        let (bytes, end) = (self.bytes - (last.length - length), row - 1);
        self.cut_off(LogEnd { rows: end, bytes, length })
    }

    /// The rows behind the first so many.
    pub(crate) fn tail(&self, rows: u64) -> Result<LogTail> {
        let mut files = files_by_row(&self.folder, "jsonl")?;
        let begins = files.iter().rposition(|(first, _)| *first <= rows + 1);
        let Some(begins) = begins else {
            return match files.first() {
                None => Ok(LogTail { files, skip: 0 }),
                Some((first, path)) => {
                    let message =
                        format!("the log begins with row {first}, but the rows from {} on are needed", rows + 1);
                    Err(Error::data(&path.display().to_string(), message))
                }
            };
        };
        files.drain(..begins);
        let skip = rows + 1 - files[0].0;
        Ok(LogTail { files, skip })
    }

    /// Removes files all of whose rows are among the first so many.
    pub(crate) fn drop_covered(&mut self, rows: u64) -> Result<()> {
        let files = files_by_row(&self.folder, "jsonl")?;
        for pair in files.windows(2) {
            let [(_, path), (next, _)] = pair else { continue };
            if *next <= rows + 1 {
                self.bytes -= fs::metadata(path).map_err(failed(path))?.len();
                fs::remove_file(path).map_err(failed(path))?;
            }
        }
        Ok(())
    }
}

impl LogTail {
    /// Hands over the rows as text, some whole lines at a time, with the file and the number of the first of them.
    pub(crate) fn each(self, mut take: impl FnMut(&Path, u64, Vec<u8>) -> Result<()>) -> Result<()> {
        let (mut skip, mut next) = (self.skip, None);
        for (first, path) in self.files {
            if let Some(row) = next.filter(|row| *row != first) {
                let message = format!("begins with row {first}, but the log before it ends with row {}", row - 1);
                return Err(Error::data(&path.display().to_string(), message));
            }
            let mut file = File::open(&path).map_err(failed(&path))?;
            let (mut row, mut text) = (first, Vec::new());
            loop {
                let read = (&mut file).take(CHUNK as u64).read_to_end(&mut text).map_err(failed(&path))?;
                let Some(end) = text.iter().rposition(|&byte| byte == b'\n') else {
                    if read == 0 {
                        break;
                    }
                    continue;
                };
                let mut lines = text.drain(..=end).collect::<Vec<u8>>();
                let passed: usize =
                    lines.split_inclusive(|&byte| byte == b'\n').take(skip as usize).map(<[u8]>::len).sum();
                let passed_rows = lines[..passed].iter().filter(|&&byte| byte == b'\n').count() as u64;
                skip -= passed_rows;
                lines.drain(..passed);
                let rows = lines.iter().filter(|&&byte| byte == b'\n').count() as u64;
                if rows > 0 {
                    take(&path, row + passed_rows, lines)?;
                }
                row += passed_rows + rows;
            }
            next = Some(row);
        }
        Ok(())
    }
}

/// The row that a file is called by.
pub(crate) fn row_of(path: &Path) -> Result<u64> {
    let row = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
    row.ok_or_else(|| Error::data(&path.display().to_string(), "is not called by a row"))
}

/// How long a file is, and how long its whole lines are.
fn whole_lines(mut file: &File) -> std::io::Result<(u64, u64)> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut end = length;
    let mut block = vec![0; 1 << 16];
    while end > 0 {
        let start = end.saturating_sub(block.len() as u64);
        let part = &mut block[..(end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(part)?;
        if let Some(newline) = part.iter().rposition(|&byte| byte == b'\n') {
            return Ok((length, start + newline as u64 + 1));
        }
        end = start;
    }
    Ok((length, 0))
}

fn count_lines(file: &mut File) -> std::io::Result<u64> {
    file.seek(SeekFrom::Start(0))?;
    let (mut block, mut lines) = (vec![0; 1 << 16], 0);
    loop {
        let read = file.read(&mut block)?;
        if read == 0 {
            return Ok(lines);
        }
        lines += block[..read].iter().filter(|&&byte| byte == b'\n').count() as u64;
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A file on which a sync fails, as one does once on a disk that has lost something.
    fn unsyncable() -> File {
        let (_, writer) = std::io::pipe().expect("a pipe");
        std::os::fd::OwnedFd::from(writer).into()
    }

    #[test]
    fn what_could_not_be_synced_is_never_said_to_last() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::open(folder.path().to_path_buf(), &|_| ()).unwrap();
        log.append(b"{}\n", 1).unwrap();
        log.sync().unwrap();
        let Some(last) = &mut log.last else { panic!("a file was begun") };
        let good = std::mem::replace(&mut last.file, unsyncable());
        last.length = SEGMENT; // another is to follow, for which this one is synced
        log.append(b"{}\n", 1).unwrap_err();
        if let Some(last) = &mut log.last {
            (last.file, last.length) = (good, 3);
        }
        log.append(b"{}\n", 1).unwrap();
        log.sync().unwrap_err();
    }
}
