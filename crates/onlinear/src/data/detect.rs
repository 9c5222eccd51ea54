//! Telling a format by the first bytes and the file's name.

use std::io::{self, ErrorKind, Read};
use std::path::Path;

use super::columns::DELIMITERS;
use super::format::{Content, Format};
use super::idx;

/// No more than this is looked at, but where a whole line is wanted.
const MOST_PEEKED: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes whose start can be looked at before they are read.
pub(crate) struct Peeked {
    start: Vec<u8>,
    /// How many bytes of `start` have been read.
    read: usize,
    /// What stopped the peeking, to be met again where it happened.
    failed: Option<io::Error>,
    source: Box<dyn Read + Send>,
}

impl Peeked {
    /// Looks at the start of `source`, no further than its first line that says something.
    pub(crate) fn new(source: Box<dyn Read + Send>) -> Peeked {
        let mut peeked = Peeked { start: Vec::new(), read: 0, failed: None, source };
        while !peeked.is_enough() && peeked.look_on(MOST_PEEKED) {}
        peeked
    }

    fn is_enough(&self) -> bool {
        let binary = self.start.len() >= idx::MAGIC && self.start.starts_with(&[0, 0]);
        binary || self.start.len() >= MOST_PEEKED || self.first_line().ends_with(b"\n")
    }

    /// Looks at all of the first line that says something, unless it is longer than a line may be.
    pub(crate) fn look_at_whole_line(&mut self, longest: u64) {
        let begins = |line: &[u8]| !line.is_empty() && !line.ends_with(b"\n");
        let mut is_cut = self.start.len() >= MOST_PEEKED && begins(self.first_line());
        while is_cut && (self.start.len() as u64) < longest {
            let old = self.start.len();
            is_cut = self.look_on(old + MOST_PEEKED) && !self.start[old..].contains(&b'\n');
        }
    }

    /// Looks at some more, up to so many bytes in all; says whether there may be more.
    fn look_on(&mut self, most: usize) -> bool {
        let old = self.start.len();
        self.start.resize(most, 0);
        let read = self.source.read(&mut self.start[old..]);
        self.start.truncate(old + read.as_ref().map_or(0, |count| *count));
        match read {
            Ok(count) => count > 0,
            Err(error) => {
                self.failed = Some(error).filter(|error| error.kind() != ErrorKind::Interrupted);
                self.failed.is_none()
            }
        }
    }

    /// What was looked at.
    pub(crate) fn start(&self) -> &[u8] {
        &self.start
    }

    /// The first line that is neither blank nor a comment, as far as it was looked at.
    pub(crate) fn first_line(&self) -> &[u8] {
        said(&self.start).unwrap_or(&[])
    }

    /// The first line that says something, without a token that may have been cut short.
    fn first_whole_tokens(&self) -> &[u8] {
        let line = self.first_line();
        match line.iter().rposition(u8::is_ascii_whitespace) {
            Some(space) if self.start.len() >= MOST_PEEKED => &line[..space],
            _ => line,
        }
    }

    /// Leaves out the mark that some editors put in front of UTF-8.
    pub(crate) fn skip_byte_order_mark(&mut self) {
        if self.start.starts_with(BYTE_ORDER_MARK) {
            self.read = BYTE_ORDER_MARK.len();
        }
    }

    /// What divides cells as a first line `sep=;` says, by which Excel goes. The line becomes a blank one.
    pub(crate) fn take_separator(&mut self) -> Option<u8> {
        let text = &mut self.start[self.read..];
        let end = text.iter().position(|&b| b == b'\n')?;
        let line = text[..end].strip_suffix(b"\r").unwrap_or(&text[..end]);
        let &[ref word @ .., sign] = line else { return None };
        let is_told = word.eq_ignore_ascii_case(b"sep=") && DELIMITERS.contains(&sign);
        is_told.then(|| {
            text[..end].fill(b' ');
            sign
        })
    }
}

impl Read for Peeked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = &self.start[self.read..];
        if !left.is_empty() {
            let count = left.len().min(buffer.len());
            buffer[..count].copy_from_slice(&left[..count]);
            self.read += count;
            return Ok(count);
        }
        match self.failed.take() {
            Some(error) => Err(error),
            None => self.source.read(buffer),
        }
    }
}

/// The first line of `text` that is neither blank nor a comment, with its newline if it has one.
fn said(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let says_something = |line: &&[u8]| !matches!(line.trim_ascii_start().first(), None | Some(b'#'));
    text.split_inclusive(|&b| b == b'\n').find(says_something)
}

/// The format that content and name speak for.
pub(crate) fn format(bytes: &Peeked, path: Option<&Path>) -> Format {
    let ending = path.map(ending).unwrap_or_default();
    let line = bytes.first_whole_tokens();
    let find = |speaks: &dyn Fn(&Format) -> bool| Format::ALL.iter().find(|format| speaks(format));
    *find(&|format| matches!(format.content, Content::Magic(is) if is(&bytes.start)))
        .or_else(|| find(&|format| format.endings.contains(&ending.as_str())))
        .or_else(|| find(&|format| matches!(format.content, Content::Line(is) if is(line))))
        .unwrap_or(&Format::ALL[0])
}

