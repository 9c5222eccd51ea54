//! Objects that are rows of a table.

use std::collections::HashMap;
use std::sync::Arc;

use super::object::{Scalar, Walker, no_array};
use crate::data::batch::Batch;
use crate::data::blocks::{Blocks, RecordEnds};
use crate::data::columns::{
    Cell, ColumnEvidence, ColumnKind, ColumnOptions, Encoder, LABEL_NAMES, Leaving, Missing, Origin, TableSchema,
    check_count, columns_by_name, guess, lacking, rows_looked_at, show,
};
use crate::data::detect::Peeked;
use crate::data::format::{Opening, ReadOptions, Reader};
use crate::data::input::Input;
use crate::data::names::name_hash;
use crate::data::number::{self, excerpt};
use crate::data::row_builder::{Fault, RowBuilder};
use crate::data::text::{ParsedRecord, RecordParser};
use crate::data::vocabulary::Vocabulary;
use crate::error::{Cure, Error, Message, Place, Result};

/// A key that none of so many rows has is called otherwise there; in fewer its cells may all be missing.
const ROWS_THAT_TELL: usize = 20;

/// Parses objects that are rows of a table.
#[derive(Clone)]
struct ObjectRows {
    keys: Keys,
    cells: ObjectCells,
    encoder: Encoder,
    /// Which columns hold numbers.
    wants_numbers: Vec<bool>,
    /// The columns whose cells are handed on.
    kept: Vec<usize>,
}

pub(super) fn open(mut opening: Opening<'_>, bytes: Peeked) -> Result<Box<dyn Reader>> {
    let Opening { input, options, .. } = opening;
    let name = input.name();
    let mut blocks = opening.blocks(bytes, RecordEnds::AtLines);
    let mut keys = Keys { most_bytes: options.most_bytes(), ..Keys::default() };
    let (schema, columns, origin) = match opening.known_schema() {
        Some((schema, origin)) => {
            let ColumnOptions { label, weight, .. } = &options.columns;
            let asked = wanted(label.iter().chain(weight).chain(&options.keep));
            for name in schema.columns.iter().map(|column| &column.name).chain(asked) {
                keys.place(name.as_bytes()).map_err(|message| Error::data(&input.name(), message))?;
            }
            keys.others = OtherKeys::LeftOut;
            let columns = columns_by_name(&schema, keys.names.clone(), &options.columns, origin, &name)?;
            if !options.rows_may_lack_keys {
                let ahead = KeysAhead::of(&mut blocks, &schema, input, options);
                if let Some(column) = ahead.lacking(&schema, &opening.lookup.about.vocabulary) {
                    return Err(lacking(column, origin, &ahead.keys, &name));
                }
            }
            keys.is_used = columns.iter().map(|(_, kind)| kind.is_some()).collect();
            (schema, columns, origin)
        }
        None => {
            let rows = rows_looked_at(input);
            let mut ahead = look_ahead(&mut blocks, &mut keys, rows + 1, options.longest_line(), &name);
            if !options.skip_bad_rows && matches!(ahead.first(), Some(Err(_))) {
                ahead.swap_remove(0)?;
            }
            let schema = guessed(&mut keys, &ahead, rows, options, &name)?;
            keys.is_used = used(&schema, &options.columns);
            let columns = schema.columns.iter().map(|column| (column.name.clone(), Some(column.kind))).collect();
            (schema, columns, Origin::FirstRows)
        }
    };
    let is_number =
        |kind: &Option<ColumnKind>| matches!(kind, Some(ColumnKind::Number | ColumnKind::Boolean | ColumnKind::Weight));
    let wants_numbers = columns.iter().map(|(_, kind)| is_number(kind)).collect();
    let (encoder, kept) = opening.encoder(columns, schema, origin)?;
    Ok(opening.text(blocks, ObjectRows { keys, cells: ObjectCells::default(), encoder, wants_numbers, kept }))
}

/// Which columns are not left out by whoever asked for them.
fn used(schema: &TableSchema, options: &ColumnOptions) -> Vec<bool> {
    let is_told = |name: &str| options.kinds.iter().any(|(told, _)| told == name);
    let is_used = |(name, kind): (&str, ColumnKind)| match kind {
        ColumnKind::Unused(leaving) => leaving != Leaving::Asked && !is_told(name),
        _ => true,
    };
    schema.columns().map(is_used).collect()
}

