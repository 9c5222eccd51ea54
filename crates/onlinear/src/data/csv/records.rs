//! The cells of a record of CSV text.

use crate::data::columns::CellWalk;
use crate::data::number::number_at;

/// Where the cells of a record are: in the record's own text, or without their quotes in a text of their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    /// Where each starts and ends.
    spans: Vec<(u32, u32)>,
    /// The cells of a record with quotes, one behind the other.
    unquoted: Vec<u8>,
    is_quoted: bool,
    /// The record ended with the data, within quotes.
    pub(crate) is_cut_off: bool,
}

impl Cells {
    /// Finds the cells of the record that `text` begins with, where records end at `end` and eight bytes follow. Gives
    /// how long it is with its newline, and how many lines it has.
    pub(crate) fn split(&mut self, text: &[u8], end: usize, delimiter: u8) -> (usize, u64) {
        self.spans.clear();
        (self.is_quoted, self.is_cut_off) = (false, false);
        match self.split_line(text, delimiter) {
            Some(length) => (length + 1, 1),
            None => self.split_quoted(&text[..end], delimiter),
        }
    }

    /// Finds the cells of a line, eight bytes at a time, and gives its length; none if one of them is quoted.
    #[inline]
    fn split_line(&mut self, text: &[u8], delimiter: u8) -> Option<usize> {
        if text[0] == b'"' {
            return None;
        }
        let (mut start, mut at) = (0, 0);
        loop {
            let eight = text[at..].first_chunk::<8>().map_or(0, |eight| u64::from_le_bytes(*eight));
            let mut ends = bytes_equal_to(eight, delimiter) | bytes_equal_to(eight, b'\n');
            while ends != 0 {
                let end = at + (ends.trailing_zeros() / 8) as usize;
                self.spans.push((start as u32, end as u32));
                if text[end] == b'\n' {
                    return Some(end);
                }
                start = end + 1;
                if text[start] == b'"' {
                    return None;
                }
                ends &= ends - 1;
            }
            at += 8;
        }
    }

