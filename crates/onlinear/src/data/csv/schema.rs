//! What the columns of a CSV file are, as a model keeps it.

use std::hash::Hash;

use serde_json::{Value, json};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Numbers: one feature, called as the column.
    Number,
    /// Words: a feature `column=word` for each.
    Text,
    /// The labels.
    Label,
    /// The sample weights.
    Weight,
}

impl ColumnKind {
    const NAMES: [(ColumnKind, &str); 4] = [
        (ColumnKind::Number, "number"),
        (ColumnKind::Text, "text"),
        (ColumnKind::Label, "label"),
        (ColumnKind::Weight, "weight"),
    ];

    /// Whether the column holds features.
    pub fn is_feature(self) -> bool {
        matches!(self, ColumnKind::Number | ColumnKind::Text)
    }

    fn name(self) -> &'static str {
        ColumnKind::NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    fn named(text: &str) -> Option<ColumnKind> {
        ColumnKind::NAMES.iter().find(|(_, name)| *name == text).map(|(kind, _)| *kind)
    }
}

/// The columns of a CSV file. Data of the same kind are later read by it, not by guesses of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct CsvSchema {
    /// Whether the first record names the columns.
    pub header: bool,
    /// What separates cells.
    pub delimiter: u8,
    /// The columns in the order of the file; without a header they are called `1`, `2`, ….
    pub columns: Vec<(String, ColumnKind)>,
}

impl CsvSchema {
    /// The column that holds the given kind, if there is one.
    pub(crate) fn find(&self, kind: ColumnKind) -> Option<usize> {
        self.columns.iter().position(|(_, other)| *other == kind)
    }

    /// As JSON, to be kept.
    pub fn to_json(&self) -> Value {
        let columns: Vec<Value> = self.columns.iter().map(|(name, kind)| json!([name, kind.name()])).collect();
        json!({ "header": self.header, "delimiter": char::from(self.delimiter).to_string(), "columns": columns })
    }

    /// From the JSON that [`CsvSchema::to_json`] gives; `None` for any other.
    pub fn from_json(json: &Value) -> Option<CsvSchema> {
        let header = json.get("header")?.as_bool()?;
        let delimiter = match json.get("delimiter")?.as_str()? {
            "," => b',',
            ";" => b';',
            "\t" => b'\t',
            _ => return None,
        };
        let column = |json: &Value| match json.as_array()?.as_slice() {
            [name, kind] => Some((name.as_str()?.to_string(), ColumnKind::named(kind.as_str()?)?)),
            _ => None,
        };
        let columns: Vec<_> = json.get("columns")?.as_array()?.iter().map(column).collect::<Option<_>>()?;
        let at_most_one = |kind| columns.iter().filter(|(_, other)| *other == kind).count() <= 1;
        let is_sound = first_twice(columns.iter().map(|(name, _)| name.as_str())).is_none()
            && at_most_one(ColumnKind::Label)
            && at_most_one(ColumnKind::Weight);
        is_sound.then_some(CsvSchema { header, delimiter, columns })
    }
}

/// The first name that was there before.
pub(crate) fn first_twice<T: Copy + Eq + Hash>(names: impl IntoIterator<Item = T>) -> Option<T> {
    let mut seen = std::collections::HashSet::new();
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
            delimiter in prop::sample::select(b",;\t".to_vec()),
            names in prop::collection::hash_set(".*", 0..6),
            kind in prop::sample::select(vec![ColumnKind::Number, ColumnKind::Text]),
        ) {
            let mut columns: Vec<_> = names.into_iter().map(|name| (name, kind)).collect();
            if let [first, second, ..] = columns.as_mut_slice() {
                (first.1, second.1) = (ColumnKind::Label, ColumnKind::Weight);
            }
            let schema = CsvSchema { header, delimiter, columns };
            let text = schema.to_json().to_string();
            let json: Value = serde_json::from_str(&text).expect("what was printed");
            prop_assert_eq!(CsvSchema::from_json(&json), Some(schema));
        }
    }

    #[test]
    fn json_of_another_shape_is_refused() {
        for text in [
            "null",
            r#"{"header": true, "delimiter": ","}"#,
            r#"{"header": 1, "delimiter": ",", "columns": []}"#,
            r#"{"header": true, "delimiter": "x", "columns": []}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a"]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "date"]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "text"], ["a", "number"]]}"#,
            r#"{"header": true, "delimiter": ",", "columns": [["a", "label"], ["b", "label"]]}"#,
        ] {
            assert_eq!(CsvSchema::from_json(&serde_json::from_str(text).expect(text)), None, "{text}");
        }
    }
}
