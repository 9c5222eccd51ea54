//! Tables in memory, such as the data frames of Python: read by the same rules as tables in files, so that the same
//! table gives the same rows.

use std::fmt;
use std::sync::Arc;

use super::batch::Batch;
use super::columns::{
    Cell, ColumnEvidence, ColumnKind, Encoder, Leaving, Origin, columns_by_name, columns_by_position, guess,
    rows_looked_at,
};
use super::dense::DenseRows;
use super::detect::Peeked;
use super::format::{Content, Format, Opening, Reader, RowShape, RowSource};
use super::row_builder::RowBuilder;
use crate::error::{Error, Place, Result};

/// The declaration. No file is in this format, so it is not in the list of those that can be read.
pub(crate) const FORMAT: Format =
    Format { names: &["frame"], endings: &[], content: Content::Magic(|_| false), shape: |_, _| RowShape::Table, open };

/// A table in memory: columns of one length, with their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    name: Arc<str>,
    columns: Vec<(String, Arc<FrameColumn>)>,
    rows: usize,
    is_stream: bool,
}

/// The cells of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameColumn {
    /// Numbers, and NaN where there is none.
    Numbers(Vec<f64>),
    /// The same, in memory of somebody else.
    Lent(LentNumbers),
    /// Texts, and empty ones where there is none.
    Texts(Texts),
    /// For each cell the place of its text among some.
    Choices(Vec<u32>, Texts),
}

/// Numbers that lie in the memory of whoever made them, who keeps them for as long as this is there.
#[derive(Clone)]
pub struct LentNumbers(pub Arc<dyn AsRef<[f64]> + Send + Sync>);

impl fmt::Debug for LentNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().as_ref().fmt(f)
    }
}

impl PartialEq for LentNumbers {
    fn eq(&self, other: &LentNumbers) -> bool {
        self.0.as_ref().as_ref() == other.0.as_ref().as_ref()
    }
}

/// Texts side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    /// Appends a text; spaces around it do not count.
    pub fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text.trim_ascii());
        self.ends.push(self.bytes.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn get(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }
}

impl FrameColumn {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        match self {
            FrameColumn::Numbers(numbers) => numbers.len(),
            FrameColumn::Lent(LentNumbers(numbers)) => numbers.as_ref().as_ref().len(),
            FrameColumn::Texts(texts) => texts.len(),
            FrameColumn::Choices(places, _) => places.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cells, where all are numbers or missing.
    pub(super) fn numbers(&self) -> Option<&[f64]> {
        match self {
            FrameColumn::Numbers(numbers) => Some(numbers),
            FrameColumn::Lent(LentNumbers(numbers)) => Some(numbers.as_ref().as_ref()),
            FrameColumn::Texts(_) | FrameColumn::Choices(..) => None,
        }
    }

    fn cell(&self, i: usize) -> Cell<'_> {
        let number = |number: f64| if number.is_nan() { Cell::Missing } else { Cell::Number(number) };
        match self {
            FrameColumn::Numbers(numbers) => number(numbers[i]),
            FrameColumn::Lent(LentNumbers(numbers)) => number(numbers.as_ref().as_ref()[i]),
            FrameColumn::Texts(texts) => Cell::Text(texts.get(i)),
            FrameColumn::Choices(places, texts) => Cell::Text(texts.get(places[i] as usize)),
        }
    }
}

impl Frame {
    /// The table of these columns, which messages call by `name`.
    pub fn new(name: &str, columns: Vec<(String, Arc<FrameColumn>)>) -> Result<Frame> {
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        let is_sound = |column: &FrameColumn| match column {
            FrameColumn::Choices(places, texts) => places.iter().all(|&place| (place as usize) < texts.len()),
            _ => true,
        };
        match columns.iter().find(|(_, column)| column.len() != rows || !is_sound(column)) {
            Some((odd, _)) => Err(Error::data(name, format!("column '{odd}' does not have a cell for each row"))),
            None => Ok(Frame { name: name.into(), columns, rows, is_stream: false }),
        }
    }

