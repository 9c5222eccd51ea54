//! Numbers that grow too large: every learner stops at the row, as it was before it; no count comes of a score that is
//! not finite.

use std::collections::BTreeMap;

use onlinear::workshop::{Learns, Random, Tensor};
use onlinear::{ALGORITHMS, Keep, Learner, Model, Plan, Recipe, Round, Rows, Sample, Spec, Start, State, Step, Watch};

use crate::conformance::all;
use crate::support::{Point, Storage, bits, fresh, label, memory, noisy, ready, run, spec, stages, unprepared};

/// All that a learner is made of.
fn state(learner: &mut dyn Learner) -> BTreeMap<String, Tensor> {
    let mut state = State::saving();
    learner.state(&mut state).unwrap();
    state.into_tensors()
}

fn is_finite(state: &BTreeMap<String, Tensor>) -> bool {
    state.values().all(|tensor| match tensor {
        Tensor::F64(values) => values.iter().all(|value| value.is_finite()),
        _ => true,
    })
}

/// Rows that are too large for something: for sums, products, squares, powers of numbers.
fn large(random: &mut Random) -> Point {
    let size = [1e308, 1e300, 1e155, 1e110, 1e80, 1e30][random.index(6)];
    let one = |random: &mut Random| if random.chance(0.3) { 0.0 } else { size * random.symmetric() };
    let x = (0..6).map(|_| one(random)).collect();
    Point::new(x, label(random.chance(0.5)))
}

#[test]
fn a_trial_that_overflows_changes_nothing_and_others_leave_finite_numbers() {
    let (mut refused, mut learned) = (0, 0);
    for spec in all() {
        let mut random = Random::new(11);
        let ordinary = noisy(12, 30, 6, 0.2);
        for _ in 0..6 {
            let mut learner = ready(&spec, &ordinary);
            run(learner.as_mut(), &ordinary[..20], Storage::Dense);
            for large in (0..8).map(|_| large(&mut random)) {
                let before = state(learner.as_mut());
                let Round { score, step, .. } = learner.round(&large.example(Storage::Sparse));
                let after = state(learner.as_mut());
                assert!(is_finite(&after), "{spec}: {large:?}");
                if step == Step::Overflow {
                    assert!(before == after, "{spec}: changed by {large:?}");
                    refused += 1;
                } else {
                    assert!(score.is_finite(), "{spec}");
                    learned += 1;
                }
            }
            // What is kept goes on with rows that its numbers are not too large for.
            let scores = run(learner.as_mut(), &ordinary[20..], Storage::Dense);
            assert!(scores.iter().all(|round| round.score.is_finite() || round.step == Step::Overflow), "{spec}");
        }
    }
    assert!(refused > 1000 && learned > 1000, "{refused} refused, {learned} learned");
}

/// Rows each of which is just small enough for its square, or for what 1 is divided by it, and whose sums are not. One
/// that is refused might as well not have been there, also where it is the first to have a feature.
#[test]
fn rows_at_the_brink_leave_finite_numbers() {
    let mut refused = 0;
    for spec in all() {
        for size in [1.3e154, 9e153, 5e153, 9e76, 5e76, 4e51, 1.2e-154, 9e-154] {
            let rows = [vec![size, 0.5 * size], vec![-size, 0.5 * size], vec![size, 0.0, 0.25 * size]];
            let [mut learner, mut spared] = [(), ()].map(|()| unprepared(&spec, &noisy(16, 9, 3, 0.0)));
            for t in 0..12 {
                let point = Point::new(rows[t / 2 % 3].clone(), label(t % 2 == 0));
                let round = learner.round(&point.example(Storage::Dense));
                assert!(is_finite(&state(learner.as_mut())), "{spec}: trial {t} at {size:e}");
                if round.step == Step::Overflow {
                    refused += 1;
                } else {
                    let other = spared.round(&point.example(Storage::Dense));
                    assert_eq!(bits(&[round]), bits(&[other]), "{spec}: trial {t} at {size:e}");
                }
            }
        }
    }
    assert!(refused > 1000, "{refused} refused");
}

