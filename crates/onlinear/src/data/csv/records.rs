//! The records of CSV text, with the line each starts at.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

use ::csv::{ByteRecord, ReaderBuilder, Terminator};

use crate::data::lines::{too_long, unreadable};
use crate::data::read_ahead::is_stop;
use crate::error::{Error, Place, Result};

/// How much is read at a time.
const BLOCK: usize = 256 * 1024;
/// What a cell takes beside its text: where it ends, in a list that has grown by doubling.
const CELL_BYTES: usize = 16;

/// The cells between two ends of line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    cells: ByteRecord,
    /// The line it starts at.
    pub(crate) line: u64,
    /// It ended with the data, within quotes.
    pub(crate) is_cut_off: bool,
}

impl Record {
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether it is a line with nothing but spaces.
    pub(crate) fn is_blank(&self) -> bool {
        !self.is_cut_off && self.cells.len() <= 1 && self.cells.as_slice().trim_ascii().is_empty()
    }

    /// Cell `i` without the spaces around it.
    pub(crate) fn cell(&self, i: usize) -> &[u8] {
        self.cells.get(i).unwrap_or_default().trim_ascii()
    }

    /// All cells without the spaces around them.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &[u8]> {
        self.cells.iter().map(<[u8]>::trim_ascii)
    }

    /// The byte at which cell `i` starts, or behind the last one, counting from 1; exact in a record
    /// without quotes.
    pub(crate) fn column(&self, i: usize) -> u64 {
        let place = match self.cells.range(i) {
            Some(range) => range.start + i + 1,
            None => self.cells.as_slice().len() + self.cells.len(),
        };
        place as u64
    }

    /// Where cell `i` is in `file`.
    pub(crate) fn place(&self, i: usize, file: &Arc<str>) -> Place {
        Place { file: file.clone(), line: self.line, column: self.column(i) }
    }

    /// What it takes in memory.
    fn bytes(&self) -> u64 {
        (self.cells.as_slice().len() + CELL_BYTES * self.cells.len() + size_of::<Record>()) as u64
    }
}

/// A stream of records, some of which may have been read ahead.
pub(crate) struct Records {
    reader: ::csv::Reader<Tap>,
    /// The file's name for messages.
    pub(crate) name: Arc<str>,
    /// The records read ahead.
    pub(crate) ahead: VecDeque<Record>,
    /// What ended the reading ahead, to be met again behind the records ahead.
    failed: Option<Error>,
    /// The record at the front.
    pub(crate) current: Record,
}

impl Records {
    /// The records of `bytes`. One of more than `longest` bytes is refused: most likely a quote was never closed.
    pub(crate) fn new(bytes: Box<dyn Read + Send>, name: Arc<str>, delimiter: u8, longest: u64) -> Records {
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            // A CR before it stays in the last cell, where spaces do not count. With the other choice
            // a record would end at the CR, and the lines would be counted wrong.
            .terminator(Terminator::Any(b'\n'))
            .buffer_capacity(BLOCK)
            .from_reader(Tap::new(bytes, delimiter, longest));
        Records { reader, name, ahead: VecDeque::new(), failed: None, current: Record::default() }
    }

    /// Whether the next record is there in whole (unless one of its cells goes over several lines).
    pub(crate) fn is_at_hand(&self) -> bool {
        !self.ahead.is_empty() || self.reader.position().byte() < self.reader.get_ref().whole
    }

    /// Goes on to the next record; false at the end.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        if let Some(record) = self.ahead.pop_front() {
            self.current = record;
            return Ok(true);
        }
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.read(),
        }
    }

    /// Reads until `count` records that are not blank are ahead, if there are so many and memory for them.
    pub(crate) fn look_ahead(&mut self, count: usize) {
        let (mut bytes, most) = (0, self.reader.get_ref().longest);
        while self.ahead.len() < count && bytes < most && self.failed.is_none() {
            match self.read() {
                Ok(true) if self.current.is_blank() => {}
                Ok(true) => {
                    bytes += self.current.bytes();
                    self.ahead.push_back(std::mem::take(&mut self.current));
                }
                Ok(false) => return,
                Err(error) => self.failed = Some(error),
            }
        }
    }

    fn read(&mut self) -> Result<bool> {
        let line = self.reader.position().line();
        self.reader.get_mut().begin_record();
        let record = &mut self.current;
        match self.reader.read_byte_record(&mut record.cells) {
            Ok(false) => return Ok(false),
            Ok(true) => {}
            Err(error) => {
                let message = match error.into_kind() {
                    ::csv::ErrorKind::Io(error) if is_stop(&error) => return Err(Error::Interrupted),
                    ::csv::ErrorKind::Io(error) => unreadable(&error),
                    other => format!("cannot read on: {other:?}").into(),
                };
                return Err(Error::row(Place { file: self.name.clone(), line, column: 1 }, message));
            }
        }
        let text = record.cells.as_slice();
        let tap = self.reader.get_ref();
        // A record that ends by itself leaves the newline behind the data alone.
        record.is_cut_off = tap.is_over && self.reader.position().byte() == tap.given;
        // Counted back from the end: blank lines in front belong to no record.
        let newlines = text.iter().filter(|&&b| b == b'\n').count() as u64 + u64::from(!record.is_cut_off);
        record.line = self.reader.position().line().saturating_sub(newlines);
        Ok(true)
    }
}

