//! One JSON object on a line, walked through without being built.

use crate::data::number::excerpt;
use crate::data::row_builder::Fault;
use crate::error::Message;

/// Objects within objects, at most.
const DEEPEST: usize = 64;

/// A value that is no object with values of its own, or an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar<'a> {
    /// Nothing, or an object without values.
    Null,
    Boolean(bool),
    /// A number as it is written; `NaN` and its kin too, which many programs write.
    Number(&'a [u8]),
    Text(&'a [u8]),
    /// An array, as it is written: of no use, but where it is left out.
    Array(&'a [u8]),
}

/// What is wrong with an array that is not left out.
pub(super) fn no_array(key: &[u8]) -> Message {
    format!("'{}' is an array; each of its values must have a name", excerpt(key)).into()
}

impl<'a> Scalar<'a> {
    /// What it is called as a label or as a value of a category; none where there is nothing.
    pub(super) fn text(self) -> Option<&'a [u8]> {
        let text: &[u8] = match self {
            Scalar::Null => b"",
            Scalar::Boolean(true) => b"true",
            Scalar::Boolean(false) => b"false",
            Scalar::Number(text) | Scalar::Array(text) => text,
            Scalar::Text(text) => text.trim_ascii(),
        };
        Some(text).filter(|text| !text.is_empty())
    }
}

/// What is done with a value: its key, itself, and where it stands.
pub(super) type Visit<'a> = dyn FnMut(&[u8], Scalar<'_>, usize) -> Result<(), Fault> + 'a;

/// What walking an object needs again and again.
#[derive(Clone, Default)]
pub(super) struct Walker {
    /// The key of the value at hand; those of objects within objects have points between them.
    key: Vec<u8>,
    /// A text without its escapes.
    text: Vec<u8>,
}

impl Walker {
    /// Hands over every value of the object on the line, with its key and the place where it stands. The line ends
    /// with a newline; nothing may stand behind the object. Gives the place behind it, or none for a blank line.
    pub(super) fn walk(&mut self, line: &[u8], each: &mut Visit<'_>) -> Result<Option<usize>, Fault> {
        let at = spaces(line, 0);
        match line[at] {
            b'\n' => return Ok(None),
            b'{' => {}
            b'[' => {
                return Err((at, "expected an object on each line, found an array; `jq -c .[]` writes them so".into()));
            }
            _ => return Err((at, format!("expected {{, found {}", found(line, at)).into())),
        }
        self.key.clear();
        let at = self.object(line, at, 0, each)?;
        let end = spaces(line, at);
        match line[end] {
            b'\n' => Ok(Some(end)),
            _ => Err((end, format!("expected the end of the line, found {}", found(line, end)).into())),
        }
    }

    /// The object whose brace is at `at`; gives the place behind it.
    fn object(&mut self, line: &[u8], at: usize, depth: usize, each: &mut Visit<'_>) -> Result<usize, Fault> {
        if depth == DEEPEST {
            return Err((at, format!("more than {DEEPEST} objects within each other").into()));
        }
        let prefix = self.key.len();
        let mut at = spaces(line, at + 1);
        if line[at] == b'}' {
            return Ok(at + 1);
        }
        loop {
            if line[at] != b'"' {
                return Err((at, format!("expected a name in quotes, found {}", found(line, at)).into()));
            }
            self.key.truncate(prefix);
            at = match plain(line, at) {
                Some(end) => {
                    self.key.extend_from_slice(&line[at + 1..end]);
                    end + 1
                }
                None => unescape(line, at, &mut self.key)?,
            };
            at = spaces(line, at);
            if line[at] != b':' {
                return Err((at, format!("expected : behind a name, found {}", found(line, at)).into()));
            }
            at = spaces(line, at + 1);
            at = match line[at] {
                b'{' => self.inner_object(line, at, depth, each)?,
                _ => self.scalar(line, at, each)?,
            };
            at = spaces(line, at);
            match line[at] {
                b',' => at = spaces(line, at + 1),
                b'}' => return Ok(at + 1),
                _ => return Err((at, format!("expected , or }}, found {}", found(line, at)).into())),
            }
        }
    }

    /// The object at `at`, within another one; gives the place behind it.
    fn inner_object(&mut self, line: &[u8], at: usize, depth: usize, each: &mut Visit<'_>) -> Result<usize, Fault> {
        let end = spaces(line, at + 1);
        if line[end] == b'}' {
            each(&self.key, Scalar::Null, at)?;
            return Ok(end + 1);
        }
        self.key.push(b'.');
        self.object(line, at, depth + 1, each)
    }

