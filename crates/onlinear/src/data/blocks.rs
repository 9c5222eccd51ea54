//! Blocks of whole records from a stream of bytes.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};

use super::read_ahead::is_stop;
use crate::error::{Message, Request, size};

/// How much is read at a time.
pub(crate) const BLOCK: usize = 256 * 1024;
/// Bytes that may be read beyond the last record, so that parsers can look at eight at once.
pub(crate) const PADDING: usize = 8;
/// A line longer than this is not text of ours.
pub(crate) const LONGEST_LINE: u64 = 1 << 30;
/// What a cell takes beside its text.
const CELL_BYTES: u64 = 16;

/// Whole records, the last of which ends with a newline (or with the data, within quotes).
#[derive(Default)]
pub(crate) struct TextBlock {
    buffer: Vec<u8>,
    /// Records begin here …
    start: usize,
    /// … and end here.
    end: usize,
    /// How many lines of the block are before its start.
    pub(crate) lines_before: u64,
}

impl TextBlock {
    /// The records, and behind them at least [`PADDING`] bytes of no meaning.
    pub(crate) fn padded(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// How many bytes of [`TextBlock::padded`] are records.
    pub(crate) fn len(&self) -> usize {
        self.end - self.start
    }

    /// Its memory, to be used again.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }
}

/// Why there are no more records.
pub(crate) enum BlockFailure {
    /// The wait for them was stopped.
    Stopped,
    /// What is wrong with the next one.
    Bad(Message),
}

/// Where records end.
#[derive(Clone, Copy)]
pub(crate) enum RecordEnds {
    /// With each line.
    AtLines,
    /// With each line whose end is not within quotes. A quote opens them only in front of a cell, behind this sign or
    /// the end of a line.
    OutsideQuotes { delimiter: u8 },
}

/// How far the ends of records have been looked for in a block.
#[derive(Default)]
struct EndSearch {
    at: usize,
    /// Whole records end here.
    whole: usize,
    is_quoted: bool,
}

impl EndSearch {
    /// Goes on to the end of `text`, which begins with a record.
    fn go_on(&mut self, text: &[u8], ends: RecordEnds) {
        let newline = |from: usize, to: usize| text[from..to].iter().rposition(|&b| b == b'\n').map(|at| from + at + 1);
        let RecordEnds::OutsideQuotes { delimiter } = ends else {
            self.whole = newline(self.at, text.len()).unwrap_or(self.whole);
            self.at = text.len();
            return;
        };
        loop {
            let quote = find_quote(&text[self.at..]).map(|at| self.at + at);
            match quote {
                Some(quote) if self.is_quoted => match text.get(quote + 1) {
                    Some(b'"') => self.at = quote + 2,
                    Some(_) => (self.is_quoted, self.at) = (false, quote + 1),
                    // What comes behind it tells.
                    None => return self.at = quote,
                },
                Some(quote) => {
                    self.is_quoted = quote == 0 || [delimiter, b'\n'].contains(&text[quote - 1]);
                    self.whole = newline(self.at, quote).unwrap_or(self.whole);
                    self.at = quote + 1;
                }
                None => {
                    if !self.is_quoted {
                        self.whole = newline(self.at, text.len()).unwrap_or(self.whole);
                    }
                    return self.at = text.len();
                }
            }
        }
    }
}

/// Where the first quote is. Most tables have none: many bytes are looked at at once.
fn find_quote(text: &[u8]) -> Option<usize> {
    const AT_ONCE: usize = 64;
    let is_quote = |&byte: &u8| byte == b'"';
    let mut before = 0;
    for chunk in text.chunks(AT_ONCE) {
        if chunk.iter().fold(false, |any, byte| any | is_quote(byte)) {
            return chunk.iter().position(is_quote).map(|at| before + at);
        }
        before += chunk.len();
    }
    None
}

/// A stream of blocks.
pub(crate) struct Blocks {
    source: Box<dyn Read + Send>,
    ends: RecordEnds,
    /// How much is read at a time.
    size: usize,
    /// No record may be longer.
    longest: u64,
    /// The beginning of a record that the last block had no more of.
    left: Vec<u8>,
    /// Blocks that were looked at, and are yet to be handed over.
    ahead: VecDeque<TextBlock>,
    /// What ended the looking ahead, to be met again behind those.
    failed: Option<BlockFailure>,
    at_end: bool,
}

impl Blocks {
    /// The records of `source`, none of which may be longer than `longest`.
    pub(crate) fn new(source: Box<dyn Read + Send>, ends: RecordEnds, longest: u64, size: usize) -> Blocks {
        let (left, ahead) = (Vec::new(), VecDeque::new());
        Blocks { source, ends, size, longest, left, ahead, failed: None, at_end: false }
    }

