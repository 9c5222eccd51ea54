//! Values that options take.

use std::ffi::OsStr;

use clap::ValueEnum;
use clap::builder::{PossibleValue, TypedValueParser};

use onlinear::{ALGORITHMS, STAGES};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    Yes,
    No,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Missing {
    /// An error
    Refuse,
    /// The number 0
    Zero,
}

pub fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("expected a finite number".to_string()),
    }
}

pub fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" => 1_000,
        "M" | "MB" => 1_000_000,
        "G" | "GB" => 1_000_000_000,
        _ => return Err("expected a number of bytes, such as 500M or 2G".to_string()),
    };
    let number: f64 = digits.parse().map_err(|_| "expected a number of bytes, such as 500M or 2G".to_string())?;
    if number > 0.0 && number.is_finite() {
        Ok((number * unit as f64) as u64)
    } else {
        Err("expected more than 0".to_string())
    }
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

/// Takes any text (with --resume it is the data) and offers the learners' names to completions.
#[derive(Clone)]
pub struct SpecOrData;

impl TypedValueParser for SpecOrData {
    type Value = String;

    fn parse_ref(&self, _: &clap::Command, _: Option<&clap::Arg>, value: &OsStr) -> Result<String, clap::Error> {
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(ALGORITHMS.iter().map(|algorithm| PossibleValue::new(algorithm.name).help(algorithm.summary))))
    }
}

/// Takes any text, which names a stage and its settings, and offers the stages' names to completions.
#[derive(Clone)]
pub struct StageName;

impl TypedValueParser for StageName {
    type Value = String;

    fn parse_ref(&self, _: &clap::Command, _: Option<&clap::Arg>, value: &OsStr) -> Result<String, clap::Error> {
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(STAGES.iter().map(|stage| PossibleValue::new(stage.name).help(stage.summary))))
    }
}
