//! What the columns of a schema mean.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

/// Decimals of more digits have no place in 16 bytes.
pub(crate) const MOST_DIGITS: i32 = 38;

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// What it is called.
    pub name: String,
    /// What its cells are, or what they are that cannot be read.
    pub(crate) meaning: Result<Meaning, &'static str>,
    /// Its place among the columns of the file, in which one with parts is several.
    pub(crate) leaf: usize,
}

impl Column {
    /// What its cells are, where they cannot be read.
    pub fn refusal(&self) -> Option<&'static str> {
        self.meaning.err()
    }
}

/// How the values of a column are understood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Meaning {
    Number,
    Unsigned,
    Half,
    /// A whole number with so many digits behind the point.
    Decimal(i32),
    Bit,
    Text,
    Days,
    /// So many ticks a second.
    Moment(i64),
    /// There is never a value.
    Nothing,
}

/// The columns of a schema, one for each of its fields.
pub(crate) fn columns(schema: &SchemaDescriptor) -> Vec<Column> {
    let fields = schema.root_schema().get_fields();
    let mut columns: Vec<Column> = Vec::with_capacity(fields.len());
    for leaf in 0..schema.num_columns() {
        let root = schema.get_column_root_idx(leaf);
        if root < columns.len() {
            continue; // a further part of the field
        }
        let field = &fields[root];
        let is_list = schema.column(leaf).max_rep_level() > 0;
        let is_flat = field.is_primitive() && !is_list;
        let meaning = if is_flat { meaning(&schema.column(leaf)) } else { Err("has parts of its own") };
        columns.push(Column { name: field.name().to_string(), meaning, leaf });
    }
    columns
}

fn meaning(column: &ColumnDescriptor) -> Result<Meaning, &'static str> {
    let told = match column.logical_type_ref() {
        Some(logical) => logical_meaning(logical)?,
        None => converted_meaning(column)?,
    };
    match (column.physical_type(), told) {
        (_, Some(Meaning::Nothing)) => Ok(Meaning::Nothing),
        (Physical::BOOLEAN, None) => Ok(Meaning::Bit),
        (Physical::INT96, None) => Ok(Meaning::Moment(1_000_000)),
        (Physical::FLOAT | Physical::DOUBLE | Physical::INT32 | Physical::INT64, None) => Ok(Meaning::Number),
        (Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY, None) => Err("holds bytes, not text"),
        (Physical::INT32 | Physical::INT64, Some(told @ (Meaning::Number | Meaning::Unsigned))) => Ok(told),
        (Physical::INT32, Some(Meaning::Days)) => Ok(Meaning::Days),
        (Physical::INT64, Some(told @ Meaning::Moment(_))) => Ok(told),
        (Physical::BYTE_ARRAY, Some(Meaning::Text)) => Ok(Meaning::Text),
        (Physical::FIXED_LEN_BYTE_ARRAY, Some(Meaning::Half)) if column.type_length() == 2 => Ok(Meaning::Half),
        (Physical::BOOLEAN | Physical::FLOAT | Physical::DOUBLE | Physical::INT96, Some(Meaning::Decimal(_))) => {
            Err("is of a type that no column has")
        }
        (_, Some(told @ Meaning::Decimal(0..=MOST_DIGITS))) if column.type_precision() <= MOST_DIGITS => Ok(told),
        (_, Some(Meaning::Decimal(_))) => Err("has more than 38 digits"),
        _ => Err("is of a type that no column has"),
    }
}

fn logical_meaning(logical: &LogicalType) -> Result<Option<Meaning>, &'static str> {
    Ok(Some(match logical {
        LogicalType::String | LogicalType::Enum | LogicalType::Json => Meaning::Text,
        LogicalType::Decimal(decimal) => Meaning::Decimal(decimal.scale),
        LogicalType::Date => Meaning::Days,
        LogicalType::Timestamp(timestamp) => Meaning::Moment(match timestamp.unit {
            TimeUnit::MILLIS => 1000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        }),
        LogicalType::Integer(whole) if whole.is_signed => Meaning::Number,
        LogicalType::Integer(_) => Meaning::Unsigned,
        LogicalType::Unknown => Meaning::Nothing,
        LogicalType::Float16 => Meaning::Half,
        LogicalType::Time(_) => return Err("holds times of day without a day"),
        LogicalType::Uuid => return Err("holds UUIDs as bytes, not as text"),
        LogicalType::Bson => return Err("holds documents (BSON), not text"),
        _ => return Err("is of a type that means nothing here"),
    }))
}

/// As files say it that are older than logical types.
fn converted_meaning(column: &ColumnDescriptor) -> Result<Option<Meaning>, &'static str> {
    Ok(Some(match column.converted_type() {
        ConvertedType::NONE => return Ok(None),
        ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON => Meaning::Text,
        ConvertedType::DECIMAL => Meaning::Decimal(column.type_scale()),
        ConvertedType::DATE => Meaning::Days,
        ConvertedType::TIMESTAMP_MILLIS => Meaning::Moment(1000),
        ConvertedType::TIMESTAMP_MICROS => Meaning::Moment(1_000_000),
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => {
            Meaning::Unsigned
        }
        ConvertedType::INT_8 | ConvertedType::INT_16 | ConvertedType::INT_32 | ConvertedType::INT_64 => Meaning::Number,
        ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS => return Err("holds times of day without a day"),
        ConvertedType::INTERVAL => return Err("holds spans of time"),
        ConvertedType::BSON => return Err("holds documents (BSON), not text"),
        _ => return Err("is of a type that means nothing here"),
    }))
}
