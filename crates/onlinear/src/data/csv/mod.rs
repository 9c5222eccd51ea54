//! CSV: a record per row, a column per feature, label or weight.
//!
//! A numeric column is one feature, called as the column; a text column is a feature
//! `column=value` for each of its values. What a column is comes from a model's schema, or from the
//! first records.

mod records;
mod schema;

use std::collections::HashSet;
use std::sync::Arc;

use records::{Record, Records};
use schema::first_twice;
pub use schema::{ColumnKind, CsvSchema};

use super::batch::Batch;
use super::detect::{self, Peeked};
use super::format::{Content, Format, Opening, ReadOptions, Reader, RowSource};
use super::number::{self, NotANumber, excerpt};
use super::row_builder::{Fault, RowBuilder};
use crate::error::{Cure, Error, Message, Request, Result, size};
use crate::spec::did_you_mean;

/// The declaration. A bar speaks for VW text, whatever else is in the line.
pub(crate) const FORMAT: Format = Format {
    names: &["csv"],
    endings: &["csv", "tsv"],
    content: Content::Line(|line| line.iter().any(|b| b",;\t".contains(b)) && !line.contains(&b'|')),
    is_named: true,
    has_columns: true,
    open,
};

/// What a column holds is decided by this many records.
const GUESSED_FROM: usize = 1000;
/// What a column of labels is called when nobody says; the first of these wins.
const LABEL_NAMES: [&str; 4] = ["label", "class", "target", "y"];
/// What a column takes in memory, beside its cells: its names here and there, its place, its kind.
const COLUMN_BYTES: u64 = 400;
/// So many columns fit in any memory.
const LEAST_COLUMNS: u64 = 1000;
/// A message lists no more columns than this.
const MOST_LISTED: usize = 10;

struct Csv {
    records: Records,
    /// The columns of this file, which need not be those of the schema.
    columns: Vec<ColumnPlan>,
    /// Those whose cells are handed on.
    kept: Vec<usize>,
    missing_zero: bool,
    /// Why a numeric column is one, for messages.
    numeric_because: &'static str,
}

struct ColumnPlan {
    name: String,
    /// `None` if the model has no use for it.
    kind: Option<ColumnKind>,
    /// The place of the feature that a numeric column is; none if the model does not know it.
    place: Option<u32>,
}

fn open(mut opening: Opening<'_>, bytes: Peeked) -> Result<Box<dyn Reader>> {
    let Opening { input, options, ref mut row, .. } = opening;
    let delimiter = options.schema.as_ref().map_or_else(|| detect::delimiter(&bytes, input.path()), |s| s.delimiter);
    let mut records = Records::new(Box::new(bytes), input.name(), delimiter, options.longest_line());
    let (schema, columns, numeric_because) = match &options.schema {
        Some(schema) => {
            let columns = given_columns(schema, &mut records, options)?;
            (schema.clone(), columns, "is numeric in the model")
        }
        None => {
            let schema = guess(&mut records, delimiter, options)?;
            let columns = schema.columns.iter().map(|(name, kind)| (name.clone(), Some(*kind))).collect();
            (schema, columns, "was numeric in the first 1000 rows")
        }
    };
    row.about.csv = Some(schema);
    let column = |(name, kind): (String, Option<ColumnKind>)| {
        let place = match kind {
            Some(ColumnKind::Number) => row.about.place(name.as_bytes(), row.room),
            _ => Ok(None),
        };
        Ok(ColumnPlan { place: place.map_err(|message| Error::data(&records.name, message))?, name, kind })
    };
    let columns = columns.into_iter().map(column).collect::<Result<Vec<_>>>()?;
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let kept = options.keep.iter().map(|wanted| find(&names, wanted, Request::Keep, &records.name));
    let kept = kept.collect::<Result<_>>()?;
    Ok(opening.reader(Csv { records, columns, kept, missing_zero: options.missing_zero, numeric_because }))
}