/// Settings that overflow with ordinary rows.
#[test]
fn settings_that_are_too_large_end_in_an_overflow() {
    let points = noisy(13, 60, 4, 0.0);
    for text in ["perceptron:rate=1e308", "averaged:rate=1e307", "winnow:rate=1e308", "voted:rate=1e308"] {
        let spec = spec(text);
        let mut learner = fresh(&spec, 4);
        let stop = points.iter().position(|point| {
            let before = state(learner.as_mut());
            let overflows = learner.round(&point.scaled(10.0).example(Storage::Dense)).step == Step::Overflow;
            assert!(!overflows || before == state(learner.as_mut()), "{spec}");
            overflows
        });
        assert!(stop.is_some() && is_finite(&state(learner.as_mut())), "{spec}");
    }
}

/// After a tiny row w is (1.3e154, 0), and with the second row √1.2 times as long, whose square is too large.
#[test]
fn romma_minds_the_length_of_its_weights() {
    let mut learner = fresh(&spec("romma"), 2);
    for (x, expected) in [(vec![1.0 / 1.3e154, 0.0], Step::Update), (vec![-0.408, 0.913], Step::Overflow)] {
        let Round { step, .. } = learner.round(&Point::new(x, label(true)).example(Storage::Dense));
        assert!(step == expected && is_finite(&state(learner.as_mut())), "{step:?} and not {expected:?}");
    }
}

#[test]
fn rows_too_large_to_be_read_ahead_are_refused_before_the_first_trial() {
    let mut learner = fresh(&spec("whitened"), 2);
    let ahead = learner.reads_ahead().unwrap();
    ahead.read(Point::new(vec![1e200, 1.0], label(true)).row(Storage::Dense));
    let refused = ahead.end().unwrap_err().to_string();
    assert!(refused.contains("too large a number; scale or normalize the rows"), "{refused}");
}

/// What is divided by is 1 and more, however small the row: nothing overflows.
#[test]
fn a_tiny_row_along_another_is_learned_from() {
    for form in ["primal", "dual"] {
        let mut learner = fresh(&spec(&format!("second-order:mode=pseudoinverse,form={form}")), 1);
        for x in [1.0, -1e-160] {
            let Round { step, .. } = learner.round(&Point::new(vec![x], label(true)).example(Storage::Dense));
            assert_eq!(step, Step::Update, "{form}: {x:e}");
        }
    }
}

/// Where a row and the ridge are both next to nothing, the coefficient that makes up for it is too large.
#[test]
fn a_row_that_is_too_small_ends_in_an_overflow() {
    let rows = [vec![0.05, 0.0], vec![0.0, 1e-155], vec![0.02, 0.01]];
    for mode in ["fixed", "adaptive", "pseudoinverse"] {
        let text = format!("second-order:mode={mode},ridge=1e-310,kernel=polynomial,degree=1,offset=0");
        let mut learner = fresh(&spec(&text), 2);
        let mut steps = Vec::new();
        for (x, y) in rows.iter().zip([true, true, false]) {
            let before = state(learner.as_mut());
            let Round { step, .. } = learner.round(&Point::new(x.clone(), label(y)).example(Storage::Dense));
            let after = state(learner.as_mut());
            assert!(is_finite(&after) && (step != Step::Overflow || before == after), "{text}: {x:?}");
            steps.push(step);
        }
        assert!(mode != "fixed" || steps == [Step::Update, Step::Overflow, Step::Update], "{text}: {steps:?}");
    }
}

fn plan(text: &str, limit: Option<u64>) -> Plan {
    let plan = crate::support::plan(memory(text.as_bytes()), 1);
    Plan { keep: Keep { limit, ..plan.keep }, ..plan }
}

fn text(points: &[Point]) -> String {
    let row = |point: &Point| {
        let values = point.dense.iter().enumerate().map(|(i, v)| format!(" {}:{v:e}", i + 1));
        format!("{}{}\n", point.y.sign(), values.collect::<String>())
    };
    points.iter().map(row).collect()
}

/// Takes the model that is left when a run cannot go on.
#[derive(Default)]
struct Rest(Option<Vec<u8>>);

impl Watch for Rest {
    fn wants_rest(&self) -> bool {
        true
    }

    fn save(&mut self, model: &mut Model) -> onlinear::Result<()> {
        self.0 = Some(model.to_bytes()?);
        Ok(())
    }
}

