//! A table, written row by row.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use crate::Fault;

/// So many rows are held and make a row group.
const ROWS_OF_GROUP: usize = 1 << 16;

/// The cells of a column that are yet to be written. Of each column of a table there are as many.
#[derive(Clone, Debug)]
pub enum OutputColumn {
    /// Numbers, and NaN where there is none.
    Numbers(Vec<f64>),
    /// Texts.
    Texts(Vec<String>),
}

impl OutputColumn {
    fn len(&self) -> usize {
        match self {
            OutputColumn::Numbers(numbers) => numbers.len(),
            OutputColumn::Texts(texts) => texts.len(),
        }
    }
}

/// Writes a Parquet file, a row group at a time.
pub struct Writer<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<OutputColumn>,
}

impl<W: Write + Send> Writer<W> {
    /// A table of these columns, which are empty.
    pub fn new(out: W, columns: Vec<(String, OutputColumn)>) -> Result<Writer<W>, Fault> {
        let field = |(name, column): &(String, OutputColumn)| {
            let (physical, logical, repetition) = match column {
                OutputColumn::Numbers(_) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
                OutputColumn::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
            };
            let builder = Type::primitive_type_builder(name, physical).with_repetition(repetition);
            Ok(Arc::new(builder.with_logical_type(logical).build()?))
        };
        let fields = columns.iter().map(field).collect::<Result<_, Fault>>()?;
        let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
        Ok(Writer { file, columns: columns.into_iter().map(|(_, column)| column).collect() })
    }

    /// The columns, to each of which a cell is to be added.
    pub fn columns(&mut self) -> &mut [OutputColumn] {
        &mut self.columns
    }

    /// A cell was added to each column.
    pub fn end_row(&mut self) -> Result<(), Fault> {
        match self.columns.first().map_or(0, OutputColumn::len) {
            ROWS_OF_GROUP.. => self.write_group(),
            _ => Ok(()),
        }
    }

    /// Writes what is left, and gives back where it was written to.
    pub fn finish(mut self) -> Result<W, Fault> {
        if self.columns.first().is_some_and(|column| column.len() > 0) {
            self.write_group()?;
        }
        Ok(self.file.into_inner()?)
    }

    fn write_group(&mut self) -> Result<(), Fault> {
        let mut group = self.file.next_row_group()?;
        for column in &mut self.columns {
            match column {
                OutputColumn::Numbers(numbers) => {
                    let levels: Vec<i16> = numbers.iter().map(|number| i16::from(!number.is_nan())).collect();
                    numbers.retain(|number| !number.is_nan());
                    write::<DoubleType, _>(&mut group, numbers, Some(&levels))?;
                    numbers.clear();
                }
                OutputColumn::Texts(texts) => {
                    let texts: Vec<ByteArray> = texts.drain(..).map(|text| text.into_bytes().into()).collect();
                    write::<ByteArrayType, _>(&mut group, &texts, None)?;
                }
            }
        }
        group.close()?;
        Ok(())
    }
}

fn write<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), Fault> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}
