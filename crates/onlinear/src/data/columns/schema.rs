//! What the columns of a table are, as a model keeps it.

use std::collections::HashSet;
use std::hash::Hash;

use serde_json::{Value, json};

use super::{ColumnKind, Decimal, Leaving, show};
use crate::error::{Cure, Message};

/// What becomes of a cell without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Its row is wrong.
    Refuse,
    /// A number is 0; a word is none.
    Zero,
    /// A number is the mean of its column.
    Mean,
    /// A number is the median of its column.
    Median,
    /// A number is the mean of its column, and a feature `column=?` says that it was missing.
    Indicator,
}

impl Missing {
    /// All of them, by name.
    pub const ALL: [(Missing, &'static str); 5] = [
        (Missing::Indicator, "indicator"),
        (Missing::Mean, "mean"),
        (Missing::Median, "median"),
        (Missing::Zero, "zero"),
        (Missing::Refuse, "refuse"),
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        Missing::ALL.iter().find(|(missing, _)| *missing == self).map_or("", |(_, name)| name)
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Missing> {
        Missing::ALL.into_iter().find(|(_, known)| *known == name).map(|(missing, _)| missing)
    }

    /// Whether a number is yet to be filled in when its row has been read.
    pub fn is_filled_later(self) -> bool {
        matches!(self, Missing::Mean | Missing::Median | Missing::Indicator)
    }
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// What it is called; without a header `1`, `2`, ….
    pub(crate) name: String,
    /// What it holds.
    pub(crate) kind: ColumnKind,
    /// What stands beside its numbers.
    pub(crate) unit: Option<String>,
    /// How its numbers are written, where not as those of the others.
    pub(crate) decimal: Option<Decimal>,
    /// Whether words among its numbers may say that a number is not known.
    pub(crate) knows_unknown: bool,
}

impl Column {
    /// What there is to keep of it beyond its name and kind; as the first versions did, where that is a unit alone.
    fn more_to_json(&self) -> Option<Value> {
        let mut more = serde_json::Map::new();
        more.extend(self.unit.as_ref().map(|unit| ("unit".to_string(), json!(unit))));
        more.extend(self.decimal.map(|decimal| ("decimal".to_string(), json!(decimal.name()))));
        more.extend(self.knows_unknown.then(|| ("unknown".to_string(), json!(true))));
        match (&self.unit, more.len()) {
            (_, 0) => None,
            (Some(unit), 1) => Some(json!(unit)),
            _ => Some(Value::Object(more)),
        }
    }

    fn from_json(json: &Value) -> Option<Column> {
        let [name, kind, more @ ..] = json.as_array()?.as_slice() else { return None };
        let text = |json: &Value| Some(json.as_str()?.to_string());
        let (unit, decimal, unknown) = match more {
            [] => (None, None, None),
            [Value::Object(more)] => (more.get("unit"), more.get("decimal"), more.get("unknown")),
            [unit] => (Some(unit), None, None),
            _ => return None,
        };
        Some(Column {
            name: text(name)?,
            kind: kind.as_str()?.parse().ok()?,
            unit: unit.map_or(Some(None), |unit| text(unit).map(Some))?,
            decimal: decimal.map_or(Some(None), |json| Decimal::named(json.as_str()?).map(Some))?,
            knows_unknown: unknown.map_or(Some(false), Value::as_bool)?,
        })
    }
}

/// The columns of a table. Data of the same kind are later read by it, not by guesses of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSchema {
    /// Whether the first record names the columns.
    pub header: bool,
    /// What separates cells.
    pub delimiter: u8,
    /// How numbers are written.
    pub decimal: Decimal,
    /// What becomes of a cell without a value.
    pub missing: Missing,
    /// The columns in the order of the file.
    pub(crate) columns: Vec<Column>,
    /// Pairs of columns whose features are multiplied with each other.
    pub(crate) interactions: Vec<(usize, usize)>,
    /// Whether times are those of UTC where a number says how far their clock is ahead; else as they are written.
    pub(crate) utc: bool,
}

/// What may separate cells.
pub(crate) const DELIMITERS: &[u8] = b",;\t|";

impl TableSchema {
    /// That of a table without rows.
    pub(crate) fn empty(header: bool) -> TableSchema {
        let (decimal, missing) = (Decimal::Point, Missing::Indicator);
        let (columns, interactions) = (Vec::new(), Vec::new());
        TableSchema { header, delimiter: b',', decimal, missing, columns, interactions, utc: true }
    }

