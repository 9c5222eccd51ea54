//! Text of other encodings as UTF-8, while it is read.

use std::io::{self, ErrorKind, Read};

use crate::error::{Error, Message, Result};
use crate::spec::did_you_mean;

/// How the characters of a text are written as bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// One to four bytes to a character; what every text is read as in the end.
    #[default]
    Utf8,
    /// A byte to a character, as in ISO 8859-1 and, where that has none, in Windows-1252.
    Latin1,
    /// Two or four bytes to a character, the lower byte first unless a byte-order mark says otherwise.
    Utf16,
}

impl Encoding {
    /// Every encoding with its name.
    pub const ALL: [(Encoding, &str); 3] =
        [(Encoding::Utf8, "utf8"), (Encoding::Latin1, "latin1"), (Encoding::Utf16, "utf16")];

    /// The encoding called `name`.
    pub fn named(name: &str) -> Result<Encoding> {
        let is_called = |known: &&str| known.eq_ignore_ascii_case(name);
        let mut all = Encoding::ALL.into_iter();
        let known = all.find(|(encoding, known)| is_called(known) || encoding.other_names().iter().any(is_called));
        known.map(|(encoding, _)| encoding).ok_or_else(|| {
            let names = Encoding::ALL.map(|(_, name)| name);
            let (known, near) = (names.join(", "), did_you_mean(name, &names));
            Error::usage(format!("unknown encoding '{name}'; there are {known}{near}"))
        })
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        Encoding::ALL.iter().find(|(encoding, _)| *encoding == self).map_or("", |(_, name)| name)
    }

    /// What others call it.
    pub fn other_names(self) -> &'static [&'static str] {
        match self {
            Encoding::Utf8 => &["utf-8"],
            Encoding::Latin1 => &["latin-1", "iso-8859-1", "windows-1252", "cp1252"],
            Encoding::Utf16 => &["utf-16"],
        }
    }

    /// What text that starts so is read as: a byte-order mark tells by itself, whatever a model remembers.
    pub(crate) fn of_text(self, start: &[u8]) -> Encoding {
        match start {
            _ if start.starts_with(LITTLE) || start.starts_with(BIG) => Encoding::Utf16,
            _ if start.starts_with(MARK) && self == Encoding::Latin1 => Encoding::Utf8,
            _ => self,
        }
    }
}

/// What the bytes from 0x80 on are in Windows-1252; in ISO 8859-1 they are no characters. Five are none in either.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The byte-order marks of UTF-16.
const LITTLE: &[u8] = b"\xff\xfe";
const BIG: &[u8] = b"\xfe\xff";
/// That of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// How much is decoded at a time.
const BLOCK: usize = 64 * 1024;

/// Bytes of another encoding, read as UTF-8.
pub(crate) struct Decoded<R> {
    source: R,
    decode: Decode,
    raw: Vec<u8>,
    text: Vec<u8>,
    /// How much of the text was handed over.
    read: usize,
}

/// What a part of the bytes means.
enum Decode {
    Latin1,
    /// Whether the first byte of two is the lower, once that is known, and the first half of a character of two.
    Utf16 {
        little: Option<bool>,
        half: Option<u16>,
    },
}

impl<R: Read> Decoded<R> {
    /// The text of `source`; none where it is UTF-8 already.
    pub(crate) fn new(source: R, encoding: Encoding) -> std::result::Result<Decoded<R>, R> {
        let decode = match encoding {
            Encoding::Utf8 => return Err(source),
            Encoding::Latin1 => Decode::Latin1,
            Encoding::Utf16 => Decode::Utf16 { little: None, half: None },
        };
        Ok(Decoded { source, decode, raw: Vec::new(), text: Vec::new(), read: 0 })
    }

