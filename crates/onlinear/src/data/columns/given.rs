//! The columns of data that should be as those of a model.

use super::{Column, ColumnKind, TableSchema, check_distinct, find, list, show};
use crate::data::format::ReadOptions;
use crate::error::{Error, Message, Request, Result};

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

/// The columns with these names, and what they hold by a schema.
pub(crate) fn columns_by_name(
    schema: &TableSchema,
    names: Vec<String>,
    options: &ReadOptions,
    file: &str,
) -> Result<Vec<(String, Option<ColumnKind>)>> {
    check_distinct(&names, file)?;
    let mut kinds = vec![None; names.len()];
    for Column { name, kind } in schema.columns.iter().filter(|column| column.kind.is_feature()) {
        let place = names.iter().position(|other| other == name).ok_or_else(|| {
            let (name, there) = (show(name), list(&names));
            let why = "which the model was learned with; its columns are";
            Error::data(file, format!("has no column '{name}', {why} {there}"))
        })?;
        kinds[place] = Some(*kind);
    }
    let others = [
        (ColumnKind::Label, &options.columns.label, Request::LabelColumn),
        (ColumnKind::Weight, &options.columns.weight, Request::WeightColumn),
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