    /// The value at `at`, which is no object; gives the place behind it.
    #[inline]
    fn scalar(&mut self, line: &[u8], at: usize, each: &mut Visit<'_>) -> Result<usize, Fault> {
        if line[at] == b'"' {
            if let Some(end) = plain(line, at) {
                each(&self.key, Scalar::Text(&line[at + 1..end]), at)?;
                return Ok(end + 1);
            }
            self.text.clear();
            let end = unescape(line, at, &mut self.text)?;
            each(&self.key, Scalar::Text(&self.text), at)?;
            return Ok(end);
        }
        let is_of_word = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
        let word = &line[at..at + line[at..].iter().take_while(is_of_word).count()];
        let value = match word {
            b"null" => Scalar::Null,
            b"true" => Scalar::Boolean(true),
            b"false" => Scalar::Boolean(false),
            [b'0'..=b'9' | b'-', ..] | b"NaN" | b"Infinity" => Scalar::Number(word),
            _ if line[at] == b'[' => {
                let end = array_end(line, at)?;
                each(&self.key, Scalar::Array(&line[at..end]), at)?;
                return Ok(end);
            }
            _ => return Err((at, format!("expected a value, found {}", found(line, at)).into())),
        };
        each(&self.key, value, at)?;
        Ok(at + word.len())
    }
}

/// The place behind the array at `start`, whatever is in it.
#[cold]
fn array_end(line: &[u8], start: usize) -> Result<usize, Fault> {
    let (mut at, mut depth) = (start, 0);
    loop {
        match line[at] {
            b'\n' => return Err((start, "an array is not closed on this line".into())),
            b'"' => at += text_length(&line[at..]).ok_or((at, "a text is not closed on this line".into()))?,
            sign => {
                depth += usize::from(matches!(sign, b'[' | b'{'));
                depth -= usize::from(matches!(sign, b']' | b'}'));
                at += 1;
            }
        }
        if depth == 0 {
            return Ok(at);
        }
    }
}

/// How long the text in quotes is that a line goes on with.
fn text_length(line: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    let end = line.iter().skip(1).position(|&byte| {
        let is_end = byte == b'\n' || byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })?;
    (line[end + 1] == b'"').then_some(end + 2)
}

/// The place of the next byte that is no space.
#[inline]
fn spaces(line: &[u8], mut at: usize) -> usize {
    while matches!(line[at], b' ' | b'\t' | b'\r') {
        at += 1;
    }
    at
}

/// The place of the quote that closes the text whose first quote is at `at`, if nothing in it is escaped.
#[inline]
fn plain(line: &[u8], at: usize) -> Option<usize> {
    let end = at + 1 + line[at + 1..].iter().position(|b| matches!(b, b'"' | b'\\' | b'\n'))?;
    (line[end] == b'"').then_some(end)
}

/// Appends what the text in quotes at `at` means; gives the place behind it.
#[cold]
fn unescape(line: &[u8], start: usize, text: &mut Vec<u8>) -> Result<usize, Fault> {
    let mut at = start + 1;
    loop {
        match line[at] {
            b'"' => return Ok(at + 1),
            b'\n' => return Err((start, "a text is not closed on this line".into())),
            b'\\' => {
                let sign = match line[at + 1] {
                    sign @ (b'"' | b'\\' | b'/') => char::from(sign),
                    b'b' => '\u{8}',
                    b'f' => '\u{c}',
                    b'n' => '\n',
                    b'r' => '\r',
                    b't' => '\t',
                    b'u' => {
                        let (sign, length) = coded(&line[at..])
                            .ok_or_else(|| (at, format!("{} is no character", found(line, at)).into()))?;
                        at += length - 2;
                        sign
                    }
                    _ => return Err((at, format!("expected an escape, found {}", found(line, at)).into())),
                };
                text.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes());
                at += 2;
            }
            byte => {
                text.push(byte);
                at += 1;
            }
        }
    }
}

/// The character that `\u` and four digits, or two such, stand for, and how long they are.
fn coded(text: &[u8]) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = std::str::from_utf8(text.get(at + 2..at + 6)?).ok()?;
        let is_unit = text[at..].starts_with(b"\\u") && digits.bytes().all(|b| b.is_ascii_hexdigit());
        is_unit.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    };
    let first = unit(0)?;
    let second = matches!(first, 0xd800..=0xdbff).then(|| unit(6)).flatten();
    let length = if second.is_some() { 12 } else { 6 };
    let sign = char::decode_utf16([first].into_iter().chain(second)).next()?.ok()?;
    Some((sign, length))
}