    /// The next block, in the memory of another one; none at the end of the data. Gives what there is rather than wait
    /// for more.
    pub(crate) fn next(&mut self, buffer: Vec<u8>) -> Result<Option<TextBlock>, BlockFailure> {
        if let Some(block) = self.ahead.pop_front() {
            return Ok(Some(block));
        }
        match self.failed.take() {
            Some(failure) => Err(failure),
            None => self.read(buffer),
        }
    }

    fn read(&mut self, mut buffer: Vec<u8>) -> Result<Option<TextBlock>, BlockFailure> {
        let mut filled = self.left.len();
        buffer.resize(buffer.len().max(filled + PADDING), 0);
        buffer[..filled].copy_from_slice(&self.left);
        self.left.clear();
        let mut search = EndSearch::default();
        let mut unchecked = (self.size / 2).max(1);
        while search.whole == 0 && !self.at_end {
            // Cells are counted seldom enough that a long record is not gone through again and again.
            if filled >= unchecked || filled as u64 > self.longest {
                self.check_length(&buffer[..filled])?;
                unchecked = 2 * filled;
            }
            // Always as much, so that blocks do not depend on whose memory they are in.
            let room = filled + self.size;
            buffer.resize(buffer.len().max(room + PADDING), 0);
            match self.source.read(&mut buffer[filled..room]) {
                Ok(0) => {
                    self.at_end = true;
                    if filled > 0 && buffer[filled - 1] != b'\n' {
                        buffer[filled] = b'\n'; // the last line may lack its newline
                        filled += 1;
                    }
                    search.whole = filled;
                }
                Ok(count) => {
                    filled += count;
                    search.go_on(&buffer[..filled], self.ends);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_stop(&error) => return Err(BlockFailure::Stopped),
                Err(error) => return Err(BlockFailure::Bad(unreadable(&error))),
            }
        }
        self.left.extend_from_slice(&buffer[search.whole..filled]);
        Ok((search.whole > 0).then_some(TextBlock { buffer, start: 0, end: search.whole, lines_before: 0 }))
    }

    /// Refuses a record that has begun with `text` and goes on beyond the longest.
    fn check_length(&self, text: &[u8]) -> Result<(), BlockFailure> {
        let (held, what) = match self.ends {
            RecordEnds::AtLines => (text.len() as u64, "line"),
            RecordEnds::OutsideQuotes { delimiter } => {
                let cells = text.iter().filter(|&&b| b == delimiter).count() as u64;
                (text.len() as u64 + CELL_BYTES * cells, "record")
            }
        };
        if held <= self.longest {
            return Ok(());
        }
        let message = too_long(what, self.longest);
        Err(BlockFailure::Bad(match self.ends {
            RecordEnds::AtLines => message,
            RecordEnds::OutsideQuotes { .. } => {
                Message::from("cannot read on: ").and(message).and("; is a quote not closed?")
            }
        }))
    }

    /// Shows block after block to `look`, until it has seen enough, as it says, or all there is and memory for. They
    /// will be handed over all the same.
    pub(crate) fn look_ahead(&mut self, mut look: impl FnMut(&TextBlock) -> bool) {
        let (mut bytes, mut has_seen_enough) = (0, self.ahead.iter().any(&mut look));
        while !has_seen_enough && bytes < self.longest && self.failed.is_none() {
            match self.read(Vec::new()) {
                Ok(Some(block)) => {
                    bytes += block.len() as u64;
                    has_seen_enough = look(&block);
                    self.ahead.push_back(block);
                }
                Ok(None) => return,
                Err(failure) => self.failed = Some(failure),
            }
        }
    }

    /// Leaves out what was looked at up to a place `at` so many bytes into the block of that `number`, so many lines of
    /// which come before that place.
    pub(crate) fn skip_to(&mut self, number: usize, at: usize, lines: u64) {
        let before: u64 = self.ahead.iter().take(number).map(count_lines).sum();
        self.ahead.drain(..number);
        if let Some(block) = self.ahead.front_mut() {
            block.start += at;
            block.lines_before = before + lines;
        }
    }
}

fn count_lines(block: &TextBlock) -> u64 {
    block.padded()[..block.len()].iter().filter(|&&b| b == b'\n').count() as u64
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
