//! A learner and what happens to its rows, out of the parameters of an estimator.

use onlinear::workshop::{Practice, Slot, StageChoices};
use onlinear::{ClassWeights, Recipe, Spec};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raised;

/// The weights of classes: `balanced`, or those of some labels.
#[derive(FromPyObject)]
pub enum Weights {
    Word(String),
    Pairs(Vec<(String, f64)>),
}

impl Weights {
    /// As the library takes them.
    pub fn checked(self) -> PyResult<ClassWeights> {
        let weights = match self {
            Weights::Word(word) => word.parse(),
            Weights::Pairs(pairs) => {
                let weights = ClassWeights::Given(pairs);
                weights.check().map(|()| weights)
            }
        };
        weights.map_err(raised)
    }
}

/// The stages that are asked for by their shorthands.
pub fn stage_choices(
    bias: Option<String>,
    scale: Option<&str>,
    normalize: Option<&str>,
    map: Option<&str>,
) -> PyResult<StageChoices> {
    Ok(StageChoices {
        stages: Vec::new(),
        scale: stage_word("scale", Slot::Scale, scale)?,
        normalize: stage_word("normalize", Slot::Normalize, normalize)?,
        map: map.map(String::from),
        bias,
        brought: Vec::new(),
    })
}

/// A learner and its stages, to which the rows of a table add what a practitioner would.
pub fn recipe(spec: &str, choices: &StageChoices, is_table: bool) -> PyResult<Recipe> {
    let spec: Spec = spec.parse().map_err(raised)?;
    let practice = if is_table { Practice::of_table() } else { Practice::default() };
    let stages = practice.choices(choices, &spec).resolve(&spec).map_err(raised)?;
    Ok(Recipe::of(spec, stages))
}

/// The word of a shorthand for a stage, or none where it is left to the learner and the rows.
fn stage_word(keyword: &str, slot: Slot, given: Option<&str>) -> PyResult<Option<String>> {
    let mut words = StageChoices::words(slot).filter(|word| *word != "none");
    match given {
        None => Ok(Some("none".to_string())),
        Some("auto") => Ok(None),
        Some(given) if words.any(|word| word == given) => Ok(Some(given.to_string())),
        Some(given) => {
            let mut known: Vec<String> = vec!["None".to_string(), "'auto'".to_string()];
            known.extend(StageChoices::words(slot).skip(1).map(|word| format!("'{word}'")));
            let last = known.pop().unwrap_or_default();
            let known = known.join(", ");
            Err(PyValueError::new_err(format!("{keyword} must be {known} or {last}, not {given:?}")))
        }
    }
}
