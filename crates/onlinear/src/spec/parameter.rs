//! One parameter: its name, what values it takes, its default and what it does.

use super::algorithm::Algorithm;
use super::suggest::did_you_mean;

/// One parameter of a learner or of an artificial set.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name: a word.
    pub name: &'static str,
    /// Other names it answers to: the paper's letter.
    pub aliases: &'static [&'static str],
    /// What values it takes.
    pub kind: Kind,
    /// Other words for some of them, each with the one that it stands for.
    pub synonyms: &'static [(&'static str, &'static str)],
    /// Its value unless given.
    pub default: Value,
    /// What it does.
    pub help: &'static str,
}

impl Parameter {
    /// Whether it answers to `key`, in capitals or not.
    pub(crate) fn is_called(&self, key: &str) -> bool {
        std::iter::once(&self.name).chain(self.aliases).any(|name| name.eq_ignore_ascii_case(key))
    }

    /// Reads a value given under `key`, the parameter's name or an alias.
    pub fn parse(&self, key: &str, text: &str) -> Result<Value, String> {
        let synonym = self.synonyms.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
        let text = synonym.map_or(text, |(_, meant)| meant);
        match (self.kind.parse(text)?, self.kind) {
            (Value::Number(gamma), Kind::Width) if !key.eq_ignore_ascii_case(self.name) => {
                Ok(Value::Number(half_inverse(gamma)))
            }
            (value, _) => Ok(value),
        }
    }
}

/// 1/(2x) for x > 0, which is γ for σ² and σ² for γ; never 0 and never infinite.
pub(crate) fn half_inverse(x: f64) -> f64 {
    (0.5 / x).clamp(f64::MIN_POSITIVE, f64::MAX)
}

/// The values a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A finite number in a range.
    Number(Range),
    /// A finite number in a range, or a word that stands for one found out later.
    NumberOr(Range, &'static str),
    /// σ² of a Gaussian, a number > 0 or [`Kind::FOUND`]; under an alias, γ = 1/(2σ²).
    Width,
    /// A whole number.
    Integer {
        /// The least one allowed.
        low: u64,
        /// The largest one allowed; [`Kind::LARGEST_INTEGER`] and more stand for no limit.
        high: u64,
    },
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The name of another learner, whose own parameters are set with this one's name and a dot in
    /// front; this one unless another is named.
    Learner(&'static Algorithm),
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of a [`Kind::Number`], a [`Kind::NumberOr`] or a [`Kind::Integer`].
    Number(f64),
    /// Of a [`Kind::Integer`], where a [`Value::Number`] might not hold it.
    Whole(u64),
    /// Of a [`Kind::Flag`].
    Flag(bool),
    /// Of a [`Kind::Choice`] or a [`Kind::Learner`], or the word of a [`Kind::NumberOr`].
    Choice(&'static str),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => f.write_str(&shortest(*number)),
            Value::Whole(number) => number.fmt(f),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Choice(word) => f.write_str(word),
        }
    }
}

/// The fewest digits that read back as the same number, with an exponent only where there would be
/// rows of zeros.
pub(crate) fn shortest(number: f64) -> String {
    match number.abs() {
        0.0 | 1e-5..1e16 => format!("{number}"),
        _ => format!("{number:e}"),
    }
}

/// A range of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The least number and whether it is itself allowed.
    pub low: (f64, bool),
    /// The largest number and whether it is itself allowed.
    pub high: (f64, bool),
}

impl Range {
    /// Numbers > 0.
    pub const POSITIVE: Range = Range { low: (0.0, false), high: (f64::INFINITY, false) };

    /// Any finite number.
    pub const ANY: Range = Range { low: (f64::NEG_INFINITY, false), high: (f64::INFINITY, false) };

    /// Numbers >= 0.
    pub const NOT_NEGATIVE: Range = Range { low: (0.0, true), high: (f64::INFINITY, false) };

    /// Numbers from `low` to `high`, both allowed.
    pub const fn closed(low: f64, high: f64) -> Range {
        Range { low: (low, true), high: (high, true) }
    }

