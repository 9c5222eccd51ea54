//! JSON for the page's script.

/// A text in quotes.
pub fn text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // `<` is all that could end the script element that the text stands in.
            c if c < ' ' || c == '<' => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}

/// A number; `null` where there is none.
pub fn number(value: Option<f64>) -> String {
    // The digits that Rust prints for debugging are those of JSON.
    value.filter(|value| value.is_finite()).map_or("null".to_string(), |value| format!("{value:?}"))
}

/// Values in brackets.
pub fn list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(","))
}
