//! Tables: what their columns hold, and the features that become of their cells. Every format that has columns reads
//! its rows through here, so that the same table gives the same features however it is written.

mod cell;
mod clock;
mod date;
mod decimal;
mod encoder;
mod evidence;
mod findings;
mod guess;
mod kind;
mod matching;
mod schema;
mod unit;
mod words;

pub(crate) use cell::{Cell, boolean_words, is_missing};
pub(crate) use encoder::{CellWalk, Encoder, OTHER};
pub(crate) use evidence::ColumnEvidence;
pub(crate) use findings::{Findings, LateCell, Reading};
pub(crate) use guess::{INDEX, LABEL_NAMES, guess};
pub(crate) use matching::{
    Origin, check_count, columns_by_name, columns_by_position, lacking, numbered_names, rows_looked_at,
};
pub(crate) use schema::{DELIMITERS, first_twice};

use date::DateOrder;
pub use date::{day_text, moment_text};
pub use decimal::Decimal;
pub use kind::{ColumnKind, Leaving};
pub(crate) use schema::Column;
pub use schema::{Missing, TableSchema};

use crate::error::{Error, Message, Request, Result};
use crate::spec::did_you_mean;

use super::detect::other_divider;
use super::number::excerpt;

/// A message lists no more columns than this.
const MOST_LISTED: usize = 10;

/// What a user may say about the columns of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnOptions {
    /// The column of the labels, by name or by number counting from 1.
    pub label: Option<String>,
    /// The column of the sample weights, by name or by number counting from 1.
    pub weight: Option<String>,
    /// Whether the first record names the columns, instead of guessing it (a schema says it too).
    pub header: Option<bool>,
    /// What becomes of a cell without a value.
    pub missing: Option<Missing>,
    /// How numbers are written, instead of guessing it.
    pub decimal: Option<Decimal>,
    /// Columns that are left out.
    pub ignore: Vec<String>,
    /// All other columns are left out, unless this is empty.
    pub only: Vec<String>,
    /// What these columns hold, instead of guessing it.
    pub kinds: Vec<(String, ColumnKind)>,
    /// Pairs of columns whose features are multiplied with each other.
    pub interactions: Vec<(String, String)>,
}

/// A name for a message.
pub(crate) fn show(name: &str) -> String {
    excerpt(name.as_bytes())
}

/// The names of columns for a message.
pub(crate) fn list(names: &[String]) -> String {
    let listed: Vec<String> = names.iter().take(MOST_LISTED).map(|name| show(name)).collect();
    let more = if names.len() > MOST_LISTED { ", …" } else { "" };
    format!("{}{more}", listed.join(", "))
}

/// The column a user means by its name, or by its number counting from 1.
pub(crate) fn find(names: &[String], wanted: &str, request: Request, file: &str) -> Result<usize> {
    let by_number =
        || wanted.parse::<usize>().ok().filter(|number| (1..=names.len()).contains(number)).map(|number| number - 1);
    names.iter().position(|name| name == wanted).or_else(by_number).ok_or_else(|| {
        let candidates: Vec<&str> = names.iter().map(String::as_str).collect();
        let near = did_you_mean(wanted, &candidates);
        let message = Message::from(format!("has no column '{}' for ", show(wanted))).and(request);
        if let [one] = names
            && let Some(told) = other_divider(one.as_bytes(), Some(wanted), file)
        {
            return Error::data(file, message.and(format!("; its cells {told}")));
        }
        let are_numbered = names.iter().enumerate().all(|(i, name)| name.parse() == Ok(i + 1));
        let are = if are_numbered { "its first line is a row, so that the columns are" } else { "the columns are" };
        Error::data(file, message.and(format!("; {are} {}{near}", list(names))))
    })
}

/// Refuses two columns of one name.
pub(crate) fn check_distinct(names: &[String], file: &str) -> Result<()> {
    match first_twice(names.iter().map(String::as_str)) {
        Some(name) => Err(Error::data(file, format!("has two columns called '{}'; rename one of them", show(name)))),
        None => Ok(()),
    }
}
