//! CSV: a record per row, a column per feature, label or weight.

mod records;

use std::collections::HashSet;
use std::sync::Arc;

use records::{Cells, LineWalk, Record};

use super::batch::Batch;
use super::blocks::{Blocks, RecordEnds};
use super::columns::{
    Cell, ColumnEvidence, ColumnKind, ColumnOptions, Encoder, INDEX, LABEL_NAMES, Origin, TableSchema, check_count,
    columns_by_name, columns_by_position, first_twice, guess, numbered_names, rows_looked_at,
};
use super::detect::{self, Peeked};
use super::format::{Content, Format, Opening, ReadOptions, Reader, RowShape};
use super::number::{self, NotANumber, excerpt};
use super::row_builder::{Fault, RowBuilder};
use super::text::{ParsedRecord, RecordParser};
use crate::error::{Cure, Error, Message, Place, Result, counted};

/// The declaration. A bar within a line of other signs speaks for VW text.
pub(crate) const FORMAT: Format = Format {
    names: &["csv"],
    endings: &["csv", "tsv", "psv"],
    content: Content::Line(|line| line.iter().any(|b| b",;\t".contains(b)) && !line.contains(&b'|')),
    shape: |_, _| RowShape::Table,
    open,
};

/// So many rows of a file tell whether they have a cell more than its header.
const ROWS_THAT_TELL_WIDTH: usize = 100;
/// A title and remarks above the names of the columns take no more records than this.
const MOST_ABOVE: usize = 20;

/// Parses records.
#[derive(Clone)]
struct CsvParser {
    delimiter: u8,
    encoder: Encoder,
    /// The columns whose cells are handed on.
    kept: Vec<usize>,
    cells: Cells,
    /// How lines are parsed at first.
    way: Way,
}

/// How a line is parsed that nothing is wrong with and that has nothing particular; all others go the careful way.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// As numbers with a label, each put where it belongs.
    Numbers,
    /// Cell by cell.
    Cells,
    Careful,
}

fn open(mut opening: Opening<'_>, mut bytes: Peeked) -> Result<Box<dyn Reader>> {
    let Opening { input, options, .. } = opening;
    let told = bytes.take_separator();
    let known = opening.found_schema().map(|(schema, _)| schema.delimiter);
    let known =
        known.filter(|delimiter| bytes.start().split(|&b| b == b'\n').next().is_some_and(|l| l.contains(delimiter)));
    let delimiter = told.or(known).unwrap_or_else(|| detect::delimiter(&bytes, input.path()));
    let mut blocks = opening.blocks(bytes, RecordEnds::OutsideQuotes { delimiter });
    let (schema, columns, origin) = match opening.found_schema() {
        Some((schema, origin)) => {
            let rows = if input.is_stream() { 1 } else { ROWS_THAT_TELL_WIDTH };
            let start = TableStart::of(&mut blocks, delimiter, rows + 1, &opening);
            let columns = given_columns(&schema, origin, &start, &mut blocks, options)?;
            (schema, columns, origin)
        }
        None => {
            let rows = rows_looked_at(input);
            let start = TableStart::of(&mut blocks, delimiter, rows + 1, &opening);
            let schema = TableSchema { delimiter, ..guessed(&start, &mut blocks, rows, options)? };
            let columns = schema.columns.iter().map(|column| (column.name.clone(), Some(column.kind))).collect();
            (schema, columns, Origin::FirstRows)
        }
    };
    let (encoder, kept) = opening.encoder(columns, schema, origin)?;
    let way = match encoder.can_walk() && kept.is_empty() {
        true if encoder.can_walk_numbers() => Way::Numbers,
        true => Way::Cells,
        false => Way::Careful,
    };
    #[cfg(test)]
    let way = if tests::WITH_CARE.get() { Way::Careful } else { way };
    Ok(opening.text(blocks, CsvParser { delimiter, encoder, kept, cells: Cells::default(), way }))
}

