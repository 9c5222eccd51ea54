//! A JSON object read key by key: what is missing, of another kind or left over at the end is refused by its name.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::error::Result;
use crate::state::{MOST_COUNTED, refusal};

/// The keys not yet taken.
pub(super) struct Object {
    /// What it is, for messages.
    name: String,
    fields: Map<String, Json>,
}

impl Object {
    /// The metadata of a model, all of them text.
    pub(super) fn of_metadata(metadata: BTreeMap<String, String>) -> Object {
        let fields = metadata.into_iter().map(|(key, text)| (key, Json::String(text))).collect();
        Object { name: "the model".to_string(), fields }
    }

    /// What `read` makes of the value of `key`, which must be there.
    pub(super) fn take<T>(&mut self, key: &str, expected: &str, read: impl FnOnce(&Json) -> Option<T>) -> Result<T> {
        let name = &self.name;
        let json = self.fields.remove(key).ok_or_else(|| refusal(format!("{name} has no '{key}'")))?;
        let refuse = || refusal(format!("'{key}' of {name} is {}; expected {expected}", excerpt(&json)));
        read(&json).ok_or_else(refuse)
    }

    /// What `read` makes of the value of `key`, or its default.
    pub(super) fn take_or<T>(
        &mut self,
        key: &str,
        default: T,
        expected: &str,
        read: impl FnOnce(&Json) -> Option<T>,
    ) -> Result<T> {
        if self.fields.contains_key(key) { self.take(key, expected, read) } else { Ok(default) }
    }

    /// The text `key`.
    pub(super) fn text(&mut self, key: &str) -> Result<String> {
        self.take(key, "a text", |json| json.as_str().map(String::from))
    }

    /// The whole number `key`.
    pub(super) fn whole(&mut self, key: &str) -> Result<u64> {
        self.take(key, "a whole number", whole)
    }

    /// The number `key`, or null.
    pub(super) fn number_or_null(&mut self, key: &str) -> Result<Option<f64>> {
        self.take(key, "a number or null", or_null(Json::as_f64))
    }

    /// The JSON that the text `key` holds.
    pub(super) fn json(&mut self, key: &str) -> Result<Json> {
        let text = self.text(key)?;
        let json = serde_json::from_str(&text).map_err(|_| refusal(format!("'{key}' is not JSON")))?;
        // The reader keeps the last of several values; which one was meant nobody knows.
        if keys_in(text.as_bytes()) != keys_of(&json) {
            return Err(refusal(format!("'{key}' has a key twice")));
        }
        Ok(json)
    }

    /// The object that the text `key` holds.
    pub(super) fn object(&mut self, key: &str) -> Result<Object> {
        match self.json(key)? {
            Json::Object(fields) => Ok(Object { name: format!("'{key}'"), fields }),
            other => Err(refusal(format!("'{key}' is {}; expected an object", excerpt(&other)))),
        }
    }

    /// Refuses what was not taken.
    pub(super) fn end(self) -> Result<()> {
        match self.fields.keys().next() {
            Some(key) => Err(refusal(format!("'{key}' does not belong to {}", self.name))),
            None => Ok(()),
        }
    }
}

/// The beginning of JSON, for a message.
fn excerpt(json: &Json) -> String {
    let text = json.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// How many keys JSON text has at all depths: outside of strings, a colon stands behind each and nowhere else.
pub(super) fn keys_in(text: &[u8]) -> usize {
    let (mut keys, mut in_string, mut escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b':' if !in_string => keys += 1,
            _ => {}
        }
    }
    keys
}

/// How many keys JSON has at all depths.
fn keys_of(json: &Json) -> usize {
    match json {
        Json::Array(items) => items.iter().map(keys_of).sum(),
        Json::Object(fields) => fields.len() + fields.values().map(keys_of).sum::<usize>(),
        _ => 0,
    }
}

/// A whole number, however it is written: 1, 1.0 and 1e0 are the same.
pub(super) fn whole(json: &Json) -> Option<u64> {
    let is_whole = |number: &f64| (0.0..=MOST_COUNTED as f64).contains(number) && number.fract() == 0.0;
    json.as_u64().or_else(|| json.as_f64().filter(is_whole).map(|number| number as u64))
}

/// Null, or what `read` takes.
pub(super) fn or_null<T>(read: impl FnOnce(&Json) -> Option<T>) -> impl FnOnce(&Json) -> Option<Option<T>> {
    |json| if json.is_null() { Some(None) } else { read(json).map(Some) }
}

/// A list of what `read` takes.
pub(super) fn list<T>(json: &Json, read: impl Fn(&Json) -> Option<T>) -> Option<Vec<T>> {
    json.as_array()?.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Result<Object> {
        Object::of_metadata([("counts".to_string(), text.to_string())].into()).object("counts")
    }

    #[test]
    fn keys_are_taken_in_any_order_and_numbers_in_any_spelling() {
        let mut counts = object(r#" { "b":[3.0,4e0], "a" : 1.0,"c":null,"d":"x:\"y:" } "#).unwrap();
        assert_eq!(counts.whole("a").unwrap(), 1);
        assert_eq!(counts.take("b", "numbers", |json| list(json, whole)).unwrap(), [3, 4]);
        assert_eq!(counts.number_or_null("c").unwrap(), None);
        assert_eq!(counts.take_or("e", 7, "a number", whole).unwrap(), 7);
        assert_eq!(counts.text("d").unwrap(), "x:\"y:");
        counts.end().unwrap();
    }

    #[test]
    fn refusals_name_the_key() {
        let long = format!(r#"{{"rows":"{}"}}"#, "x".repeat(100));
        let shown = format!("'rows' of 'counts' is \"{}…; expected a whole number", "x".repeat(39));
        for (text, reason) in [
            ("{}", "'counts' has no 'rows'"),
            (r#"{"rows":-1}"#, "'rows' of 'counts' is -1; expected a whole number"),
            (r#"{"rows":0.5}"#, "'rows' of 'counts' is 0.5; expected a whole number"),
            (r#"{"rows":1e17}"#, "'rows' of 'counts' is 1e+17; expected a whole number"),
            (r#"{"rows":null}"#, "'rows' of 'counts' is null; expected a whole number"),
            (&long, &shown),
            (r#"{"rows":1,"more":2}"#, "'more' does not belong to 'counts'"),
            (r#"{"rows":1,"rows":2}"#, "'counts' has a key twice"),
            (r#"{"rows":[{"a":1,"a":2}]}"#, "'counts' has a key twice"),
            ("[1]", "'counts' is [1]; expected an object"),
            ("{", "'counts' is not JSON"),
        ] {
            let read = object(text).and_then(|mut counts| counts.whole("rows").and_then(|_| counts.end()));
            assert_eq!(read.unwrap_err().to_string(), format!(": not a usable model: {reason}"));
        }
    }
}
