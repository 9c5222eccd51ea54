//! What a column can hold.

use std::fmt;
use std::str::FromStr;

use super::date::DateOrder;
use crate::error::Error;
use crate::spec::did_you_mean;

/// A category that has come in so many values takes no further ones, unless it is told how many.
const MOST_VALUES: u32 = 1000;
/// Words in a row that make a feature, at most.
const MOST_WORDS: u8 = 5;

/// What a column holds. Prints as it is typed: `number`, `category=50`, `date=dmy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Numbers: one feature, called as the column.
    Number,
    /// Yes or no, in words or as 1 and 0: one feature, called as the column.
    Boolean,
    /// One of several values: a feature `column=value` for each of the first so many, and one for all others.
    Category {
        /// How many have features of their own.
        most: u32,
    },
    /// Free text: a feature `column:word` for each word, and for so many words in a row.
    Words {
        /// Up to how many words in a row make a feature.
        ngrams: u8,
    },
    /// Days: the year, the month, the weekday and the number of the day are features, the hour where there is one.
    Date {
        /// In which order a day is written.
        order: DateOrder,
    },
    /// The labels.
    Label,
    /// The sample weights.
    Weight,
    /// Nothing of use.
    Unused(Leaving),
}

/// Why a column is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// It was asked for.
    Asked,
    /// It has the same value everywhere.
    Constant,
    /// It tells rows from each other, and nothing else.
    Id,
}

impl ColumnKind {
    /// Text that comes in a few values.
    pub(crate) const CATEGORY: ColumnKind = ColumnKind::Category { most: MOST_VALUES };

    /// What a user may call a kind; `=` goes on with its setting.
    pub const NAMES: [&str; 8] = ["number", "boolean", "category", "words", "date", "ignored", "constant", "id"];

    /// Whether the column holds features.
    pub fn is_feature(self) -> bool {
        !matches!(self, ColumnKind::Label | ColumnKind::Weight | ColumnKind::Unused(_))
    }

    /// What is put between the name of the column and what its features are called beyond that.
    pub(crate) fn divider(self) -> Option<char> {
        match self {
            ColumnKind::Category { .. } => Some('='),
            ColumnKind::Words { .. } | ColumnKind::Date { .. } => Some(':'),
            _ => None,
        }
    }
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnKind::Number => f.write_str("number"),
            ColumnKind::Boolean => f.write_str("boolean"),
            ColumnKind::Category { most: MOST_VALUES } => f.write_str("category"),
            ColumnKind::Category { most } => write!(f, "category={most}"),
            ColumnKind::Words { ngrams: 1 } => f.write_str("words"),
            ColumnKind::Words { ngrams } => write!(f, "words={ngrams}"),
            ColumnKind::Date { order: DateOrder::Ymd } => f.write_str("date"),
            ColumnKind::Date { order } => write!(f, "date={}", order.name()),
            ColumnKind::Label => f.write_str("label"),
            ColumnKind::Weight => f.write_str("weight"),
            ColumnKind::Unused(Leaving::Asked) => f.write_str("ignored"),
            ColumnKind::Unused(Leaving::Constant) => f.write_str("constant"),
            ColumnKind::Unused(Leaving::Id) => f.write_str("id"),
        }
    }
}

impl FromStr for ColumnKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<ColumnKind, Error> {
        // As settings in a spec are written.
        let text = text.strip_prefix("words:ngrams=").map_or(text.to_string(), |ngrams| format!("words={ngrams}"));
        let text = text.as_str();
        let (name, setting) = text.split_once('=').map_or((text, None), |(name, setting)| (name, Some(setting)));
        let whole = |most: u64| setting.and_then(|text| text.parse::<u64>().ok()).filter(|n| (1..=most).contains(n));
        match (name, setting) {
            ("number" | "numeric", None) => Ok(ColumnKind::Number),
            ("boolean", None) => Ok(ColumnKind::Boolean),
            // Version 1 of the model file calls every text column so.
            ("category" | "text", None) => Ok(ColumnKind::CATEGORY),
            ("category", Some(_)) => match whole(u64::from(u32::MAX)) {
                Some(most) => Ok(ColumnKind::Category { most: most as u32 }),
                None => Err(Error::usage(format!("'{text}': a category has 1 value or more, as in category=50"))),
            },
            ("words", None) => Ok(ColumnKind::Words { ngrams: 1 }),
            ("words", Some(_)) => match whole(u64::from(MOST_WORDS)) {
                Some(ngrams) => Ok(ColumnKind::Words { ngrams: ngrams as u8 }),
                None => Err(Error::usage(format!("'{text}': 1 to {MOST_WORDS} words in a row, as in words=2"))),
            },
            ("date", None) => Ok(ColumnKind::Date { order: DateOrder::Ymd }),
            ("date", Some(order)) => match DateOrder::named(order) {
                Some(order) => Ok(ColumnKind::Date { order }),
                None => Err(Error::usage(format!("'{text}': the order of a date is ymd, dmy or mdy, as in date=dmy"))),
            },
            ("label", None) => Ok(ColumnKind::Label),
            ("weight", None) => Ok(ColumnKind::Weight),
            ("ignored", None) => Ok(ColumnKind::Unused(Leaving::Asked)),
            ("constant", None) => Ok(ColumnKind::Unused(Leaving::Constant)),
            ("id", None) => Ok(ColumnKind::Unused(Leaving::Id)),
            _ => {
                let known = ColumnKind::NAMES.join(", ");
                let near = did_you_mean(name, &ColumnKind::NAMES);
                Err(Error::usage(format!("'{text}' is not what a column can hold: {known}{near}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_print_as_they_are_typed() {
        for text in [
            "number",
            "boolean",
            "category",
            "category=50",
            "words",
            "words=2",
            "date",
            "date=dmy",
            "date=mdy",
            "label",
            "weight",
            "ignored",
            "constant",
            "id",
        ] {
            assert_eq!(text.parse::<ColumnKind>().expect(text).to_string(), text);
        }
        assert_eq!("text".parse::<ColumnKind>().expect("that of version 1"), ColumnKind::CATEGORY);
        assert_eq!("words:ngrams=2".parse::<ColumnKind>().expect("a longer name"), ColumnKind::Words { ngrams: 2 });
        for text in ["", "nummer", "category=0", "words=9", "date=ydm", "number=3"] {
            assert!(text.parse::<ColumnKind>().expect_err(text).is_usage());
        }
    }
}
