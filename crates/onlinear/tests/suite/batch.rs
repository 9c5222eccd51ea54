//! Learners that learn from all rows at once: against traces of an independent implementation, and
//! what holds for every one of them.

use std::fs;

use onlinear::workshop::{Random, Scratch, Stages, Training};
use onlinear::{
    ALGORITHMS, Epochs, Error, Example, FitsAll, Input, Label, Learner, Leaves, Predictor, Row, Rows, Sample, Spec,
};
use serde_json::Value as Json;

use crate::support::{
    Point, STORAGES, Storage, copy_any, golden_folder, integers, is_close, label, noisy, read_points, spec,
    weight_vector,
};

/// Fewer golden cases than this would mean that some are passed over in silence.
const CASES: usize = 78;

/// The points brought to −1 … 1, with x₀ = 1 in front, as a sample with these weights.
pub fn scaled_sample(points: &[Point], features: usize, storage: Storage, weights: &[f64]) -> Sample {
    let (mut rows, mut scratch) = (Rows::default(), Scratch::default());
    let mut stages = Stages::new(&crate::support::stages(&["minmax", "bias"]));
    points.iter().for_each(|point| stages.survey(point.row(storage), &mut scratch));
    stages.end_survey(features);
    points.iter().for_each(|point| rows.push_row(stages.apply(point.row(storage), &mut scratch)));
    let labels: Vec<Label> = points.iter().map(|point| point.y).collect();
    Sample::new("points", rows, &labels, weights, true).unwrap()
}

/// Writes down the training errors of each epoch.
#[derive(Default)]
pub struct Trace(pub Vec<Training>);

impl Epochs for Trace {
    fn wants(&self, _epoch: u64) -> bool {
        true
    }

    fn epoch(&mut self, epoch: u64, training: Training, _: &Leaves<'_>) -> onlinear::Result<()> {
        assert_eq!(epoch as usize, self.0.len(), "epochs come one after another");
        self.0.push(training);
        Ok(())
    }
}

/// A learner that has learned from `sample`, and its training errors epoch by epoch.
pub fn fitted(spec: &Spec, sample: &Sample) -> (Box<dyn FitsAll>, Vec<Training>) {
    let mut learner = spec.fits_all().unwrap();
    let mut trace = Trace::default();
    learner.fit(sample, &mut trace).unwrap();
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
    let weights = weight_vector(learner.as_ref()).unwrap();
    assert_eq!(weights.len(), expected.len(), "{id}");
    let largest = expected.iter().fold(0f64, |largest, w| largest.max(w.abs()));
    for (ours, theirs) in weights.iter().zip(&expected) {
        assert!(is_close(ours / largest, theirs / largest, 1e-9), "{id}: {weights:?} instead of {expected:?}");
    }
    if let Some(evaluations) = case.get("evaluations") {
        let facts = learner.facts();
        let (_, ours) = facts.further.iter().find(|(name, _)| *name == "evaluations").unwrap();
        assert_eq!(ours.to_string(), evaluations.to_string(), "{id}");
    }
}

/// Every batch learner at its defaults, with few epochs.
fn all() -> impl Iterator<Item = Spec> {
    ALGORITHMS.iter().map(|algorithm| Spec::of(algorithm)).filter(Spec::is_batch).map(|one| {
        match one.algorithm().name {
            "adaboost" => spec("adaboost:rounds=5,base.epochs=12"),
            name if one.get("epochs").is_some() => spec(&format!("{name}:epochs=12")),
            _ => one,
        }
    })
}

/// Those that draw rows at random.
const DRAWING: [&str; 5] = [
    "pocket:epochs=9,start=zero",
    "averaged-sampled:epochs=3,order=random",
    "averaged-sampled:epochs=3,order=permuted",
    "sgd:epochs=3,order=random",
    "sgd:epochs=3,order=permuted,loss=squares",
];

