//! LIBSVM/svmlight text: `label index:value index:value … # comment`.
//!
//! Indices count from 1 and rise. `qid:` pairs and comments are skipped, a row may lack its label
//! (then it can only be predicted) or have several (`3,17 5:1`).

use super::batch::Batch;
use super::format::{Content, Format, FormatKind, LineFormat, RowReader};
use super::labels::{LabelId, LabelTable, NO_LABEL};
use super::number::{excerpt, number_at};
use super::vocabulary::{MOST_FEATURES, Room, Vocabulary};
use crate::error::Message;

/// What is wrong with a row, and how many bytes into its line.
pub(crate) type Fault = (usize, Message);

/// The largest index has at most this many digits.
const INDEX_DIGITS: usize = 10;

/// The declaration.
pub(crate) const FORMAT: Format = Format(&FormatKind {
    names: &["libsvm", "svmlight"],
    endings: &["svm", "libsvm", "svmlight"],
    content: Content::Line(is_libsvm),
    is_named: false,
    open: |opening| opening.lines(Libsvm::new),
});

/// Whether a line holds pairs before its comment, and something after its label.
fn is_libsvm(line: &[u8]) -> bool {
    let mut tokens = line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty()).skip(1).peekable();
    tokens.peek().is_some() && tokens.take_while(|token| !token.starts_with(b"#")).all(is_pair)
}

/// Whether a token is `index:value` or `qid:group`.
fn is_pair(token: &[u8]) -> bool {
    let digits = token.iter().take_while(|b| b.is_ascii_digit()).count();
    token.starts_with(b"qid:") || (digits > 0 && token.get(digits) == Some(&b':'))
}

pub(crate) struct Libsvm {
    labels: LabelTable,
    vocabulary: Vocabulary,
    /// One more than the largest index met.
    features: usize,
    /// A larger index is refused.
    most_features: usize,
    hashed: Vec<(u32, f64)>,
}

impl Libsvm {
    pub(crate) fn new(vocabulary: Vocabulary, room: Room) -> Libsvm {
        let labels = LabelTable::within(room.bytes);
        Libsvm { labels, vocabulary, features: 0, most_features: room.features, hashed: Vec::new() }
    }

    /// The id of the label at the front of the line, `length` bytes long.
    fn label(&mut self, line: &[u8], at: usize, length: usize) -> Result<LabelId, Fault> {
        if length == 0 {
            return Ok(NO_LABEL);
        }
        self.labels.id_or_refuse(&line[at..at + length]).map_err(|message| (at, message))
    }