    /// The same as part of a stream: more rows will follow, and these are met but once.
    pub fn streamed(self) -> Frame {
        Frame { is_stream: true, ..self }
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// What messages call it.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The columns with their names.
    pub fn columns(&self) -> &[(String, Arc<FrameColumn>)] {
        &self.columns
    }
}

/// Some rows of a table; columns that are of no use may have no cells.
#[derive(Default)]
pub(super) struct Stretch {
    pub(super) columns: Vec<Arc<FrameColumn>>,
    /// Those whose cells are handed on.
    pub(super) kept: Vec<Arc<FrameColumn>>,
    pub(super) rows: usize,
}

/// Which columns of a table are read.
pub(super) struct Selection {
    /// Those that features, labels or weights come from; of a table in memory all are there anyway.
    #[cfg_attr(not(feature = "parquet"), expect(dead_code))]
    pub(super) is_wanted: Vec<bool>,
    /// Those whose cells are handed on.
    pub(super) kept: Vec<usize>,
}

/// The rows of a table that comes in stretches.
struct FrameRows<S> {
    name: Arc<str>,
    stretches: S,
    stretch: Stretch,
    /// How many rows of the stretch were fetched.
    fetched: usize,
    /// How many rows there are in the stretches before it.
    before: u64,
    encoder: Encoder,
    /// Where every feature is a number, and the column of the labels.
    dense: Option<(DenseRows, Option<usize>)>,
    /// The last labels that are numbers, and what they are as texts.
    number_labels: Vec<(u64, String)>,
}

/// The text of a number, if need be put among the last ones.
fn number_text(number: f64, last: &mut Vec<(u64, String)>) -> &str {
    const MOST: usize = 8;
    let bits = number.to_bits();
    let place = last.iter().position(|(other, _)| *other == bits).unwrap_or_else(|| {
        last.truncate(if last.len() < MOST { MOST } else { 0 });
        last.push((bits, number.to_string()));
        last.len() - 1
    });
    &last[place].1
}

fn open(opening: Opening<'_>, _: Peeked) -> Result<Box<dyn Reader>> {
    let Some(frame) = opening.input.frame().cloned() else {
        return Err(Error::data(&opening.input.name(), "is no table in memory"));
    };
    let names = frame.columns.iter().map(|(name, _)| name.clone()).collect();
    open_stretches(opening, names, |selection| {
        let columns: Vec<_> = frame.columns.iter().map(|(_, column)| column.clone()).collect();
        let kept = selection.iter().flat_map(|selection| &selection.kept).map(|&i| columns[i].clone()).collect();
        Ok(std::iter::once(Ok(Stretch { columns, kept, rows: frame.rows })))
    })
}

/// Opens a table with columns of these names. `begin` begins it anew, with the cells of a selection of columns, or
/// of all that can be read.
pub(super) fn open_stretches<S>(
    mut opening: Opening<'_>,
    names: Vec<String>,
    begin: impl Fn(Option<&Selection>) -> Result<S>,
) -> Result<Box<dyn Reader>>
where
    S: Iterator<Item = Result<Stretch>> + Send + 'static,
{
    let Opening { input, options, .. } = opening;
    let (name, width) = (input.name(), names.len());
    let (schema, columns, origin) = match opening.found_schema() {
        Some((schema, origin)) if schema.header => {
            let columns = columns_by_name(&schema, names, &options.columns, origin, &name)?;
            (schema, columns, origin)
        }
        Some((schema, origin)) => {
            let columns = columns_by_position(&schema, width);
            (schema, columns, origin)
        }
        None => {
            let looked_at = rows_looked_at(input);
            let (mut evidence, rows) = evidence(begin(None)?, width, looked_at)?;
            options.findings.count_late(&names, &mut evidence);
            // As in a file, of which the names of the columns are one record.
            let place = |row: usize, column: usize| {
                let (line, column) = (row as u64 + 1, column as u64 + 1);
                (row < rows).then(|| Place { file: name.clone(), line, column })
            };
            let schema = guess(names, &evidence, rows < looked_at, true, &options.columns, &name, &place)?;
            let columns: Vec<(String, Option<ColumnKind>)> =
                schema.columns.iter().map(|column| (column.name.clone(), Some(column.kind))).collect();
            (schema, columns, Origin::FirstRows)
        }
    };
    if columns.len() != width {
        return Err(Error::data(&name, format!("has {width} columns, but {} are expected", columns.len())));
    }
    // A column that seems constant is wanted too: one that cannot be read seems so, and must be refused.
    let is_wanted = |kind| !matches!(kind, ColumnKind::Unused(Leaving::Asked | Leaving::Id));
    let is_wanted = columns.iter().map(|(_, kind)| kind.is_some_and(is_wanted)).collect();
    let (encoder, kept) = opening.encoder(columns, schema, origin)?;
    let (stretches, stretch) = (begin(Some(&Selection { is_wanted, kept }))?, Stretch::default());
    let dense = encoder.numbers().map(|plain| (DenseRows::new(plain.numbers), plain.label));
    let number_labels = Vec::new();
    Ok(opening.reader(FrameRows { name, stretches, stretch, fetched: 0, before: 0, encoder, dense, number_labels }))
}

/// What the first rows tell of each column, and how many they are.
fn evidence(
    stretches: impl Iterator<Item = Result<Stretch>>,
    width: usize,
    looked_at: usize,
) -> Result<(Vec<ColumnEvidence>, usize)> {
    let (mut evidence, mut seen) = (vec![ColumnEvidence::default(); width], 0);
    for stretch in stretches {
        let Stretch { columns, rows, .. } = stretch?;
        let rows = rows.min(looked_at - seen);
        for (column, evidence) in columns.iter().zip(&mut evidence) {
            (0..rows.min(column.len())).for_each(|row| evidence.add(column.cell(row)));
        }
        seen += rows;
        if seen == looked_at {
            break;
        }
    }
    Ok((evidence, seen))
}

impl<S: Iterator<Item = Result<Stretch>> + Send> RowSource for FrameRows<S> {
    fn is_at_hand(&self) -> bool {
        self.fetched < self.stretch.rows
    }