impl CsvParser {
    /// Parses the line that `text` begins with and gives its length; or none, and nothing of it is left.
    #[inline]
    fn walk(&self, way: Way, text: &[u8], line: u64, row: &mut RowBuilder, batch: &mut Batch) -> Option<usize> {
        let mut cells = LineWalk::new(text, self.delimiter);
        let walked = match way {
            Way::Numbers => self.encoder.walk_numbers(&mut cells, line, row, batch),
            Way::Cells => self.encoder.walk(&mut cells, line, row, batch),
            Way::Careful => return None,
        };
        if walked.is_none() {
            row.go_back(batch);
        }
        walked.map(|()| cells.length())
    }

    /// Parses the record that `text` begins with and says what is wrong with it.
    fn parse_with_care(
        &mut self,
        text: &[u8],
        end: usize,
        line: u64,
        row: &mut RowBuilder,
        batch: &mut Batch,
    ) -> ParsedRecord {
        let (length, lines) = self.cells.split(text, end, self.delimiter);
        let (cells, rows) = (&self.cells, batch.len());
        if cells.are_blank(text) {
            return ParsedRecord { length, lines, fault: None };
        }
        row.begin();
        let encoded = check_width(cells, self.encoder.width())
            .and_then(|()| self.encoder.row(|i| Cell::Text(cells.cell(text, i)), line, row, batch));
        row.relocate(batch.len() > rows, |i| cells.offset(i));
        if encoded.is_ok() {
            batch.kept.extend(self.kept.iter().map(|&i| String::from_utf8_lossy(cells.cell(text, i)).into_owned()));
        }
        let fault = encoded.err().map(|(i, message)| (cells.offset(i), message));
        ParsedRecord { length, lines, fault }
    }
}

impl RecordParser for CsvParser {
    fn parse(&mut self, text: &[u8], end: usize, line: u64, row: &mut RowBuilder, batch: &mut Batch) -> ParsedRecord {
        let mut walked = self.walk(self.way, text, line, row, batch);
        if walked.is_none() && self.way == Way::Numbers {
            walked = self.walk(Way::Cells, text, line, row, batch);
        }
        let Some(length) = walked else { return self.parse_with_care(text, end, line, row, batch) };
        if row.has_names() {
            self.cells.split(text, end, self.delimiter);
            row.relocate(false, |i| self.cells.offset(i));
        }
        ParsedRecord { length, lines: 1, fault: None }
    }
}

/// The first records of a table.
struct TableStart {
    /// What messages call the file.
    file: Arc<str>,
    records: Vec<Record>,
    /// In which block the first record ends, and how many bytes and lines into it.
    first_end: (usize, usize, u64),
}

impl TableStart {
    /// Reads until so many records that are not blank have been seen, if there are so many and memory for them.
    fn of(blocks: &mut Blocks, delimiter: u8, count: usize, opening: &Opening<'_>) -> TableStart {
        let mut start = TableStart { file: opening.input.name(), records: Vec::new(), first_end: (0, 0, 0) };
        let (mut number, mut lines_before, mut bytes) = (0, 0, 0);
        let most_bytes = opening.options.longest_line();
        blocks.look_ahead(|block| {
            let (text, end) = (block.padded(), block.len());
            let (mut at, mut lines) = (0, 0);
            while at < end && start.records.len() < count && bytes < most_bytes {
                let mut cells = Cells::default();
                let (length, more) = cells.split(&text[at..], end - at, delimiter);
                if !cells.are_blank(&text[at..]) {
                    bytes += length as u64 + cells.bytes();
                    let record = Record { text: text[at..at + length].to_vec(), cells, line: lines_before + lines + 1 };
                    if start.records.is_empty() {
                        start.first_end = (number, at + length, lines + more);
                    }
                    start.records.push(record);
                }
                at += length;
                lines += more;
            }
            number += 1;
            lines_before += lines;
            start.records.len() >= count || bytes >= most_bytes
        });
        start
    }