#[test]
fn a_run_ends_at_the_row_with_the_model_of_the_rows_before() {
    let mut ended = 0;
    for spec in all().filter(|spec| spec.algorithm().learns() == Learns::RowByRow) {
        let mut points = noisy(14, 90, 4, 0.0);
        points[70] = Point::new(vec![1e300, -1e300, 1e300, 1e300], points[70].y);
        let start = || Start::Fresh(Recipe::of(spec.clone(), Vec::new()));
        let mut rest = Rest::default();
        let Err(error) = onlinear::learn(plan(&text(&points), None), start(), &mut rest) else { continue };
        let message = error.to_string();
        if !message.starts_with("test:71:1: ") {
            assert!(message.contains("too large"), "{spec}: {message}"); // it could learn from that row, and no further
            continue;
        }
        assert!(message.contains("; scale or normalize the rows"), "{spec}: {message}");
        ended += 1;
        let sound = onlinear::learn(plan(&text(&points), Some(70)), start(), &mut ()).unwrap().model.to_bytes();
        assert!(rest.0 == sound.ok(), "{spec}: not the model of the rows before");
    }
    assert!(ended > 100, "{ended}");
}

/// Every learner that learns from all rows at once, and AdaBoost over some of either kind.
#[test]
fn training_errors_are_counted_by_finite_scores_alone() {
    let mut random = Random::new(15);
    let one = |random: &mut Random| vec![1.0, 1e155 * random.gauss(), -1e155 * random.gauss()];
    let points: Vec<Point> = (0..60).map(|i| Point::new(one(&mut random), label(i % 2 == 0))).collect();
    let boosted = ["pocket", "sgd", "perceptron", "perceptron:kernel=polynomial", "winnow", "second-order"]
        .map(|base| format!("adaboost:base={},weighting=resample-once,rounds=3", base.replace(':', ",base.")));
    let batch = ALGORITHMS.iter().map(|algorithm| algorithm.name.to_string());
    let mut refused = 0;
    for spec in batch.chain(boosted).map(|text| spec(&text)).filter(Spec::is_batch) {
        let mut rows = Rows::default();
        points.iter().for_each(|point| rows.push_row(point.row(Storage::Dense)));
        let labels: Vec<_> = points.iter().map(|point| point.y).collect();
        let sample = Sample::new("rows", rows, &labels, &[1.0; 60], false).unwrap();
        let mut learner = spec.fits_all().unwrap();
        match learner.fit(&sample, &mut ()) {
            Ok(()) => {
                let mut scores = Vec::new();
                learner.leaves().scores(sample.rows(), &mut scores);
                assert!(scores.iter().all(|score| score.is_finite()), "{spec}: {scores:?}");
            }
            Err(error) => {
                refused += 1;
                let message = error.to_string();
                assert!(message.contains("too large") || message.contains("not finite"), "{spec}: {message}");
            }
        }
        // The whole run says so too, and names the row.
        let fresh = Recipe::of(spec.clone(), stages(&["bias"]));
        if let Err(error) = onlinear::learn(plan(&text(&points), None), Start::Fresh(fresh), &mut ()) {
            assert!(error.to_string().starts_with("test:"), "{spec}: {error}");
        }
    }
    assert!(refused > 8, "{refused}");
}

/// What is written has been loaded from its bytes; a model that cannot be is an error, and the old file stays.
#[test]
fn a_model_that_would_not_load_is_not_written() {
    let fresh = Recipe::of(spec("perceptron"), Vec::new());
    let points = noisy(18, 20, 4, 0.0);
    let mut model = onlinear::learn(plan(&text(&points), None), Start::Fresh(fresh), &mut ()).unwrap().model;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    model.save(&path).unwrap();
    let before = std::fs::read(&path).unwrap();
    model.features = 1; // fewer than it has weights
    let message = model.save(&path).unwrap_err().to_string();
    assert!(message.ends_with("it has more weights than features; nothing was saved"), "{message}");
    assert!(model.to_bytes().is_err() && std::fs::read(&path).unwrap() == before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Sums of weights, and scores of a model merged from them.
#[test]
fn weights_that_add_up_to_infinity_are_not_merged() {
    let fresh = Recipe::of(spec("perceptron:rate=1e308"), Vec::new());
    let data = "+1 1:1\n-1 2:1\n";
    let model = || onlinear::learn(plan(data, None), Start::Fresh(fresh.clone()), &mut ()).unwrap().model;
    let message = Model::merge(vec![model(), model()], Some(&[1.0, 1.0]), None).err().unwrap().to_string();
    assert!(message.contains("not finite"), "{message}");
}
