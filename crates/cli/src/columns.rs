//! What the columns of a table were taken for, as text and JSON.

use serde_json::{Value as Json, json};

use onlinear::TableSchema;
use onlinear::workshop::{About, ColumnKind, ColumnTally, Leaving, Vocabulary, counted};

use onlinear_charts::{Align, Cell, Column, Part, Section, Table};

use crate::output::escaped;

/// More columns of a kind than this are not named one by one.
const NAMED: usize = 12;

/// The columns of a table, of which so much was met; what was met may be unknown.
pub struct ColumnReport<'a> {
    pub schema: &'a TableSchema,
    pub tallies: &'a [ColumnTally],
    pub vocabulary: &'a Vocabulary,
}

/// Kinds of columns that are told of together, and what a person calls one and several of them.
type Group = ([&'static str; 2], fn(ColumnKind) -> bool);

const GROUPS: [Group; 8] = [
    (["number", "numbers"], |kind| kind == ColumnKind::Number),
    (["yes or no", "yes or no"], |kind| kind == ColumnKind::Boolean),
    (["category", "categories"], |kind| matches!(kind, ColumnKind::Category { .. })),
    (["free text", "free text"], |kind| matches!(kind, ColumnKind::Words { .. })),
    (["date", "dates"], |kind| matches!(kind, ColumnKind::Date { .. })),
    (["constant, left out", "constant, left out"], |kind| kind == ColumnKind::Unused(Leaving::Constant)),
    (["id-like, left out", "id-like, left out"], |kind| kind == ColumnKind::Unused(Leaving::Id)),
    (["left out", "left out"], |kind| kind == ColumnKind::Unused(Leaving::Asked)),
];

impl<'a> ColumnReport<'a> {
    /// Those that a reader has met.
    pub fn of(about: &'a About) -> Option<ColumnReport<'a>> {
        let About { csv, columns, vocabulary, .. } = about;
        csv.as_ref().map(|schema| ColumnReport { schema, tallies: columns, vocabulary })
    }

    /// How many features columns have whose features are many: the values of a category, the words of a text. Nobody
    /// knows where they are hashed.
    fn values(&self) -> Vec<Option<usize>> {
        let Some(names) = self.vocabulary.names() else { return vec![None; self.schema.columns().count()] };
        let count = |place: usize| {
            let value = self.schema.values_in(place);
            names.iter().filter(|name| value(name).is_some_and(|value| value != b"?")).count()
        };
        let values = |place: usize, kind: ColumnKind| match kind {
            ColumnKind::Category { .. } | ColumnKind::Words { .. } => Some(count(place)),
            _ => None,
        };
        self.schema.columns().enumerate().map(|(place, (_, kind))| values(place, kind)).collect()
    }

    /// A line for each kind, and one for what is missing.
    pub fn as_text(&self) -> String {
        let values = self.values();
        let has_others = |column: &str| {
            let others = format!("{column}=(other)");
            self.vocabulary.names().is_some_and(|names| names.contains(&others.as_bytes()))
        };
        let mut lines = Vec::new();
        for ([one, many], holds) in GROUPS {
            let named = self.schema.columns().zip(self.schema.units()).zip(&values);
            let named: Vec<String> = named
                .filter(|(((_, kind), _), _)| holds(*kind))
                .map(|(((name, _), unit), values)| match (values, unit) {
                    (Some(values), _) if has_others(name) => format!("{} ({} and others)", escaped(name), values - 1),
                    (Some(values), _) => format!("{} ({values})", escaped(name)),
                    (None, Some(unit)) => format!("{} ({})", escaped(name), escaped(unit)),
                    (None, None) => escaped(name).into_owned(),
                })
                .collect();
            if !named.is_empty() {
                lines.push((counted(named.len(), one, many), listed(&named)));
            }
        }
        let missing: Vec<String> = (self.schema.columns().zip(self.tallies))
            .filter(|(_, tally)| tally.missing > 0)
            .map(|((name, _), tally)| format!("{} {}", escaped(name), tally.missing))
            .collect();
        if !missing.is_empty() {
            lines.push((format!("missing, {}", self.schema.missing.name()), listed(&missing)));
        }
        let width = lines.iter().map(|(group, _)| group.chars().count()).max().unwrap_or(0);
        lines.iter().map(|(group, names)| format!("{group:width$}  {names}")).collect::<Vec<_>>().join("\n")
    }

    /// A part of a page: a line for each column.
    pub fn section(&self) -> Section {
        let count = |count: Option<u64>| Cell::new(count.map_or("–".to_string(), |count| count.to_string()));
        let row = |(i, ((name, kind), values)): (usize, ((&str, ColumnKind), Option<usize>))| {
            let missing = self.tallies.get(i).map(|tally| tally.missing);
            let used = if kind.is_feature() { "yes" } else { "no" };
            let kind = kind.to_string();
            let words = [escaped(name).into_owned(), kind, used.to_string()].map(Cell::new);
            words.into_iter().chain([count(values.map(|values| values as u64)), count(missing)]).collect()
        };
        let words = ["column", "kind", "feature"].map(|name| Column::new(name, Align::Left));
        let numbers = ["values", "missing"].map(|name| Column::new(name, Align::Right));
        let table = Table {
            caption: "What each column was taken for.".to_string(),
            columns: words.into_iter().chain(numbers).collect(),
            rows: self.schema.columns().zip(self.values()).enumerate().map(row).collect(),
            notes: Vec::new(),
        };
        Section::new("Columns", vec![Part::Table(table)])
    }

    pub fn as_json(&self) -> Json {
        let columns = self.schema.columns().zip(self.values()).enumerate();
        let column = |(i, ((name, kind), values)): (usize, ((&str, ColumnKind), Option<usize>))| {
            let missing = self.tallies.get(i).map(|tally| tally.missing);
            let kind_name = kind.to_string();
            json!({"name": name, "kind": kind_name, "values": values, "missing": missing, "used": kind.is_feature()})
        };
        columns.map(column).collect()
    }
}

fn listed(names: &[String]) -> String {
    match names.len() {
        ..=NAMED => names.join(", "),
        many => format!("{}, and {} more", names[..NAMED].join(", "), many - NAMED),
    }
}