    /// The first record, unless it is a bad row that is left out.
    fn first(&self, options: &ReadOptions) -> Option<&Record> {
        self.records.first().filter(|first| !(first.cells.is_cut_off && options.skip_bad_rows))
    }

    /// Whether the first record is a row of words: half of its cells or more come again below them, as names do not.
    /// Of a header that is repeated all cells do, in one record.
    fn first_is_row(&self) -> bool {
        let Some((first, others)) = self.records.split_first() else { return false };
        let has = |record: &Record, i: usize, cell: &[u8]| {
            i < record.cells.len() && record.cells.cell(&record.text, i) == cell && !record.cells().eq(first.cells())
        };
        let comes_again = |(i, cell): &(usize, &[u8])| others.iter().any(|record| has(record, *i, cell));
        2 * first.cells().enumerate().filter(comes_again).count() >= first.cells.len()
    }

    /// Whether the first record has years, or other whole numbers that rise, among names: words each of which is no
    /// value of its column, though values of one of these columns come again.
    fn first_names_years(&self) -> bool {
        let Some((first, others)) = self.records.split_first() else { return false };
        let (numbers, words): (Vec<_>, Vec<_>) = first.cells().enumerate().partition(|(_, cell)| is_numeric(cell));
        let numbers = numbers.iter().map(|(_, cell)| whole_number(cell)).collect::<Option<Vec<u64>>>();
        let column = |i: usize| others.iter().map(move |record| record.cells.cell(&record.text, i));
        let is_value = |(i, word): &(usize, &[u8])| word.is_empty() || column(*i).any(|cell| cell == *word);
        let comes_again = |(i, _): &(usize, &[u8])| 2 * column(*i).collect::<HashSet<_>>().len() <= others.len();
        !others.is_empty()
            && numbers.is_some_and(|numbers| numbers.is_sorted_by(|a, b| a < b))
            && !words.iter().any(is_value)
            && words.iter().any(comes_again)
    }

    /// Leaves the first record out of the rows.
    fn skip_first(&self, blocks: &mut Blocks) {
        let (number, at, lines) = self.first_end;
        blocks.skip_to(number, at, lines);
    }

    fn place(&self, record: &Record, cell: usize) -> Place {
        Place { file: self.file.clone(), line: record.line, column: record.cells.offset(cell) as u64 + 1 }
    }

    /// The names of the columns in a header, and one more where all rows have a cell more: for what none has behind its
    /// last sign, or for the names of rows in front, which R writes so.
    fn names(&self, header: &Record) -> Result<Vec<String>> {
        let mut names = self.names_told(header)?;
        let (width, rows) = (names.len(), &self.records[1..]);
        if rows.is_empty() || rows.iter().any(|row| row.cells.len() != width + 1) {
            return Ok(names);
        }
        let cells = |i: usize| rows.iter().map(move |row| row.cells.cell(&row.text, i));
        if cells(width).all(<[u8]>::is_empty) {
            names.push(format!("Unnamed: {width}"));
        } else if rows.len() > 1 && first_twice(cells(0)).is_none() {
            names.insert(0, INDEX.to_string());
        }
        Ok(names)
    }

    fn names_told(&self, header: &Record) -> Result<Vec<String>> {
        let name = |(i, cell): (usize, &[u8])| match std::str::from_utf8(cell) {
            // As pandas calls those without a name: the first, which numbers rows, and empty ones at the end.
            Ok("") if header.cells.len() > 1 => Ok(format!("Unnamed: {i}")),
            Ok(name) if name.starts_with('"') && header.sign_before_blanks(cell).is_some() => {
                let (name, sign) = (excerpt(cell), header.sign_before_blanks(cell).unwrap_or(','));
                let cure = format!("take out such blanks: sed 's/{sign} *\"/{sign}\"/g' {} > table.csv", self.file);
                let message = format!("the name of column {name} has a blank before its quotes; {cure}");
                Err(Error::row(self.place(header, i), message))
            }
            Ok(name) => Ok(name.to_string()),
            Err(_) => {
                let message = Message::from(format!("the name of column '{}' is not UTF-8", excerpt(cell)));
                Err(Error::row(self.place(header, i), message.and(Cure::NameEncoding)))
            }
        };
        header.cells().enumerate().map(name).collect()
    }