/// What stands at `at`, for a message.
#[cold]
fn found(line: &[u8], at: usize) -> String {
    let word = line[at..].split(|b| b.is_ascii_whitespace() || b",:{}[]".contains(b)).next().unwrap_or_default();
    match line[at] {
        b'\n' => "the end of the line".to_string(),
        sign if word.is_empty() => format!("'{}'", char::from(sign)),
        _ => format!("'{}'", excerpt(word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(line: &str) -> Result<Vec<(String, String)>, String> {
        let mut all = Vec::new();
        let walked = Walker::default().walk(format!("{line}\n").as_bytes(), &mut |key, value, _| {
            all.push((String::from_utf8_lossy(key).into_owned(), format!("{value:?}")));
            Ok(())
        });
        walked.map(|_| all).map_err(|(at, message)| format!("{at}: {message}"))
    }

    fn texts(line: &str) -> Vec<String> {
        let mut all = Vec::new();
        let walked = Walker::default().walk(format!("{line}\n").as_bytes(), &mut |key, value, _| {
            let text = value.text().unwrap_or(b"-");
            all.push(format!("{}={}", String::from_utf8_lossy(key), String::from_utf8_lossy(text)));
            Ok(())
        });
        assert!(walked.is_ok(), "{line}: {walked:?}");
        all
    }

    #[test]
    fn values_have_the_keys_of_the_objects_they_are_in() {
        assert_eq!(
            texts(r#" { "a" : 1 , "b":{"c":{"d":true},"e":"x y"} ,"f":null,"g":{ }} "#),
            ["a=1", "b.c.d=true", "b.e=x y", "f=-", "g=-"]
        );
        assert_eq!(texts("{}"), [""; 0]);
        assert_eq!(texts("  \r"), [""; 0]);
        assert_eq!(texts(r#"{"":-1.5e3,"n":NaN,"i":-Infinity}"#), ["=-1.5e3", "n=NaN", "i=-Infinity"]);
    }

    #[test]
    fn arrays_are_handed_over_as_they_are_written() {
        let line = r#"{"a":[],"b":[1,[2,"]\"\\"],{"c":"}"}] ,"d":3}"#;
        assert_eq!(texts(line), ["a=[]", r#"b=[1,[2,"]\"\\"],{"c":"}"}]"#, "d=3"]);
    }

    #[test]
    fn escapes_are_what_they_stand_for() {
        assert_eq!(texts(r#"{"a\"\u00e9":"\\\/\u2713\ud834\udd1e"}"#), ["a\"é=\\/✓𝄞"]);
        assert_eq!(texts(r#"{"a":"x\ty\n"}"#), ["a=x\ty"]);
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        for (line, error) in [
            ("1", "0: expected {, found '1'"),
            ("[{}]", "0: expected an object on each line, found an array; `jq -c .[]` writes them so"),
            ("{", "1: expected a name in quotes, found the end of the line"),
            (r#"{"a"}"#, "4: expected : behind a name, found '}'"),
            (r#"{"a":}"#, "5: expected a value, found '}'"),
            (r#"{"a":yes}"#, "5: expected a value, found 'yes'"),
            (r#"{"a":1 2}"#, "7: expected , or }, found '2'"),
            (r#"{"a":1,}"#, "7: expected a name in quotes, found '}'"),
            (r#"{"a":"x"#, "5: a text is not closed on this line"),
            (r#"{"a":"\x"}"#, "6: expected an escape, found '\\\\x\\\"'"),
            (r#"{"a":"\ud834"}"#, "6: '\\\\ud834\\\"' is no character"),
            (r#"{"a":[1}"#, "8: expected , or }, found the end of the line"),
            (r#"{"a":[1,"]}"#, "8: a text is not closed on this line"),
            (r#"{"a":[1,{"b":2}"#, "5: an array is not closed on this line"),
            (r#"{"a":1}{"#, "7: expected the end of the line, found '{'"),
        ] {
            assert_eq!(walked(line), Err(error.to_string()), "{line}");
        }
        let deep = "{\"a\":".repeat(100);
        assert_eq!(walked(&deep), Err("320: more than 64 objects within each other".to_string()));
    }
}