    /// Whether `number` is in the range.
    pub fn contains(&self, number: f64) -> bool {
        let (low, low_allowed) = self.low;
        let (high, high_allowed) = self.high;
        (number > low || low_allowed && number == low) && (number < high || high_allowed && number == high)
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (low, high) = (shortest(self.low.0), shortest(self.high.0));
        let low_sign = if self.low.1 { ">=" } else { ">" };
        let high_sign = if self.high.1 { "<=" } else { "<" };
        match (self.low.0.is_finite(), self.high.0.is_finite()) {
            (true, true) => write!(f, "a number {low_sign} {low} and {high_sign} {high}"),
            (true, false) => write!(f, "a number {low_sign} {low}"),
            (false, true) => write!(f, "a number {high_sign} {high}"),
            (false, false) => f.write_str("a number"),
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Kind::Number(range) => range.fmt(f),
            Kind::NumberOr(range, word) => write!(f, "{word} or {range}"),
            Kind::Width => Kind::NumberOr(Range::POSITIVE, Kind::FOUND).fmt(f),
            Kind::Integer { low, high: Kind::LARGEST_INTEGER.. } => write!(f, "a whole number >= {low}"),
            Kind::Integer { low, high } => write!(f, "a whole number >= {low} and <= {high}"),
            Kind::Flag => f.write_str("true or false"),
            Kind::Choice(words) => f.write_str(&words.join(" | ")),
            Kind::Learner(_) => f.write_str("a learner"),
        }
    }
}

impl Kind {
    /// The word for a width that the first training rows tell.
    pub const FOUND: &'static str = "auto";

    /// The largest whole number up to which a [`Value::Number`] holds every one: 2⁵³ − 1.
    pub const LARGEST_INTEGER: u64 = (1 << 53) - 1;

    /// Reads a value, or says what is wrong with it.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        match self {
            Kind::Width => Kind::NumberOr(Range::POSITIVE, Kind::FOUND).parse(text),
            Kind::Number(range) => match text.parse::<f64>() {
                Ok(number) if number.is_finite() && range.contains(number) => Ok(Value::Number(number)),
                Ok(_) => Err(format!("is out of range; expected {range}")),
                Err(_) => Err(format!("is not a number; expected {range}")),
            },
            Kind::NumberOr(_, word) if text == *word => Ok(Value::Choice(word)),
            Kind::NumberOr(range, word) => match text.parse::<f64>() {
                Ok(number) if number.is_finite() && range.contains(number) => Ok(Value::Number(number)),
                Ok(_) => Err(format!("is out of range; expected {self}")),
                Err(_) => Err(format!("is neither a number nor '{word}'; expected {self}")),
            },
            Kind::Integer { low, high } => match text.parse::<f64>() {
                Ok(number) if number.fract() != 0.0 || number.is_nan() => {
                    Err(format!("is not a whole number; expected {self}"))
                }
                Ok(number) if number < *low as f64 => Err(format!("is out of range; expected {self}")),
                Ok(number) if number > *high as f64 => {
                    Err(format!("is out of range; expected a whole number >= {low} and <= {high}"))
                }
                Ok(number) if number > Kind::LARGEST_INTEGER as f64 => match text.parse() {
                    Ok(whole) => Ok(Value::Whole(whole)),
                    Err(_) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                        Err(format!("is out of range; expected a whole number >= {low} and <= {high}"))
                    }
                    Err(_) => Ok(Value::Whole(number as u64)), // one with an exponent is what a float makes of it
                },
                Ok(number) => Ok(Value::Number(number + 0.0)), // turns -0 into 0
                Err(_) => Err(format!("is not a whole number; expected {self}")),
            },
            Kind::Flag => match text {
                "true" => Ok(Value::Flag(true)),
                "false" => Ok(Value::Flag(false)),
                _ => Err("is neither true nor false".to_string()),
            },
            Kind::Learner(_) => Err("names a learner, which only a whole spec can do".to_string()),
            Kind::Choice(words) => match words.iter().find(|word| word.eq_ignore_ascii_case(text)) {
                Some(word) => Ok(Value::Choice(word)),
                None => Err(format!("is not one of {}{}", words.join(", "), did_you_mean(text, *words))),
            },
        }
    }
}