/// The keys of the rows ahead.
struct KeysAhead {
    keys: Vec<String>,
    /// How many rows have been looked at; fewer where one of them is wrong, or all keys that should be there are.
    rows: usize,
}

impl KeysAhead {
    /// Those of as many rows as tell what columns hold, but of a stream only of what is at hand.
    fn of(blocks: &mut Blocks, schema: &TableSchema, input: &Input, options: &ReadOptions) -> KeysAhead {
        let mut seen = Keys { most_bytes: options.most_bytes(), ..Keys::default() };
        let mut wanted: Vec<&str> =
            schema.columns().filter(|(_, kind)| kind.is_feature()).map(|(name, _)| name).collect();
        let (mut rows, mut is_wrong, mut cells) = (0, false, ObjectCells::default());
        blocks.look_ahead(|block| {
            let mut text = block.padded();
            let end = text.len() - block.len();
            while text.len() > end && !wanted.is_empty() && !is_wrong && rows < rows_looked_at(input) {
                let (length, walked) = seen.walk(text, &mut cells);
                text = &text[length..];
                rows += usize::from(matches!(walked, Ok(true)));
                is_wrong = walked.is_err() && !options.skip_bad_rows;
                wanted.retain(|name| !seen.places.contains_key(*name));
            }
            input.is_stream() || wanted.is_empty() || is_wrong || rows >= rows_looked_at(input)
        });
        KeysAhead { keys: seen.names, rows: if is_wrong { 0 } else { rows } }
    }

    /// A column of features that none of the rows has, and which should be there: a key may be left out where its cell
    /// is missing, but not by all of many rows, nor where nothing was missing when the column was learned, nor can
    /// all keys be left out.
    fn lacking<'a>(&self, schema: &'a TableSchema, vocabulary: &Vocabulary) -> Option<&'a str> {
        let is_there = |name: &str| self.keys.iter().any(|key| key == name);
        let columns = || schema.columns().filter(|(_, kind)| kind.is_feature()).map(|(name, _)| name);
        let is_any_there = columns().any(is_there);
        let may_lack = |name: &str| match vocabulary {
            _ if !is_any_there || self.rows >= ROWS_THAT_TELL => false,
            Vocabulary::Named { names, .. } if schema.missing == Missing::Indicator => {
                let blank = format!("{name}=?").into_bytes();
                names.find(&blank, name_hash(&blank)).is_some()
            }
            // Nobody knows what was missing.
            _ => schema.missing != Missing::Refuse,
        };
        columns().find(|name| self.rows > 0 && !is_there(name) && !may_lack(name))
    }
}

/// Looks at so many rows ahead, as far as there are so many, and memory for them.
fn look_ahead(
    blocks: &mut Blocks,
    keys: &mut Keys,
    rows: usize,
    most_bytes: u64,
    file: &Arc<str>,
) -> Vec<Result<ObjectCells>> {
    let (mut ahead, mut lines, mut bytes) = (Vec::new(), 0, 0);
    blocks.look_ahead(|block| {
        let mut text = block.padded();
        let end = text.len() - block.len();
        while text.len() > end && ahead.len() < rows && bytes < most_bytes {
            let mut cells = ObjectCells::default();
            let (length, walked) = keys.walk(text, &mut cells);
            text = &text[length..];
            lines += 1;
            bytes += cells.bytes();
            match walked {
                Ok(true) => ahead.push(Ok(ObjectCells { line: lines, ..cells })),
                Ok(false) => {}
                Err((at, message)) => {
                    let place = Place { file: file.clone(), line: lines, column: at as u64 + 1 };
                    ahead.push(Err(Error::row(place, message)));
                }
            }
        }
        ahead.len() >= rows || bytes >= most_bytes
    });
    ahead
}

/// The columns that are asked for by name, which no row that was looked at need have.
fn wanted<'a>(names: impl Iterator<Item = &'a String>) -> impl Iterator<Item = &'a String> {
    names.filter(|name| name.parse::<usize>().is_err())
}

