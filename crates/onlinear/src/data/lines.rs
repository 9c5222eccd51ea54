//! Whole lines, many at a time, from a stream of bytes.

use std::io::{ErrorKind, Read};
use std::sync::Arc;

use super::read_ahead::is_stop;
use crate::error::{Error, Message, Place, Request, Result, size};

/// How much is read at a time.
const BLOCK: usize = 256 * 1024;
/// Bytes that may be read beyond the last newline, so that parsers can look at eight at once.
pub(crate) const PADDING: usize = 8;
/// A line longer than this is not text of ours.
pub(crate) const LONGEST_LINE: u64 = 1 << 30;

/// A buffer that holds whole lines; the next one starts at its front.
pub(crate) struct Lines {
    source: Box<dyn Read + Send>,
    name: Arc<str>,
    buffer: Vec<u8>,
    /// The next line starts here.
    start: usize,
    /// Whole lines end here.
    whole: usize,
    /// What has been read ends here.
    filled: usize,
    /// The number of the line at the front.
    pub(crate) line: u64,
    /// No line may be longer.
    longest: u64,
    at_end: bool,
}

impl Lines {
    /// The lines of `source`, none of which may be longer than `longest`.
    pub(crate) fn new(source: Box<dyn Read + Send>, name: Arc<str>, longest: u64) -> Lines {
        let buffer = vec![0; BLOCK + PADDING];
        Lines { source, name, buffer, start: 0, whole: 0, filled: 0, line: 1, longest, at_end: false }
    }

    /// Whole lines, each with its newline, and behind them at least [`PADDING`] bytes of no meaning.
    pub(crate) fn padded(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// How many bytes of [`Lines::padded`] are whole lines.
    pub(crate) fn len(&self) -> usize {
        self.whole - self.start
    }

    /// A place in the line at the front; `offset` bytes into it.
    pub(crate) fn place(&self, offset: usize) -> Place {
        Place { file: self.name.clone(), line: self.line, column: offset as u64 + 1 }
    }

    /// Drops the line at the front, which has been looked at up to `from`.
    pub(crate) fn consume_rest(&mut self, from: usize) {
        let rest = &self.buffer[self.start + from..];
        let length = rest.iter().position(|&b| b == b'\n').expect("a whole line ends with a newline");
        self.start += from + length + 1;
        self.line += 1;
    }

    /// Reads on once no whole line is left; false at the end of the data.
    pub(crate) fn fill(&mut self) -> Result<bool> {
        while self.start == self.whole {
            if self.at_end {
                return Ok(false);
            }
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            (self.start, self.whole) = (0, 0);
            if self.filled + BLOCK / 2 + PADDING > self.buffer.len() {
                if self.filled as u64 > self.longest {
                    return Err(self.refuse(too_long("line", self.longest)));
                }
                self.buffer.resize(2 * self.buffer.len(), 0);
            }
            self.read_once()?;
        }
        Ok(true)
    }

    fn read_once(&mut self) -> Result<()> {
        let room = self.buffer.len() - PADDING;
        let old = self.filled;
        match self.source.read(&mut self.buffer[old..room]) {
            Ok(0) => {
                self.at_end = true;
                if self.filled > 0 {
                    self.buffer[self.filled] = b'\n'; // the last line may lack its newline
                    self.filled += 1;
                }
                self.whole = self.filled;
            }
            Ok(n) => {
                self.filled += n;
                let newline = self.buffer[old..self.filled].iter().rposition(|&b| b == b'\n');
                self.whole = newline.map_or(0, |at| old + at + 1);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if is_stop(&error) => return Err(Error::Interrupted),
            Err(error) => return Err(self.refuse(unreadable(&error))),
        }
        Ok(())
    }

    fn refuse(&self, message: Message) -> Error {
        Error::row(self.place(0), message)
    }
}

/// What to say of a line (or something like it) of more than `longest` bytes.
pub(crate) fn too_long(what: &str, longest: u64) -> Message {
    match longest {
        LONGEST_LINE => format!("the {what} is longer than 1 GiB").into(),
        _ => {
            Message::from(format!("the {what} is longer than {}, a quarter of ", size(longest))).and(Request::MaxMemory)
        }
    }
}

/// What to say of bytes that do not come.
pub(crate) fn unreadable(error: &std::io::Error) -> Message {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<Message>()) {
        Some(reason) => Message::from("cannot read on: ").and(reason.clone()),
        None if error.kind() == ErrorKind::UnexpectedEof => "the compressed data end too early".into(),
        None => format!("cannot read on: {error}").into(),
    }
}