    /// Finds the cells of a record, some of which are quoted. A quote counts only in front of a cell; within quotes two
    /// of them stand for one; what comes behind the closing one belongs to the cell.
    fn split_quoted(&mut self, text: &[u8], delimiter: u8) -> (usize, u64) {
        self.spans.clear();
        self.unquoted.clear();
        self.is_quoted = true;
        let (mut at, mut lines) = (0, 0);
        loop {
            let start = self.unquoted.len() as u32;
            if text.get(at) == Some(&b'"') {
                at += 1;
                loop {
                    match text[at..] {
                        [b'"', b'"', ..] => {
                            self.unquoted.push(b'"');
                            at += 2;
                        }
                        [b'"', ..] => break at += 1,
                        [byte, ..] => {
                            lines += u64::from(byte == b'\n');
                            self.unquoted.push(byte);
                            at += 1;
                        }
                        [] => {
                            self.spans.push((start, self.unquoted.len() as u32));
                            self.is_cut_off = true;
                            return (at, lines);
                        }
                    }
                }
            }
            let rest = text[at..].iter().position(|&b| b == delimiter || b == b'\n').unwrap_or(text.len() - at);
            self.unquoted.extend_from_slice(&text[at..at + rest]);
            self.spans.push((start, self.unquoted.len() as u32));
            at += rest + 1;
            if text.get(at - 1) != Some(&delimiter) {
                return (at.min(text.len()), lines + 1);
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Cell `i` of the record that `text` begins with, without the spaces around it.
    #[inline]
    pub(crate) fn cell<'a>(&'a self, text: &'a [u8], i: usize) -> &'a [u8] {
        let Some(&(start, end)) = self.spans.get(i) else { return &[] };
        let text = if self.is_quoted { &self.unquoted } else { text };
        text[start as usize..end as usize].trim_ascii()
    }

    /// What they take in memory, in lists that have grown by doubling.
    pub(crate) fn bytes(&self) -> u64 {
        (16 * self.spans.len() + self.unquoted.len() + size_of::<Record>()) as u64
    }

    /// Whether the record is a line with nothing but spaces.
    pub(crate) fn are_blank(&self, text: &[u8]) -> bool {
        !self.is_cut_off && self.len() <= 1 && self.cell(text, 0).is_empty()
    }

    /// How many bytes come before cell `i`, or before the end for one behind the last; exact in a record without
    /// quotes.
    pub(crate) fn offset(&self, i: usize) -> usize {
        let delimiters = if self.is_quoted { i.min(self.len().saturating_sub(1)) } else { 0 };
        match self.spans.get(i) {
            Some(&(start, _)) => start as usize + delimiters,
            None => self.spans.last().map_or(0, |&(_, end)| end as usize) + delimiters,
        }
    }
}

/// The cells of a line, one after another.
pub(crate) struct LineWalk<'a> {
    text: &'a [u8],
    delimiter: u8,
    /// Where the next cell begins.
    at: usize,
    /// Quotes before it, which do not count for messages.
    quotes: usize,
}

impl<'a> LineWalk<'a> {
    /// Those of the line that `text` begins with, eight bytes behind which follow.
    pub(crate) fn new(text: &'a [u8], delimiter: u8) -> LineWalk<'a> {
        LineWalk { text, delimiter, at: 0, quotes: 0 }
    }

    /// How long the line is with its newline, when all cells have been walked through.
    pub(crate) fn length(&self) -> usize {
        self.at
    }

    /// Goes on behind a cell that ends at `end`, if a cell ends there.
    #[inline]
    fn go_on(&mut self, end: usize, is_last: bool) -> Option<()> {
        let text = &self.text[end..];
        let ends = if is_last { usize::from(text[0] == b'\n') } else { usize::from(text[0] == self.delimiter) };
        let ends = if is_last && text.starts_with(b"\r\n") { 2 } else { ends };
        self.at = end + ends;
        (ends > 0).then_some(())
    }

    /// A cell in quotes, within which there are none and no end of line, and with nothing behind them.
    fn quoted_cell(&mut self, is_last: bool) -> Option<&'a [u8]> {
        let start = self.at + 1;
        let end = find_either(self.text, start, b'"', b'\n');
        if self.text[end] != b'"' {
            return None;
        }
        self.go_on(end + 1, is_last)?;
        self.quotes += 2;
        Some(trimmed(&self.text[start..end]))
    }
}

impl<'a> CellWalk<'a> for LineWalk<'a> {
    #[inline(always)]
    fn number(&mut self, is_last: bool) -> Option<f64> {
        let start = self.at;
        let (number, end) = number_at(self.text, start).ok()?;
        if !is_last && self.text[end] == self.delimiter {
            self.at = end + 1;
            return Some(number);
        }
        let is_whole = self.go_on(end, is_last).is_some();
        if !is_whole {
            self.at = start;
        }
        is_whole.then_some(number)
    }

    #[inline]
    fn cell(&mut self, is_last: bool) -> Option<&'a [u8]> {
        let start = self.at;
        if self.text[start] == b'"' {
            return self.quoted_cell(is_last);
        }
        let end = find_either(self.text, start, self.delimiter, b'\n');
        let is_end = self.text[end] == b'\n';
        self.at = end + 1;
        (is_end == is_last).then(|| trimmed(&self.text[start..end]))
    }

    #[inline]
    fn offset(&self) -> usize {
        self.at - self.quotes
    }
}

/// Without the spaces around it, of which most cells have none.
#[inline]
fn trimmed(text: &[u8]) -> &[u8] {
    match text {
        [first, .., last] if *first > b' ' && *last > b' ' => text,
        _ => text.trim_ascii(),
    }
}

/// Where the first of two bytes is from `at` on, one of which comes.
#[inline]
fn find_either(text: &[u8], mut at: usize, one: u8, other: u8) -> usize {
    loop {
        let eight = text[at..].first_chunk::<8>().map_or(0, |eight| u64::from_le_bytes(*eight));
        let found = bytes_equal_to(eight, one) | bytes_equal_to(eight, other);
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
}

/// The top bits of those of eight bytes that are equal to `byte`.
#[inline]
fn bytes_equal_to(eight: u64, byte: u8) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let others = eight ^ (u64::from(byte) * 0x0101_0101_0101_0101);
    !(((others & LOW) + LOW) | others | LOW)
}

