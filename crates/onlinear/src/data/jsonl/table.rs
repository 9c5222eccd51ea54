//! Objects that are rows of a table.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::object::{Scalar, Walker};
use crate::data::batch::Batch;
use crate::data::columns::{
    Cell, ColumnEvidence, ColumnKind, ColumnOptions, Encoder, Origin, TableSchema, check_count, columns_by_name, guess,
    rows_looked_at, show,
};
use crate::data::detect::Peeked;
use crate::data::format::{Opening, ReadOptions, Reader, RowSource};
use crate::data::lines::Lines;
use crate::data::number::{self, excerpt};
use crate::data::row_builder::{Fault, RowBuilder};
use crate::error::{Cure, Error, Message, Place, Result};

/// The rows of a table, the first of which were read ahead.
struct ObjectTable {
    name: Arc<str>,
    lines: Lines,
    parser: Parser,
    ahead: VecDeque<Result<ObjectCells>>,
    /// What ended the reading ahead, to be met again behind the rows ahead.
    failed: Option<Error>,
    current: ObjectCells,
    encoder: Encoder,
    /// Which columns hold numbers.
    wants_numbers: Vec<bool>,
    /// The columns whose cells are handed on.
    kept: Vec<usize>,
}

pub(super) fn open(mut opening: Opening<'_>, bytes: Peeked) -> Result<Box<dyn Reader>> {
    let Opening { input, options, .. } = opening;
    let name = input.name();
    let mut lines = Lines::new(Box::new(bytes), name.clone(), options.longest_line());
    let mut parser = Parser { most_bytes: options.most_bytes(), ..Parser::default() };
    let (mut ahead, mut failed) = (VecDeque::new(), None);
    let (schema, columns, origin) = match opening.known_schema() {
        Some((schema, origin)) => {
            let ColumnOptions { label, weight, .. } = &options.columns;
            let asked = wanted(label.iter().chain(weight).chain(&options.keep));
            for name in schema.columns.iter().map(|column| &column.name).chain(asked) {
                parser.place(name.as_bytes()).map_err(|message| Error::data(&input.name(), message))?;
            }
            parser.others = OtherKeys::LeftOut;
            let columns = columns_by_name(&schema, parser.names.clone(), &options.columns, origin, &name)?;
            (schema, columns, origin)
        }
        None => {
            let rows = rows_looked_at(input);
            failed = look_ahead(&mut lines, &mut parser, rows + 1, options.longest_line(), &mut ahead).err();
            if !options.skip_bad_rows && matches!(ahead.front(), Some(Err(_))) {
                ahead.pop_front().transpose()?;
            }
            let schema = guessed(&mut parser, &ahead, rows, options, &name)?;
            let columns = schema.columns.iter().map(|column| (column.name.clone(), Some(column.kind))).collect();
            (schema, columns, Origin::FirstRows)
        }
    };
    let is_number =
        |kind: &Option<ColumnKind>| matches!(kind, Some(ColumnKind::Number | ColumnKind::Boolean | ColumnKind::Weight));
    let wants_numbers = columns.iter().map(|(_, kind)| is_number(kind)).collect();
    let (encoder, kept) = opening.encoder(columns, schema, origin)?;
    let current = ObjectCells::default();
    Ok(opening.reader(ObjectTable { name, lines, parser, ahead, failed, current, encoder, wants_numbers, kept }))
}

/// Reads so many rows ahead, as far as there are so many, and memory for them.
fn look_ahead(
    lines: &mut Lines,
    parser: &mut Parser,
    rows: usize,
    most_bytes: u64,
    ahead: &mut VecDeque<Result<ObjectCells>>,
) -> Result<()> {
    let mut bytes = 0;
    while ahead.len() < rows && bytes < most_bytes && (lines.len() > 0 || lines.fill()?) {
        let mut record = ObjectCells::default();
        let parsed = parser.next(lines, &mut record);
        bytes += record.bytes();
        match parsed {
            Ok(true) => ahead.push_back(Ok(record)),
            Ok(false) => {}
            Err(error) => ahead.push_back(Err(error)),
        }
    }
    Ok(())
}

/// The columns that are asked for by name, which no row that was looked at need have.
fn wanted<'a>(names: impl Iterator<Item = &'a String>) -> impl Iterator<Item = &'a String> {
    names.filter(|name| name.parse::<usize>().is_err())
}

/// What the columns hold, going by the rows ahead.
fn guessed(
    parser: &mut Parser,
    ahead: &VecDeque<Result<ObjectCells>>,
    rows: usize,
    options: &ReadOptions,
    file: &str,
) -> Result<TableSchema> {
    let is_all = ahead.len() <= rows;
    if ahead.is_empty() {
        return Ok(TableSchema::empty(true));
    }
    if !is_all {
        let ColumnOptions { ignore, kinds, .. } = &options.columns;
        for name in wanted(ignore.iter().chain(kinds.iter().map(|(name, _)| name))) {
            parser.place(name.as_bytes()).map_err(|message| Error::data(file, message))?;
        }
    }
    parser.others = OtherKeys::Refused;
    let mut evidence = vec![ColumnEvidence::default(); parser.names.len()];
    for record in ahead.iter().flatten() {
        evidence.iter_mut().enumerate().for_each(|(i, evidence)| evidence.add(record.cell(i, false)));
    }
    guess(parser.names.clone(), &evidence, is_all, true, &options.columns, file)
}

/// What becomes of a key that no column is called.
#[derive(Clone, Copy, Default)]
enum OtherKeys {
    /// It is one more column.
    #[default]
    Added,
    LeftOut,
    Refused,
}