    /// What stands where a digit of an index should: the end of the row, or something to skip.
    #[cold]
    fn skip(line: &[u8], at: usize) -> Result<Option<usize>, Fault> {
        match line[at] {
            b'\n' | b'#' => Ok(None),
            b'\t' | b'\r' | b'\x0b' | b'\x0c' => Ok(Some(at + 1)),
            b'q' if line[at..].starts_with(b"qid:") => {
                Ok(Some(at + line[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count()))
            }
            _ => Err((at, format!("expected index:value, found {}", found(line, at)).into())),
        }
    }

    /// Says what is wrong with the index that starts at `start`.
    #[cold]
    fn bad_index(&self, line: &[u8], start: usize, end: usize, index: u64, previous: u64) -> Fault {
        let text = excerpt(&line[start..end]);
        let message = if line[end] != b':' {
            format!("expected ':' after index {text}, found {}", found(line, end))
        } else if end - start > INDEX_DIGITS || index > MOST_FEATURES as u64 {
            format!("index {text} is too large; the largest is {MOST_FEATURES}")
        } else if index == 0 {
            "index 0; indices count from 1".to_string()
        } else if index > self.most_features as u64 {
            format!("index {text} is beyond the {} features declared", self.most_features)
        } else if index == previous {
            format!("index {text} is there twice")
        } else {
            format!("index {text} after {previous}; indices must increase")
        };
        (start, message.into())
    }

    /// Replaces the row's indices by the hashes of what they are called.
    fn hash_row(&mut self, batch: &mut Batch) -> Result<(), Message> {
        let (indices, values) = batch.rows.partial_row();
        self.hashed.clear();
        for (&index, &value) in indices.iter().zip(values) {
            let name = (u64::from(index) + 1).to_string();
            self.hashed.extend(self.vocabulary.place(name.as_bytes()).map(|place| (place, value)));
        }
        batch.rows.drop_partial_row();
        push_merged(&mut self.hashed, batch)
    }
}

/// Appends components in any order to the row being built; those at one place are added up.
pub(crate) fn push_merged(components: &mut Vec<(u32, f64)>, batch: &mut Batch) -> Result<(), Message> {
    components.sort_by_key(|&(place, _)| place); // stable: equal places add up in the data's order
    components.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    for &(place, value) in components.iter().filter(|&&(_, value)| value != 0.0) {
        if !value.is_finite() {
            return Err("the values of one feature add up beyond the largest number".into());
        }
        batch.rows.push(place, value);
    }
    Ok(())
}

/// How long the label at `at` is; 0 if the row starts with a feature.
fn label_length(line: &[u8], at: usize) -> usize {
    let length = line[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
    if line[at..at + length].contains(&b':') { 0 } else { length }
}

/// What stands at `at`, for a message.
fn found(line: &[u8], at: usize) -> String {
    match line[at] {
        b'\n' | b'\r' => "the end of the line".to_string(),
        byte if byte.is_ascii_whitespace() => "a space".to_string(),
        _ => {
            let length = line[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
            format!("'{}'", excerpt(&line[at..at + length]))
        }
    }
}

impl LineFormat for Libsvm {
    fn parse(&mut self, line: &[u8], number: u64, batch: &mut Batch) -> Result<usize, Fault> {
        let mut at = line.iter().take_while(|&&b| b != b'\n' && b.is_ascii_whitespace()).count();
        if matches!(line[at], b'\n' | b'#') {
            return Ok(at); // a blank line or a comment
        }
        let (label_at, label_length) = (at, label_length(line, at));
        at += label_length;
        let most_features = self.most_features as u64;
        let mut previous = 0u64;
        loop {
            while line[at] == b' ' {
                at += 1;
            }
            let start = at;
            let mut index = u64::from(line[at].wrapping_sub(b'0'));
            if index > 9 {
                match Libsvm::skip(line, at)? {
                    Some(next) => at = next,
                    None => break,
                }
                continue;
            }
            loop {
                at += 1;
                let digit = line[at].wrapping_sub(b'0');
                if digit > 9 {
                    break;
                }
                index = index.wrapping_mul(10).wrapping_add(u64::from(digit));
            }
            // One branch for all that can be wrong.
            let long = at - start > INDEX_DIGITS;
            if (line[at] != b':') | (index <= previous) | (index > most_features) | long {
                return Err(self.bad_index(line, start, at, index, previous));
            }
            previous = index;
            let value_at = at + 1;
            let value;
            (value, at) = number_at(line, value_at).map_err(|reason| bad_value(line, value_at, reason))?;
            if !line[at].is_ascii_whitespace() {
                return Err(bad_value(line, value_at, super::number::NotANumber::Malformed));
            }
            if value != 0.0 {
                batch.rows.push((index - 1) as u32, value);
            }
        }
        if matches!(self.vocabulary, Vocabulary::Hashed { .. }) {
            self.hash_row(batch).map_err(|message| (label_at, message))?;
        }
        // Last, so that the label of a bad row is not taken for a class.
        let label = self.label(line, label_at, label_length)?;
        self.features = self.features.max(previous as usize);
        batch.end_row(label, 1.0, number);
        Ok(at)
    }
}

#[cold]
fn bad_value(line: &[u8], at: usize, reason: super::number::NotANumber) -> Fault {
    let length = line[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
    if length == 0 {
        return (at, "expected a value after ':'".into());
    }
    (at, reason.explain(&line[at..at + length]).into())
}

impl RowReader for Libsvm {
    fn labels(&self) -> &LabelTable {
        &self.labels
    }

    fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    fn features(&self) -> usize {
        match self.vocabulary {
            Vocabulary::Indexed => self.features,
            _ => self.vocabulary.len(),
        }
    }

    fn format(&self) -> Format {
        FORMAT
    }
}
