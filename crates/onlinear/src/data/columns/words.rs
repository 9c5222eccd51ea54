//! Free text as a bag of words.

/// Hands over each word of a text in lower case, and up to so many words in a row with spaces between them. A word is
/// a run of letters and digits.
pub(super) fn for_each_ngram(text: &str, ngrams: usize, mut each: impl FnMut(&str)) {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().for_each(|word| each(word));
    for length in 2..=ngrams {
        words.windows(length).for_each(|words| each(&words.join(" ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        let ngrams = |text: &str, most: usize| {
            let mut all = Vec::new();
            for_each_ngram(text, most, |ngram| all.push(ngram.to_string()));
            all
        };
        assert_eq!(ngrams("Don't stop, Übermut 2!", 1), ["don", "t", "stop", "übermut", "2"]);
        assert_eq!(ngrams("a b c", 3), ["a", "b", "c", "a b", "b c", "a b c"]);
        assert_eq!(ngrams(" .,- ", 2), [""; 0]);
    }
}