/// How a file's name ends, packed or not.
fn ending(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let plain = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    plain.rsplit_once('.').map(|(_, ending)| ending.to_string()).unwrap_or_default()
}

/// What separates the cells of CSV text: whichever of comma, semicolon, tab and bar its first line has most.
pub(crate) fn delimiter(bytes: &Peeked, path: Option<&Path>) -> u8 {
    if path.map(ending).as_deref() == Some("tsv") {
        return b'\t';
    }
    let text = bytes.start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes.start);
    let (mut counts, mut quoted, mut blank) = ([0; 256], false, true);
    for &byte in text {
        match byte {
            b'\n' if !quoted && !blank => break,
            b'"' => quoted = !quoted,
            _ => counts[usize::from(byte)] += u32::from(!quoted),
        }
        blank &= byte.is_ascii_whitespace();
    }
    // Of equal counts the last: the comma before the semicolon before the tab before the bar.
    *b"|\t;,".iter().max_by_key(|&&byte| counts[usize::from(byte)]).unwrap_or(&b',')
}

/// Signs that divide the cells of some tables, which are not read here, and how they are made tabs.
const OTHER_DIVIDERS: [(&str, &str); 8] = [
    ("::", "awk -F :: -v OFS='\\t' '{$1=$1}1'"),
    (":", "tr : '\\t' <"),
    ("~", "tr '~' '\\t' <"),
    ("^", "tr '^' '\\t' <"),
    ("*", "tr '*' '\\t' <"),
    ("/", "tr / '\\t' <"),
    ("\u{1}", "tr '\\001' '\\t' <"),
    ("\u{1f}", "tr '\\037' '\\t' <"),
];

