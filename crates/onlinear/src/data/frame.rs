//! Tables in memory, such as the data frames of Python: read by the same rules as tables in files, so that the same
//! table gives the same rows.

use std::sync::Arc;

use super::batch::Batch;
use super::columns::{
    Cell, ColumnEvidence, ColumnKind, Encoder, Origin, columns_by_name, columns_by_position, guess, rows_looked_at,
};
use super::detect::Peeked;
use super::format::{Content, Format, Opening, Reader, RowShape, RowSource};
use super::row_builder::RowBuilder;
use crate::error::{Error, Message, Place, Result};

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
    /// Texts, and empty ones where there is none.
    Texts(Texts),
    /// For each cell the place of its text among some.
    Choices(Vec<u32>, Texts),
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
            FrameColumn::Texts(texts) => texts.len(),
            FrameColumn::Choices(places, _) => places.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn cell(&self, i: usize) -> Cell<'_> {
        match self {
            FrameColumn::Numbers(numbers) if numbers[i].is_nan() => Cell::Missing,
            FrameColumn::Numbers(numbers) => Cell::Number(numbers[i]),
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

    fn cell(&self, column: usize, row: usize) -> Cell<'_> {
        self.columns[column].1.cell(row)
    }

    /// What is wrong with a cell of a row.
    fn refused(&self, row: usize, cell: usize, message: Message) -> Error {
        Error::row(Place { file: self.name.clone(), line: row as u64 + 1, column: cell as u64 + 1 }, message)
    }
}

struct FrameRows {
    frame: Frame,
    encoder: Encoder,
    numbers: Option<NumberColumns>,
    /// Rows fetched.
    fetched: usize,
}

/// Columns of numbers, turned into rows some at a time: to go from column to column in each row would take each cell
/// from far memory.
struct NumberColumns {
    /// The columns, and the place of each in a row.
    places: Vec<(usize, u32)>,
    /// The column of labels, if there is one.
    label: Option<usize>,
    /// Cells of some rows, row after row, and the first of these rows.
    cells: Vec<f64>,
    first: usize,
}

impl NumberColumns {
    /// Rows that are turned together: a cache line of each column, and some more.
    const ROWS: usize = 32;

    /// The columns of a frame, where all that an encoder uses hold numbers.
    fn of(frame: &Frame, encoder: &Encoder, room: u64) -> Option<NumberColumns> {
        let (places, label) = encoder.numbers(room)?;
        let is_number = |&(column, _): &(usize, u32)| matches!(*frame.columns[column].1, FrameColumn::Numbers(_));
        let fits = !places.is_empty() && places.iter().all(is_number);
        fits.then(|| NumberColumns { places, label, cells: Vec::new(), first: usize::MAX })
    }

    /// Appends the components of a row to `batch`, and says so; not where a cell is missing or not finite.
    fn push(&mut self, frame: &Frame, at: usize, batch: &mut Batch) -> bool {
        let (first, width) = (at - at % NumberColumns::ROWS, self.places.len());
        if self.first != first {
            let rows = first..(first + NumberColumns::ROWS).min(frame.rows);
            self.first = first;
            self.cells.resize(width * rows.len(), 0.0);
            for (k, &(column, _)) in self.places.iter().enumerate() {
                let FrameColumn::Numbers(numbers) = &*frame.columns[column].1 else { return false };
                let cells = self.cells[k..].iter_mut().step_by(width);
                cells.zip(&numbers[rows.clone()]).for_each(|(cell, number)| *cell = *number);
            }
        }
        let row = &self.cells[(at - first) * width..(at - first + 1) * width];
        let is_finite = row.iter().fold(true, |finite, cell| finite & cell.is_finite());
        if is_finite {
            let others = self.places.iter().zip(row).filter(|(_, cell)| **cell != 0.0);
            others.for_each(|(&(_, place), &cell)| batch.rows.push(place, cell));
        }
        is_finite
    }
}

fn open(mut opening: Opening<'_>, _: Peeked) -> Result<Box<dyn Reader>> {
    let Opening { input, options, .. } = opening;
    let Some(frame) = input.frame().cloned() else {
        return Err(Error::data(&input.name(), "is no table in memory"));
    };
    let names: Vec<String> = frame.columns.iter().map(|(name, _)| name.clone()).collect();
    let (schema, columns, origin) = match opening.known_schema() {
        Some((schema, origin)) if schema.header => {
            let columns = columns_by_name(&schema, names, &options.columns, origin, &frame.name)?;
            (schema, columns, origin)
        }
        Some((schema, origin)) => {
            let columns = columns_by_position(&schema, names.len());
            (schema, columns, origin)
        }
        None => {
            let (looked_at, mut evidence) = (rows_looked_at(input), vec![ColumnEvidence::default(); names.len()]);
            for (place, evidence) in evidence.iter_mut().enumerate() {
                (0..frame.rows.min(looked_at)).for_each(|row| evidence.add(frame.cell(place, row)));
            }
            // As in a file, of which the names of the columns are one record.
            let schema = guess(names, &evidence, frame.rows < looked_at, true, &options.columns, &frame.name)?;
            let columns: Vec<(String, Option<ColumnKind>)> =
                schema.columns.iter().map(|column| (column.name.clone(), Some(column.kind))).collect();
            (schema, columns, Origin::FirstRows)
        }
    };
    if columns.len() != frame.columns.len() {
        let (there, wanted) = (frame.columns.len(), columns.len());
        return Err(Error::data(&frame.name, format!("has {there} columns, but {wanted} are expected")));
    }
    let (encoder, _) = opening.encoder(columns, schema, origin)?;
    let numbers = NumberColumns::of(&frame, &encoder, opening.row.room.components());
    Ok(opening.reader(FrameRows { frame, encoder, numbers, fetched: 0 }))
}

impl RowSource for FrameRows {
    fn is_at_hand(&self) -> bool {
        self.fetched < self.frame.rows
    }

    fn fetch(&mut self) -> Result<bool> {
        let is_there = self.is_at_hand();
        self.fetched += usize::from(is_there);
        Ok(is_there)
    }

    fn parse(&mut self, row: &mut RowBuilder, batch: &mut Batch) -> Result<()> {
        let (frame, at, line) = (&self.frame, self.fetched - 1, self.fetched as u64);
        if let Some(columns) = &mut self.numbers {
            let number;
            let label = match columns.label.map(|column| (column, frame.cell(column, at))) {
                Some((column, Cell::Text(text))) => Some((column, text)),
                Some((column, Cell::Number(label))) => {
                    number = label.to_string();
                    Some((column, number.as_bytes()))
                }
                Some((_, Cell::Missing)) | None => None,
            };
            if columns.push(frame, at, batch) {
                let label = label.filter(|(_, text)| !text.is_empty());
                return row.end(label, 1.0, line, batch).map_err(|(cell, message)| frame.refused(at, cell, message));
            }
        }
        let cells = |column| frame.cell(column, at);
        self.encoder.row(cells, line, row, batch).map_err(|(cell, message)| frame.refused(at, cell, message))
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
