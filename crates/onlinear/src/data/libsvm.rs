//! LIBSVM/svmlight text: `label index:value index:value … # comment`.
//!
//! Indices count from 1, or from 0 where that is asked for, and rise. `qid:` pairs and comments are skipped, a row may
//! lack its label (then it can only be predicted) or have several (`3,17 5:1`).

use super::batch::Batch;
use super::format::{Content, Format, RowShape};
use super::number::{NotANumber, excerpt, number_at};
use super::row_builder::{Fault, RowBuilder};
use super::vocabulary::{MOST_FEATURES, Vocabulary};
use crate::error::{Cure, Message};

/// The largest index has at most this many digits.
const INDEX_DIGITS: usize = 10;

/// The declaration.
pub(crate) const FORMAT: Format = Format {
    names: &["libsvm", "svmlight"],
    endings: &["svm", "libsvm", "svmlight"],
    content: Content::Line(is_libsvm),
    shape: |_, _| RowShape::Numbered,
    open: |opening, bytes| {
        let from_model = matches!(opening.lookup.about.vocabulary, Vocabulary::Indexed { first: 0 });
        match opening.options.zero_based || from_model {
            true => opening.lines(bytes, parse::<0>),
            false => opening.lines(bytes, parse::<1>),
        }
    },
};

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

/// What stands where a digit of an index should: the end of the row, or something to skip.
#[cold]
fn skip(line: &[u8], at: usize) -> Result<Option<usize>, Fault> {
    match line[at] {
        b'\n' | b'#' => Ok(None),
        b'\t' | b'\r' | b'\x0b' | b'\x0c' => Ok(Some(at + 1)),
        b'q' if line[at..].starts_with(b"qid:") => Ok(Some(at + word(line, at).len())),
        _ => Err((at, format!("expected index:value, found {}", found(line, at)).into())),
    }
}

/// Says what is wrong with the index from `start` to `end`, which follows `previous`, both as if they counted from 1
/// and not from `first`; the largest allowed is `most`.
#[cold]
fn bad_index(line: &[u8], start: usize, end: usize, index: u64, previous: u64, most: u64, first: u64) -> Fault {
    let text = excerpt(&line[start..end]);
    let message = if line[end] != b':' {
        format!("expected ':' after index {text}, found {}", found(line, end))
    } else if end - start > INDEX_DIGITS || index > MOST_FEATURES as u64 {
        format!("index {text} is too large; the largest is {MOST_FEATURES}")
    } else if index == 0 {
        return (start, Message::from("index 0; indices count from 1").and(Cure::CountFromZero));
    } else if index > most {
        format!("index {text} is beyond the {most} features declared")
    } else if index == previous {
        format!("index {text} is there twice")
    } else {
        format!("index {text} after {}; indices must increase", previous + first - 1)
    };
    (start, message.into())
}

/// The bytes from `at` to the next space.
fn word(line: &[u8], at: usize) -> &[u8] {
    let length = line[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
    &line[at..at + length]
}

/// What stands at `at`, for a message.
fn found(line: &[u8], at: usize) -> String {
    match line[at] {
        b'\n' | b'\r' => "the end of the line".to_string(),
        byte if byte.is_ascii_whitespace() => "a space".to_string(),
        _ => format!("'{}'", excerpt(word(line, at))),
    }
}

#[cold]
fn bad_value(line: &[u8], at: usize, reason: NotANumber) -> Fault {
    match word(line, at) {
        [] => (at, "expected a value after ':'".into()),
        text => (at, reason.explain(text).into()),
    }
}

/// Parses the line at the front of `line` and gives how far it got.
fn parse<const FIRST: u64>(row: &mut RowBuilder, line: &[u8], number: u64, batch: &mut Batch) -> Result<usize, Fault> {
    let mut at = line.iter().take_while(|&&b| b != b'\n' && b.is_ascii_whitespace()).count();
    if matches!(line[at], b'\n' | b'#') {
        return Ok(at); // a blank line or a comment
    }
    let (label_at, label) = (at, word(line, at));
    // A row may start with a feature.
    let label = Some(label).filter(|label| !label.contains(&b':'));
    at += label.map_or(0, <[u8]>::len);
    let most_features = row.room.features as u64;
    let mut previous = 0u64;
    loop {
        while line[at] == b' ' {
            at += 1;
        }
        let start = at;
        let mut index = u64::from(line[at].wrapping_sub(b'0'));
        if index > 9 {
            match skip(line, at)? {
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
        index = index.wrapping_add(1 - FIRST);
        // One branch for all that can be wrong.
        let long = at - start > INDEX_DIGITS;
        if (line[at] != b':') | (index <= previous) | (index > most_features) | long {
            return Err(bad_index(line, start, at, index, previous, most_features, FIRST));
        }
        previous = index;
        let value_at = at + 1;
        let value;
        (value, at) = number_at(line, value_at).map_err(|reason| bad_value(line, value_at, reason))?;
        if !line[at].is_ascii_whitespace() {
            return Err(bad_value(line, value_at, NotANumber::Malformed));
        }
        if value != 0.0 {
            batch.rows.push((index - 1) as u32, value);
        }
    }
    row.hash_indices(batch).map_err(|message| (label_at, message))?;
    row.end(label.map(|label| (label_at, label)), 1.0, number, batch)?;
    row.note_index(previous as usize);
    Ok(at)
}

#[cfg(test)]
mod tests {
    use crate::data::ReadOptions;
    use crate::data::format::testing::read_files;

    #[test]
    fn indices_may_count_from_0() {
        let text = b"1 0:2 3:1\n-1 1:5\n";
        let error = read_files(&[("a.svm", text)], &ReadOptions::default()).error;
        let why = "index 0; indices count from 1; they can be read as counting from 0";
        assert_eq!(error, Some(format!("FILE:1:3: {why}")));
        let zero_based = ReadOptions { zero_based: true, ..Default::default() };
        let seen = read_files(&[("a.svm", text)], &zero_based);
        assert_eq!((seen.short(), seen.features), (vec!["1: 0=2 3=1".to_string(), "-1: 1=5".to_string()], 4));
        // What a model remembers.
        let like = ReadOptions { vocabulary: seen.vocabulary, ..Default::default() };
        assert_eq!(read_files(&[("a.svm", b"1 0:7\n")], &like).short(), ["1: 0=7"]);
        let error = read_files(&[("a.svm", b"1 0:1 3:1 2:1\n")], &zero_based).error;
        assert_eq!(error.as_deref(), Some("FILE:1:11: index 2 after 3; indices must increase"));
        let error = read_files(&[("a.csv", b"x,y\n1,0\n")], &zero_based).error;
        assert!(error.is_some_and(|error| error.starts_with("indices from 0 are for LIBSVM text; ")));
    }

    #[test]
    fn labels_are_read_as_others() {
        let aliases = "no.=no,yes.=yes".parse().expect("aliases");
        let options = ReadOptions { aliases, ..Default::default() };
        let seen = read_files(&[("a.svm", b"no. 1:1\nyes 1:2\nyes. 1:3\nno 1:4\nno. 1:5\n")], &options);
        assert_eq!(seen.short(), ["no: 1=1", "yes: 1=2", "yes: 1=3", "no: 1=4", "no: 1=5"]);
        assert_eq!(seen.labels, ["no", "yes"]);
    }
}