    /// The names of the columns in the order of the file, and what each holds.
    pub fn columns(&self) -> impl Iterator<Item = (&str, ColumnKind)> {
        self.columns.iter().map(|column| (column.name.as_str(), column.kind))
    }

    /// What stands behind the numbers of each.
    pub fn units(&self) -> impl Iterator<Item = Option<&str>> {
        self.columns.iter().map(|column| column.unit.as_deref())
    }

    /// What tells the features of the column at this place that are values of a category or words of a text: their
    /// names without the column's. Products of two begin as their first factor does, and are none.
    pub fn values_in(&self, place: usize) -> impl for<'a> Fn(&'a [u8]) -> Option<&'a [u8]> {
        let Column { name, kind, .. } = &self.columns[place];
        let prefix = kind.divider().map(|divider| format!("{name}{divider}").into_bytes());
        let factors = self.interactions.iter().filter(|(first, _)| *first == place).map(|&(_, second)| {
            let Column { name, kind, .. } = &self.columns[second];
            (format!("*{name}").into_bytes(), kind.divider().map(|divider| divider as u8))
        });
        let factors: Vec<(Vec<u8>, Option<u8>)> = factors.collect();
        move |feature| {
            let value = feature.strip_prefix(prefix.as_deref()?)?;
            let is_product = |(factor, divider): &(Vec<u8>, Option<u8>)| {
                let mut rests = (0..value.len()).filter_map(|at| value[at..].strip_prefix(factor.as_slice()));
                rests.any(|rest| rest.first().copied() == *divider)
            };
            (!factors.iter().any(is_product)).then_some(value)
        }
    }

    /// The column that holds the given kind, if there is one.
    pub(crate) fn find(&self, kind: ColumnKind) -> Option<usize> {
        self.columns.iter().position(|column| column.kind == kind)
    }

    /// Columns left out that nobody asked to leave out, above all where no other is there.
    pub(crate) fn doubts(&self) -> Vec<Message> {
        let left_out = |leaving| move |column: &&Column| column.kind == ColumnKind::Unused(leaving);
        let doubt = |column: &Column| {
            let name = show(&column.name);
            let what = format!("column '{name}' tells rows apart and is left out");
            Message::from(what).and((Cure::KeepColumn, column.name.as_str()))
        };
        let mut doubts: Vec<Message> = self.columns.iter().filter(left_out(Leaving::Id)).map(doubt).collect();
        if !doubts.is_empty() && !self.columns.iter().any(|column| column.kind.is_feature()) {
            doubts.push(Message::from("no column is left to learn from").and(Cure::NameKind));
        }
        doubts
    }

    /// As JSON, to be kept.
    pub fn to_json(&self) -> Value {
        let column = |column: &Column| match column.more_to_json() {
            None => json!([column.name, column.kind.to_string()]),
            Some(more) => json!([column.name, column.kind.to_string(), more]),
        };
        let columns: Vec<Value> = self.columns.iter().map(column).collect();
        json!({
            "header": self.header,
            "delimiter": char::from(self.delimiter).to_string(),
            "decimal": self.decimal.name(),
            "missing": self.missing.name(),
            "columns": columns,
            "interactions": self.interactions,
            "utc": self.utc,
        })
    }

    /// From the JSON that [`TableSchema::to_json`] gives; `None` for any other. What version 1 did not know was so.
    pub fn from_json(json: &Value) -> Option<TableSchema> {
        let header = json.get("header")?.as_bool()?;
        let delimiter = match *json.get("delimiter")?.as_str()?.as_bytes() {
            [delimiter] if DELIMITERS.contains(&delimiter) => delimiter,
            _ => return None,
        };
        let decimal = json.get("decimal").map_or(Some(Decimal::Point), |json| Decimal::named(json.as_str()?))?;
        let missing = json.get("missing").map_or(Some(Missing::Refuse), |json| Missing::named(json.as_str()?))?;
        let columns: Vec<Column> =
            json.get("columns")?.as_array()?.iter().map(Column::from_json).collect::<Option<_>>()?;
        let place = |json: &Value| json.as_u64().map(|place| place as usize).filter(|place| *place < columns.len());
        let pair = |json: &Value| match json.as_array()?.as_slice() {
            [first, second] => Some((place(first)?, place(second)?)),
            _ => None,
        };
        let pairs = |json: &Value| json.as_array()?.iter().map(pair).collect();
        let interactions = json.get("interactions").map_or(Some(Vec::new()), pairs)?;
        let utc = json.get("utc").map_or(Some(false), Value::as_bool)?;
        let at_most_one = |kind| columns.iter().filter(|column| column.kind == kind).count() <= 1;
        let is_sound = first_twice(columns.iter().map(|column| column.name.as_str())).is_none()
            && at_most_one(ColumnKind::Label)
            && at_most_one(ColumnKind::Weight);
        is_sound.then_some(TableSchema { header, delimiter, decimal, missing, columns, interactions, utc })
    }
}