/// The weights, or where there are none the scores of the rows, as bits.
fn weights_of(spec: &Spec, sample: &Sample) -> Vec<u64> {
    let learner = fitted(spec, sample).0;
    weight_vector(learner.as_ref())
        .unwrap_or_else(|| scores_of(learner.as_ref(), sample))
        .iter()
        .map(|w| w.to_bits())
        .collect()
}

fn scores_of(learner: &dyn Predictor, sample: &Sample) -> Vec<f64> {
    let mut scores = Vec::new();
    learner.leaves().scores(sample.rows(), &mut scores);
    scores
}

/// Its weights, and what a report says of it.
fn said_of(learner: &dyn Predictor) -> (Option<Vec<f64>>, String) {
    (weight_vector(learner), format!("{:?}", learner.facts()))
}

fn equal(points: &[Point]) -> Vec<f64> {
    vec![1.0; points.len()]
}

fn random_weights(seed: u64, points: &[Point]) -> Vec<f64> {
    let mut random = Random::new(seed);
    points.iter().map(|_| random.uniform() * 3.0).collect()
}

#[test]
fn sgd_on_the_perceptrons_loss_is_the_perceptron() {
    for (points, features) in [(noisy(1, 90, 7, 0.3), 7), (integers(2, 60, 5), 5)] {
        for storage in [Storage::Dense, Storage::Sparse] {
            for passes in [1, 2, 9] {
                let sample = scaled_sample(&points, features, storage, &equal(&points));
                let one = spec(&format!("sgd:loss=perceptron,rate=1,order=fixed,start=zero,epochs={passes}"));
                let online = after_passes("perceptron", &sample, passes);
                let ours = weight_vector(fitted(&one, &sample).0.as_ref());
                assert_eq!(ours, weight_vector(online.as_ref()), "{passes} passes");
            }
        }
    }
}

/// `SGDClassifier(loss="log_loss", penalty=None, learning_rate="constant", eta0=rate, shuffle=False, tol=None,
/// fit_intercept=False, max_iter=epochs)` of scikit-learn 1.9, weights divided by their mean.
#[test]
fn sgd_on_the_logistic_loss_has_the_trace_of_scikit_learn() {
    let x = [[1.0, 0.5, -1.0], [1.0, -0.25, 0.75], [1.0, 1.0, 0.5], [1.0, -1.0, -0.5], [1.0, 0.125, 1.0]];
    let labels = [true, false, true, false, true].map(label);
    let equal: &[[f64; 3]] = &[
        [0.26743102573297567, 0.7212605414880112, 0.07197167699983611],
        [0.37616121110157463, 1.232684246159925, 0.08088288035444569],
        [0.42764209539162834, 1.6239180139751879, 0.0668526020689999],
    ];
    let weighted: &[[f64; 3]] = &[
        [0.12739937256779782, 0.2862217545288438, -0.010073791739700105],
        [0.2108379089109787, 0.5408205984908099, -0.030262561283579154],
        [0.26545456580913307, 0.7690421267980068, -0.054595013198065284],
        [0.3016008359990041, 0.9754896976612677, -0.07957102529586105],
    ];
    for (weights, rate, trace) in [([1.0; 5], 0.5, equal), ([1.0, 2.0, 1.0, 0.5, 1.5], 0.25, weighted)] {
        for (epochs, expected) in trace.iter().enumerate().map(|(k, weights)| (k + 1, weights)) {
            let mut rows = Rows::default();
            x.iter().for_each(|row| rows.push_row(Row::Dense(row)));
            let sample = Sample::new("five rows", rows, &labels, &weights, true).unwrap();
            let one = format!("sgd:loss=logistic,rate={rate},epochs={epochs},order=fixed,start=zero");
            let ours = weight_vector(fitted(&spec(&one), &sample).0.as_ref()).unwrap();
            assert!(ours.iter().zip(expected).all(|(a, b)| is_close(*a, *b, 1e-12)), "{one}: {ours:?}");
        }
    }
}