/// What the columns hold, going by the rows ahead.
fn guessed(
    keys: &mut Keys,
    ahead: &[Result<ObjectCells>],
    rows: usize,
    options: &ReadOptions,
    file: &Arc<str>,
) -> Result<TableSchema> {
    let is_all = ahead.len() <= rows;
    if ahead.is_empty() {
        return Ok(TableSchema::empty(true));
    }
    if !is_all {
        let ColumnOptions { ignore, kinds, .. } = &options.columns;
        for name in wanted(ignore.iter().chain(kinds.iter().map(|(name, _)| name))) {
            keys.place(name.as_bytes()).map_err(|message| Error::data(file, message))?;
        }
    }
    if let [Ok(only)] = ahead {
        check_is_row(&keys.names, only, &options.columns, file)?;
    }
    keys.others = OtherKeys::Refused;
    let mut evidence = vec![ColumnEvidence::default(); keys.names.len()];
    for record in ahead.iter().flatten() {
        evidence.iter_mut().enumerate().for_each(|(i, evidence)| evidence.add(record.cell(i, false)));
    }
    options.findings.count_late(&keys.names, &mut evidence);
    let place = |row: usize, column: usize| {
        let cells = ahead.iter().flatten().nth(row)?;
        Some(Place { file: file.clone(), line: cells.line, column: cells.offset(column) as u64 + 1 })
    };
    guess(keys.names.clone(), &evidence, is_all, true, &options.columns, file, &place)
}

/// Refuses one object that is a whole table, or holds one: its label is no single value.
fn check_is_row(names: &[String], row: &ObjectCells, options: &ColumnOptions, file: &str) -> Result<()> {
    let is_array = |i: usize| row.cells.get(i).copied().flatten().is_some_and(|cell| cell.is_array);
    let is_label = |name: &String| match &options.label {
        Some(label) => name == label,
        None => LABEL_NAMES.iter().any(|usual| name.eq_ignore_ascii_case(usual)),
    };
    if names.iter().enumerate().any(|(i, name)| is_label(name) && !is_array(i)) {
        return Ok(());
    }
    let arrays: Vec<&String> = names.iter().enumerate().filter(|(i, _)| is_array(*i)).map(|(_, name)| name).collect();
    let has = |wanted: &str| arrays.iter().any(|name| *name == wanted);
    let is_numbered = |name: &String| name.rsplit_once('.').is_some_and(|(_, row)| row == "0" || row == "1");
    let is_by_columns =
        arrays.len() > 1 || arrays.is_empty() && names.iter().filter(|name| is_numbered(name)).count() > 1;
    let lines = format!("to_json('{file}l', orient='records', lines=True)");
    let (what, cure) = match arrays[..] {
        _ if has("columns") && has("data") => (
            "names of columns beside rows",
            format!("python -c \"import pandas; pandas.read_json('{file}', orient='split').{lines}\""),
        ),
        _ if is_by_columns => {
            ("columns, not rows", format!("python -c \"import pandas; pandas.read_json('{file}').{lines}\""))
        }
        [rows] => ("its rows in an array", format!("jq -c '.[\"{rows}\"][]' {file} > {file}l")),
        _ => return Ok(()),
    };
    Err(Error::data(file, format!("is one object that holds {what}; make a line of each row: {cure}")))
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
#[derive(Clone, Default)]
struct Keys {
    walker: Walker,
    names: Vec<String>,
    places: HashMap<String, usize>,
    others: OtherKeys,
    /// Which columns are of use, once that is known: an array in one of them is refused.
    is_used: Vec<bool>,
    /// The memory that columns may take.
    most_bytes: u64,
}

impl Keys {
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
                Err(Message::from(message).and((Cure::NameKind, name)))
            }
            (None, OtherKeys::Added) => {
                check_count(self.names.len() + 1, self.most_bytes)?;
                self.places.insert(name.to_string(), self.names.len());
                self.names.push(name.to_string());
                Ok(Some(self.names.len() - 1))
            }
        }
    }

    /// What is wrong with an array in a column.
    #[cold]
    fn refused_array(&self, place: usize) -> Message {
        let (name, message) = (&self.names[place], no_array(self.names[place].as_bytes()));
        match self.others {
            OtherKeys::LeftOut => message,
            OtherKeys::Added | OtherKeys::Refused => message.and((Cure::IgnoreColumn, name.as_str())),
        }
    }

    /// Reads the line that `text` begins with; gives how long it is, and whether it is not blank.
    fn walk(&mut self, text: &[u8], cells: &mut ObjectCells) -> (usize, std::result::Result<bool, Fault>) {
        cells.clear(self.names.len());
        let mut walker = std::mem::take(&mut self.walker);
        let mut next = 0;
        let walked = walker.walk(text, &mut |key, value, at| {
            // Keys come in the same order in most rows.
            let place = match self.names.get(next) {
                Some(name) if name.as_bytes() == key => Some(next),
                _ => self.place(key).map_err(|message| (at, message))?,
            };
            if let Some(place) = place {
                if matches!(value, Scalar::Array(_)) && self.is_used.get(place) == Some(&true) {
                    return Err((at, self.refused_array(place)));
                }
                cells.set(place, value, at).map_err(|message| (at, message))?;
                next = place + 1;
            }
            Ok(())
        });
        self.walker = walker;
        let from = match &walked {
            Ok(end) => end.unwrap_or(0),
            Err((at, _)) => *at,
        };
        let rest = text[from..].iter().position(|&b| b == b'\n').expect("a whole line ends with a newline");
        (from + rest + 1, walked.map(|end| end.is_some()))
    }
}

