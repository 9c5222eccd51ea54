//! What labels mean, whichever way they are written.

use std::cmp::Ordering;

use crate::learner::Label;

/// A label's meaning: `1`, `+1` and `1.0` are the same number; words are themselves, and come after all numbers.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Meaning<'a> {
    Number(DecimalLabel),
    Word(&'a str),
}

impl<'a> Meaning<'a> {
    fn of(text: &'a str) -> Meaning<'a> {
        DecimalLabel::of(text).map_or(Meaning::Word(text), Meaning::Number)
    }
}

/// A number as it is written, to the last digit: ±0.ddd… · 10^exponent, the first digit not 0, nor the last.
#[derive(Debug, PartialEq, Eq)]
struct DecimalLabel {
    is_negative: bool,
    exponent: i64,
    digits: String,
}

impl DecimalLabel {
    /// The number that `text` is, if it is finite.
    fn of(text: &str) -> Option<DecimalLabel> {
        text.parse::<f64>().ok().filter(|number| number.is_finite())?;
        let (is_negative, size) = match text.as_bytes()[0] {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, power) = size.split_once(['e', 'E']).unwrap_or((size, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [whole, fraction].concat();
        let digits = all.trim_start_matches('0');
        if digits.is_empty() {
            return Some(DecimalLabel { is_negative: false, exponent: i64::MIN, digits: String::new() });
        }
        // A finite number with a longer power is next to 0.
        let power = power.parse::<i64>().unwrap_or(i64::MIN / 2);
        let exponent = power + whole.len() as i64 - (all.len() - digits.len()) as i64;
        Some(DecimalLabel { is_negative, exponent, digits: digits.trim_end_matches('0').to_string() })
    }

    /// Whether it is this digit, and no more.
    fn is(&self, digit: &str) -> bool {
        self.digits == digit && (digit.is_empty() || self.exponent == 1)
    }
}

impl Ord for DecimalLabel {
    fn cmp(&self, other: &DecimalLabel) -> Ordering {
        let sizes = || (self.exponent, &self.digits).cmp(&(other.exponent, &other.digits));
        match (self.is_negative, other.is_negative) {
            (false, false) => sizes(),
            (true, true) => sizes().reverse(),
            (one, another) => another.cmp(&one),
        }
    }
}

impl PartialOrd for DecimalLabel {
    fn partial_cmp(&self, other: &DecimalLabel) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Which of two labels comes first; they are equal where they mean the same.
pub(super) fn order(a: &str, b: &str) -> Ordering {
    Meaning::of(a).cmp(&Meaning::of(b))
}

/// The class of −1, 0 or +1.
pub(super) fn sign(text: &str) -> Option<Label> {
    let number = DecimalLabel::of(text)?;
    match number.is_negative {
        false if number.is("1") => Some(Label::Positive),
        true if number.is("1") => Some(Label::Negative),
        _ => number.is("").then_some(Label::Negative),
    }
}
