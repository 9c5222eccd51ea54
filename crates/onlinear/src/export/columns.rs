//! How the cells of a table become features, as a list of factors and of what each feature is a sum of.

use std::collections::HashMap;

use super::blueprint::refused;
use crate::data::{ColumnKind, Missing, OTHER, TableSchema, Vocabulary, show};
use crate::error::{Error, Result};

/// The columns that are asked for, and what becomes of them.
pub(super) struct TableFeatures {
    /// In the order of the table.
    pub(super) all: Vec<SourceColumn>,
    /// What features are made of.
    pub(super) factors: Vec<Factor>,
    /// For each feature the terms that are added up: a factor each, or a product of two.
    pub(super) features: Vec<Vec<(usize, Option<usize>)>>,
}

/// A column.
pub(super) struct SourceColumn {
    pub(super) name: String,
    pub(super) holds: Holds,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    Number,
    /// Yes or no.
    Boolean,
    /// Text.
    Category,
}

/// A number that a cell gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Factor {
    /// The column.
    pub(super) column: usize,
    pub(super) value: CellPart,
}

/// What of a cell it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum CellPart {
    /// The number, or 1 for yes and 0 for no; missing where that is missing.
    Number,
    /// The same, with 0 where it is missing.
    NumberOrZero,
    /// 1 where the text is this, else 0.
    Is(String),
    /// 1 where it is missing, else 0.
    IsMissing,
    /// 1 where there is a text that is none of these, else 0.
    IsOther(Vec<String>),
    /// Missing where the text is missing, else 0: the model refuses such rows.
    RefusesMissing,
}

impl TableFeatures {
    /// Those of a table whose features have these names.
    pub(super) fn of(schema: &TableSchema, vocabulary: &Vocabulary) -> Result<TableFeatures> {
        let names = vocabulary.names().unwrap_or_default();
        let names = names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let mut making = Making::new(schema, names)?;
        for column in 0..making.columns.all.len() {
            making.add(column);
        }
        making.add_products();
        Ok(making.columns)
    }
}

struct Making<'a> {
    schema: &'a TableSchema,
    columns: TableFeatures,
    /// The features' names, and their places.
    names: Vec<String>,
    places: HashMap<String, usize>,
    known: HashMap<Factor, usize>,
}

impl<'a> Making<'a> {
    fn new(schema: &'a TableSchema, names: Vec<String>) -> Result<Making<'a>> {
        let mut all = Vec::new();
        for (name, kind) in schema.columns() {
            let holds = match kind {
                ColumnKind::Number => Holds::Number,
                ColumnKind::Boolean => Holds::Boolean,
                ColumnKind::Category { .. } => Holds::Category,
                ColumnKind::Words { .. } => return Err(unreadable(name, "free text")),
                ColumnKind::Date { .. } => return Err(unreadable(name, "days")),
                ColumnKind::Label | ColumnKind::Weight | ColumnKind::Unused(_) => continue,
            };
            all.push(SourceColumn { name: name.to_string(), holds });
        }
        let places = names.iter().enumerate().map(|(place, name)| (name.clone(), place)).collect();
        let features = vec![Vec::new(); names.len()];
        let columns = TableFeatures { all, factors: Vec::new(), features };
        Ok(Making { schema, columns, names, places, known: HashMap::new() })
    }

    /// The number of a factor, which is noted if it is new.
    fn factor(&mut self, column: usize, value: CellPart) -> usize {
        let factor = Factor { column, value };
        let next = self.columns.factors.len();
        let place = *self.known.entry(factor.clone()).or_insert(next);
        if place == next {
            self.columns.factors.push(factor);
        }
        place
    }

    fn add_term(&mut self, feature: usize, column: usize, value: CellPart) {
        let factor = self.factor(column, value);
        self.columns.features[feature].push((factor, None));
    }

    /// The features of one column.
    fn add(&mut self, column: usize) {
        let SourceColumn { name, holds } = &self.columns.all[column];
        let (name, holds, missing) = (name.clone(), *holds, self.schema.missing);
        let blank = self.places.get(&format!("{name}=?")).copied().filter(|_| missing == Missing::Indicator);
        if holds != Holds::Category {
            let number = if missing == Missing::Zero { CellPart::NumberOrZero } else { CellPart::Number };
            if let Some(&place) = self.places.get(&name) {
                self.add_term(place, column, number);
            }
        } else {
            let value_of = |feature: &String| Some(feature.strip_prefix(&name)?.strip_prefix('=')?.to_string());
            let values: Vec<(usize, String)> =
                self.names.iter().enumerate().filter_map(|(i, feature)| Some((i, value_of(feature)?))).collect();
            let known: Vec<String> = values.iter().map(|(_, value)| value.clone()).collect();
            let first = values.first().map(|(place, _)| *place);
            for (place, value) in values {
                let is_other = value == OTHER;
                self.add_term(place, column, CellPart::Is(value));
                if is_other {
                    self.add_term(place, column, CellPart::IsOther(known.clone()));
                }
            }
            if let Some(place) = first.filter(|_| missing == Missing::Refuse) {
                self.add_term(place, column, CellPart::RefusesMissing);
            }
        }
        if let Some(place) = blank {
            self.add_term(place, column, CellPart::IsMissing);
        }
    }

    /// The products of the features of two columns, of which each value is known by the names alone.
    fn add_products(&mut self) {
        let place_of = |at: usize| {
            let (name, _) = self.schema.columns().nth(at)?;
            self.columns.all.iter().position(|column| column.name == name)
        };
        let pairs: Vec<(usize, usize)> =
            self.schema.interactions.iter().filter_map(|&(a, b)| Some((place_of(a)?, place_of(b)?))).collect();
        for (a, b) in pairs {
            for feature in 0..self.names.len() {
                let name = self.names[feature].clone();
                for (at, _) in name.match_indices('*') {
                    let found = self.value_in_product(a, &name[..at]).zip(self.value_in_product(b, &name[at + 1..]));
                    if let Some((first, second)) = found {
                        let (first, second) = (self.factor(a, first), self.factor(b, second));
                        self.columns.features[feature].push((first, Some(second)));
                    }
                }
            }
        }
    }

    /// What of a column's cells is called so in a product.
    fn value_in_product(&self, column: usize, name: &str) -> Option<CellPart> {
        let SourceColumn { name: own, holds } = &self.columns.all[column];
        let rest = name.strip_prefix(own.as_str())?;
        match holds {
            Holds::Category => Some(CellPart::Is(rest.strip_prefix('=')?.to_string())),
            Holds::Number | Holds::Boolean => rest.is_empty().then_some(CellPart::NumberOrZero),
        }
    }
}

/// That only the library can make features of a column.
fn unreadable(name: &str, what: &str) -> Error {
    refused(format!(
        "column '{}' holds {what}, which nothing else makes the same features of; learn without it",
        show(name)
    ))
}
