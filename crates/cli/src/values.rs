//! Values that options take.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use onlinear::workshop::synthetic::SETS;
use onlinear::workshop::{ColumnKind, Slot};
use onlinear::{ALGORITHMS, Aliases, ClassWeights, Encoding, STAGES};

use crate::wording::Flags;

pub fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("expected a finite number".to_string()),
    }
}

/// The value of a constant feature, or none.
pub fn constant(text: &str) -> Result<String, String> {
    match finite(text) {
        _ if text == "none" => Ok(text.to_string()),
        Ok(value) => Ok(value.to_string()),
        Err(message) => Err(format!("{message}, or none")),
    }
}

pub fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => Some(1.0),
        "K" | "KB" => Some(1e3),
        "M" | "MB" => Some(1e6),
        "G" | "GB" => Some(1e9),
        _ => None,
    };
    match unit.zip(digits.parse::<f64>().ok()) {
        None => Err("expected a number of bytes, such as 500M or 2G".to_string()),
        Some((unit, number)) if number > 0.0 && number.is_finite() => Ok((number * unit) as u64),
        Some(_) => Err("expected more than 0".to_string()),
    }
}

/// A share that leaves something on both sides.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("expected a number > 0 and < 1".to_string()),
    }
}

/// What text may be encoded as, by any of its names.
pub fn encodings() -> PossibleValuesParser {
    let value = |(encoding, name): (Encoding, &'static str)| PossibleValue::new(name).aliases(encoding.other_names());
    PossibleValuesParser::new(Encoding::ALL.map(value))
}

pub fn class_weights(text: &str) -> Result<ClassWeights, String> {
    text.parse().map_err(|error: onlinear::Error| error.worded(&Flags))
}

pub fn aliases(text: &str) -> Result<Aliases, String> {
    text.parse().map_err(|error: onlinear::Error| error.worded(&Flags))
}

/// What `--labels` names.
pub type Labels = Vec<String>;

pub fn labels(text: &str) -> Result<Labels, String> {
    let labels: Labels = text.split(',').map(String::from).collect();
    if labels.len() > 1 && labels.iter().all(|label| !label.is_empty()) {
        Ok(labels)
    } else {
        Err("expected two labels or more with commas between them".to_string())
    }
}

/// A column and what it holds; its name may have colons in it.
pub fn column(text: &str) -> Result<(String, ColumnKind), String> {
    let named = |ngrams| text.rsplit_once(ngrams).map(|(name, _)| (name, &text[name.len() + 1..]));
    let Some((name, kind)) =
        named(":words:ngrams=").or_else(|| text.rsplit_once(':')).filter(|(name, _)| !name.is_empty())
    else {
        return Err("expected COLUMN:KIND, such as age:number".to_string());
    };
    let kind = kind.parse().map_err(|error: onlinear::Error| error.to_string())?;
    Ok((name.to_string(), kind))
}

/// Two columns.
pub fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once(',') {
        Some((a, b)) if !a.is_empty() && !b.is_empty() => Ok((a.to_string(), b.to_string())),
        _ => Err("expected two columns with a comma between them".to_string()),
    }
}

/// Takes any text and offers names to completions.
#[derive(Clone)]
pub struct AnyText {
    offered: fn() -> Vec<PossibleValue>,
}

/// A spec (with --resume: the data), whose learner is offered.
pub const SPEC: AnyText =
    AnyText { offered: || ALGORITHMS.iter().map(|a| PossibleValue::new(a.name).help(a.summary)).collect() };

/// An artificial set and its settings.
pub const SET: AnyText =
    AnyText { offered: || SETS.iter().map(|set| PossibleValue::new(set.name).help(set.summary)).collect() };

/// An experiment, or a paper whose experiments are all meant.
pub const EXPERIMENT: AnyText = AnyText {
    offered: || {
        let names = onlinear_reproduce::all().map(|all| onlinear_reproduce::names(&all)).unwrap_or_default();
        names.into_iter().map(PossibleValue::new).collect()
    },
};

/// A stage and its settings.
pub const STAGE: AnyText =
    AnyText { offered: || STAGES.iter().map(|stage| PossibleValue::new(stage.name).help(stage.summary)).collect() };

/// A stage that maps rows, and its settings.
pub const MAP: AnyText = AnyText {
    offered: || {
        let maps = STAGES.iter().filter(|stage| stage.slot == Slot::Map);
        maps.map(|stage| PossibleValue::new(stage.name).help(stage.summary)).collect()
    },
};

impl TypedValueParser for AnyText {
    type Value = String;

    fn parse_ref(&self, _: &clap::Command, _: Option<&clap::Arg>, value: &OsStr) -> Result<String, clap::Error> {
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.offered)().into_iter()))
    }
}