impl Csv {
    fn row(&self, row: &mut RowBuilder, batch: &mut Batch) -> std::result::Result<(), Fault> {
        let record = &self.records.current;
        check_width(record, self.columns.len())?;
        row.begin();
        let (mut label, mut weight) = (None, 1.0);
        for (i, ColumnPlan { name, kind, place }) in self.columns.iter().enumerate() {
            let fault = |message: Message| (i, message);
            let cell = record.cell(i);
            match kind {
                None => {}
                Some(ColumnKind::Label) => label = Some((i, cell)).filter(|_| !cell.is_empty()),
                Some(ColumnKind::Weight) => weight = sample_weight(cell, name).map_err(fault)?,
                _ if cell.is_empty() && self.missing_zero => {}
                _ if cell.is_empty() => {
                    let message = format!("empty cell in column '{}'", show(name));
                    return Err(fault(Message::from(message).and(Cure::MissingAsZero)));
                }
                Some(ColumnKind::Number) => match number::parse(cell) {
                    Ok(value) => row.add(*place, value).map_err(fault)?,
                    Err(reason) => return Err(fault(bad_number(cell, reason, name, self.numeric_because))),
                },
                Some(ColumnKind::Text) => {
                    row.name.clear();
                    row.name.extend_from_slice(name.as_bytes());
                    row.name.push(b'=');
                    row.name.extend_from_slice(cell);
                    row.add_named(1.0).map_err(fault)?;
                }
            }
        }
        row.push_merged(batch).map_err(|message| (0, message))?;
        row.end(label, weight, record.line, batch)?;
        batch.kept.extend(self.kept.iter().map(|&i| String::from_utf8_lossy(record.cell(i)).into_owned()));
        Ok(())
    }
}

impl RowSource for Csv {
    fn is_at_hand(&self) -> bool {
        self.records.is_at_hand()
    }

    fn fetch(&mut self) -> Result<bool> {
        self.records.advance()
    }

    fn parse(&mut self, row: &mut RowBuilder, batch: &mut Batch) -> Result<()> {
        let record = &self.records.current;
        if record.is_blank() {
            return Ok(());
        }
        self.row(row, batch).map_err(|(cell, message)| Error::row(record.place(cell, &self.records.name), message))
    }
}

fn check_width(record: &Record, expected: usize) -> std::result::Result<(), Fault> {
    if record.is_cut_off {
        return Err((0, "a quoted cell of this row is never closed".into()));
    }
    if record.len() != expected {
        return Err((expected, format!("{} cells, expected {expected}", record.len()).into()));
    }
    Ok(())
}

fn sample_weight(cell: &[u8], column: &str) -> std::result::Result<f64, Message> {
    let column = show(column);
    match number::parse(cell) {
        Ok(weight) if weight >= 0.0 => Ok(weight),
        Ok(_) => Err(format!("weight {} in column '{column}' is negative", excerpt(cell)).into()),
        Err(_) if cell.is_empty() => Err(format!("empty weight in column '{column}'").into()),
        Err(reason) => Err(format!("{}; column '{column}' holds the weights", reason.explain(cell)).into()),
    }
}

#[cold]
fn bad_number(cell: &[u8], reason: NotANumber, column: &str, numeric_because: &str) -> Message {
    format!("{}; column '{}' {numeric_because}", reason.explain(cell), show(column)).into()
}

fn show(name: &str) -> String {
    excerpt(name.as_bytes())
}

/// Whether a cell counts as a number, be it one that will be refused such as `nan`.
fn is_numeric(cell: &[u8]) -> bool {
    number::parse(cell) != Err(NotANumber::Malformed)
}

/// The names of the columns in a header.
fn names(header: &Record, file: &Arc<str>) -> Result<Vec<String>> {
    let name = |(i, cell): (usize, &[u8])| match std::str::from_utf8(cell) {
        Ok(name) => Ok(name.to_string()),
        Err(_) => {
            let message = Message::from(format!("the name of column '{}' is not UTF-8", excerpt(cell)));
            Err(Error::row(header.place(i, file), message.and(Cure::NameEncoding)))
        }
    };
    header.cells().enumerate().map(name).collect()
}

fn is_header(record: &Record) -> bool {
    !record.cells().any(|cell| cell.is_empty() || is_numeric(cell)) && first_twice(record.cells()).is_none()
}

/// The first record, unless it is a bad row that is left out.
fn first<'a>(records: &'a Records, options: &ReadOptions) -> Option<&'a Record> {
    records.ahead.front().filter(|first| !(first.is_cut_off && options.skip_bad_rows))
}