    fn fetch(&mut self) -> Result<bool> {
        while !self.is_at_hand() {
            let Some(next) = self.stretches.next() else { return Ok(false) };
            self.before += self.stretch.rows as u64;
            (self.stretch, self.fetched) = (next?, 0);
            self.dense.iter_mut().for_each(|(rows, _)| rows.restart());
        }
        self.fetched += 1;
        Ok(true)
    }

    fn parse(&mut self, row: &mut RowBuilder, batch: &mut Batch) -> Result<()> {
        let (columns, at, line) = (&self.stretch.columns, self.fetched - 1, self.before + self.fetched as u64);
        let dense =
            self.dense.as_mut().and_then(|(dense, label)| dense.begin_row(columns, at, batch).then_some(*label));
        let parsed = match dense {
            Some(label) => {
                let text = match label.map_or(Cell::Missing, |column| columns[column].cell(at)) {
                    Cell::Missing => &[],
                    Cell::Text(text) => text,
                    Cell::Number(number) => number_text(number, &mut self.number_labels).as_bytes(),
                };
                row.end(label.map(|column| (column, text)).filter(|(_, text)| !text.is_empty()), 1.0, line, batch)
            }
            None => self.encoder.row(|column| columns[column].cell(at), line, row, batch),
        };
        parsed.map_err(|(cell, message)| {
            Error::row(Place { file: self.name.clone(), line, column: cell as u64 + 1 }, message)
        })?;
        batch.kept.extend(self.stretch.kept.iter().map(|column| column.cell(at).text()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::columns::{ColumnOptions, TableSchema};
    use crate::data::{Input, ReadOptions, open};

    fn texts(cells: &[&str]) -> FrameColumn {
        let mut texts = Texts::default();
        cells.iter().for_each(|cell| texts.push(cell.as_bytes()));
        FrameColumn::Texts(texts)
    }

    fn frame(columns: Vec<(&str, FrameColumn)>) -> Frame {
        let columns = columns.into_iter().map(|(name, column)| (name.to_string(), Arc::new(column))).collect();
        Frame::new("X", columns).expect("columns of one length")
    }

    /// All rows of an input as texts, with its columns and names.
    fn rows_of(input: &Input) -> (Vec<String>, Option<TableSchema>, Vec<String>) {
        let columns = ColumnOptions { label: Some("y".to_string()), ..ColumnOptions::default() };
        let options = ReadOptions { columns, ..ReadOptions::default() };
        let (mut reader, _) = open(input, &options).expect("a table");
        let (mut batch, mut rows) = (Batch::default(), Vec::new());
        while reader.read(&mut batch).expect("rows") {
            for i in 0..batch.len() {
                let mut text = reader.labels().text(batch.labels[i]).to_string();
                batch.rows.row(i).for_each(|place, value| text += &format!(" {place}:{value}"));
                rows.push(text);
            }
        }
        let names = reader.vocabulary().names().unwrap_or_default();
        let names = names.into_iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        (rows, reader.about().csv.clone(), names)
    }

    #[test]
    fn a_table_in_memory_gives_the_rows_of_the_same_table_in_a_file() {
        let columns = vec![
            ("age", FrameColumn::Numbers(vec![30.0, f64::NAN, 41.5])),
            (
                "job",
                FrameColumn::Choices(
                    vec![0, 1, 0],
                    match texts(&["cook", ""]) {
                        FrameColumn::Texts(texts) => texts,
                        _ => unreachable!("made of texts"),
                    },
                ),
            ),
            ("since", texts(&["2024-03-15", "2020-01-01 12:30", " 2024-02-29 "])),
            ("fee", texts(&["1.5", " ", "2"])),
            ("is_new", texts(&["True", "False", "True"])),
            ("y", texts(&["yes", "no", "yes"])),
        ];
        let text = "age,job,since,fee,is_new,y\n30,cook,2024-03-15,1.5,True,yes\n,,2020-01-01 12:30, ,False,no\n\
                    41.5,cook,2024-02-29,2,True,yes\n";
        let file = Input::Memory { name: "data.csv".into(), bytes: text.as_bytes().into() };
        assert_eq!(rows_of(&Input::Frame(frame(columns))), rows_of(&file));
    }

    #[test]
    fn columns_of_numbers_give_the_rows_of_the_same_table_in_a_file() {
        let numbers = |seed: usize| (0..100).map(|i| ((i * seed) % 7) as f64 - 2.5 * f64::from(i % 3 == 0)).collect();
        let (mut a, b): (Vec<f64>, Vec<f64>) = (numbers(3), numbers(5));
        a[40] = f64::NAN;
        let labels: Vec<&str> = (0..100).map(|i| if i % 4 == 0 { "no" } else { "yes" }).collect();
        let line = |i: usize| {
            let first = if a[i].is_nan() { String::new() } else { a[i].to_string() };
            format!("{first},{},{}\n", b[i], labels[i])
        };
        let text = format!("a,b,y\n{}", (0..100).map(line).collect::<String>());
        let columns =
            vec![("a", FrameColumn::Numbers(a.clone())), ("b", FrameColumn::Numbers(b.clone())), ("y", texts(&labels))];
        let file = Input::Memory { name: "data.csv".into(), bytes: text.as_bytes().into() };
        assert_eq!(rows_of(&Input::Frame(frame(columns))), rows_of(&file));
    }

    #[test]
    fn columns_have_a_cell_for_each_row() {
        let column = |numbers: Vec<f64>| Arc::new(FrameColumn::Numbers(numbers));
        let columns = vec![("a".to_string(), column(vec![1.0, 2.0])), ("b".to_string(), column(vec![1.0]))];
        assert!(Frame::new("X", columns).is_err());
        let one = ("a".to_string(), Arc::new(FrameColumn::Choices(vec![1], Texts::default())));
        assert!(Frame::new("X", vec![one]).is_err());
    }
}