/// An online learner after so many passes over the rows, x₀ in front.
fn after_passes(text: &str, sample: &Sample, passes: usize) -> Box<dyn Learner> {
    let mut learner = spec(text).online().unwrap();
    for i in (0..passes).flat_map(|_| 0..sample.len()) {
        learner.round(&Example::new(sample.row(i), label(sample.y()[i] > 0.0)));
    }
    learner
}

#[test]
fn the_sampled_averaged_perceptron_in_fixed_order_is_the_mean_times_all_trials() {
    for (points, features) in [(noisy(3, 90, 7, 0.3), 7), (integers(4, 60, 5), 5)] {
        for passes in [1, 2, 9] {
            let sample = scaled_sample(&points, features, Storage::Sparse, &equal(&points));
            let one = spec(&format!("averaged-sampled:order=fixed,start=zero,epochs={passes}"));
            let ours = weight_vector(fitted(&one, &sample).0.as_ref()).unwrap();
            let mean = weight_vector(after_passes("averaged", &sample, passes).as_ref()).unwrap();
            let trials = (passes * sample.len()) as f64;
            assert!(
                ours.iter().zip(&mean).all(|(ours, mean)| is_close(ours / trials, *mean, 1e-12)),
                "{ours:?} {mean:?}"
            );
        }
    }
}

/// Algorithm 6 line by line, with a sum over all trials.
#[test]
fn the_sampled_averaged_perceptron_counts_weights() {
    for (seed, storage) in [(1, Storage::Dense), (2, Storage::Sparse), (3, Storage::Sparse)] {
        let points = noisy(seed, 80, 6, 0.2);
        let sample = scaled_sample(&points, 6, storage, &random_weights(seed, &points));
        let ours = fitted(&spec(&format!("averaged-sampled:epochs=7,start=zero,seed={seed}")), &sample).0;
        let (mut w, mut sum, mut random) = (vec![0.0; 7], vec![0.0; 7], Random::new(seed));
        for _ in 0..7 * 80 {
            let k = random.index(80);
            let (x, y, weight) = (sample.row(k), sample.y()[k], sample.weights()[k]);
            if y * x.dot(&w) <= 0.0 {
                x.for_each(|j, v| w[j] += weight * y * v);
            }
            sum.iter_mut().zip(&w).for_each(|(sum, w)| *sum += weight * w);
        }
        let largest = sum.iter().fold(0f64, |largest, w| largest.max(w.abs()));
        let ours = weight_vector(ours.as_ref()).unwrap();
        assert!(ours.iter().zip(&sum).all(|(a, b)| is_close(a / largest, b / largest, 1e-9)), "{ours:?} {sum:?}");
    }
}

#[test]
fn the_pockets_error_never_rises_and_is_what_its_vector_gets_wrong() {
    for seed in 0..12 {
        let points = noisy(seed, 70, 5, 0.2);
        let weights = if seed % 3 == 0 { equal(&points) } else { random_weights(seed, &points) };
        let sample = scaled_sample(&points, 5, Storage::Sparse, &weights);
        for start in ["zero", "fld"] {
            let (learner, trace) = fitted(&spec(&format!("pocket:epochs=40,seed={seed},start={start}")), &sample);
            assert!(trace.is_sorted_by(|before, after| before.units >= after.units), "{trace:?}");
            assert_eq!(trace.last(), Some(&sample.errors(&weight_vector(learner.as_ref()).unwrap()).unwrap()));
            assert!(start == "fld" || trace[40].units < trace[0].units / 2);
        }
    }
}