/// Refuses a first record that no table begins with: one that is cut off, or has more cells than memory for columns.
fn check_first(record: &Record, options: &ReadOptions, file: &Arc<str>) -> Result<()> {
    let columns = record.len() as u64;
    if columns > (options.most_bytes() / 2 / COLUMN_BYTES).max(LEAST_COLUMNS) {
        let need = format!("{columns} columns need {}", size(columns.saturating_mul(2 * COLUMN_BYTES)));
        return Err(Error::Memory(Message::from(format!("{file}: ")).and(Message::beyond_memory(need))));
    }
    check_width(record, record.len()).map_err(|(cell, message)| Error::row(record.place(cell, file), message))
}

/// Refuses columns whose features could have one name: that of a word is `column=word`, which may be a column's too.
fn check_names(columns: &[(String, ColumnKind)], file: &str) -> Result<()> {
    let features: Vec<&str> = columns.iter().filter(|(_, kind)| kind.is_feature()).map(|(name, _)| &name[..]).collect();
    let of_words: HashSet<&str> =
        columns.iter().filter(|(_, kind)| *kind == ColumnKind::Text).map(|(name, _)| &name[..]).collect();
    for name in features {
        if let Some((at, _)) = name.match_indices('=').find(|(at, _)| of_words.contains(&name[..*at])) {
            let (text, name) = (show(&name[..at]), show(name));
            let message = format!("a word in column '{text}' could be called as column '{name}'; rename one of them");
            return Err(Error::data(file, message));
        }
    }
    Ok(())
}

/// What the columns are, going by the first records; a header is consumed.
fn guess(records: &mut Records, delimiter: u8, options: &ReadOptions) -> Result<CsvSchema> {
    records.look_ahead(GUESSED_FROM + 1);
    let Some(first) = first(records, options) else {
        return Ok(CsvSchema { header: options.header.unwrap_or(false), delimiter, columns: Vec::new() });
    };
    let file = records.name.clone();
    check_first(first, options, &file)?;
    let header = options.header.unwrap_or_else(|| is_header(first));
    let names =
        if header { names(first, &file)? } else { (1..=first.len()).map(|number| number.to_string()).collect() };
    let label = match &options.label {
        Some(wanted) => find(&names, wanted, Request::LabelColumn, &file)?,
        None => usual_label(&names, header, &file)?,
    };
    let find_weight = |wanted: &String| find(&names, wanted, Request::WeightColumn, &file);
    let weight = options.weight.as_ref().map(find_weight).transpose()?;
    if weight == Some(label) {
        let column = show(&names[label]);
        return Err(Error::usage(format!("column '{column}' cannot hold both the labels and the weights")));
    }
    if header {
        check_distinct(&names, &file)?;
        records.advance()?;
    }
    let is_text = text_columns(records, names.len());
    let kind = |i| match i {
        _ if i == label => ColumnKind::Label,
        _ if Some(i) == weight => ColumnKind::Weight,
        _ if is_text[i] => ColumnKind::Text,
        _ => ColumnKind::Number,
    };
    let columns: Vec<_> = names.into_iter().enumerate().map(|(i, name)| (name, kind(i))).collect();
    check_names(&columns, &file)?;
    Ok(CsvSchema { header, delimiter, columns })
}

/// Which columns hold something other than numbers in the records ahead.
fn text_columns(records: &Records, width: usize) -> Vec<bool> {
    let mut is_text = vec![false; width];
    let sound = records.ahead.iter().take(GUESSED_FROM).filter(|record| check_width(record, width).is_ok());
    for record in sound {
        for (is_text, cell) in is_text.iter_mut().zip(record.cells()) {
            *is_text = *is_text || !(cell.is_empty() || is_numeric(cell));
        }
    }
    is_text
}

/// The column a user means by its name, or by its number counting from 1.
fn find(names: &[String], wanted: &str, request: Request, file: &str) -> Result<usize> {
    let by_number =
        || wanted.parse::<usize>().ok().filter(|number| (1..=names.len()).contains(number)).map(|number| number - 1);
    names.iter().position(|name| name == wanted).or_else(by_number).ok_or_else(|| {
        let candidates: Vec<&str> = names.iter().map(String::as_str).collect();
        let near = did_you_mean(wanted, &candidates);
        let message = Message::from(format!("has no column '{wanted}' for ")).and(request);
        Error::data(file, message.and(format!("; the columns are {}{near}", list(names))))
    })
}

