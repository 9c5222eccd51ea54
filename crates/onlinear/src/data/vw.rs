//! Vowpal Wabbit text: `label importance 'tag|namespace:scale name:value name … |namespace …`.
//!
//! A feature of namespace `ns` is called `ns^name`, one of the namespace without a name `name`. As
//! in Vowpal Wabbit a word glued to the first bar is a tag, even if it is a number.

use super::batch::Batch;
use super::format::{Content, Format, RowShape};
use super::number::{self, excerpt};
use super::row_builder::{Fault, NameUse, RowBuilder};

/// The declaration.
pub(crate) const FORMAT: Format = Format {
    names: &["vw"],
    endings: &["vw"],
    content: Content::Line(|line| line.contains(&b'|')),
    shape: |_, _| RowShape::Named,
    open: |opening, bytes| opening.lines(bytes, parse),
};

/// What a byte is to a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Part of it.
    Letter,
    /// Part of it that may end the name of a namespace.
    Caret,
    Colon,
    Space,
    /// The end of a namespace, and with the newline of the line.
    Bar,
}

static SIGNS: [Sign; 256] = {
    let mut signs = [Sign::Letter; 256];
    let mut byte = 0;
    while byte < 256 {
        signs[byte] = match byte as u8 {
            b'\n' | b'|' => Sign::Bar,
            b':' => Sign::Colon,
            b'^' => Sign::Caret,
            space if space.is_ascii_whitespace() => Sign::Space,
            _ => Sign::Letter,
        };
        byte += 1;
    }
    signs
};

fn sign(line: &[u8], at: usize) -> Sign {
    SIGNS[usize::from(line[at])]
}

/// Where the name that starts at `at` ends, and whether there is a caret in it.
#[inline]
fn name_end(line: &[u8], mut at: usize) -> (usize, bool) {
    let mut has_caret = false;
    loop {
        match sign(line, at) {
            Sign::Letter => {}
            Sign::Caret => has_caret = true,
            Sign::Colon | Sign::Space | Sign::Bar => return (at, has_caret),
        }
        at += 1;
    }
}

/// The word that goes on at `at`.
fn rest_of_word(line: &[u8], at: usize) -> &[u8] {
    let length = (at..).take_while(|&at| !matches!(sign(line, at), Sign::Space | Sign::Bar)).count();
    &line[at..at + length]
}

/// The value behind the name that ends at `at`, 1 if there is none, and where it ends.
#[inline]
fn value_at(line: &[u8], at: usize) -> Result<(f64, usize), Fault> {
    if sign(line, at) != Sign::Colon {
        return Ok((1.0, at));
    }
    match number::number_at(line, at + 1) {
        Ok((value, end)) if matches!(sign(line, end), Sign::Space | Sign::Bar) => Ok((value, end)),
        _ => {
            let text = rest_of_word(line, at + 1);
            number(text, at + 1).map(|value| (value, at + 1 + text.len()))
        }
    }
}

/// Collects the features of the namespace whose bar is before `at`, and gives where it ends.
fn namespace(row: &mut RowBuilder, line: &[u8], mut at: usize) -> Result<usize, Fault> {
    let mut scale = 1.0;
    row.name.clear();
    if !matches!(sign(line, at), Sign::Space | Sign::Bar) {
        let (end, has_caret) = name_end(line, at);
        let name = &line[at..end];
        if name.is_empty() {
            return Err((at, "expected the name of a namespace before ':'".into()));
        }
        row.note_prefix(name, true, at).map_err(|message| (at, message))?;
        if has_caret {
            note_prefixes(row, name, at)?;
        }
        (scale, at) = value_at(line, end)?;
        row.name.extend_from_slice(name);
        row.name.push(b'^');
    }
    loop {
        match sign(line, at) {
            Sign::Space => at += 1,
            Sign::Bar => return Ok(at),
            _ => at = feature(row, line, at, scale)?,
        }
    }
}

