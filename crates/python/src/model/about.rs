//! What there is to tell of a model.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use onlinear::workshop::{Baseline, Fact, Slot, Vocabulary};
use onlinear::{Certificate, Leaves, Message, Row, StageSpec};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::learned::Learned;
use crate::errors::{Keywords, raised};

/// `coef` and `intercept`.
pub type Linear<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// What is known of a model of rows of so many features, by name.
pub fn about<'py>(py: Python<'py>, model: &onlinear::Model, features: usize) -> PyResult<Bound<'py, PyDict>> {
    let onlinear::Model { spec, learner, classes, counts, stages, shuffle, calibrate, margin, .. } = model;
    let about = PyDict::new(py);
    about.set_item("spec", spec.to_string())?;
    about.set_item("form", learner.form())?;
    about.set_item("features", features)?;
    about.set_item("classes", classes.names())?;
    about.set_item("names", feature_names(&model.vocabulary))?;
    let columns = model.csv.as_ref().map(|csv| csv.columns().map(|(name, kind)| (name, kind.to_string())).collect());
    about.set_item::<_, Option<Vec<(&str, String)>>>("columns", columns)?;
    about.set_item("support", learner.support())?;
    let facts = learner.facts();
    about.set_item("matrix_updates", facts.matrix_updates)?;
    about.set_item("rows", counts.rows)?;
    about.set_item("multiclass_mistakes", counts.multiclass_mistakes)?;
    let trials = counts.total().trials;
    about.set_item("error_rate", (trials > 0).then(|| model.wrong_trials() as f64 / trials as f64))?;
    about.set_item("baseline", Baseline::of(&counts.classes).map(|baseline| baseline.error))?;
    about.set_item("class_weights", model.class_weights.clone())?;
    let passes: Vec<(u64, u64, u64)> = counts.passes.iter().map(|p| (p.trials, p.mistakes, p.updates)).collect();
    about.set_item("passes", passes)?;
    about.set_item("stages", stages.specs().map(StageSpec::to_string).collect::<Vec<_>>())?;
    about.set_item("bias", stages.in_slot(Slot::Bias).map(|stage| stage.settings().number("value")))?;
    about.set_item("normalize", stages.in_slot(Slot::Normalize).map(|stage| stage.kind().name))?;
    about.set_item("map", stages.in_slot(Slot::Map).map(StageSpec::to_string))?;
    about.set_item("landmarks", stages.landmarks())?;
    about.set_item("scale", stages.in_slot(Slot::Scale).map(|stage| stage.kind().name))?;
    about.set_item("shuffle", *shuffle)?;
    about.set_item("calibrate", *calibrate)?;
    let sigmoids = learner.probabilities().map(|probabilities| {
        let calibrations = probabilities.calibrations();
        calibrations.iter().map(|found| (found.slope, found.intercept, found.pairs)).collect::<Vec<_>>()
    });
    about.set_item("calibration", sigmoids)?;
    about.set_item("margin", *margin)?;
    for (name, fact) in facts.further {
        match fact {
            Fact::Number(number) => about.set_item(name, number)?,
            Fact::Text(text) => about.set_item(name, text)?,
        }
    }
    Ok(about)
}

/// `coef` and `intercept` for the features as they come (where rows are normalized: for those), or none.
pub fn linear<'py>(
    py: Python<'py>,
    learned: &Learned,
    features: usize,
    max_memory: u64,
) -> PyResult<Option<Linear<'py>>> {
    let bytes = 8 * (2 * learned.learner_places().len() as u64 + 1) * (features as u64 + 1);
    if bytes > max_memory {
        let need = format!("weights for {features} features need {} MB", bytes / 1_000_000);
        return Err(raised(onlinear::Error::Memory(Message::beyond_memory(need))));
    }
    let mut linear = Vec::new();
    for place in learned.learner_places() {
        let leaves = learned.model.learner.leaves_of(place);
        let Some(weights) = leaves.weights() else { return Ok(None) };
        let Some(unstaged) = unstaged(&learned.model, &weights, features) else { return Ok(None) };
        linear.push(unstaged);
    }
    let (coefficients, intercepts): (Vec<Vec<f64>>, Vec<f64>) = linear.into_iter().unzip();
    let shape = [coefficients.len(), features];
    let coefficients = PyArray1::from_vec(py, coefficients.concat()).reshape(shape)?;
    Ok(Some((coefficients, PyArray1::from_vec(py, intercepts))))
}

/// Weights for rows as they come out of those for staged rows, with the constant part; none through a map.
fn unstaged(model: &onlinear::Model, weights: &[f64], features: usize) -> Option<(Vec<f64>, f64)> {
    let mut coefficients = weights.to_vec();
    coefficients.resize(model.stages.features_after(features), 0.0);
    let intercept = model.stages.pull_back(&mut coefficients)?;
    coefficients.resize(features, 0.0);
    Some((coefficients, intercept))
}

/// The parts of a model's support vectors, as it sees them but for the constant, and their coefficients.
pub fn support_of<'py>(
    py: Python<'py>,
    model: &onlinear::Model,
    leaves: &Leaves<'_>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some((set, coefficients)) = leaves.support() else { return Ok(None) };
    let shift = model.stages.constants();
    let (mut starts, mut indices, mut values) = (vec![0i64], Vec::new(), Vec::new());
    for place in 0..set.len() {
        let row: Row<'_> = set.row(place);
        row.for_each(|i, value| {
            if i >= shift && value != 0.0 {
                indices.push((i - shift) as i64);
                values.push(value);
            }
        });
        starts.push(values.len() as i64);
    }
    let parts = PyDict::new(py);
    parts.set_item("indptr", PyArray1::from_vec(py, starts))?;
    parts.set_item("indices", PyArray1::from_vec(py, indices))?;
    parts.set_item("data", PyArray1::from_vec(py, values))?;
    parts.set_item("coefficients", coefficients.map(|coefficients| PyArray1::from_slice(py, coefficients)))?;
    Ok(Some(parts))
}

/// The names of the features, where they have names.
pub fn feature_names(vocabulary: &Vocabulary) -> Option<Vec<String>> {
    let names = vocabulary.names()?;
    Some(names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// The certificate's statements by name, with the comparators' weights as arrays.
pub fn shown<'py>(py: Python<'py>, certificate: &Certificate) -> PyResult<Bound<'py, PyAny>> {
    let told = py.import("json")?.call_method1("loads", (certificate.to_json(&Keywords).to_string(),))?;
    let hindsight = certificate.hindsight.as_ref().and_then(|found| found.weights.as_deref());
    for (name, weights) in [
        ("before", certificate.before.weights.as_deref()),
        ("hindsight", hindsight),
        ("self_check", certificate.self_check.weights.as_deref()),
    ] {
        if let Some(weights) = weights {
            told.get_item(name)?.set_item("weights", PyArray1::from_slice(py, weights))?;
        }
    }
    Ok(told)
}
