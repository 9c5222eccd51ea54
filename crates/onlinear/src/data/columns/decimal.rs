//! Numbers as tables write them: with a point or a comma before the fraction, with the other, a space or an apostrophe
//! between thousands, with the sign of a currency or of percent beside them, in brackets where they are negative, and
//! times as hours.

use super::clock::hours;
use super::unit::CURRENCIES;
use crate::data::number::{self, NotANumber};

/// What stands before the fraction of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decimal {
    /// 1234.5, 1,234.5
    #[default]
    Point,
    /// 1234,5, 1.234,5
    Comma,
}

/// What a text says about the way in which numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    /// It is one number either way.
    Either,
    /// It is a number with this sign only.
    Only(Decimal),
    /// It is another number in the other way.
    Ambiguous,
    /// It is no number.
    Neither,
}

impl Decimal {
    /// All of them, by name.
    pub const ALL: [(Decimal, &'static str); 2] = [(Decimal::Point, "point"), (Decimal::Comma, "comma")];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Decimal::Point => "point",
            Decimal::Comma => "comma",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Decimal> {
        Decimal::ALL.into_iter().find(|(_, known)| *known == name).map(|(decimal, _)| decimal)
    }

    /// The number that a text is in this way of writing; a currency or percent beside it is left out, and a time is
    /// its hours.
    #[inline]
    pub(crate) fn parse(self, text: &[u8]) -> Result<f64, NotANumber> {
        match self.bare(text) {
            Err(NotANumber::Malformed) => match unmarked(text) {
                Some(bare) => self.bare(bare.as_bytes()),
                None => hours(text).ok_or(NotANumber::Malformed),
            },
            read => read,
        }
    }

    /// The number that a text is, of nothing but digits and their dividers.
    #[inline]
    fn bare(self, text: &[u8]) -> Result<f64, NotANumber> {
        match (self, number::parse(text)) {
            (Decimal::Point, Err(NotANumber::Malformed)) => self.regrouped(text),
            (Decimal::Comma, plain) if text.iter().any(|b| b",.' \xa0".contains(b)) => {
                self.regrouped(text).map_err(|_| plain.err().unwrap_or(NotANumber::Malformed))
            }
            (_, plain) => plain,
        }
    }

    /// The same number without what stands between thousands.
    #[cold]
    fn regrouped(self, text: &[u8]) -> Result<f64, NotANumber> {
        let (fraction_sign, thousands) = match self {
            Decimal::Point => ('.', ','),
            Decimal::Comma => (',', '.'),
        };
        let text = std::str::from_utf8(text).map_err(|_| NotANumber::Malformed)?;
        let (whole, fraction) = text.split_once(fraction_sign).map_or((text, None), |(w, f)| (w, Some(f)));
        let digits = whole.trim_start_matches(['+', '-']);
        let sign = &whole[..whole.len() - digits.len()];
        let divider = digits.chars().find(|c| !c.is_ascii_digit());
        let is_divider = divider.is_none_or(|c| c == thousands || " '\u{a0}\u{202f}".contains(c));
        let mut groups = digits.split(|c| Some(c) == divider);
        let first = groups.next().unwrap_or_default();
        let is_thousand = |group: &str| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit());
        let is_grouped = divider.is_none() || (1..=3).contains(&first.len()) && groups.all(is_thousand);
        let is_empty = digits.is_empty() && fraction.is_none_or(str::is_empty);
        if sign.len() > 1 || !is_divider || !is_grouped || is_empty {
            return Err(NotANumber::Malformed);
        }
        let plain: String = digits.chars().filter(char::is_ascii_digit).collect();
        number::parse(format!("{sign}{plain}.{}", fraction.unwrap_or("0")).as_bytes())
    }
}

/// A text with one sign of a currency before or behind it, or of percent behind it, without that sign: `-$1,234.50`,
/// `$ -3`, `12,5 €`, `12 %`; or one that is negative in other ways: in brackets, as bookkeepers write it, `($12.50)`,
/// with the minus behind it, `12.50-`, or with that of typesetters, `−12.50`.
#[cold]
fn unmarked(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    if let Some(negative) = negative(text) {
        let amount = unmarked(negative.as_bytes()).unwrap_or_else(|| negative.to_string());
        return amount.starts_with(|c: char| c.is_ascii_digit() || ".,".contains(c)).then(|| format!("-{amount}"));
    }
    let number = text.trim_start_matches(['+', '-']);
    let sign = &text[..text.len() - number.len()];
    let bare = match number.strip_prefix(CURRENCIES) {
        Some(bare) => bare.trim_start(),
        None => number.strip_suffix(CURRENCIES).or(number.strip_suffix('%'))?.trim_end(),
    };
    let is_number =
        bare.starts_with(|c: char| c.is_ascii_digit() || ".,".contains(c) || "+-".contains(c) && sign.is_empty());
    is_number.then(|| format!("{sign}{bare}"))
}

/// What stands in the brackets, behind the sign of minus that typesetters write, or before one behind the digits.
fn negative(text: &str) -> Option<&str> {
    let in_brackets = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let before_minus = || text.strip_suffix('-').filter(|amount| amount.ends_with(|c: char| c.is_ascii_digit()));
    in_brackets.or_else(|| text.strip_prefix('−')).or_else(before_minus)
}

/// What a number of nothing but digits, or with one point, says; none for other texts, and where the point may stand
/// between thousands.
pub(super) fn writing_of_plain(text: &[u8]) -> Option<Writing> {
    const LONGEST: usize = 300;
    let digits = unsigned(text);
    let point = digits.iter().position(|&b| b == b'.');
    let is_plain = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
    match point {
        _ if digits.len() > LONGEST => None,
        None => (!digits.is_empty() && is_plain(digits)).then_some(Writing::Either),
        Some(at) => {
            let (whole, fraction) = (&digits[..at], &digits[at + 1..]);
            let is_number = digits.len() > 1 && fraction.len() != 3 && is_plain(whole) && is_plain(fraction);
            is_number.then_some(Writing::Only(Decimal::Point))
        }
    }
}

/// What a text that is not missing says.
pub(super) fn writing(text: &[u8]) -> Writing {
    if let Some(told) = writing_of_plain(text) {
        return told;
    }
    let [point, comma] = Decimal::ALL.map(|(decimal, _)| decimal.parse(text).ok());
    match (point, comma) {
        (None, None) => Writing::Neither,
        (Some(_), None) => Writing::Only(Decimal::Point),
        (None, Some(_)) => Writing::Only(Decimal::Comma),
        (Some(point), Some(comma)) if point == comma => Writing::Either,
        // No thousands begin with 0; and 1.234 is 1234 only where other numbers have commas.
        _ if unsigned(text).starts_with(b"0") && text.contains(&b',') => Writing::Only(Decimal::Comma),
        _ if unsigned(text).starts_with(b"0") => Writing::Only(Decimal::Point),
        _ if text.contains(&b',') => Writing::Ambiguous,
        _ => Writing::Either,
    }
}

fn unsigned(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_either_way() {
        let read = |decimal: Decimal, text: &str| decimal.parse(text.as_bytes()).ok();
        for (text, point, comma) in [
            ("12", Some(12.0), Some(12.0)),
            ("-1234.5", Some(-1234.5), None),
            ("1,234.5", Some(1234.5), None),
            ("1.234,5", None, Some(1234.5)),
            ("1,234", Some(1234.0), Some(1.234)),
            ("1.234", Some(1.234), Some(1234.0)),
            ("12,345,678", Some(12_345_678.0), None),
            ("3,5", None, Some(3.5)),
            ("1 234,5", None, Some(1234.5)),
            ("1'234.5", Some(1234.5), None),
            ("1e3", Some(1e3), Some(1e3)),
            ("1,23,4", None, None),
            ("a,b", None, None),
            ("1,2ab", None, None),
            (",5", None, Some(0.5)),
            ("-", None, None),
            ("$1,234.50", Some(1234.5), None),
            ("-$3.5", Some(-3.5), None),
            ("$-3.5", Some(-3.5), None),
            ("1.234,50 €", None, Some(1234.5)),
            ("12%", Some(12.0), Some(12.0)),
            ("12.5 %", Some(12.5), None),
            ("(1,234.50)", Some(-1234.5), None),
            ("($3)", Some(-3.0), Some(-3.0)),
            ("(-3)", None, None),
            ("(1.234,50 €)", None, Some(-1234.5)),
            ("((3))", None, None),
            ("()", None, None),
            ("$", None, None),
            ("%", None, None),
            ("-$-3", None, None),
            ("$12%", None, None),
            ("$$12", None, None),
            ("12%%", None, None),
            ("18:45", Some(18.75), Some(18.75)),
            ("−12.50", Some(-12.5), None),
            ("−$3", Some(-3.0), Some(-3.0)),
            ("1,234.50-", Some(-1234.5), None),
            ("12-", Some(-12.0), Some(-12.0)),
            ("-12-", None, None),
            ("−-12", None, None),
            ("10-19-", None, None),
            (".5-", Some(-0.5), None),
        ] {
            assert_eq!((read(Decimal::Point, text), read(Decimal::Comma, text)), (point, comma), "{text}");
        }
    }

    #[test]
    fn a_text_tells_how_numbers_are_written_or_does_not() {
        for (text, told) in [
            ("12", Writing::Either),
            ("1.5", Writing::Only(Decimal::Point)),
            ("1,5", Writing::Only(Decimal::Comma)),
            ("1,234", Writing::Ambiguous),
            ("1.234", Writing::Either),
            ("0,125", Writing::Only(Decimal::Comma)),
            ("-0.125", Writing::Only(Decimal::Point)),
            ("word", Writing::Neither),
        ] {
            assert_eq!(writing(text.as_bytes()), told, "{text}");
        }
    }
}