/// Adds the feature at `at`, whose namespace is in `row.name`, and gives where it ends.
#[inline]
fn feature(row: &mut RowBuilder, line: &[u8], at: usize, scale: f64) -> Result<usize, Fault> {
    let (end, has_caret) = name_end(line, at);
    let name = &line[at..end];
    if name.is_empty() {
        return Err((at, format!("feature '{}' has no name", excerpt(rest_of_word(line, at))).into()));
    }
    let (value, next) = value_at(line, end)?;
    let value = scale * value;
    if !value.is_finite() {
        let token = excerpt(&line[at..next]);
        let message = format!("'{token}' times the scale of its namespace is beyond the largest number");
        return Err((at, message.into()));
    }
    let prefix = row.name.len();
    let added = if prefix == 0 {
        if has_caret {
            note_prefixes(row, name, at)?;
        }
        row.add_name(name, value, at, NameUse::Feature)
    } else {
        row.name.extend_from_slice(name);
        let added = row.add_named(value, at);
        row.name.truncate(prefix);
        added
    };
    added.map_err(|message| (at, message))?;
    Ok(next)
}

/// Notes what could be taken for a namespace in a name.
fn note_prefixes(row: &mut RowBuilder, name: &[u8], at: usize) -> Result<(), Fault> {
    let carets = name.iter().enumerate().filter(|&(place, &byte)| place > 0 && byte == b'^');
    let mut prefixes = carets.map(|(place, _)| &name[..place]);
    prefixes.try_for_each(|prefix| row.note_prefix(prefix, false, at)).map_err(|message| (at, message))
}

/// Parses the line at the front of `line` and gives how far it got.
fn parse(row: &mut RowBuilder, line: &[u8], number: u64, batch: &mut Batch) -> Result<usize, Fault> {
    let bar = (0..).find(|&at| sign(line, at) == Sign::Bar).expect("a line ends with a newline");
    if line[bar] == b'\n' {
        return match tokens(&line[..bar], 0).next() {
            None => Ok(bar), // a blank line
            Some((at, _)) => Err((at, "there is no '|' between a label and features".into())),
        };
    }
    let head = head(&line[..bar])?;
    row.begin();
    let mut at = bar;
    while line[at] != b'\n' {
        at = namespace(row, line, at + 1)?;
    }
    row.push_merged(bar, batch)?;
    row.end(head.label, head.importance, number, batch)?;
    Ok(at)
}

/// What stands before the first bar.
struct Head<'a> {
    label: Option<(usize, &'a [u8])>,
    importance: f64,
}

fn head(text: &[u8]) -> Result<Head<'_>, Fault> {
    let mut head = Head { label: None, importance: 1.0 };
    let mut tokens = tokens(text, 0).peekable();
    for place in 0.. {
        let Some((at, token)) = tokens.next() else { break };
        let is_last = tokens.peek().is_none();
        let is_quoted = token.starts_with(b"'");
        if is_last && (is_quoted || at + token.len() == text.len()) {
            break; // a tag
        }
        if is_quoted {
            return Err((at, "a tag must be the last word before '|'".into()));
        }
        match place {
            0 => head.label = Some((at, token)),
            1 => {
                head.importance = number(token, at)?;
                if head.importance < 0.0 {
                    return Err((at, format!("importance {} is negative", excerpt(token)).into()));
                }
            }
            2 if number(token, at)? != 0.0 => {
                return Err((at, format!("initial predictions such as {} are not supported", excerpt(token)).into()));
            }
            2 => {}
            _ => return Err((at, format!("expected '|', found '{}'", excerpt(token)).into())),
        }
    }
    Ok(head)
}

/// The words of `text` and where they are, if `text` starts at `start`.
fn tokens(text: &[u8], start: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let length = text[at..].iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let token = &text[at..at + length];
        at += length;
        (length > 0).then_some((start + at - length, token))
    })
}

