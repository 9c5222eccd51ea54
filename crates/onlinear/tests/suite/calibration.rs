//! Probabilities: against another implementation, and through files and further runs.

use std::fmt::Write;
use std::fs;

use onlinear::{Calibration, Error, Input, Model, Recipe, Rows, RunResult, ScoreScratch, Start, learn};
use serde_json::Value as Json;

use crate::support::{Point, Storage, golden_folder, is_close, memory, noisy, plan, read_points, spec};

fn run(input: Input, passes: u64, learner: &str, window: u64) -> onlinear::Result<RunResult> {
    let recipe = Recipe { calibrate: Some(window), ..Recipe::of(spec(learner), Vec::new()) };
    learn(plan(input, passes), Start::Fresh(recipe), &mut ())
}

/// The calibrations of a model.
fn of(model: &Model) -> Vec<Calibration> {
    model.learner.probabilities().unwrap().calibrations().to_vec()
}

#[test]
fn every_case_is_reproduced() {
    let text = fs::read_to_string(golden_folder().join("beyond.json")).unwrap();
    let all: Vec<Json> = serde_json::from_str(&text).unwrap();
    let cases: Vec<&Json> = all.iter().filter(|case| !case["calibrate"].is_null()).collect();
    assert_eq!(cases.len(), 4);
    for case in cases {
        let (id, number) = (&case["id"], |key: &str| case[key].as_f64().unwrap());
        let input = Input::File(golden_folder().join(case["data"].as_str().unwrap()));
        let (rows, _) = read_points(&input);
        let passes = case["passes"].as_u64().unwrap();
        let window = case["calibrate"].as_u64().unwrap();
        let model = run(input, passes, case["spec"].as_str().unwrap(), window).unwrap().model;
        let [found] = of(&model)[..] else { panic!("{id}") };
        assert!(is_close(found.slope, number("slope"), 1e-6), "{id}: {found:?}");
        assert!(is_close(found.intercept, number("intercept"), 1e-6), "{id}: {found:?}");
        assert_eq!(found.pairs, window.min((rows.len() as u64 * passes).div_ceil(2)), "{id}");
        let probabilities = model.learner.probabilities().unwrap();
        for (row, expected) in rows.iter().zip(case["probabilities"].as_array().unwrap()) {
            let shares = probabilities.of(&[model.learner.score(row.row(Storage::Sparse))]);
            assert!(is_close(shares[1], expected.as_f64().unwrap(), 1e-6), "{id}: {shares:?} instead of {expected}");
            assert!(is_close(shares[0] + shares[1], 1.0, 1e-15));
        }
    }
}

/// Points as text with this many classes, by their order.
fn text(points: &[Point], classes: usize) -> String {
    let mut text = String::new();
    for (i, point) in points.iter().enumerate() {
        write!(text, "{}", usize::from(point.y) + if i % 3 == 0 { classes - 2 } else { 0 }).unwrap();
        point.row(Storage::Sparse).for_each(|j, v| write!(text, " {}:{v}", j + 1).unwrap());
        text.push('\n');
    }
    text
}

#[test]
fn a_run_that_goes_on_is_one_long_run_to_the_bit() {
    let points = noisy(3, 120, 6, 0.2);
    let learners =
        ["arow", "averaged", "selective:base=averaged", "averaged:kernel=gaussian", "voted", "rbp:budget=9", "winnow"];
    for (learner, classes, window) in
        learners.iter().flat_map(|learner| [(learner, 2, 1000), (learner, 2, 7), (learner, 3, 20)])
    {
        let all = text(&points, classes);
        let lines: Vec<&str> = all.split_inclusive('\n').collect();
        let mut whole = run(memory(all.clone().into_bytes()), 1, learner, window).unwrap().model;
        let mut half = run(memory(lines[..50].concat().into_bytes()), 1, learner, window).unwrap().model;
        let half = Model::from_bytes(&half.to_bytes().unwrap()).unwrap();
        assert_ne!(of(&half), of(&whole), "{learner}");
        let rest = plan(memory(lines[50..].concat().into_bytes()), 1);
        let mut rest = learn(rest, Start::Resume(half.into()), &mut ()).unwrap().model;
        assert_eq!(rest.to_bytes().unwrap(), whole.to_bytes().unwrap(), "{learner}, {classes} classes");
        let loaded = Model::from_bytes(&whole.to_bytes().unwrap()).unwrap();
        assert_eq!((of(&loaded), loaded.calibrate), (of(&whole), Some(window)), "{learner}");
    }
}

#[test]
fn probabilities_of_several_classes_add_up_to_one() {
    let points = noisy(4, 90, 6, 0.2);
    let model = run(memory(text(&points, 4).into_bytes()), 1, "arow", 100).unwrap().model;
    let probabilities = model.learner.probabilities().unwrap();
    assert_eq!(probabilities.calibrations().len(), model.classes.len());
    let mut rows = Rows::default();
    points.iter().for_each(|point| rows.push_row(point.row(Storage::Dense)));
    for scores in model.scores(&rows, &mut ScoreScratch::default()).chunks(model.classes.len()) {
        let shares = probabilities.of(scores);
        assert!(is_close(shares.iter().sum(), 1.0, 1e-15) && shares.iter().all(|share| (0.0..=1.0).contains(share)));
    }
    let far = probabilities.of(&vec![-1e300; model.classes.len()]);
    assert!(is_close(far.iter().sum(), 1.0, 1e-15), "{far:?}");
}

/// Labels that were not asked for are not known.
#[test]
fn only_trials_whose_label_was_asked_for_count() {
    let points = noisy(5, 200, 6, 0.0);
    let model = run(memory(text(&points, 2).into_bytes()), 1, "selective:base=arow,eagerness=0.1", 1000).unwrap().model;
    let facts = model.learner.facts();
    let (_, asked) = facts.further.iter().find(|(name, _)| *name == "asked").unwrap();
    let asked: u64 = asked.to_string().parse().unwrap();
    assert!(asked < 150);
    assert_eq!(of(&model)[0].pairs, asked.div_ceil(2));
}

#[test]
fn one_class_is_calibrated_and_a_batch_learner_is_refused_by_name() {
    let one = || memory(b"+1 1:1\n+1 1:2\n+1 2:1\n".to_vec());
    let model = run(one(), 1, "perceptron", 10).unwrap().model;
    let [found] = of(&model)[..] else { panic!() };
    assert_eq!(found.pairs, 2);
    assert!(is_close(found.probability(0.0), 0.75, 1e-9), "{found:?}"); // (2 + 1)/(2 + 2) whatever the score
    let refused = run(one(), 1, "fld", 10).map(|_| ()).unwrap_err();
    assert!(matches!(refused, Error::Usage(_)), "{refused}");
    assert!(refused.to_string().contains("calibration does not go with fld"), "{refused}");
}