#[test]
fn rows_of_weight_zero_might_as_well_not_be_there() {
    for one in all() {
        for weight in [1.0, 2.5] {
            let points = noisy(5, 60, 4, 0.3);
            let weights: Vec<f64> =
                (0..60).map(|i| if i % 4 == 1 { 0.0 } else { 1.0 + (i % 2) as f64 * (weight - 1.0) }).collect();
            let is_there = |i: &usize| weights[*i] > 0.0;
            let mut rows = Rows::default();
            let unweighted = scaled_sample(&points, 4, Storage::Sparse, &equal(&points));
            (0..60).filter(is_there).for_each(|i| rows.push_row(unweighted.row(i)));
            let labels: Vec<Label> = (0..60).filter(is_there).map(|i| points[i].y).collect();
            let kept: Vec<f64> = weights.iter().copied().filter(|w| *w > 0.0).collect();
            let without = Sample::new("points", rows, &labels, &kept, true).unwrap();
            let with = scaled_sample(&points, 4, Storage::Sparse, &weights);
            assert_eq!(weights_of(&one, &with), weights_of(&one, &without), "{one}");
        }
    }
}

#[test]
fn equal_weights_are_no_weights() {
    for one in all() {
        let points = noisy(6, 60, 4, 0.3);
        let [plain, seven] = [1.0, 7.0].map(|weight| scaled_sample(&points, 4, Storage::Dense, &[weight; 60]));
        assert_eq!(weights_of(&one, &plain), weights_of(&one, &seven), "{one}");
        let other = scaled_sample(&points, 4, Storage::Dense, &random_weights(6, &points));
        assert!(weights_of(&one, &plain) != weights_of(&one, &other), "{one}: weights make no difference");
    }
}

#[test]
fn a_seed_decides_what_is_drawn() {
    let points = noisy(7, 60, 4, 0.3);
    let sample = scaled_sample(&points, 4, Storage::Dense, &equal(&points));
    for text in DRAWING {
        let [one, same, other] = ["1", "1", "2"].map(|seed| weights_of(&spec(&format!("{text},seed={seed}")), &sample));
        assert!(one == same && one != other, "{text}");
        let mut reseeded = spec(&format!("{text},seed=1")).fits_all().unwrap();
        reseeded.reseed(2);
        reseeded.fit(&sample, &mut ()).unwrap();
        let bits: Vec<u64> = weight_vector(reseeded.as_ref()).unwrap().iter().map(|w| w.to_bits()).collect();
        assert_eq!(bits, other, "{text}");
    }
}

#[test]
fn what_was_learned_before_is_forgotten() {
    let [first, second] = [8, 9].map(|seed| scaled_sample(&noisy(seed, 50, 4, 0.3), 4, Storage::Dense, &[1.0; 50]));
    for one in all() {
        let mut learner = fitted(&one, &first).0;
        learner.fit(&second, &mut ()).unwrap();
        let fresh = fitted(&one, &second).0;
        assert_eq!(said_of(learner.as_ref()), said_of(fresh.as_ref()), "{one}");
    }
}

#[test]
fn odd_shapes_are_learned_from() {
    let with_constant = |point: &Point| Point::new([&point.dense[..], &[4.0]].concat(), point.y);
    let constant: Vec<Point> = noisy(10, 40, 3, 0.0).iter().map(with_constant).collect();
    let wide = noisy(11, 12, 40, 0.5);
    let pair = vec![Point::new(vec![1.0, 0.0], Label::Positive), Point::new(vec![0.0, 2.0], Label::Negative)];
    let alike = vec![Point::new(vec![1.0], Label::Positive), Point::new(vec![1.0], Label::Negative)];
    let huge = |x: [f64; 2], positive| Point::new(x.to_vec(), label(positive));
    let huge = vec![
        huge([1e300, -1e300], true),
        huge([-1e300, 1e300], false),
        huge([3.0, 4.0], true),
        huge([2.0, 4.0], false),
    ];
    for one in all().chain([spec("svm:cost=cv")]) {
        let sets = [(&constant, 4, false), (&wide, 40, true), (&pair, 2, true), (&alike, 1, false), (&huge, 2, false)];
        for (points, features, is_separable) in sets {
            let sample = scaled_sample(points, features, Storage::Sparse, &equal(points));
            if points.len() == 2 && one.get("cost") == spec("svm:cost=cv").get("cost") {
                let refused = one.fits_all().unwrap().fit(&sample, &mut ()).unwrap_err().to_string();
                assert_eq!(refused, "points: cost=cv needs at least two rows of each class; give a cost");
                continue;
            }
            let (learner, trace) = fitted(&one, &sample);
            let scores = scores_of(learner.as_ref(), &sample);
            assert!(scores.iter().all(|score| score.is_finite()), "{one}: {scores:?}");
            let errors = sample.errors_of(scores.into_iter()).unwrap();
            assert_eq!(trace.last(), Some(&errors), "{one}");
            if is_separable && ["pocket", "svm"].contains(&one.algorithm().name) {
                assert_eq!(errors.rows, 0, "{one}");
            }
        }
    }
}