fn number(text: &[u8], at: usize) -> Result<f64, Fault> {
    if text.is_empty() {
        return Err((at, "expected a value after ':'".into()));
    }
    number::parse(text).map_err(|reason| (at, reason.explain(text).into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::format::testing::{RowOutcome, read_files};
    use crate::data::{ReadOptions, Vocabulary};
    use proptest::prelude::*;

    fn read_with(text: &str, options: &ReadOptions) -> RowOutcome {
        read_files(&[("data.vw", text.as_bytes())], options)
    }

    fn read(text: &str) -> RowOutcome {
        read_with(text, &ReadOptions::default())
    }

    #[test]
    fn examples_from_the_wild() {
        for (line, expected) in [
            ("0 | price:.23 sqft:.25 age:.05 2006", "0: price=0.23 sqft=0.25 age=0.05 2006=1"),
            ("1 2 'second_house | price:.18 sqft:.15", "1: price=0.18 sqft=0.15"),
            ("0 1 0.0 'third_house | price:.53", "0: price=0.53"),
            (
                "1 1.0 zebra|MetricFeatures:3.28 height:1.5 length:2.0",
                "1: MetricFeatures^height=4.92 MetricFeatures^length=6.56",
            ),
            (
                "1 1.0 |A height:1.5 |Says black with white stripes",
                "1: A^height=1.5 Says^black=1 Says^with=1 Says^white=1 Says^stripes=1",
            ),
            ("| the dog", "?: the=1 dog=1"),
            ("|f a |g a", "?: f^a=1 g^a=1"),
            ("'tag | a", "?: a=1"),
            ("1|f a", "?: f^a=1"),
            ("spam | a a b:2 a:-2", "spam: b=2"),
            ("-1 |i 10:3\t11:1e-1\r", "-1: i^10=3 i^11=0.1"),
            ("1 |", "1:"),
            ("1 ||| a", "1: a=1"),
            ("1 |a|b c", "1: b^c=1"),
            ("+1 | a:0", "+1:"),
            ("1 | é:2 日本", "1: é=2 日本=1"),
        ] {
            let seen = read(line);
            assert_eq!(seen.error, None, "{line}");
            assert_eq!(seen.short(), [expected], "{line}");
        }
    }

    #[test]
    fn importance_is_the_weight() {
        let seen = read("1 2.5 | a\n\n  \r\n1 | a\r\n0 0 't| a");
        let weights: Vec<_> = seen.rows.iter().map(|row| (row.weight, row.line)).collect();
        assert_eq!(weights, [(2.5, 1), (1.0, 4), (0.0, 5)]);
        assert_eq!((seen.format, seen.features), (Some(FORMAT), 1));
    }

    #[test]
    fn every_error_has_its_place() {
        for (line, message) in [
            (" 1 a b", "2: there is no '|' between a label and features"),
            ("1 -1 | a", "3: importance -1 is negative"),
            ("1 x | a", "3: 'x' is not a number"),
            ("1 inf | a", "3: 'inf' is not a finite number"),
            ("1 1 0.5 | a", "5: initial predictions such as 0.5 are not supported"),
            ("1 1 0 0 | a", "7: expected '|', found '0'"),
            ("'t 1 | a", "1: a tag must be the last word before '|'"),
            ("1 | :3", "5: feature ':3' has no name"),
            ("1 |n :3", "6: feature ':3' has no name"),
            ("1 |:3 a", "4: expected the name of a namespace before ':'"),
            ("1 |n:x a", "6: 'x' is not a number"),
            ("1 |n a:1:2", "8: '1:2' is not a number"),
            ("1 |n a:", "8: expected a value after ':'"),
            ("1 |n a b:nan", "10: 'nan' is not a finite number"),
            ("1 |n:1e300 a:1e300", "12: 'a:1e300' times the scale of its namespace is beyond the largest number"),
            ("1 | a:1e308 a:1e308", "3: the values of one feature add up beyond the largest number"),
        ] {
            assert_eq!(read(&format!("1 | a\n{line}\n")).error, Some(format!("FILE:2:{message}")), "{line}");
        }
    }

    #[test]
    fn a_namespace_and_a_name_do_not_share_a_weight() {
        for line in ["1 | a^b |a b", "1 |a b | a^b", "1 |a^b c |a b^c", "1 |a b\n1 | a^b", "1 | a^b\n1 |a b"] {
            let error = read(line).error.expect(line);
            assert!(error.contains("'a^' begins names of features both as a namespace and within a name"), "{error}");
        }
        for line in ["1 | ^_^ x^2 |a b^c d^", "1 |a^b c"] {
            assert_eq!(read(line).error, None, "{line}");
        }
        // A model keeps the names that it has.
        let vocabulary = read("1 |a b\n").vocabulary;
        let seen = read_with("1 | a^b\n", &ReadOptions { vocabulary, ..Default::default() });
        assert_eq!((seen.short(), seen.error), (vec!["1: a^b=1".to_string()], None));
    }

    #[test]
    fn bad_rows_can_be_skipped() {
        let options = ReadOptions { skip_bad_rows: true, ..Default::default() };
        let seen = read_with("1 | a\nheader\n2 | b:x\n0 | c\n", &options);
        assert_eq!(seen.short(), ["1: a=1", "0: c=1"]);
        assert_eq!((seen.bad.len(), seen.error, seen.labels), (2, None, vec!["1".to_string(), "0".to_string()]));
    }

    #[test]
    fn a_model_knows_its_features_and_declared_ones_are_counted() {
        let vocabulary = read("1 |n a b\n").vocabulary.map(Vocabulary::frozen);
        let seen = read_with("1 |n c b:2 |m a\n", &ReadOptions { vocabulary, ..Default::default() });
        assert_eq!((seen.short(), seen.features), (vec!["1: n^b=2".to_string()], 2));
        let options = ReadOptions { features: Some(2), ..Default::default() };
        let error = read_with("1 | a b\n1 | a c\n", &options).error;
        assert_eq!(error.as_deref(), Some("FILE:2:7: feature 'c' is one more than the 2 features declared"));
        let options = ReadOptions { hash: Some(10), ..Default::default() };
        assert_eq!(read_with("1 | a b\n1 | a c\n", &options).features, 1 << 10);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn what_is_written_is_read(
            rows in prop::collection::vec(
                (0..3u8, 0.0..9.0f64, prop::collection::btree_map("[a-z]{1,9}", 0.1..9.0f64, 0..9)),
                0..9,
            ),
        ) {
            let mut text = String::new();
            for (label, importance, features) in &rows {
                text += &format!("{label} {importance} |n");
                for (name, value) in features {
                    text += &format!(" {name}:{value}");
                }
                text.push('\n');
            }
            let seen = read(&text);
            prop_assert_eq!(seen.error, None);
            prop_assert_eq!(seen.rows.len(), rows.len());
            for (row, (label, importance, features)) in seen.rows.iter().zip(rows) {
                let read = row.features.iter().cloned().collect::<std::collections::BTreeMap<_, _>>();
                let written = features.into_iter().map(|(name, value)| (format!("n^{name}"), value)).collect();
                prop_assert_eq!((&row.label, row.weight, read), (&Some(label.to_string()), importance, written));
            }
        }

        #[test]
        fn nothing_panics(
            bytes in prop::collection::vec(prop::sample::select(b"a10.:|'\n\r \t\xff-e".to_vec()), 0..200),
        ) {
            let options = ReadOptions { skip_bad_rows: true, ..Default::default() };
            let error = read_files(&[("data.vw", &bytes)], &options).error;
            prop_assert!(error.as_ref().is_none_or(|error| error.contains("carriage return alone")), "{error:?}");
        }
    }
}
