//! What learners say of the memory that they take: a limit on memory goes by it.

use onlinear::workshop::Tensor;
use onlinear::{Expected, Label, Predictor, Rows, Sample, Spec, State};

use crate::conformance;
use crate::support::{Storage, noisy, ready, run, run_ahead, spec};

const FEATURES: usize = 60;

/// Memory of the arrays that it is saved as, in bytes.
fn saved(learner: &mut dyn Predictor) -> u64 {
    let mut state = State::saving();
    learner.state(&mut state).unwrap();
    let bytes = |tensor: &Tensor| match tensor {
        Tensor::F64(values) => 8 * values.len(),
        Tensor::U64(values) => 8 * values.len(),
        Tensor::U32(values) => 4 * values.len(),
        Tensor::U8(values) => values.len(),
    };
    state.into_tensors().values().map(bytes).sum::<usize>() as u64
}

/// What it says is not less than what it is saved in, vectors beside a matrix and single numbers apart.
fn assert_said(spec: &Spec, learner: &mut dyn Predictor, features: usize) {
    let (said, saved) = (learner.memory(features), saved(learner));
    assert!(4 * saved <= 5 * said + 1024, "{spec} says {said} bytes of {features} features and is saved in {saved}");
}

#[test]
fn learners_say_all_the_memory_that_they_take() {
    // Long rows, beside which what goes with each is little, and short ones.
    for features in [FEATURES, 1] {
        let points = noisy(60, 150, features, 0.1);
        for spec in conformance::all() {
            let mut learner = ready(&spec, &points);
            run(learner.as_mut(), &points, Storage::Sparse);
            assert_said(&spec, learner.as_mut(), features);
        }
    }
}

#[test]
fn learners_of_all_rows_at_once_say_the_memory_that_they_take() {
    let points = noisy(61, 150, FEATURES, 0.0);
    let mut rows = Rows::default();
    points.iter().for_each(|point| rows.push_row(point.row(Storage::Dense)));
    let labels: Vec<Label> = points.iter().map(|point| point.y).collect();
    let sample = Sample::new("points", rows, &labels, &[1.0; 150], true).unwrap();
    for text in ["fld", "svm", "pocket:epochs=2", "sgd:epochs=2", "rcd:epochs=2", "adaboost:base=fld,rounds=9"] {
        let mut learner = spec(text).fits_all().unwrap();
        learner.fit(&sample, &mut ()).unwrap();
        assert_said(&spec(text), learner.as_mut(), FEATURES);
    }
}

/// Kernel values of sixteen rows with every support vector count, whether or not rows are announced.
#[test]
fn kernel_values_of_rows_ahead_take_memory() {
    let points = noisy(62, 152, 5, 0.1);
    let one = spec("perceptron:kernel=gaussian");
    let [mut alone, mut told] = [ready(&one, &points), ready(&one, &points)];
    run(alone.as_mut(), &points, Storage::Sparse);
    run_ahead(told.as_mut(), &points, Storage::Sparse, 8);
    let values = 16 * told.leaves().support_len().unwrap() as u64;
    assert!(told.memory(5) >= 8 * values, "{} for {values} values", told.memory(5));
    assert_eq!(told.memory(5), alone.memory(5));
}

#[test]
fn learners_of_many_classes_say_the_weights_of_all() {
    for name in ["perceptron", "passive-aggressive", "arow"] {
        let learner = spec(&format!("{name}:multiclass=direct")).direct(5).unwrap();
        assert!(learner.memory(FEATURES) >= 5 * 8 * FEATURES as u64, "{name}: {}", learner.memory(FEATURES));
    }
}

/// A learner that needs matrices, or a weight for every feature from the start, is refused where there is no room for
/// them: with a byte less than it takes beside its weights.
#[test]
fn a_learner_is_refused_a_byte_below_what_it_needs() {
    let all = [
        ("winnow", 0),
        ("whitened", 0),
        ("second-order:form=primal", 0),
        ("second-order:form=primal,mode=adaptive", 0),
        ("second-order:form=primal,mode=pseudoinverse", 0),
        ("higher-order:form=primal", 0),
        ("fld", 8),
        ("pocket:start=fld", 8),
        ("sgd:start=fld", 8),
        ("averaged-sampled:start=fld", 8),
        ("rcd:start=fld", 8),
    ];
    for (text, weight) in all {
        let prepared = |most: u64| {
            let expected = Expected { features: Some(FEATURES), rows: None, max_memory: Some(most) };
            spec(text).learner().prepare(&expected)
        };
        let needed = spec(text).learner().memory(FEATURES) - weight * FEATURES as u64;
        let matrix = if text == "winnow" { 0 } else { 4 * FEATURES * (FEATURES + 1) };
        assert!(needed >= (8 * FEATURES).max(matrix) as u64, "{text} needs {needed} bytes");
        assert!(prepared(needed).is_ok(), "{text} is refused {needed} bytes");
        let refused = prepared(needed - 1).unwrap_err().to_string();
        assert!(refused.contains("than the memory limit allows"), "{text}: {refused}");
    }
}

/// Without a matrix there is nothing to refuse before the first row.
#[test]
fn a_start_at_zero_needs_no_matrix() {
    for name in ["pocket", "sgd", "averaged-sampled", "rcd"] {
        let learner = spec(&format!("{name}:start=zero")).learner();
        assert_eq!(learner.memory(FEATURES), 8 * FEATURES as u64, "{name}");
    }
}