#[test]
fn a_rate_too_large_is_refused() {
    let points = noisy(12, 40, 3, 0.0);
    let sample = scaled_sample(&points, 3, Storage::Dense, &equal(&points));
    let mut learner = spec("sgd:loss=squares,rate=100,epochs=100000").fits_all().unwrap();
    let refused = learner.fit(&sample, &mut ()).unwrap_err().to_string();
    assert!(refused.starts_with("points: row ") && refused.contains(": the numbers have grown too large"), "{refused}");
}

/// Wants no errors and stops the learning after some ticks and epochs.
struct Impatient {
    epochs: Vec<u64>,
    left: usize,
}

impl Epochs for Impatient {
    fn tick(&mut self) -> onlinear::Result<()> {
        self.left = self.left.checked_sub(1).ok_or_else(|| Error::Memory("enough".into()))?;
        Ok(())
    }

    fn epoch(&mut self, epoch: u64, _: Training, _: &Leaves<'_>) -> onlinear::Result<()> {
        self.epochs.push(epoch);
        self.tick()
    }
}

#[test]
fn who_looks_on_can_end_the_learning_and_changes_nothing_else() {
    let points = noisy(13, 60, 4, 0.3);
    let sample = scaled_sample(&points, 4, Storage::Dense, &equal(&points));
    for one in all() {
        let (watched, trace) = fitted(&one, &sample);
        let mut patient = Impatient { epochs: Vec::new(), left: usize::MAX };
        let mut learner = one.fits_all().unwrap();
        learner.fit(&sample, &mut patient).unwrap();
        assert_eq!(said_of(learner.as_ref()), said_of(watched.as_ref()), "{one}");
        let ends = (patient.epochs.first(), patient.epochs.last());
        assert_eq!(ends, (Some(&0), Some(&(trace.len() as u64 - 1))), "{one}");
        if trace.len() > 4 {
            let refused = one.fits_all().unwrap().fit(&sample, &mut Impatient { epochs: Vec::new(), left: 3 });
            assert_eq!(refused.unwrap_err().to_string(), "enough", "{one}");
        }
    }
}

#[test]
fn what_was_learned_is_saved() {
    let points = noisy(14, 60, 4, 0.3);
    let sample = scaled_sample(&points, 4, Storage::Dense, &equal(&points));
    for one in all().chain([spec("svm:cost=cv")]) {
        let mut learner = fitted(&one, &sample).0;
        let copy = copy_any(&one, learner.as_mut());
        assert_eq!(said_of(learner.as_ref()), said_of(&*copy), "{one}");
        assert_eq!(
            learner.leaves().score(Row::Dense(&[1.0, 0.5])),
            copy.leaves().score(Row::Dense(&[1.0, 0.5])),
            "{one}"
        );
    }
}