/// The bytes on their way into the parser: sees to it that the last line ends with a newline, puts one more behind
/// the data, and knows how far whole lines go.
struct Tap {
    source: Box<dyn Read + Send>,
    /// Bytes given so far.
    given: u64,
    /// Bytes given up to the end of the last line that is not empty.
    whole: u64,
    delimiter: u8,
    /// A record may take this much memory …
    longest: u64,
    /// … of which the blocks that lie within it take so much.
    taken: u64,
    /// The last byte given.
    last: u8,
    /// All data were given, and the newline behind them.
    is_over: bool,
}

impl Tap {
    fn new(source: Box<dyn Read + Send>, delimiter: u8, longest: u64) -> Tap {
        Tap { source, given: 0, whole: 0, delimiter, longest, taken: 0, last: b'\n', is_over: false }
    }

    fn begin_record(&mut self) {
        self.taken = 0;
    }

    fn give(&mut self, bytes: &[u8]) {
        // The byte before `at`, which may have come earlier.
        let before = |at: usize| if at > 0 { bytes[at - 1] } else { self.last };
        if let Some(at) = (0..bytes.len()).rev().find(|&at| bytes[at] == b'\n' && before(at) != b'\n') {
            self.whole = self.given + at as u64 + 1;
        }
        let cells = bytes.iter().filter(|&&byte| byte == self.delimiter).count();
        self.taken += (bytes.len() + CELL_BYTES * cells) as u64;
        self.last = before(bytes.len());
        self.given += bytes.len() as u64;
    }
}

impl Read for Tap {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // More is read once the record has used all that was given since it began.
        if self.taken > self.longest {
            let message = too_long("record", self.longest).and("; is a quote not closed?");
            return Err(io::Error::new(ErrorKind::InvalidData, message));
        }
        loop {
            return match self.source.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
                Ok(0) if buffer.is_empty() || self.is_over => Ok(0),
                Ok(0) => {
                    self.is_over = self.last == b'\n';
                    buffer[0] = b'\n';
                    self.give(b"\n");
                    Ok(1)
                }
                Ok(count) => {
                    self.give(&buffer[..count]);
                    Ok(count)
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::lines::LONGEST_LINE;

    fn records(text: &str) -> Records {
        Records::new(Box::new(io::Cursor::new(text.as_bytes().to_vec())), "t".into(), b',', LONGEST_LINE)
    }

    fn all(text: &str) -> Vec<(u64, Vec<String>)> {
        let mut records = records(text);
        let mut seen = Vec::new();
        while records.advance().expect("readable") {
            let cells = records.current.cells().map(|cell| String::from_utf8_lossy(cell).into_owned());
            seen.push((records.current.line, cells.collect()));
        }
        seen
    }

    #[test]
    fn lines_are_counted_through_blanks_quotes_and_both_ends_of_line() {
        for end in ["\n", "\r\n"] {
            for last in ["", "\n"] {
                let text = ["a,b", "\"c", "d\",e", "", "", "f,g"].join(end) + last;
                let mut seen = all(&text);
                seen.retain(|(_, cells)| cells != &[""]);
                let lines: Vec<_> = seen.iter().map(|(line, cells)| (*line, cells.len())).collect();
                assert_eq!(lines, [(1, 2), (2, 2), (6, 2)], "{text:?}");
            }
        }
    }

    #[test]
    fn a_quote_that_is_never_closed_is_noticed() {
        for (text, cut_off) in [
            ("a,\"b\nc\nd", true),
            ("a,\"b\nc\nd\n", true),
            ("a,\"", true),
            ("a,\"b\n\"\"\n", true),
            ("a,\"b\"\"", true),
            ("\"", true),
            ("\"\n", true),
            ("\"a\n\n\n", true),
            ("\"a\n\"\n\n", false),
            ("a,\"b\n\"", false),
            ("a,\"b\n\"\n", false),
            ("a,\"b\n\"\n\n", false),
            ("a,b", false),
            ("a,\"b\"", false),
        ] {
            let mut records = records(text);
            assert!(records.advance().expect("readable"));
            assert_eq!((records.current.is_cut_off, records.current.line), (cut_off, 1), "{text:?}");
        }
    }

    #[test]
    fn looking_ahead_changes_nothing() {
        let mut records = records("a\n\nb\nc\n");
        records.look_ahead(2);
        assert_eq!(records.ahead.len(), 2);
        let mut seen = Vec::new();
        while records.advance().expect("readable") {
            seen.push((records.current.line, records.current.cell(0).to_vec()));
        }
        assert_eq!(seen, [(1, b"a".to_vec()), (3, b"b".to_vec()), (4, b"c".to_vec())]);
    }

    /// A pipe into which one piece is written at a time.
    struct Pipe(Vec<&'static [u8]>);

    impl Read for Pipe {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            assert!(!self.0.is_empty(), "waited for more than there is");
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn what_is_at_hand_needs_no_waiting() {
        for piece in [&b"1,2\n3,4\n"[..], b"1,2\r\n3,4\r\n", b"1,2\n3,4\n\n", b"1,2\n\n3,4\n5"] {
            let mut records = Records::new(Box::new(Pipe(vec![piece])), "t".into(), b',', LONGEST_LINE);
            assert!(!records.is_at_hand());
            let mut count = 0;
            while count == 0 || records.is_at_hand() {
                assert!(records.advance().expect("readable"));
                count += 1;
            }
            assert_eq!(count, 2, "{}", piece.escape_ascii());
        }
    }
}