/// The cells of a row.
#[derive(Clone, Default)]
struct ObjectCells {
    /// What stands in all cells, one after another.
    text: Vec<u8>,
    /// Where the text of each column is.
    cells: Vec<Option<TextSpan>>,
    /// The line they come from, among those looked at ahead.
    line: u64,
}

#[derive(Clone, Copy)]
struct TextSpan {
    start: usize,
    end: usize,
    is_number: bool,
    is_array: bool,
    /// Where it stands in its line.
    at: usize,
}

impl ObjectCells {
    fn clear(&mut self, columns: usize) {
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
        let (is_number, is_array) = (matches!(value, Scalar::Number(_)), matches!(value, Scalar::Array(_)));
        self.cells[place] = Some(TextSpan { start, end: self.text.len(), is_number, is_array, at });
        Ok(())
    }

    fn text(&self, i: usize) -> &[u8] {
        self.cells.get(i).copied().flatten().map_or(&[], |slot| &self.text[slot.start..slot.end])
    }

    /// The cell of a column; a number as one, where that is wanted, so that it means the same however numbers in texts
    /// are written.
    #[inline]
    fn cell(&self, i: usize, wants_numbers: bool) -> Cell<'_> {
        let slot = self.cells.get(i).copied().flatten().filter(|slot| !slot.is_array);
        let Some(slot) = slot else { return Cell::Missing };
        let text = &self.text[slot.start..slot.end];
        match wants_numbers && slot.is_number {
            true => number::parse(text).map_or(Cell::Text(text), Cell::Number),
            false => Cell::Text(text),
        }
    }

    fn bytes(&self) -> u64 {
        (size_of::<ObjectCells>() + self.text.len() + self.cells.len() * size_of::<Option<TextSpan>>()) as u64
    }

    /// How many bytes of the line come before the cell of a column.
    fn offset(&self, i: usize) -> usize {
        self.cells.get(i).copied().flatten().map_or(0, |slot| slot.at)
    }
}

impl RecordParser for ObjectRows {
    fn parse(&mut self, text: &[u8], _: usize, line: u64, row: &mut RowBuilder, batch: &mut Batch) -> ParsedRecord {
        let ObjectRows { keys, cells, encoder, wants_numbers, kept } = self;
        let (length, walked) = keys.walk(text, cells);
        let fault = match walked {
            Ok(true) => {
                let rows = batch.len();
                let encoded = encoder.row(|i| cells.cell(i, wants_numbers[i]), line, row, batch);
                row.relocate(batch.len() > rows, |i| cells.offset(i));
                if encoded.is_ok() {
                    batch.kept.extend(kept.iter().map(|&i| String::from_utf8_lossy(cells.text(i)).into_owned()));
                }
                encoded.err().map(|(i, message)| (cells.offset(i), message))
            }
            Ok(false) => None,
            Err(fault) => Some(fault),
        };
        ParsedRecord { length, lines: 1, fault }
    }
}