#[test]
fn the_cost_is_given_or_found() {
    let points = noisy(15, 60, 4, 0.3);
    let sample = scaled_sample(&points, 4, Storage::Dense, &equal(&points));
    let fact = |text: &str| fitted(&spec(text), &sample).0.facts().further[0].1.to_string();
    assert_eq!((fact("svm"), fact("svm:c=0.25")), ("1".to_string(), "0.25".to_string()));
    let found: f64 = fact("svm:cost=cv").parse().unwrap();
    assert!((-5..=7).any(|exponent| exponent % 2 != 0 && found == 2f64.powi(exponent)), "{found}");
    let as_found = weights_of(&spec(&format!("svm:cost={found}")), &sample);
    assert_eq!(weights_of(&spec("svm:cost=cv"), &sample), as_found);
}

/// The schedules of coordinate descent.
const SCHEDULES: [&str; 6] = ["rcd", "rcd-bias", "rcd-conj", "rcd-conj-bias", "rcd-grad", "ccd"];

/// Specs of coordinate descent with every start, stump and kind of direction.
fn descents(epochs: u64) -> Vec<Spec> {
    let mut specs = Vec::new();
    for name in SCHEDULES {
        for start in ["zero", "fld"] {
            for (directions, stump) in [("uniform", "positive"), ("gaussian", "both")] {
                specs.push(spec(&format!(
                    "{name}:epochs={epochs},start={start},directions={directions},stump={stump},seed=3"
                )));
            }
        }
    }
    specs.extend(["hinge", "squares"].map(|loss| spec(&format!("rcd-grad:epochs={epochs},gradient={loss}"))));
    specs
}

/// A step of `rcd-grad` goes along the gradient of its loss where the step before has ended.
#[test]
fn gradients_are_those_of_their_losses() {
    let points = noisy(5, 80, 4, 0.2);
    let sample = scaled_sample(&points, 4, Storage::Dense, &[1.0; 80]);
    for (gradient, pull) in [
        ("perceptron", (|y, s| if y * s <= 0.0 { y } else { 0.0 }) as fn(f64, f64) -> f64),
        ("hinge", |y, s| if y * s < 1.0 { y } else { 0.0 }),
        ("squares", |y, s| y - s),
    ] {
        let after = |epochs: u32| {
            let text = format!("rcd-grad:epochs={epochs},start=zero,gradient={gradient}");
            weight_vector(fitted(&spec(&text), &sample).0.as_ref()).unwrap()
        };
        let (w, next) = (after(1), after(2));
        let mut d = vec![0.0; w.len()];
        (0..80).for_each(|i| sample.row(i).add_to(&mut d, pull(sample.y()[i], sample.row(i).dot(&w))));
        let step: Vec<f64> = next.iter().zip(&w).map(|(a, b)| a - b).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let cosine = dot(&step, &d) / (dot(&step, &step) * dot(&d, &d)).sqrt();
        assert!((cosine.abs() - 1.0).abs() < 1e-9, "{gradient}: {cosine}");
    }
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
                let errors = sample.errors(&weight_vector(learner.as_ref()).unwrap()).unwrap();
                assert_eq!(errors, trace[trace.len() - 1], "{spec}");
                assert!(
                    trace.len() == 121 || spec.algorithm().name == "rcd-grad" && trace[trace.len() - 1].rows == 0,
                    "{spec}"
                );
            }
        }
    }
}

