//! Learners that learn from all rows at once: against traces of an independent implementation, and
//! what holds for every one of them.

use std::fs;

use onlinear::batch::{Epochs, Sample, Training};
use onlinear::data::{Input, ScaleKind, Scratch, Stages, Survey};
use onlinear::space::Rows;
use onlinear::{ALGORITHMS, Label, Learner, Spec};
use serde_json::Value as Json;

use crate::support::{Point, STORAGES, Storage, golden_folder, integers, is_close, noisy, read_points, spec};

/// Fewer golden cases than this would mean that some are passed over in silence.
const CASES: usize = 54;
const CASES: usize = 26;

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
        STORAGES.iter().for_each(|&storage| replay(case, storage));
    }
}

fn replay(case: &Json, storage: Storage) {
    let id = case["id"].as_str().unwrap();
    let (points, features) = read_points(&Input::File(golden_folder().join(case["data"].as_str().unwrap())));
    let sample = scaled_sample(&points, features, storage, &vec![1.0; points.len()]);
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

/// The schedules of coordinate descent.
const SCHEDULES: [&str; 6] = ["rcd", "rcd-bias", "rcd-conj", "rcd-conj-bias", "rcd-grad", "ccd"];

/// Specs of coordinate descent with every start, stump and kind of direction.
fn descents(epochs: u64) -> Vec<Spec> {
    let mut specs = Vec::new();
    for name in SCHEDULES {
        for start in ["zero", "fld"] {
            for (directions, stump) in [("uniform", "positive"), ("gaussian", "both")] {
                specs.push(spec(&format!("{name}:epochs={epochs},start={start},directions={directions},stump={stump},seed=3")));
            }
        }
    }
    specs
}

/// Weights 0, 1, 2 … that go through the points in turn.
fn whole_weights(points: &[Point]) -> Vec<f64> {
    (0..points.len()).map(|i| ((i * i + 3) % 5) as f64).collect()
}

#[test]
fn the_training_error_never_rises() {
    for points in [noisy(1, 90, 7, 0.2), integers(2, 120, 4), noisy(3, 20, 40, 0.0)] {
        let features = points[0].dense.len();
        let random: Vec<f64> = (0..points.len()).map(|i| 1.0 / (1.0 + (i * 37 % 101) as f64)).collect();
        for weights in [vec![1.0; points.len()], whole_weights(&points), random] {
            let sample = scaled_sample(&points, features, Storage::Sparse, &weights);
            for spec in descents(120) {
                let (learner, trace) = fitted(&spec, &sample);
                assert!(trace.is_sorted_by(|a, b| a.units >= b.units), "{spec}: {trace:?}");
                assert_eq!(sample.errors(&learner.weights().unwrap()), trace[trace.len() - 1], "{spec}");
                assert!(trace.len() == 121 || spec.algorithm().name == "rcd-grad" && trace[trace.len() - 1].rows == 0, "{spec}");
            }
        }
    }
}

#[test]
fn whole_weights_are_rows_repeated() {
    let points = noisy(4, 80, 5, 0.1);
    let weights = whole_weights(&points);
    let repeated: Vec<Point> =
        points.iter().zip(&weights).flat_map(|(point, &times)| std::iter::repeat_n(point.clone(), times as usize)).collect();
    // Rows of weight 0 must not decide the scale either: here nothing is scaled.
    let sample = |points: &[Point], weights: &[f64]| {
        let mut rows = Rows::default();
        points.iter().for_each(|point| rows.push_row(onlinear::Row::Dense(&[&[1.0][..], &point.dense].concat())));
        let labels: Vec<Label> = points.iter().map(|point| point.y).collect();
        Sample::new("points", rows, &labels, weights, true).unwrap()
    };
    let (weighted, repeated) = (sample(&points, &weights), sample(&repeated, &vec![1.0; repeated.len()]));
    for spec in descents(60).into_iter().chain([spec("fld")]) {
        let (a, b) = (fitted(&spec, &weighted).0.weights().unwrap(), fitted(&spec, &repeated).0.weights().unwrap());
        // The gradient's length, and so that of w, goes with the sum of the weights.
        let [a, b] = [a, b].map(|w| w.iter().map(|v| v / onlinear::Row::Dense(&w).norm(2.0)).collect::<Vec<_>>());
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-7), "{spec}: {a:?} {b:?}");
    }
}

#[test]
fn awkward_rows_are_learned_from_all_the_same() {
    let rows: [&[&[f64]]; 4] = [
        &[&[5.0, 1.0], &[5.0, 2.0], &[5.0, 3.0]], // a constant feature
        &[&[1.0, 0.0, 0.0, 2.0, 0.0, 7.0, 1.0], &[0.0, 1.0, 0.0, 0.0, 3.0, 1.0, 1.0]], // more features than rows
        &[&[0.0], &[0.0], &[0.0]],                // nothing but zeros
        &[&[1e300, -1e300], &[-1e300, 1e300], &[3.0, 4.0]], // large numbers
    ];
    let names: Vec<&str> = ALGORITHMS.iter().filter(|a| Spec::of(a).is_batch()).map(|a| a.name).collect();
    for rows in rows {
        let points: Vec<Point> =
            rows.iter().enumerate().map(|(i, x)| Point::new(x.to_vec(), crate::support::label(i % 2 == 0))).collect();
        let sample = scaled_sample(&points, rows[0].len(), Storage::Dense, &vec![1.0; points.len()]);
        for name in &names {
            let mut learner = spec(name).learner();
            learner.as_batch().unwrap().fit(&sample, &mut ()).unwrap();
            let mut scores = Vec::new();
            learner.outputs(sample.rows(), &mut scores);
            assert!(scores.iter().all(|score| score.is_finite()), "{name} on {rows:?}: {scores:?}");
        }
    }
}

#[test]
fn one_class_is_refused_by_every_batch_learner() {
    let points: Vec<Point> = noisy(5, 10, 3, 0.0).iter().map(|p| Point::new(p.dense.clone(), Label::Positive)).collect();
    let sample = scaled_sample(&points, 3, Storage::Dense, &[1.0; 10]);
    for algorithm in ALGORITHMS.iter().filter(|a| Spec::of(a).is_batch()) {
        let error = Spec::of(algorithm).learner().as_batch().unwrap().fit(&sample, &mut ()).unwrap_err();
        assert!(error.to_string().contains("one class"), "{}: {error}", algorithm.name);
    }
}
