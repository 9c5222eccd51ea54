//! The values of a column as plain cells.

use half::f16;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray, Int96};

use crate::Fault;
use crate::column::Meaning;

/// The cells of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Numbers, and NaN where there is none.
    Numbers(Vec<f64>),
    /// Yes or no.
    Bits(Vec<Option<bool>>),
    /// Texts, and empty ones where there is none.
    Texts(Texts),
    /// Days since the first of 1970.
    Days(Vec<Option<i64>>),
    /// Moments since the first of 1970, in ticks of which so many are a second.
    Moments(Vec<Option<i64>>, i64),
}

/// Texts side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }
}

/// Reads `rows` cells.
pub(crate) fn read(reader: &mut ColumnReader, meaning: Meaning, rows: usize) -> Result<Cells, Fault> {
    match reader {
        ColumnReader::BoolColumnReader(reader) => Ok(Cells::Bits(values(reader, rows)?.cells(Some))),
        ColumnReader::Int32ColumnReader(reader) => {
            let values = values(reader, rows)?;
            Ok(match meaning {
                Meaning::Days => Cells::Days(values.cells(|days| Some(i64::from(days)))),
                Meaning::Unsigned => values.numbers(|whole| f64::from(whole as u32)),
                Meaning::Decimal(scale) => values.numbers(|whole| decimal(whole.into(), scale)),
                Meaning::Nothing => values.numbers(|_| f64::NAN),
                _ => values.numbers(f64::from),
            })
        }
        ColumnReader::Int64ColumnReader(reader) => {
            let values = values(reader, rows)?;
            Ok(match meaning {
                Meaning::Moment(per_second) => Cells::Moments(values.cells(Some), per_second),
                Meaning::Unsigned => values.numbers(|whole| whole as u64 as f64),
                Meaning::Decimal(scale) => values.numbers(|whole| decimal(whole.into(), scale)),
                Meaning::Nothing => values.numbers(|_| f64::NAN),
                _ => values.numbers(|whole| whole as f64),
            })
        }
        ColumnReader::Int96ColumnReader(reader) => {
            let moments = values(reader, rows)?.cells(|moment: Int96| Some(moment.to_micros()));
            Ok(Cells::Moments(moments, 1_000_000))
        }
        ColumnReader::FloatColumnReader(reader) => Ok(values(reader, rows)?.numbers(f64::from)),
        ColumnReader::DoubleColumnReader(reader) => Ok(values(reader, rows)?.numbers(|number| number)),
        ColumnReader::ByteArrayColumnReader(reader) => {
            let values: Values<ByteArray> = values(reader, rows)?;
            Ok(match meaning {
                Meaning::Decimal(scale) => values.numbers(|bytes| decimal_of_bytes(bytes.data(), scale)),
                Meaning::Text => values.texts(),
                _ => values.numbers(|_| f64::NAN),
            })
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            let values: Values<FixedLenByteArray> = values(reader, rows)?;
            Ok(match meaning {
                Meaning::Decimal(scale) => values.numbers(|bytes| decimal_of_bytes(bytes.data(), scale)),
                Meaning::Half => values.numbers(|bytes| half(bytes.data())),
                _ => values.numbers(|_| f64::NAN),
            })
        }
    }
}

/// The values of some rows, and which rows have one.
struct Values<T> {
    values: Vec<T>,
    /// 1 for a row that has one, where any has none.
    levels: Vec<i16>,
}

/// Reads the values of so many rows; a column that ends before is damaged.
fn values<T: DataType>(reader: &mut ColumnReaderImpl<T>, rows: usize) -> Result<Values<T::T>, Fault> {
    let (mut values, mut levels) = (Vec::with_capacity(rows), Vec::new());
    let (records, there, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
    let has_all = values.len() == rows;
    let is_sound = records == rows && values.len() == there && (has_all || levels.len() == rows);
    if !is_sound {
        return Err(Fault::Content(format!("a column has {records} rows where {rows} are expected")));
    }
    Ok(Values { values, levels: if has_all { Vec::new() } else { levels } })
}

impl<T> Values<T> {
    /// What becomes of each value, and `none` where there is none.
    fn spread<U>(self, none: impl Fn() -> U, become_cell: impl Fn(T) -> U) -> Vec<U> {
        if self.levels.is_empty() {
            return self.values.into_iter().map(become_cell).collect();
        }
        let mut values = self.values.into_iter();
        let cell = |level: i16| (level > 0).then(|| values.next()).flatten().map_or_else(&none, &become_cell);
        self.levels.into_iter().map(cell).collect()
    }

    fn numbers(self, number: impl Fn(T) -> f64) -> Cells {
        Cells::Numbers(self.spread(|| f64::NAN, number))
    }

    fn cells<U>(self, cell: impl Fn(T) -> Option<U>) -> Vec<Option<U>> {
        self.spread(|| None, cell)
    }
}

impl Values<ByteArray> {
    fn texts(self) -> Cells {
        let mut texts = Texts::default();
        let cells = self.cells(Some);
        cells.iter().for_each(|text| texts.push(text.as_ref().map_or(&[], ByteArray::data)));
        Cells::Texts(texts)
    }
}

/// A decimal as it would be written, and read again.
fn decimal(whole: i128, scale: i32) -> f64 {
    format!("{whole}e{}", -i64::from(scale)).parse().unwrap_or(f64::NAN)
}

/// A decimal whose digits are a whole number of at most 16 bytes, the highest first.
fn decimal_of_bytes(bytes: &[u8], scale: i32) -> f64 {
    let sign = bytes.first().map_or(0, |first| -i128::from(first >> 7));
    match bytes.len() {
        0..=16 => decimal(bytes.iter().fold(sign, |whole, &byte| whole << 8 | i128::from(byte)), scale),
        _ => f64::NAN,
    }
}

fn half(bytes: &[u8]) -> f64 {
    <[u8; 2]>::try_from(bytes).map_or(f64::NAN, |bytes| f16::from_le_bytes(bytes).to_f64())
}