/// What else seems to divide the cells of the line that a table called `file` begins with, and what makes it a table
/// that can be read; a sign only where the column of the labels is told by its name.
pub(crate) fn other_divider(line: &[u8], label: Option<&str>, file: &str) -> Option<String> {
    let line = String::from_utf8_lossy(line.trim_ascii_end());
    let label = label.filter(|name| name.parse::<f64>().is_err());
    let is_label = |cell: &str| label == Some(cell.trim().trim_matches('"'));
    let divides = |(sign, _): &&(&str, &str)| line.contains(sign) && line.split(sign).any(is_label);
    if let Some((sign, convert)) = OTHER_DIVIDERS.iter().find(divides) {
        let sign = sign.escape_default();
        return Some(format!("seem to be divided by '{sign}': {convert} {file} > table.tsv makes a table of it"));
    }
    if line.contains(':') || line.split_whitespace().nth(1).is_none() {
        return None;
    }
    let are_wide = line.trim().contains("  ") && line.split_whitespace().any(is_label);
    Some(match are_wide {
        true => format!(
            "seem to be columns of fixed widths: python -c \"import pandas; \
             pandas.read_fwf('{file}').to_csv('table.csv', index=False)\" makes a table of it"
        ),
        false => {
            format!("seem to be divided by spaces: awk -v OFS=, '{{$1=$1}}1' {file} > table.csv makes a table of it")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peeked(bytes: &[u8]) -> Peeked {
        Peeked::new(Box::new(io::Cursor::new(bytes.to_vec())))
    }

    fn told(name: &str, bytes: &[u8]) -> Format {
        format(&peeked(bytes), Some(name).filter(|name| !name.is_empty()).map(Path::new))
    }

    #[test]
    fn formats_are_told_by_content_and_name() {
        let [libsvm, csv, vw, idx, jsonl] = ["libsvm", "csv", "vw", "idx", "jsonl"];
        for (name, bytes, format) in [
            ("", &b"+1 3:1 7:0.5\n"[..], libsvm),
            ("", b"1:0.5 2:1\n", libsvm),
            ("", b"3,17 5:1\n", libsvm),
            ("", b"1\tqid:3\t4:1\n", libsvm),
            ("", b"1 1:1 # one, two | three\n", libsvm),
            ("", b"1 # nothing | else\n", libsvm),
            ("", b"+1\n", libsvm),
            ("", b"# a, comment | first\n\n-1 1:1\n", libsvm),
            ("", b"", libsvm),
            ("", b"what is this\n", libsvm),
            ("", b"1 |f a b:2\n", vw),
            ("", b"| a b\n", vw),
            ("", b"|a\n", vw),
            ("", b"1 2 'tag|ns a:1,2\n", vw),
            ("", b"a,b,c\n1,2,3\n", csv),
            ("", b"\xef\xbb\xbfa;b;c\n", csv),
            ("", b"a\tb\n", csv),
            ("", b"1, 2, 3\n", csv),
            ("", b"\n\n1,2\n", csv),
            ("", b"1,2", csv),
            ("", b"{\"a\": 1, \"b\": \"x|y\"}\n", jsonl),
            ("x.json.gz", b"{\n", jsonl),
            ("", b"\x00\x00\x08\x03\x00", idx),
            ("x.csv", b"\x00\x00\x0e\x01", idx),
            ("x.csv", b"1 1:1\n", csv),
            ("x.CSV.gz", b"1 1:1\n", csv),
            ("x.tsv.zst", b"1 1:1\n", csv),
            ("x.vw", b"a,b\n", vw),
            ("x.svm", b"a,b\n", libsvm),
            ("x.libsvm.gz", b"a,b\n", libsvm),
            ("x.svmlight", b"a | b\n", libsvm),
            ("x.txt", b"a,b\n", csv),
            ("csv", b"1 1:1\n", libsvm),
            ("dir.csv/x", b"1 1:1\n", libsvm),
        ] {
            assert_eq!(told(name, bytes).name(), format, "{name} {}", bytes.escape_ascii());
        }
    }

    #[test]
    fn a_long_first_line_is_told_by_its_start() {
        let mut line = b"1".to_vec();
        for index in 1..20_000 {
            line.extend_from_slice(format!(" {index}:0.25").as_bytes());
        }
        assert_eq!(told("", &line).name(), "libsvm");
    }

    #[test]
    fn other_signs_between_cells_are_told_with_a_cure() {
        let told = |line: &str, label| other_divider(line.as_bytes(), label, "FILE").unwrap_or_default();
        for (line, label, seems, cure) in [
            ("age~churn\n", Some("churn"), "divided by '~'", "tr '~' '\\t' < FILE > table.tsv"),
            ("user::film::y\r\n", Some("y"), "divided by '::'", "awk -F :: -v OFS='\\t' '{$1=$1}1' FILE"),
            ("age\u{1}churn", Some("churn"), "divided by '\\u{1}'", "tr '\\001' '\\t' < FILE"),
            (" 5  2.5 x\n", Some("3"), "divided by spaces", "awk -v OFS=, '{$1=$1}1' FILE > table.csv"),
            ("age churn\n", Some("churn"), "divided by spaces", "awk"),
            ("age      home town  churn\n", Some("churn"), "fixed widths", "read_fwf('FILE')"),
        ] {
            let told = told(line, label);
            assert!(told.contains(seems) && told.contains(cure), "{line}: {told}");
        }
        for (line, label) in
            [("1:2 3:4\n", Some("3")), ("+1 1:1\n", Some("1")), ("a~b\n", Some("2")), ("a~b\n", None), ("word\n", None)]
        {
            assert_eq!(told(line, label), "", "{line}");
        }
    }

    #[test]
    fn delimiters_are_counted_outside_quotes() {
        for (name, text, expected) in [
            ("", "a,b;c", b','),
            ("", "a;b;c,d", b';'),
            ("", "\"a,b,c,d\";e", b';'),
            ("", "a\tb\tc,d", b'\t'),
            ("", "\n\na;b\n1,2,3,4", b';'),
            ("", "#a;b\n1,2,3,4", b';'),
            ("", "abc", b','),
            ("x.tsv", "a,b,c", b'\t'),
            ("x.tsv.gz", "a,b,c", b'\t'),
        ] {
            let path = Some(Path::new(name));
            assert_eq!(delimiter(&peeked(text.as_bytes()), path), expected, "{text}");
        }
    }

    /// Gives its pieces one read at a time and fails if read again.
    struct Pieces(Vec<&'static [u8]>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Err(io::Error::other("read too far"));
            }
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn no_more_than_the_first_line_is_waited_for() {
        let mut peeked = Peeked::new(Box::new(Pieces(vec![b"#c\n", b"1 ", b"1:1\n", b"late"])));
        assert_eq!(peeked.first_line(), b"1 1:1\n");
        let mut text = vec![0; 100];
        let count = peeked.read(&mut text).expect("the start");
        assert_eq!(&text[..count], b"#c\n1 1:1\n");
        assert_eq!(peeked.read(&mut text).expect("the rest"), 4);
    }

    #[test]
    fn a_whole_line_may_be_looked_at_however_long() {
        let long = [b"1 ", &[b' '; 3 * MOST_PEEKED][..], b"1 1:1\n2 2:1\n"].concat();
        let mut peeked = peeked(&long);
        assert_eq!(peeked.first_line().len(), MOST_PEEKED);
        peeked.look_at_whole_line(u64::MAX);
        assert_eq!(peeked.first_line(), &long[..3 * MOST_PEEKED + 8]);
        let mut text = Vec::new();
        peeked.read_to_end(&mut text).expect("all of it");
        assert_eq!(text, long);
        let mut peeked = Peeked::new(Box::new(Pieces(vec![b"1 1:1\n", b"late"])));
        peeked.look_at_whole_line(u64::MAX);
        assert_eq!(peeked.start(), b"1 1:1\n");
    }

    #[test]
    fn a_failure_is_met_where_it_happened() {
        let mut peeked = Peeked::new(Box::new(Pieces(vec![b"1 1:"])));
        let mut text = Vec::new();
        let error = peeked.read_to_end(&mut text).expect_err("the failure");
        assert_eq!((text.as_slice(), error.to_string().as_str()), (&b"1 1:"[..], "read too far"));
    }
}
