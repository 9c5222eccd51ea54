//! Learners that learn from all rows at once: against traces of an independent implementation, and
//! what holds for every one of them.

use std::fs;

use onlinear::batch::{Epochs, Sample, Training};
use onlinear::data::{Input, ScaleKind, Scratch, Stages, Survey};
use onlinear::space::Rows;
use onlinear::{ALGORITHMS, Label, Learner, Spec};
use serde_json::Value as Json;

use crate::support::{Point, Storage, golden_folder, is_close, read_points, spec};

/// Fewer golden cases than this would mean that some are passed over in silence.
const CASES: usize = 2;

/// The points brought to −1 … 1, with x₀ = 1 in front, as a sample with these weights.
pub fn scaled_sample(points: &[Point], features: usize, storage: Storage, weights: &[f64]) -> Sample {
    let mut survey = Survey::default();
    points.iter().for_each(|point| survey.add(point.row(storage)));
    let scale = Some(survey.scale(ScaleKind::MinMax, features));
    let stages = Stages { scale, normalize: None, bias: Some(1.0) };
    let (mut rows, mut scratch) = (Rows::default(), Scratch::default());
    points.iter().for_each(|point| rows.push_row(stages.apply(point.row(storage), &mut scratch)));
    let labels: Vec<Label> = points.iter().map(|point| point.y).collect();
    Sample::new("points", rows, &labels, weights, true).unwrap()
}

/// Writes down the training errors of each epoch.
#[derive(Default)]
pub struct Trace(pub Vec<Training>);

impl Epochs for Trace {
    fn wants_errors(&self) -> bool {
        true
    }

    fn epoch(&mut self, epoch: u64, training: Training) -> onlinear::Result<()> {
        assert_eq!(epoch as usize, self.0.len(), "epochs come one after another");
        self.0.push(training);
        Ok(())
    }
}

/// A learner that has learned from `sample`, and its training errors epoch by epoch.
pub fn fitted(spec: &Spec, sample: &Sample) -> (Box<dyn Learner>, Vec<Training>) {
    let mut learner = spec.learner();
    let mut trace = Trace::default();
    learner.as_batch().unwrap().fit(sample, &mut trace).unwrap();
    (learner, trace.0)
}

#[test]
fn every_golden_case_is_replayed_from_its_seed() {
    let text = fs::read_to_string(golden_folder().join("batch.json")).unwrap();
    let all: Vec<Json> = serde_json::from_str(&text).unwrap();
    let name = |case: &Json| case["spec"].as_str().unwrap().split(':').next().unwrap().to_string();
    let here: Vec<&Json> = all.iter().filter(|case| ALGORITHMS.iter().any(|a| a.name == name(case))).collect();
    assert!(here.len() >= CASES, "only {} cases were found", here.len());
    for case in here {
        replay(case);
    }
}

fn replay(case: &Json) {
    let id = case["id"].as_str().unwrap();
    let (points, features) = read_points(&Input::File(golden_folder().join(case["data"].as_str().unwrap())));
    let sample = scaled_sample(&points, features, Storage::Sparse, &vec![1.0; points.len()]);
    let (learner, trace) = fitted(&spec(case["spec"].as_str().unwrap()), &sample);

    let expected: Vec<u64> = case["training_errors"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let mut errors: Vec<u64> = trace.iter().map(|training| training.rows).collect();
    if expected.len() == 1 {
        errors = errors[errors.len() - 1..].to_vec();
    } else {
        let last = errors[errors.len() - 1];
        errors.resize(expected.len(), last); // those that stop at no error
    }
    assert_eq!(errors, expected, "{id}");

    let expected: Vec<f64> = case["weights"].as_array().unwrap().iter().map(|w| w.as_f64().unwrap()).collect();
    let weights = learner.weights().unwrap();
    assert_eq!(weights.len(), expected.len(), "{id}");
    let largest = expected.iter().fold(0f64, |largest, w| largest.max(w.abs()));
    for (ours, theirs) in weights.iter().zip(&expected) {
        assert!(is_close(ours / largest, theirs / largest, 1e-9), "{id}: {weights:?} instead of {expected:?}");
    }
    if let Some(evaluations) = case.get("evaluations") {
        let facts = learner.facts();
        let (_, ours) = facts.iter().find(|(name, _)| *name == "evaluations").unwrap();
        assert_eq!(ours.to_string(), evaluations.to_string(), "{id}");
    }
}
