//! The values of a column as plain cells.

use half::f16;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray, Int96};

use crate::Fault;
use crate::column::{MOST_DIGITS, Meaning};

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
                Meaning::Decimal(scale) => values.numbers(|bytes| decimal(whole_of(bytes.data()), scale)),
                Meaning::Text => values.texts(),
                _ => values.numbers(|_| f64::NAN),
            })
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            let values: Values<FixedLenByteArray> = values(reader, rows)?;
            Ok(match meaning {
                Meaning::Decimal(scale) => values.numbers(|bytes| decimal(whole_of(bytes.data()), scale)),
                Meaning::Half => values.numbers(|bytes| half(bytes.data())),
                _ => values.numbers(|_| f64::NAN),
            })
        }
    }
}

/// Reads `rows` cells as they would be written, where their numbers might be rounded otherwise.
pub(crate) fn read_as_written(reader: &mut ColumnReader, meaning: Meaning, rows: usize) -> Result<Cells, Fault> {
    match (reader, meaning) {
        (ColumnReader::Int64ColumnReader(reader), Meaning::Number) => {
            Ok(values(reader, rows)?.written(|v| v.to_string()))
        }
        (ColumnReader::Int64ColumnReader(reader), Meaning::Unsigned) => {
            Ok(values(reader, rows)?.written(|whole| (whole as u64).to_string()))
        }
        (ColumnReader::FloatColumnReader(reader), _) => Ok(values(reader, rows)?.written(|number| number.to_string())),
        (ColumnReader::Int32ColumnReader(reader), Meaning::Decimal(scale)) => {
            Ok(values(reader, rows)?.written(|whole| decimal_text(whole.into(), scale)))
        }
        (ColumnReader::Int64ColumnReader(reader), Meaning::Decimal(scale)) => {
            Ok(values(reader, rows)?.written(|whole| decimal_text(whole.into(), scale)))
        }
        (ColumnReader::ByteArrayColumnReader(reader), Meaning::Decimal(scale)) => {
            Ok(values(reader, rows)?.written(|bytes| decimal_text(whole_of(bytes.data()), scale)))
        }
        (ColumnReader::FixedLenByteArrayColumnReader(reader), Meaning::Decimal(scale)) => {
            Ok(values(reader, rows)?.written(|bytes| decimal_text(whole_of(bytes.data()), scale)))
        }
        (reader, meaning) => read(reader, meaning, rows),
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

    fn written(self, text: impl Fn(T) -> String) -> Cells {
        let mut texts = Texts::default();
        self.spread(String::new, text).iter().for_each(|text| texts.push(text.as_bytes()));
        Cells::Texts(texts)
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

/// A decimal with all its digits.
fn decimal_text(whole: i128, scale: i32) -> String {
    let (sign, digits) = (if whole < 0 { "-" } else { "" }, whole.unsigned_abs().to_string());
    let behind = scale.clamp(0, MOST_DIGITS) as usize;
    if behind == 0 {
        return format!("{sign}{digits}");
    }
    let digits = format!("{digits:0>width$}", width = behind + 1);
    let (before, behind) = digits.split_at(digits.len() - behind);
    format!("{sign}{before}.{behind}")
}

/// A whole number of at most 16 bytes, the highest first; of longer ones the last 16.
fn whole_of(bytes: &[u8]) -> i128 {
    let sign = bytes.first().map_or(0, |first| -i128::from(first >> 7));
    bytes.iter().fold(sign, |whole, &byte| whole << 8 | i128::from(byte))
}

fn half(bytes: &[u8]) -> f64 {
    <[u8; 2]>::try_from(bytes).map_or(f64::NAN, |bytes| f16::from_le_bytes(bytes).to_f64())
}
