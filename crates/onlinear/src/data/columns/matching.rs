//! The columns of a file beside those of a model, or of the files before it.

use super::schema::Column;
use super::{ColumnKind, ColumnOptions, TableSchema, check_distinct, find, list, show};
use crate::data::input::Input;
use crate::error::{Error, Message, Request, Result, size};

/// What a column holds is decided by this many rows of a file …
const ROWS_OF_FILE: usize = 10_000;
/// … and by this many of a stream, which must not be kept waiting.
const ROWS_OF_STREAM: usize = 1000;
/// What a column takes in memory, beside its cells: its names here and there, its place, its kind.
const COLUMN_BYTES: u64 = 400;
/// So many columns fit in any memory.
const LEAST_COLUMNS: u64 = 1000;

/// Where it comes from what the columns hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A model.
    Model,
    /// The files that were read before this one, as one with it.
    FilesBefore,
    /// The first rows of the file itself.
    FirstRows,
}

/// How many rows tell what the columns of `input` hold.
pub(crate) fn rows_looked_at(input: &Input) -> usize {
    if input.is_stream() { ROWS_OF_STREAM } else { ROWS_OF_FILE }
}

/// Refuses more columns than so much memory has room for.
pub(crate) fn check_count(columns: usize, bytes: u64) -> std::result::Result<(), Message> {
    let columns = columns as u64;
    if columns <= (bytes / 2 / COLUMN_BYTES).max(LEAST_COLUMNS) {
        return Ok(());
    }
    let need = format!("{columns} columns need {}", size(columns.saturating_mul(2 * COLUMN_BYTES)));
    Err(Message::beyond_memory(need))
}

/// That a file with columns of these names lacks one that must be there.
pub(crate) fn lacking(name: &str, origin: Origin, names: &[String], file: &str) -> Error {
    let (name, there) = (show(name), list(names));
    let whose = match origin {
        Origin::Model => "which the model was learned with",
        Origin::FilesBefore | Origin::FirstRows => "which the files before it have",
    };
    Error::data(file, format!("has no column '{name}', {whose}; its columns are {there}"))
}

/// What the columns of these names hold, by a schema whose features must all be there.
pub(crate) fn columns_by_name(
    schema: &TableSchema,
    names: Vec<String>,
    options: &ColumnOptions,
    origin: Origin,
    file: &str,
) -> Result<Vec<(String, Option<ColumnKind>)>> {
    check_distinct(&names, file)?;
    let mut kinds = vec![None; names.len()];
    for Column { name, kind, .. } in schema.columns.iter().filter(|column| column.kind.is_feature()) {
        let place = names.iter().position(|other| other == name);
        let place = place.ok_or_else(|| lacking(name, origin, &names, file))?;
        kinds[place] = Some(*kind);
    }
    let others = [
        (ColumnKind::Label, &options.label, Request::LabelColumn),
        (ColumnKind::Weight, &options.weight, Request::WeightColumn),
    ];
    for (kind, told, request) in others {
        let place = match (told, schema.find(kind)) {
            (Some(wanted), _) => Some(find(&names, wanted, request, file)?),
            (None, Some(place)) => names.iter().position(|name| *name == schema.columns[place].name),
            (None, None) => None,
        };
        match place.map(|place| (place, kinds[place])) {
            None => {}
            Some((place, None)) => kinds[place] = Some(kind),
            Some((place, Some(_))) => {
                let why = format!(" {}: the column has another use in the model", show(&names[place]));
                return Err(Error::usage(Message::from(request).and(why)));
            }
        }
    }
    Ok(names.into_iter().zip(kinds).collect())
}

/// The names of so many columns without names, where a schema with names has nothing but numbers for them: from 1 on as
/// here, or from 0 on as in a frame of pandas.
pub(crate) fn numbered_names(schema: &TableSchema, width: usize) -> Option<Vec<String>> {
    let features = schema.columns.iter().filter(|column| column.kind.is_feature());
    let numbers: Vec<usize> = features.map(|column| column.name.parse().ok()).collect::<Option<_>>()?;
    let first = usize::from(!schema.columns.iter().any(|column| column.name == "0"));
    let are_there = !numbers.is_empty() && numbers.iter().all(|number| (first..first + width).contains(number));
    (schema.header && are_there).then(|| (first..first + width).map(|number| number.to_string()).collect())
}

/// What is to be predicted may lack the labels, and the weights too.
pub(crate) fn columns_by_position(schema: &TableSchema, width: usize) -> Vec<(String, Option<ColumnKind>)> {
    let having = |is_there: fn(ColumnKind) -> bool| -> Vec<_> {
        let there = schema.columns.iter().filter(|column| is_there(column.kind));
        there.map(|column| (column.name.clone(), Some(column.kind))).collect()
    };
    let unlabelled = Some(having(|kind| kind != ColumnKind::Label)).filter(|columns| columns.len() == width);
    let features = || Some(having(ColumnKind::is_feature)).filter(|columns| columns.len() == width);
    unlabelled.or_else(features).unwrap_or_else(|| having(|_| true))
}