/// The first name that was there before.
pub(crate) fn first_twice<T: Copy + Eq + Hash>(names: impl IntoIterator<Item = T>) -> Option<T> {
    let mut seen = HashSet::new();
    names.into_iter().find(|name| !seen.insert(*name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn json_round_trips(
            header in any::<bool>(),
            delimiter in prop::sample::select(DELIMITERS.to_vec()),
            missing in prop::sample::select(Missing::ALL.map(|(missing, _)| missing).to_vec()),
            names in prop::collection::hash_set(".*", 0..6),
            kind in prop::sample::select(vec![ColumnKind::Number, ColumnKind::CATEGORY]),
            unit in prop::option::of(".*"),
            decimal in prop::option::of(prop::sample::select(vec![Decimal::Point, Decimal::Comma])),
            (knows_unknown, utc) in any::<(bool, bool)>(),
        ) {
            let column = |name| Column { name, kind, unit: unit.clone(), decimal, knows_unknown };
            let mut columns: Vec<_> = names.into_iter().map(column).collect();
            let mut interactions = Vec::new();
            if let [first, second, ..] = columns.as_mut_slice() {
                (first.kind, second.kind) = (ColumnKind::Label, ColumnKind::Weight);
                interactions.push((0, 1));
            }
            let schema =
                TableSchema { header, delimiter, decimal: Decimal::Comma, missing, columns, interactions, utc };
            let text = schema.to_json().to_string();
            let json: Value = serde_json::from_str(&text).expect("what was printed");
            prop_assert_eq!(TableSchema::from_json(&json), Some(schema));
        }
    }

    #[test]
    fn json_of_version_1_is_read() {
        let text = r#"{"header": true, "delimiter": ";", "columns": [["a", "text"], ["b", "number"], ["y", "label"]]}"#;
        let schema = TableSchema::from_json(&serde_json::from_str(text).expect("JSON")).expect("a schema");
        let kinds: Vec<ColumnKind> = schema.columns.iter().map(|column| column.kind).collect();
        assert_eq!(kinds, [ColumnKind::CATEGORY, ColumnKind::Number, ColumnKind::Label]);
        assert_eq!((schema.missing, schema.decimal, schema.utc), (Missing::Refuse, Decimal::Point, false));
        let text = text.replace(r#""number"]"#, r#""number", "kg"]"#);
        let schema = TableSchema::from_json(&serde_json::from_str(&text).expect("JSON")).expect("a schema");
        assert_eq!((schema.columns[1].unit.as_deref(), schema.columns[1].knows_unknown), (Some("kg"), false));
    }

    #[test]
    fn json_of_another_shape_is_refused() {
        for text in [
            "null",
            r#"{"header": true, "delimiter": ","}"#,
            r#"{"header": 1, "delimiter": ",", "columns": []}"#,
            r#"{"header": true, "delimiter": "x", "columns": []}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a"]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "number", 3]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "number", "kg", "m"]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "number", {"decimal": "dot"}]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "number", {"unknown": 1}]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [], "utc": "no"}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "colour"]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "text"], ["a", "number"]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "label"], ["b", "label"]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "text"]], "interactions": [[0, 1]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "text"]], "missing": "guess"}"#,
        ] {
            assert_eq!(TableSchema::from_json(&serde_json::from_str(text).expect(text)), None, "{text}");
        }
    }
}