    /// Decodes the bytes at hand, all but those that are no whole character yet.
    fn decode(&mut self, at_end: bool) -> io::Result<()> {
        self.text.clear();
        self.read = 0;
        let mut push = |character: char| {
            let mut bytes = [0; 4];
            self.text.extend_from_slice(character.encode_utf8(&mut bytes).as_bytes());
        };
        let refuse = |what: &str| Err(io::Error::new(ErrorKind::InvalidData, Message::from(what)));
        match &mut self.decode {
            Decode::Latin1 => self.raw.drain(..).for_each(|byte| match byte {
                0x80..=0x9f => push(WINDOWS[usize::from(byte - 0x80)]),
                byte => push(char::from(byte)),
            }),
            Decode::Utf16 { little, half } => {
                let whole = self.raw.len() / 2 * 2;
                for pair in self.raw[..whole].as_chunks::<2>().0 {
                    // Text begins with a Latin letter, a digit or a mark.
                    let is_little = *little.get_or_insert(pair != BIG && pair[0] != 0);
                    let unit = if is_little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) };
                    match (half.take(), unit) {
                        (None, 0xfeff) => {}
                        (None, 0xd800..=0xdbff) => *half = Some(unit),
                        (first, unit) => match char::decode_utf16(first.into_iter().chain([unit])).next() {
                            Some(Ok(character)) => push(character),
                            _ => return refuse("the text is not UTF-16"),
                        },
                    }
                }
                self.raw.drain(..whole);
                if at_end && (half.is_some() || !self.raw.is_empty()) {
                    return refuse("the text ends within a character of UTF-16");
                }
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.text.len() {
            let old = self.raw.len();
            self.raw.resize(old + BLOCK, 0);
            let count = self.source.read(&mut self.raw[old..]);
            self.raw.truncate(old + count.as_ref().map_or(0, |count| *count));
            let count = count?;
            self.decode(count == 0)?;
            if count == 0 {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.text.len() - self.read);
        buffer[..count].copy_from_slice(&self.text[self.read..self.read + count]);
        self.read += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ReadOptions;
    use crate::data::format::testing::read_files;

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn every_encoding_gives_the_same_rows() {
        let text = "größe,class\n1,café\n2,𝔸\n3,café\n";
        let expected = ["café: größe=1", "𝔸: größe=2", "café: größe=3"];
        let read = |bytes: &[u8], encoding| {
            read_files(&[("a.csv", bytes)], &ReadOptions { encoding: Some(encoding), ..ReadOptions::default() })
        };
        let marked = format!("\u{feff}{text}");
        for (bytes, encoding) in [
            (text.as_bytes().to_vec(), Encoding::Utf8),
            (utf16(text, u16::to_le_bytes), Encoding::Utf16),
            (utf16(&marked, u16::to_le_bytes), Encoding::Utf16),
            (utf16(&marked, u16::to_be_bytes), Encoding::Utf16),
            (utf16(&marked, u16::to_be_bytes), Encoding::Utf8),
            (utf16(&marked, u16::to_le_bytes), Encoding::Latin1),
            (marked.as_bytes().to_vec(), Encoding::Latin1),
        ] {
            let seen = read(&bytes, encoding);
            assert_eq!((seen.short(), seen.error), (expected.map(String::from).to_vec(), None), "{encoding:?}");
        }
        let latin1 = read(b"gr\xf6\xdfe,class\n1,caf\xe9\n", Encoding::Latin1);
        assert_eq!((latin1.short(), latin1.error), (vec!["café: größe=1".to_string()], None));
        let windows = read(b"\x80,class\n1,\x84a\x93\n", Encoding::Latin1);
        assert_eq!((windows.short(), windows.error), (vec!["„a“: €=1".to_string()], None));
    }

    #[test]
    fn broken_utf16_is_refused() {
        for (bytes, what) in [
            (&b"\xff\xfe1\0 \x00a"[..], "cannot read on: the text ends within a character of UTF-16"),
            (b"\xff\xfe1\0\x00\xd8", "cannot read on: the text ends within a character of UTF-16"),
            (b"\xff\xfe1\0\x00\xdc", "cannot read on: the text is not UTF-16"),
            (b"\xff\xfe\x00\xd81\0", "cannot read on: the text is not UTF-16"),
        ] {
            let error = read_files(&[("a.svm", bytes)], &ReadOptions::default()).error;
            assert_eq!(error, Some(format!("FILE:1:1: {what}")));
        }
    }

    #[test]
    fn text_that_is_not_utf8_is_refused_with_its_place() {
        for (name, text, error) in [
            ("a.svm", &b"1 1:1\ncaf\xe9 1:1\n"[..], "FILE:2:1: label 'caf\u{fffd}' is not UTF-8"),
            ("a.csv", b"a,class\n1,x\n2,caf\xe9\n", "FILE:3:3: label 'caf\u{fffd}' is not UTF-8"),
            ("a.csv", b"a,class\n\xe9,x\n2,y\n", "FILE:2:1: the name of feature 'a=\u{fffd}' is not UTF-8"),
            ("a.csv", b"a,b\xe9,class\n1,2,x\n", "FILE:1:3: the name of column 'b\u{fffd}' is not UTF-8"),
            ("a.vw", b"1 | ok b\xe9\n", "FILE:1:8: the name of feature 'b\u{fffd}' is not UTF-8"),
        ] {
            let seen = read_files(&[(name, text)], &ReadOptions::default()).error;
            assert_eq!(seen, Some(format!("{error}; name its encoding")));
        }
    }
}