fn usual_label(names: &[String], header: bool, file: &str) -> Result<usize> {
    let called = |usual: &&str| names.iter().position(|name| name.eq_ignore_ascii_case(usual));
    LABEL_NAMES.iter().find_map(called).ok_or_else(|| {
        let why = if header { "has no column called label, class, target or y" } else { "has no header" };
        let columns = format!("; the columns are {}", list(names));
        Error::data(file, Message::from(why).and(Cure::NameLabelColumn).and(columns))
    })
}

fn list(names: &[String]) -> String {
    let listed: Vec<String> = names.iter().take(MOST_LISTED).map(|name| show(name)).collect();
    let more = if names.len() > MOST_LISTED { ", …" } else { "" };
    format!("{}{more}", listed.join(", "))
}

fn check_distinct(names: &[String], file: &str) -> Result<()> {
    match first_twice(names.iter().map(String::as_str)) {
        Some(name) => Err(Error::data(file, format!("has two columns called '{}'", show(name)))),
        None => Ok(()),
    }
}

/// The columns of a file that should be as `schema` says, and what they hold: by name if there is a
/// header, which is consumed, else by position.
fn given_columns(
    schema: &CsvSchema,
    records: &mut Records,
    options: &ReadOptions,
) -> Result<Vec<(String, Option<ColumnKind>)>> {
    records.look_ahead(1);
    let Some(first) = first(records, options) else { return Ok(Vec::new()) };
    check_first(first, options, &records.name)?;
    if !schema.header {
        return Ok(columns_by_position(schema, first.len()));
    }
    let names = names(first, &records.name)?;
    let columns = columns_by_name(schema, names, options, &records.name)?;
    records.advance()?;
    Ok(columns)
}

/// What is to be predicted may lack the labels, and the weights too.
fn columns_by_position(schema: &CsvSchema, width: usize) -> Vec<(String, Option<ColumnKind>)> {
    let having = |is_there: fn(ColumnKind) -> bool| -> Vec<_> {
        let there = schema.columns.iter().filter(|(_, kind)| is_there(*kind));
        there.map(|(name, kind)| (name.clone(), Some(*kind))).collect()
    };
    let unlabelled = Some(having(|kind| kind != ColumnKind::Label)).filter(|columns| columns.len() == width);
    let features = || Some(having(ColumnKind::is_feature)).filter(|columns| columns.len() == width);
    unlabelled.or_else(features).unwrap_or_else(|| having(|_| true))
}

fn columns_by_name(
    schema: &CsvSchema,
    names: Vec<String>,
    options: &ReadOptions,
    file: &str,
) -> Result<Vec<(String, Option<ColumnKind>)>> {
    check_distinct(&names, file)?;
    let mut kinds = vec![None; names.len()];
    for (name, kind) in schema.columns.iter().filter(|(_, kind)| kind.is_feature()) {
        let place = names.iter().position(|other| other == name).ok_or_else(|| {
            let (name, there) = (show(name), list(&names));
            let why = "which the model was learned with; its columns are";
            Error::data(file, format!("has no column '{name}', {why} {there}"))
        })?;
        kinds[place] = Some(*kind);
    }
    let others = [
        (ColumnKind::Label, &options.label, Request::LabelColumn),
        (ColumnKind::Weight, &options.weight, Request::WeightColumn),
    ];
    for (kind, told, request) in others {
        let place = match (told, schema.find(kind)) {
            (Some(wanted), _) => Some(find(&names, wanted, request, file)?),
            (None, Some(place)) => names.iter().position(|name| *name == schema.columns[place].0),
            (None, None) => None,
        };
        match place.map(|place| (place, kinds[place])) {
            None => {}
            Some((place, None)) => kinds[place] = Some(kind),
            Some((place, Some(_))) => {
                let why = format!(" {}: the column has another use in the model", show(&names[place]));
                return Err(Error::usage(Message::from(request).and(why)));
            }
        }
    }
    Ok(names.into_iter().zip(kinds).collect())
}

#[cfg(test)]
mod tests;
