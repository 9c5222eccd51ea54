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

/// What a key can hold. Numbers may be written in any way: 1, 1.0 and 1e0 are the same.
pub(super) trait Field: Sized {
    /// For messages.
    fn expected() -> String;
    /// `None` if the JSON is of another kind.
    fn read(json: &Json) -> Option<Self>;
}

impl Object {
    /// The metadata of a model, all of them text.
    pub(super) fn of_metadata(metadata: BTreeMap<String, String>) -> Object {
        let fields = metadata.into_iter().map(|(key, text)| (key, Json::String(text))).collect();
        Object { name: "the model".to_string(), fields }
    }

    /// The value of `key`, which must be there.
    pub(super) fn take<T: Field>(&mut self, key: &str) -> Result<T> {
        self.take_as(key, &T::expected(), T::read)
    }

    /// The value of `key`, or its default.
    pub(super) fn take_or<T: Field>(&mut self, key: &str, default: T) -> Result<T> {
        if self.fields.contains_key(key) { self.take(key) } else { Ok(default) }
    }

    /// What `read` makes of the value of `key`, which must be there.
    pub(super) fn take_as<T>(&mut self, key: &str, expected: &str, read: impl FnOnce(&Json) -> Option<T>) -> Result<T> {
        let name = &self.name;
        let json = self.fields.remove(key).ok_or_else(|| refusal(format!("{name} has no '{key}'")))?;
        let refuse = || refusal(format!("'{key}' of {name} is {}; expected {expected}", excerpt(&json)));
        read(&json).ok_or_else(refuse)
    }

    /// The JSON that the text `key` holds.
    pub(super) fn take_json(&mut self, key: &str) -> Result<Json> {
        let text: String = self.take(key)?;
        let json = serde_json::from_str(&text).map_err(|_| refusal(format!("'{key}' is not JSON")))?;
        // The reader keeps the last of several values; which one was meant nobody knows.
        if keys_in(text.as_bytes()) != keys_of(&json) {
            return Err(refusal(format!("'{key}' has a key twice")));
        }
        Ok(json)
    }

    /// The object that the text `key` holds.
    pub(super) fn take_object(&mut self, key: &str) -> Result<Object> {
        match self.take_json(key)? {
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

impl Field for u64 {
    fn expected() -> String {
        "a whole number".to_string()
    }

    fn read(json: &Json) -> Option<u64> {
        let is_whole = |number: &f64| (0.0..=MOST_COUNTED as f64).contains(number) && number.fract() == 0.0;
        json.as_u64().or_else(|| json.as_f64().filter(is_whole).map(|number| number as u64))
    }
}

impl Field for f64 {
    fn expected() -> String {
        "a number".to_string()
    }

    fn read(json: &Json) -> Option<f64> {
        json.as_f64()
    }
}

impl Field for bool {
    fn expected() -> String {
        "true or false".to_string()
    }

    fn read(json: &Json) -> Option<bool> {
        json.as_bool()
    }
}

impl Field for String {
    fn expected() -> String {
        "a text".to_string()
    }

    fn read(json: &Json) -> Option<String> {
        json.as_str().map(String::from)
    }
}

impl<T: Field> Field for Option<T> {
    fn expected() -> String {
        format!("{} or null", T::expected())
    }

    fn read(json: &Json) -> Option<Option<T>> {
        if json.is_null() { Some(None) } else { T::read(json).map(Some) }
    }
}

impl<T: Field> Field for Vec<T> {
    fn expected() -> String {
        format!("a list, each of it {}", T::expected())
    }

    fn read(json: &Json) -> Option<Vec<T>> {
        json.as_array()?.iter().map(T::read).collect()
    }
}

impl<T: Field, const N: usize> Field for [T; N] {
    fn expected() -> String {
        format!("a list of {N}, each {}", T::expected())
    }

    fn read(json: &Json) -> Option<[T; N]> {
        Vec::read(json)?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Result<Object> {
        Object::of_metadata([("counts".to_string(), text.to_string())].into()).take_object("counts")
    }

    #[test]
    fn keys_are_taken_in_any_order_and_numbers_in_any_spelling() {
        let mut counts = object(r#" { "b":[[1,2],[3.0,4e0]], "a" : 1.0,"c":null,"d":"x:\"y:" } "#).unwrap();
        assert_eq!(counts.take::<u64>("a").unwrap(), 1);
        assert_eq!(counts.take::<Vec<[u64; 2]>>("b").unwrap(), [[1, 2], [3, 4]]);
        assert_eq!(counts.take::<Option<f64>>("c").unwrap(), None);
        assert_eq!(counts.take_or("e", 7u64).unwrap(), 7);
        assert_eq!(counts.take_or("d", String::new()).unwrap(), "x:\"y:");
        counts.end().unwrap();
    }

    #[test]
    fn refusals_name_the_key() {
        let refused = |text: &str, read: fn(&mut Object) -> Result<()>| {
            let read = object(text).and_then(|mut counts| read(&mut counts).and_then(|()| counts.end()));
            read.unwrap_err().to_string().split_once("model: ").unwrap().1.to_string()
        };
        let whole: fn(&mut Object) -> Result<()> = |counts| counts.take::<u64>("rows").map(drop);
        for (text, reason) in [
            ("{}", "'counts' has no 'rows'"),
            (r#"{"rows":-1}"#, "'rows' of 'counts' is -1; expected a whole number"),
            (r#"{"rows":0.5}"#, "'rows' of 'counts' is 0.5; expected a whole number"),
            (r#"{"rows":1e17}"#, "'rows' of 'counts' is 1e+17; expected a whole number"),
            (r#"{"rows":null}"#, "'rows' of 'counts' is null; expected a whole number"),
            (r#"{"rows":1,"more":2}"#, "'more' does not belong to 'counts'"),
            (r#"{"rows":1,"rows":2}"#, "'counts' has a key twice"),
            (r#"{"rows":[{"a":1,"a":2}]}"#, "'counts' has a key twice"),
            ("[1]", "'counts' is [1]; expected an object"),
            ("{", "'counts' is not JSON"),
        ] {
            assert_eq!(refused(text, whole), reason);
        }
        let pairs: fn(&mut Object) -> Result<()> = |counts| counts.take::<Option<Vec<[u64; 2]>>>("rows").map(drop);
        let long = format!(r#"{{"rows":"{}"}}"#, "x".repeat(100));
        let expected = "expected a list, each of it a list of 2, each a whole number or null";
        assert_eq!(refused(&long, pairs), format!("'rows' of 'counts' is \"{}…; {expected}", "x".repeat(39)));
        assert!(refused(r#"{"rows":[[1]]}"#, pairs).contains("is [[1]]; expected"));
    }
}