/// A record of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) text: Vec<u8>,
    pub(crate) cells: Cells,
    /// The line it starts at.
    pub(crate) line: u64,
}

impl Record {
    /// What divides a cell that is written so from the one before it, where blanks stand between the two.
    pub(crate) fn sign_before_blanks(&self, cell: &[u8]) -> Option<char> {
        let mut places = self.text.windows(cell.len() + 1).enumerate();
        let (blank, _) = places.find(|(_, text)| text[0] == b' ' && text[1..] == *cell)?;
        self.text[..blank].trim_ascii_end().last().map(|&sign| char::from(sign))
    }

    /// All cells without the spaces around them.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.cells.len()).map(|i| self.cells.cell(&self.text, i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::csv::{ByteRecord, ReaderBuilder, Terminator};
    use proptest::prelude::*;

    /// The records of a text that ends with a newline: the cells of each, and the line it starts at.
    fn records(text: &[u8]) -> Vec<(u64, Vec<Vec<u8>>)> {
        let padded = [text, &[0; 8]].concat();
        let (mut cells, mut at, mut line, mut all) = (Cells::default(), 0, 1, Vec::new());
        while at < text.len() {
            let (length, lines) = cells.split(&padded[at..], text.len() - at, b',');
            let own = (0..cells.len()).map(|i| cells.cell(&padded[at..], i).to_vec()).collect();
            if !(cells.len() == 1 && length == 1) {
                all.push((line, own));
            }
            at += length;
            line += lines;
        }
        all
    }

    #[test]
    fn lines_are_counted_through_blanks_quotes_and_both_ends_of_line() {
        for end in ["\n", "\r\n"] {
            let text = ["a,b", "\"c", "d\",e", "", "", "f,g", ""].join(end);
            let mut seen = records(text.as_bytes());
            seen.retain(|(_, cells)| cells != &[b""]);
            let lines: Vec<_> = seen.iter().map(|(line, cells)| (*line, cells.len())).collect();
            assert_eq!(lines, [(1, 2), (2, 2), (6, 2)], "{text:?}");
        }
    }

    #[test]
    fn a_quote_that_is_never_closed_is_noticed() {
        for (text, cut_off) in [
            ("a,\"b\nc\nd\n", true),
            ("a,\"\n", true),
            ("a,\"b\n\"\"\n", true),
            ("a,\"b\"\"\n", true),
            ("\"\n", true),
            ("\"a\n\n\n", true),
            ("\"a\n\"\n\n", false),
            ("a,\"b\n\"\n", false),
            ("a,b\n", false),
            ("a,\"b\"\n", false),
        ] {
            let mut cells = Cells::default();
            cells.split(format!("{text}{}", "\0".repeat(8)).as_bytes(), text.len(), b',');
            assert_eq!(cells.is_cut_off, cut_off, "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// The csv crate reads the same cells.
        #[test]
        fn any_text_has_the_cells_that_others_find_in_it(
            bytes in prop::collection::vec(prop::sample::select(b"a1 ,,\"\"\n\r.".to_vec()), 0..80),
        ) {
            let text = [&bytes[..], b"\n"].concat();
            let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).terminator(Terminator::Any(b'\n'))
                .from_reader(&text[..]);
            let expected: Vec<ByteRecord> = reader.byte_records().map(|record| record.expect("bytes")).collect();
            let expected: Vec<Vec<Vec<u8>>> =
                expected.iter().map(|record| record.iter().map(|cell| cell.trim_ascii().to_vec()).collect()).collect();
            let seen: Vec<Vec<Vec<u8>>> = records(&text).into_iter().map(|(_, cells)| cells).collect();
            prop_assert_eq!(seen, expected);
        }
    }
}
