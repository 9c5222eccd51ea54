//! One cell of a table.

/// What stands in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    /// Nothing.
    Missing,
    /// A number, of a format that knows numbers.
    Number(f64),
    /// Text, which may be a number.
    Text(&'a [u8]),
}

impl Cell<'_> {
    /// As a file would have it.
    pub(crate) fn text(self) -> String {
        match self {
            Cell::Missing => String::new(),
            Cell::Number(number) => number.to_string(),
            Cell::Text(text) => String::from_utf8_lossy(text).into_owned(),
        }
    }
}

/// Words that stand for a value that is not there, in a column of numbers or dates.
const MISSING: [&[u8]; 24] = [
    b"na", b"n/a", b"n.a.", b"<na>", b"#na", b"#n/a", b"nan", b"-nan", b"null", b"(null)", b"\\n", b"nil", b"none",
    b"missing", b"?", b"-", b"--", b".", b"#div/0!", b"#value!", b"#ref!", b"#name?", b"#num!", b"#null!",
];

/// Whether a text stands for a number or a date that is not there.
pub(crate) fn is_missing(text: &[u8]) -> bool {
    text.is_empty() || MISSING.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Words that say that a number is not known; as values of a category they may say something.
const UNKNOWN: [&[u8]; 18] = [
    b"unknown",
    b"unkn",
    b"unk",
    b"not available",
    b"not applicable",
    b"not known",
    b"not reported",
    b"not recorded",
    b"not specified",
    b"unspecified",
    b"undefined",
    b"no data",
    b"n.d.",
    b"n/d",
    b"k.a.",
    b"unbekannt",
    b"inconnu",
    b"desconocido",
];

/// Whether a text among numbers says that a number is not known.
pub(crate) fn is_unknown(text: &[u8]) -> bool {
    UNKNOWN.iter().any(|word| text.eq_ignore_ascii_case(word))
}

const WORDS: [(&[u8], bool); 24] = [
    (b"true", true),
    (b"false", false),
    (b"yes", true),
    (b"no", false),
    (b"t", true),
    (b"f", false),
    (b"y", true),
    (b"n", false),
    (b"1", true),
    (b"0", false),
    (b"on", true),
    (b"off", false),
    (b"ja", true),
    (b"nein", false),
    (b"j", true),
    (b"wahr", true),
    (b"falsch", false),
    (b"oui", true),
    (b"non", false),
    (b"vrai", true),
    (b"faux", false),
    (b"si", true),
    ("sí".as_bytes(), true),
    ("sì".as_bytes(), true),
];

/// What says yes, or no, in lower case; any case will do.
pub(crate) fn boolean_words(value: bool) -> impl Iterator<Item = &'static str> {
    WORDS.iter().filter(move |(_, meant)| *meant == value).filter_map(|(word, _)| std::str::from_utf8(word).ok())
}

/// Whether a text says yes or no.
pub(crate) fn boolean(text: &[u8]) -> Option<bool> {
    WORDS.iter().find(|(word, _)| text.eq_ignore_ascii_case(word)).map(|(_, value)| *value)
}