/// The columns met so far, which keys are looked up among.
#[derive(Default)]
struct Parser {
    walker: Walker,
    names: Vec<String>,
    places: HashMap<String, usize>,
    others: OtherKeys,
    /// The memory that columns may take.
    most_bytes: u64,
}

impl Parser {
    /// The place of a column; none for one that is left out.
    fn place(&mut self, key: &[u8]) -> std::result::Result<Option<usize>, Message> {
        let Ok(name) = std::str::from_utf8(key) else {
            let message = Message::from(format!("the name of column '{}' is not UTF-8", excerpt(key)));
            return Err(message.and(Cure::NameEncoding));
        };
        match (self.places.get(name), self.others) {
            (Some(&place), _) => Ok(Some(place)),
            (None, OtherKeys::LeftOut) => Ok(None),
            (None, OtherKeys::Refused) => {
                let message = format!("no row that was looked at has a column '{}'", show(name));
                Err(Message::from(message).and(Cure::NameKind))
            }
            (None, OtherKeys::Added) => {
                check_count(self.names.len() + 1, self.most_bytes)?;
                self.places.insert(name.to_string(), self.names.len());
                self.names.push(name.to_string());
                Ok(Some(self.names.len() - 1))
            }
        }
    }

    /// Reads the line at the front of `lines`; false if it is blank.
    fn next(&mut self, lines: &mut Lines, record: &mut ObjectCells) -> Result<bool> {
        record.clear(lines.line, self.names.len());
        let mut walker = std::mem::take(&mut self.walker);
        let mut next = 0;
        let walked = walker.walk(lines.padded(), &mut |key, value, at| {
            // Keys come in the same order in most rows.
            let place = match self.names.get(next) {
                Some(name) if name.as_bytes() == key => Some(next),
                _ => self.place(key).map_err(|message| (at, message))?,
            };
            if let Some(place) = place {
                record.set(place, value, at).map_err(|message| (at, message))?;
                next = place + 1;
            }
            Ok(())
        });
        self.walker = walker;
        let (from, result) = match walked {
            Ok(end) => (end.unwrap_or(0), Ok(end.is_some())),
            Err((at, message)) => (at, Err(Error::row(lines.place(at), message))),
        };
        lines.consume_rest(from);
        result
    }
}

/// The cells of a row.
#[derive(Default)]
struct ObjectCells {
    line: u64,
    /// What stands in all cells, one after another.
    text: Vec<u8>,
    /// Where the text of each column is.
    cells: Vec<Option<TextSpan>>,
}

#[derive(Clone, Copy)]
struct TextSpan {
    start: usize,
    end: usize,
    is_number: bool,
    /// Where it stands in its line.
    at: usize,
}

impl ObjectCells {
    fn clear(&mut self, line: u64, columns: usize) {
        self.line = line;
        self.text.clear();
        self.cells.clear();
        self.cells.resize(columns, None);
    }

    fn set(&mut self, place: usize, value: Scalar<'_>, at: usize) -> std::result::Result<(), Message> {
        if self.cells.len() <= place {
            self.cells.resize(place + 1, None);
        }
        if self.cells[place].is_some() {
            return Err("this column is there twice".into());
        }
        let start = self.text.len();
        self.text.extend_from_slice(value.text().unwrap_or_default());
        let is_number = matches!(value, Scalar::Number(_));
        self.cells[place] = Some(TextSpan { start, end: self.text.len(), is_number, at });
        Ok(())
    }

    fn text(&self, i: usize) -> &[u8] {
        self.cells.get(i).copied().flatten().map_or(&[], |slot| &self.text[slot.start..slot.end])
    }

    /// The cell of a column; a number as one, where that is wanted, so that it means the same however numbers in texts
    /// are written.
    #[inline]
    fn cell(&self, i: usize, wants_numbers: bool) -> Cell<'_> {
        let Some(slot) = self.cells.get(i).copied().flatten() else { return Cell::Missing };
        let text = &self.text[slot.start..slot.end];
        match wants_numbers && slot.is_number {
            true => number::parse(text).map_or(Cell::Text(text), Cell::Number),
            false => Cell::Text(text),
        }
    }

    fn bytes(&self) -> u64 {
        (size_of::<ObjectCells>() + self.text.len() + self.cells.len() * size_of::<Option<TextSpan>>()) as u64
    }
}

impl ObjectTable {
    fn row(&mut self, row: &mut RowBuilder, batch: &mut Batch) -> std::result::Result<(), Fault> {
        let (record, wants_numbers) = (&self.current, &self.wants_numbers);
        self.encoder.row(|i| record.cell(i, wants_numbers[i]), record.line, row, batch)?;
        batch.kept.extend(self.kept.iter().map(|&i| String::from_utf8_lossy(record.text(i)).into_owned()));
        Ok(())
    }
}

impl RowSource for ObjectTable {
    fn is_at_hand(&self) -> bool {
        !self.ahead.is_empty() || self.lines.len() > 0
    }

    fn fetch(&mut self) -> Result<bool> {
        if !self.ahead.is_empty() {
            return Ok(true);
        }
        match self.failed.take() {
            Some(error) => Err(error),
            None => Ok(self.lines.len() > 0 || self.lines.fill()?),
        }
    }

    fn parse(&mut self, row: &mut RowBuilder, batch: &mut Batch) -> Result<()> {
        match self.ahead.pop_front() {
            Some(record) => self.current = record?,
            None if self.parser.next(&mut self.lines, &mut self.current)? => {}
            None => return Ok(()),
        }
        let parsed = self.row(row, batch);
        parsed.map_err(|(i, message)| {
            let at = self.current.cells.get(i).copied().flatten().map_or(0, |slot| slot.at);
            Error::row(Place { file: self.name.clone(), line: self.current.line, column: at as u64 + 1 }, message)
        })
    }
}
