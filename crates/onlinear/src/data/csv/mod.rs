//! CSV: a record per row, a column per feature, label or weight.

mod records;

use std::sync::Arc;

use records::{Record, Records};

use super::batch::Batch;
use super::columns::{
    Cell, ColumnEvidence, ColumnKind, Encoder, Origin, TableSchema, check_count, columns_by_name, columns_by_position,
    first_twice, guess, rows_looked_at,
};
use super::detect::{self, Peeked};
use super::format::{Content, Format, Opening, ReadOptions, Reader, RowShape, RowSource};
use super::number::{self, NotANumber, excerpt};
use super::row_builder::{Fault, RowBuilder};
use crate::error::{Cure, Error, Message, Result};

/// The declaration. A bar within a line of other signs speaks for VW text.
pub(crate) const FORMAT: Format = Format {
    names: &["csv"],
    endings: &["csv", "tsv", "psv"],
    content: Content::Line(|line| line.iter().any(|b| b",;\t".contains(b)) && !line.contains(&b'|')),
    shape: |_, _| RowShape::Table,
    open,
};

/// What a first column without a name is called, which many tables number their rows with.
const INDEX: &str = "Unnamed: 0";

struct Csv {
    records: Records,
    encoder: Encoder,
    /// The columns whose cells are handed on.
    kept: Vec<usize>,
}

fn open(mut opening: Opening<'_>, bytes: Peeked) -> Result<Box<dyn Reader>> {
    let Opening { input, options, .. } = opening;
    let known = opening.known_schema().map(|(schema, _)| schema.delimiter);
    let known =
        known.filter(|delimiter| bytes.start().split(|&b| b == b'\n').next().is_some_and(|l| l.contains(delimiter)));
    let delimiter = known.unwrap_or_else(|| detect::delimiter(&bytes, input.path()));
    let mut records = Records::new(Box::new(bytes), input.name(), delimiter, options.longest_line());
    let (schema, columns, origin) = match opening.known_schema() {
        Some((schema, origin)) => {
            let columns = given_columns(&schema, origin, &mut records, options)?;
            (schema, columns, origin)
        }
        None => {
            let schema = TableSchema { delimiter, ..guessed(&mut records, rows_looked_at(input), options)? };
            let columns = schema.columns.iter().map(|column| (column.name.clone(), Some(column.kind))).collect();
            (schema, columns, Origin::FirstRows)
        }
    };
    let (encoder, kept) = opening.encoder(columns, schema, origin)?;
    Ok(opening.reader(Csv { records, encoder, kept }))
}

impl Csv {
    fn row(&mut self, row: &mut RowBuilder, batch: &mut Batch) -> std::result::Result<(), Fault> {
        let record = &self.records.current;
        check_width(record, self.encoder.width())?;
        self.encoder.row(|i| Cell::Text(record.cell(i)), record.line, row, batch)?;
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
        if self.records.current.is_blank() {
            return Ok(());
        }
        let parsed = self.row(row, batch);
        let (record, file) = (&self.records.current, &self.records.name);
        parsed.map_err(|(cell, message)| Error::row(record.place(cell, file), message))
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

/// Whether a cell counts as a number, be it one that will be refused such as `nan`.
fn is_numeric(cell: &[u8]) -> bool {
    number::parse(cell) != Err(NotANumber::Malformed)
}

/// The names of the columns in a header.
fn names(header: &Record, file: &Arc<str>) -> Result<Vec<String>> {
    let name = |(i, cell): (usize, &[u8])| match std::str::from_utf8(cell) {
        Ok("") if i == 0 && header.len() > 1 => Ok(INDEX.to_string()),
        Ok(name) => Ok(name.to_string()),
        Err(_) => {
            let message = Message::from(format!("the name of column '{}' is not UTF-8", excerpt(cell)));
            Err(Error::row(header.place(i, file), message.and(Cure::NameEncoding)))
        }
    };
    header.cells().enumerate().map(name).collect()
}

fn is_header(record: &Record) -> bool {
    let is_name = |(i, cell): (usize, &[u8])| {
        let is_index = i == 0 && cell.is_empty() && record.len() > 1;
        is_index || !cell.is_empty() && !is_numeric(cell)
    };
    record.cells().enumerate().all(is_name) && first_twice(record.cells()).is_none()
}

/// Whether a record has the name of the label's column, which then is no label.
fn names_label(record: &Record, options: &ReadOptions) -> bool {
    let label = options.columns.label.as_ref().filter(|label| !is_numeric(label.as_bytes()));
    label.is_some_and(|label| record.cells().any(|cell| cell == label.as_bytes()))
}

/// The first record, unless it is a bad row that is left out.
fn first<'a>(records: &'a Records, options: &ReadOptions) -> Option<&'a Record> {
    records.ahead.front().filter(|first| !(first.is_cut_off && options.skip_bad_rows))
}

/// Refuses a first record that no table begins with: one that is cut off, or has more cells than memory for columns.
fn check_first(record: &Record, options: &ReadOptions, file: &Arc<str>) -> Result<()> {
    let columns = check_count(record.len(), options.most_bytes());
    columns.map_err(|message| Error::Memory(Message::from(format!("{file}: ")).and(message)))?;
    check_width(record, record.len()).map_err(|(cell, message)| Error::row(record.place(cell, file), message))
}

/// What the columns are, going by the first records; a header is consumed.
fn guessed(records: &mut Records, rows: usize, options: &ReadOptions) -> Result<TableSchema> {
    records.look_ahead(rows + 1);
    let file = records.name.clone();
    let Some(first) = first(records, options) else {
        return Ok(TableSchema::empty(options.columns.header.unwrap_or(false)));
    };
    check_first(first, options, &file)?;
    let header = options.columns.header.unwrap_or_else(|| is_header(first) || names_label(first, options));
    let names =
        if header { names(first, &file)? } else { (1..=first.len()).map(|number| number.to_string()).collect() };
    let mut evidence = vec![ColumnEvidence::default(); names.len()];
    let sound = |record: &&Record| check_width(record, names.len()).is_ok();
    for record in records.ahead.iter().skip(usize::from(header)).filter(sound) {
        evidence.iter_mut().zip(record.cells()).for_each(|(evidence, cell)| evidence.add(Cell::Text(cell)));
    }
    let is_all = records.ahead.len() <= rows;
    let schema = guess(names, &evidence, is_all, header, &options.columns, &file)?;
    if header {
        records.advance()?;
    }
    Ok(schema)
}

/// The columns of a file that should be as `schema` says, and what they hold: by name if there is a
/// header, which is consumed, else by position.
fn given_columns(
    schema: &TableSchema,
    origin: Origin,
    records: &mut Records,
    options: &ReadOptions,
) -> Result<Vec<(String, Option<ColumnKind>)>> {
    records.look_ahead(1);
    let Some(first) = first(records, options) else { return Ok(Vec::new()) };
    check_first(first, options, &records.name)?;
    // A table that was cut into files has its header in the first alone.
    let is_cut = || origin == Origin::FilesBefore && first.len() == schema.columns.len() && !is_header(first);
    if !schema.header || is_cut() {
        return Ok(columns_by_position(schema, first.len()));
    }
    let names = names(first, &records.name)?;
    let columns = columns_by_name(schema, names, &options.columns, origin, &records.name)?;
    records.advance()?;
    Ok(columns)
}

#[cfg(test)]
mod tests;
