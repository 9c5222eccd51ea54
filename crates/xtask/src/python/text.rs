//! Python source text out of declarations.

use onlinear::workshop::{Kind, Parameter, Value};

/// The longest line.
pub const WIDTH: usize = 120;

/// Text in lines no longer than allowed, each with `indent` in front.
pub fn wrapped(text: &str, indent: &str) -> String {
    let (mut lines, mut line) = (Vec::new(), indent.to_string());
    for word in text.split_whitespace() {
        let is_first = line.len() == indent.len();
        if !is_first && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::replace(&mut line, indent.to_string()));
        } else if !is_first {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines.join("\n") + "\n"
}

/// Words in quotes, with commas between them.
pub fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

/// A key of a spec as a Python name.
pub fn name(key: &str) -> String {
    key.replace('-', "_")
}

/// The value of a parameter as Python writes it.
pub fn value(parameter: &Parameter) -> String {
    match (parameter.kind, parameter.default) {
        (Kind::Learner(_), _) | (_, Value::Choice("none")) => "None".to_string(),
        (Kind::Integer { .. }, Value::Number(number)) => format!("{number}"),
        (_, Value::Whole(number)) => format!("{number}"),
        (_, Value::Number(number)) => format!("{number:?}"),
        (_, Value::Flag(true)) => "True".to_string(),
        (_, Value::Flag(false)) => "False".to_string(),
        (_, Value::Choice(word)) => format!("{word:?}"),
    }
}

/// The type of a parameter as Python writes it.
pub fn annotation(parameter: &Parameter) -> String {
    match parameter.kind {
        Kind::Number(_) => "float".to_string(),
        Kind::Width => format!("float | Literal[{:?}]", Kind::FOUND),
        Kind::NumberOr(_, "none") => "float | None".to_string(),
        Kind::NumberOr(_, word) => format!("float | Literal[{word:?}]"),
        Kind::Integer { .. } => "int".to_string(),
        Kind::Flag => "bool".to_string(),
        Kind::Choice(words) => format!("Literal[{}]", quoted(words.iter().copied())),
        Kind::Learner(_) => "Learner | None".to_string(),
    }
}

/// The kind of a parameter's values, for reading a spec back.
pub fn kind(parameter: &Parameter) -> &'static str {
    match parameter.kind {
        Kind::Number(_) => "float",
        Kind::Width | Kind::NumberOr(..) => "object",
        Kind::Integer { .. } => "int",
        Kind::Flag => "bool",
        Kind::Choice(_) => "str",
        Kind::Learner(_) => "Learner",
    }
}

/// What values a parameter takes, in words.
pub fn values(parameter: &Parameter) -> String {
    match parameter.kind {
        Kind::Choice(words) => format!("{{{}}}", quoted(words.iter().copied())),
        Kind::Flag => "bool".to_string(),
        Kind::Learner(_) => "an estimator of this package, or None".to_string(),
        kind => kind.to_string().replace("none or", "None or"),
    }
}