/// Where rows were not scaled, a random direction reaches as far as each feature does.
#[test]
fn directions_follow_the_half_ranges_of_rows_that_were_not_scaled() {
    let mut rows = Rows::default();
    let features = [[-3.0, 10.0], [5.0, 40.0], [1.0, -20.0], [-2.0, 15.0]];
    features.iter().for_each(|[a, b]| rows.push_row(Row::Dense(&[1.0, *a, *b])));
    let labels = [true, false, true, false].map(label);
    for (is_scaled, halves) in [(false, [1.0, 4.0, 30.0]), (true, [1.0; 3])] {
        let sample = Sample::new("points", rows.clone(), &labels, &[1.0; 4], is_scaled).unwrap();
        let (learner, _) = fitted(&spec("rcd:epochs=1,start=zero,seed=7"), &sample);
        let mut random = Random::new(7);
        let d = halves.map(|half| half * random.symmetric());
        let w = weight_vector(learner.as_ref()).unwrap();
        assert!(w[0] != 0.0 && (0..3).all(|j| is_close(w[j] / w[0], d[j] / d[0], 1e-12)), "{w:?} and {d:?}");
        // Standard normal components do not depend on the ranges.
        let (learner, _) = fitted(&spec("rcd:epochs=1,start=zero,seed=7,directions=gaussian"), &sample);
        let mut random = Random::new(7);
        let (w, d) = (weight_vector(learner.as_ref()).unwrap(), halves.map(|_| random.gauss()));
        assert!((0..3).all(|j| is_close(w[j] / w[0], d[j] / d[0], 1e-12)), "{w:?} and {d:?}");
    }
}

#[test]
fn whole_weights_are_rows_repeated() {
    let points = noisy(4, 80, 5, 0.1);
    let weights = whole_weights(&points);
    let repeated: Vec<Point> = points
        .iter()
        .zip(&weights)
        .flat_map(|(point, &times)| std::iter::repeat_n(point.clone(), times as usize))
        .collect();
    // Rows of weight 0 must not decide the scale either: here nothing is scaled.
    let sample = |points: &[Point], weights: &[f64]| {
        let mut rows = Rows::default();
        points.iter().for_each(|point| rows.push_row(Row::Dense(&[&[1.0][..], &point.dense].concat())));
        let labels: Vec<Label> = points.iter().map(|point| point.y).collect();
        Sample::new("points", rows, &labels, weights, true).unwrap()
    };
    let (weighted, repeated) = (sample(&points, &weights), sample(&repeated, &vec![1.0; repeated.len()]));
    for spec in descents(60).into_iter().chain([spec("fld")]) {
        let [a, b] = [&weighted, &repeated].map(|sample| weight_vector(fitted(&spec, sample).0.as_ref()).unwrap());
        // The gradient's length, and so that of w, goes with the sum of the weights.
        let [a, b] = [a, b].map(|w| w.iter().map(|v| v / Row::Dense(&w).norm(2.0)).collect::<Vec<_>>());
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-7), "{spec}: {a:?} {b:?}");
    }
}

/// A bias of another size takes a weight that is smaller by as much: the discriminant stays where it is.
#[test]
fn the_discriminant_does_not_depend_on_the_size_of_the_bias() {
    let points = noisy(17, 60, 4, 0.2);
    let labels: Vec<Label> = points.iter().map(|point| point.y).collect();
    let of = |x0: f64| {
        let mut rows = Rows::default();
        points.iter().for_each(|point| rows.push_row(Row::Dense(&[&[x0][..], &point.dense].concat())));
        let sample = Sample::new("points", rows, &labels, &[1.0; 60], true).unwrap();
        weight_vector(fitted(&spec("fld"), &sample).0.as_ref()).unwrap()
    };
    let (one, four) = (of(1.0), of(4.0));
    assert!(one[0] != 0.0 && one[0] == 4.0 * four[0] && one[1..] == four[1..], "{one:?} {four:?}");
    assert_eq!(of(0.0)[0], 0.0);
}

#[test]
fn one_class_is_refused_by_every_batch_learner() {
    let points: Vec<Point> =
        noisy(5, 10, 3, 0.0).iter().map(|p| Point::new(p.dense.clone(), Label::Positive)).collect();
    let sample = scaled_sample(&points, 3, Storage::Dense, &[1.0; 10]);
    for algorithm in ALGORITHMS.iter().filter(|a| Spec::of(a).is_batch()) {
        let error = Spec::of(algorithm).fits_all().unwrap().fit(&sample, &mut ()).unwrap_err();
        assert!(error.to_string().contains("one class"), "{}: {error}", algorithm.name);
    }
}
