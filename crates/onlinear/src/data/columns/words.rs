//! Free text as a bag of words.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::data::number::excerpt;
use crate::error::{Cure, Message};

/// The words of a text: runs of letters and digits.
fn words(text: &str) -> Vec<&str> {
    let is_word = |word: &&str| !word.is_empty();
    if !text.is_ascii() {
        return text.split(|c: char| !c.is_alphanumeric()).filter(is_word).collect();
    }
    let (mut words, mut start) = (Vec::new(), 0);
    for (at, byte) in text.bytes().enumerate() {
        if !byte.is_ascii_alphanumeric() {
            words.extend(Some(&text[start..at]).filter(is_word));
            start = at + 1;
        }
    }
    words.extend(Some(&text[start..]).filter(is_word));
    words
}

/// The words of a text in lower case, and then up to so many words in a row with spaces between them, as they stand
/// there.
fn ngrams(lower: &str, ngrams: u8) -> Vec<Cow<'_, str>> {
    let words = words(lower);
    let longer = (2..=usize::from(ngrams)).flat_map(|length| words.windows(length));
    let longer: Vec<String> = longer.map(|words| words.join(" ")).collect();
    words.into_iter().map(Cow::Borrowed).chain(longer.into_iter().map(Cow::Owned)).collect()
}

fn lower(text: &[u8]) -> Result<String, Message> {
    let refused = || Message::from(format!("'{}' is not UTF-8", excerpt(text))).and(Cure::NameEncoding);
    let text = std::str::from_utf8(text).map_err(|_| refused())?;
    Ok(if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase() })
}

/// Hands over each word of a text, and each few words in a row, once, in the order of letters.
pub(super) fn for_each_word(
    text: &[u8],
    most: u8,
    each: &mut impl FnMut(&str) -> Result<(), Message>,
) -> Result<(), Message> {
    let lower = lower(text)?;
    if most == 1 {
        let mut all = words(&lower);
        all.sort_unstable();
        all.dedup();
        return all.into_iter().try_for_each(each);
    }
    let mut all = ngrams(&lower, most);
    all.sort_unstable();
    all.dedup();
    all.iter().try_for_each(|ngram| each(ngram))
}

/// The same in the order in which they first stand there.
pub(super) fn words_as_they_come(text: &[u8], most: u8) -> Result<Vec<String>, Message> {
    let lower = lower(text)?;
    let mut seen = HashSet::new();
    let all = ngrams(&lower, most).into_iter().map(Cow::into_owned);
    Ok(all.filter(|ngram| seen.insert(ngram.clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        let come = |text: &str, most: u8| words_as_they_come(text.as_bytes(), most).expect("UTF-8");
        assert_eq!(come("Don't stop, Übermut 2!", 1), ["don", "t", "stop", "übermut", "2"]);
        assert_eq!(come("a b A c", 3), ["a", "b", "c", "a b", "b a", "a c", "a b a", "b a c"]);
        assert_eq!(come(" .,- ", 2), [""; 0]);
        let mut all = Vec::new();
        let mut push = |word: &str| {
            all.push(word.to_string());
            Ok(())
        };
        for_each_word(b"the cat, the hat", 1, &mut push).expect("UTF-8");
        for_each_word("Übermut b".as_bytes(), 2, &mut push).expect("UTF-8");
        assert!(for_each_word(b"caf\xe9", 1, &mut push).is_err());
        assert_eq!(all, ["cat", "hat", "the", "b", "übermut", "übermut b"]);
    }
}