    /// Refuses a title above the names of the columns, where the label's tells which line they are in.
    fn check_title(&self, options: &ReadOptions) -> Result<()> {
        let place = self.records.iter().take(MOST_ABOVE).position(|record| names_label(record, options));
        match place.map(|place| &self.records[place]) {
            Some(names) if place > Some(0) && is_header(names) => {
                let (file, line) = (&self.file, names.line);
                let cure = format!("take out what stands above them: tail -n +{line} {file} > table.csv");
                Err(Error::data(file, format!("has the names of its columns in line {line}; {cure}")))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a first record that no table begins with: one that is cut off, or has more cells than memory for
    /// columns.
    fn check_first(&self, record: &Record, options: &ReadOptions) -> Result<()> {
        let columns = check_count(record.cells.len(), options.most_bytes());
        columns.map_err(|message| Error::Memory(Message::from(format!("{}: ", self.file)).and(message)))?;
        let width = check_width(&record.cells, record.cells.len());
        width.map_err(|(cell, message)| Error::row(self.place(record, cell), message))
    }
}

fn check_width(cells: &Cells, expected: usize) -> std::result::Result<(), Fault> {
    if cells.is_cut_off {
        return Err((0, "a quoted cell of this row is never closed".into()));
    }
    if cells.len() != expected {
        let message = Message::from(format!("{}, expected {expected}", counted(cells.len(), "cell", "cells")));
        return Err((expected, message.and(Cure::SkipBadRows)));
    }
    Ok(())
}

/// Whether a cell counts as a number, be it one that will be refused such as `nan`.
fn is_numeric(cell: &[u8]) -> bool {
    number::parse(cell) != Err(NotANumber::Malformed)
}

/// A number of nothing but digits.
fn whole_number(cell: &[u8]) -> Option<u64> {
    std::str::from_utf8(cell).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
}

/// Whether a record counts columns from 0 on, behind an empty cell or none, as pandas calls those without names.
fn counts_columns(record: &Record) -> bool {
    const LEAST: usize = 4;
    let skipped = usize::from(record.cells.cell(&record.text, 0).is_empty());
    let counts = record.cells().skip(skipped).enumerate().all(|(i, cell)| whole_number(cell) == Some(i as u64));
    record.cells.len() >= LEAST + skipped && counts
}

fn is_header(record: &Record) -> bool {
    let is_name = |(i, cell): (usize, &[u8])| {
        let is_index = i == 0 && cell.is_empty() && record.cells.len() > 1;
        is_index || !cell.is_empty() && !is_numeric(cell)
    };
    record.cells().enumerate().all(is_name) && first_twice(record.cells()).is_none()
}

/// Whether a record has the name of the label's column, which then is no label.
fn names_label(record: &Record, options: &ReadOptions) -> bool {
    let label = options.columns.label.as_ref().filter(|label| !is_numeric(label.as_bytes()));
    label.is_some_and(|label| record.cells().any(|cell| cell == label.as_bytes()))
}

/// Whether a record has a name by which the label's column is known where nobody says.
fn has_usual_label(record: &Record, options: &ReadOptions) -> bool {
    let is_usual = |cell: &[u8]| LABEL_NAMES.iter().any(|name| cell.eq_ignore_ascii_case(name.as_bytes()));
    options.columns.label.is_none() && record.cells().any(is_usual)
}

/// Whether the label's column is called by a number that no column has, but that stands in a record: its columns are
/// called by numbers.
fn names_label_by_number(record: &Record, options: &ReadOptions) -> bool {
    let ColumnOptions { label, header, .. } = &options.columns;
    let is_place = |label: &String| label.parse().is_ok_and(|number: usize| (1..=record.cells.len()).contains(&number));
    let label = label.as_ref().filter(|label| header.is_none() && !is_place(label));
    label.is_some_and(|label| record.cells().any(|cell| cell == label.as_bytes()))
}

/// What the columns are, going by the first records; a header is left out of the rows.
fn guessed(start: &TableStart, blocks: &mut Blocks, rows: usize, options: &ReadOptions) -> Result<TableSchema> {
    let Some(first) = start.first(options) else {
        return Ok(TableSchema::empty(options.columns.header.unwrap_or(false)));
    };
    start.check_first(first, options)?;
    let is_guessed = || match is_header(first) {
        true => has_usual_label(first, options) || !start.first_is_row(),
        false => counts_columns(first) || start.first_names_years(),
    };
    let header = options.columns.header.unwrap_or_else(|| names_label(first, options) || is_guessed());
    start.check_title(options)?;
    let names =
        if header { start.names(first)? } else { (1..=first.cells.len()).map(|number| number.to_string()).collect() };
    let lacks_header = !header && names_label_by_number(first, options);
    let mut evidence = vec![ColumnEvidence::default(); names.len()];
    let width = names.len();
    let sound = |record: &&Record| check_width(&record.cells, width).is_ok();
    for record in start.records.iter().skip(usize::from(header)).filter(sound) {
        evidence.iter_mut().zip(record.cells()).for_each(|(evidence, cell)| evidence.add(Cell::Text(cell)));
    }
    options.findings.count_late(&names, &mut evidence);
    let is_all = start.records.len() <= rows;
    let record = |row: usize| start.records.iter().skip(usize::from(header)).filter(sound).nth(row);
    let place = |row: usize, cell: usize| record(row).map(|record| start.place(record, cell));
    let schema = guess(names, &evidence, is_all, header, &options.columns, &start.file, &place);
    let schema = schema.map_err(|error| if lacks_header { error.and(Cure::NameHeader) } else { error })?;
    if header {
        start.skip_first(blocks);
    }
    Ok(schema)
}

/// The columns of a file that should be as `schema` says, and what they hold: by name if there is a
/// header, which is left out of the rows, else by position.
fn given_columns(
    schema: &TableSchema,
    origin: Origin,
    start: &TableStart,
    blocks: &mut Blocks,
    options: &ReadOptions,
) -> Result<Vec<(String, Option<ColumnKind>)>> {
    let Some(first) = start.first(options) else { return Ok(Vec::new()) };
    start.check_first(first, options)?;
    let header = options.columns.header;
    // A table that was cut into files has its header in the first alone.
    let is_cut = || {
        let is_known = |cell: &[u8]| schema.columns.iter().any(|column| column.name.as_bytes() == cell);
        let is_row = first.cells.len() == schema.columns.len() && !is_header(first);
        origin == Origin::FilesBefore && is_row && !(header == Some(true) && first.cells().any(is_known))
    };
    if !schema.header || header == Some(false) || is_cut() {
        if header == Some(true) && !schema.header {
            start.skip_first(blocks);
        }
        return match numbered_names(schema, first.cells.len()) {
            Some(names) => columns_by_name(schema, names, &options.columns, origin, &start.file),
            None => Ok(columns_by_position(schema, first.cells.len())),
        };
    }
    let columns = columns_by_name(schema, start.names(first)?, &options.columns, origin, &start.file);
    let is_row = header.is_none() && (!is_header(first) || start.first_is_row());
    let columns = columns.map_err(|error| if is_row { error.and(Cure::NameHeadless) } else { error })?;
    start.skip_first(blocks);
    Ok(columns)
}

#[cfg(test)]
mod column_tests;
#[cfg(test)]
mod tests;
