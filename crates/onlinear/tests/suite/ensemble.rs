//! AdaBoost: against a plain one written here, its bound, and what holds for every base.

use onlinear::workshop::{AnyLearner, Fact, Order, Random, Tensor, Training};
use onlinear::{ALGORITHMS, Epochs, Error, Example, Expected, Label, Model, Predictor, Row, Rows, Sample, Spec, State};

use crate::batch::{Trace, fitted, scaled_sample};
use crate::support::{
    Point, Storage, copy_any, features, form_of, is_close, label, noisy, plus_and_minus, spec, weight_vector,
};

/// Points whose labels no line tells apart: +1 within a ring around the middle.
fn ring(seed: u64, rows: usize) -> Vec<Point> {
    let mut random = Random::new(seed);
    let mut point = || {
        let x = vec![random.gauss(), random.gauss(), random.gauss()];
        let positive = x[0] * x[0] + x[1] * x[1] + 0.4 * x[2] < 1.2;
        Point::new(x, label(positive))
    };
    (0..rows).map(|_| point()).collect()
}

fn sample(points: &[Point]) -> Sample {
    scaled_sample(points, features(points), Storage::Sparse, &vec![1.0; points.len()])
}

/// Different weights, all of them whole.
fn whole_weights(count: usize) -> Vec<f64> {
    (0..count).map(|i| [1.0, 3.0, 1.0, 2.0, 5.0][i % 5]).collect()
}

fn outputs(learner: &dyn Predictor, sample: &Sample) -> Vec<f64> {
    (0..sample.len()).map(|i| learner.leaves().score(sample.row(i))).collect()
}

fn bits(scores: &[f64]) -> Vec<u64> {
    scores.iter().map(|score| score.to_bits()).collect()
}

fn rounds_used(learner: &dyn Predictor) -> usize {
    match learner.facts().further[0] {
        ("rounds_used", Fact::Number(number)) => number as usize,
        ref other => panic!("{other:?}"),
    }
}

fn stopped(learner: &dyn Predictor) -> Option<String> {
    match learner.facts().further.remove(1) {
        ("stopped", Fact::Text(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

fn tensors(learner: &mut dyn Predictor) -> std::collections::BTreeMap<String, Tensor> {
    let mut state = State::saving();
    learner.state(&mut state).unwrap();
    state.into_tensors()
}

fn votes(learner: &mut dyn Predictor) -> Vec<f64> {
    match &tensors(learner)["votes"] {
        Tensor::F64(votes) => votes.clone(),
        other => panic!("{other:?}"),
    }
}

/// What the base of round 1 learns on its own.
fn alone(spec: &Spec, sample: &Sample, passes: u64, seed: u64) -> AnyLearner {
    let mut learner = spec.learner();
    learner.reseed(seed);
    learner
        .prepare(&Expected { features: Some(sample.dimension()), rows: Some(sample.len()), max_memory: None })
        .unwrap();
    match &mut learner {
        AnyLearner::FitsAll(batch) => batch.fit(sample, &mut ()).unwrap(),
        AnyLearner::Online(online) => {
            let mut order = Order::shuffled(sample.len(), seed).unwrap();
            for i in (0..passes).flat_map(|_| order.next_pass().collect::<Vec<_>>()) {
                let (x, y) = (sample.row(i), label(sample.y()[i] > 0.0));
                online.round(&Example::new(x, y).weighing(sample.weights()[i]).at(Some(i as u64)));
            }
        }
    }
    learner
}

#[test]
fn one_round_is_its_base() {
    let points = noisy(1, 120, 7, 0.3);
    for weights in [vec![1.0; points.len()], whole_weights(points.len())] {
        let sample = scaled_sample(&points, 7, Storage::Sparse, &weights);
        for base in [
            "fld",
            "rcd-bias:epochs=30",
            "ccd:start=zero",
            "perceptron",
            "perceptron:rate=0.5,kernel=gaussian,sigma2=2",
            "averaged",
            "averaged:kernel=polynomial",
            "passive-aggressive",
            "passive-aggressive:variant=pa2,aggressiveness=0.1",
            "adaboost:base=averaged,rounds=3",
        ] {
            let (name, settings) = base.split_once(':').unwrap_or((base, ""));
            let settings: String =
                settings.split(',').filter(|s| !s.is_empty()).map(|s| format!(",base.{s}")).collect();
            let boosted = spec(&format!("adaboost:base={name}{settings},rounds=1,passes=3,seed=5"));
            let (learner, trace) = fitted(&boosted, &sample);
            assert_eq!((rounds_used(learner.as_ref()), stopped(learner.as_ref())), (1, None), "{boosted}");
            let base = alone(&spec(base), &sample, 3, Random::new(5).next_u64());
            let (ours, theirs) = (outputs(learner.as_ref(), &sample), outputs(&*base, &sample));
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert_eq!(Label::predicted(*ours), Label::predicted(*theirs), "{boosted}: {ours} {theirs}");
            }
            assert_eq!(trace[0].rows, sample.len() as u64, "nobody has voted");
            assert_eq!(trace[1], sample.errors_of(ours.iter().copied()).unwrap(), "{boosted}");
        }
    }
}

/// AdaBoost as the book has it: each round's vote, ε, and the scores of all rows.
fn plain(base: &str, rounds: usize, seed: u64, sample: &Sample) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let total: f64 = sample.weights().iter().sum();
    let mut d: Vec<f64> = sample.weights().iter().map(|w| w / total).collect();
    let (mut random, mut weighted) = (Random::new(seed), sample.clone());
    let (mut votes, mut errors, mut scores) = (Vec::new(), Vec::new(), vec![0.0; sample.len()]);
    for _ in 0..rounds {
        let mut h = spec(base).fits_all().unwrap();
        h.reseed(random.next_u64());
        h.fit(&weighted, &mut ()).unwrap();
        let says: Vec<f64> = outputs(h.as_ref(), sample).iter().map(|&f| if f >= 0.0 { 1.0 } else { -1.0 }).collect();
        let epsilon: f64 = (0..d.len()).filter(|&i| says[i] != sample.y()[i]).map(|i| d[i]).sum();
        if epsilon >= 0.5 - 1e-12 {
            break; // a hypothesis met again is wrong on exactly half, but for rounding
        }
        let factor = if epsilon == 0.0 { 1000.0 } else { 1.0 / epsilon - 1.0 };
        let vote = 0.5 * factor.ln();
        for i in 0..d.len() {
            scores[i] += vote * says[i];
            d[i] *= if says[i] != sample.y()[i] { factor } else { 1.0 };
        }
        let total: f64 = d.iter().sum();
        d.iter_mut().for_each(|d| *d /= total);
        if epsilon > 0.0 {
            weighted = sample.reweighted(&d).unwrap();
        }
        votes.push(vote);
        errors.push(epsilon);
    }
    (votes, errors, scores)
}

#[test]
fn a_plain_one_written_here_gives_the_same() {
    let mut used = Vec::new();
    let sets =
        (0..40).map(|seed| (if seed % 2 == 0 { ring(seed, 30) } else { noisy(seed, 24, 4, 0.3) }, seed % 3 == 0));
    for ((points, weighted), base) in sets.flat_map(|set| ["fld", "rcd-bias"].map(|base| (set.clone(), base))) {
        let weights = if weighted { whole_weights(points.len()) } else { vec![1.0; points.len()] };
        let sample = scaled_sample(&points, features(&points), Storage::Sparse, &weights);
        let (mut learner, trace) = fitted(&spec(&format!("adaboost:base={base},rounds=60,seed=9")), &sample);
        let (expected_votes, epsilons, expected) = plain(base, 60, 9, &sample);
        let votes = votes(learner.as_mut());
        assert_eq!((votes.len(), rounds_used(learner.as_ref())), (expected_votes.len(), expected_votes.len()));
        assert_eq!(stopped(learner.as_ref()).is_some(), votes.len() < 60);
        for (ours, theirs) in votes.iter().zip(&expected_votes) {
            assert!(is_close(*ours, *theirs, 1e-9), "{ours} {theirs}");
        }
        let scores = outputs(learner.as_ref(), &sample);
        for (ours, theirs) in scores.iter().zip(&expected) {
            assert!(is_close(*ours, *theirs, 1e-9), "{ours} {theirs}");
        }
        assert_eq!(trace.len(), votes.len() + 1);
        assert_eq!(trace[votes.len()], sample.errors_of(scores.iter().copied()).unwrap());
        // The bound holds after every round.
        let mut bound = 1.0;
        for (training, epsilon) in trace[1..].iter().zip(epsilons) {
            bound *= 2.0 * (epsilon * (1.0 - epsilon)).sqrt();
            assert!(training.units as f64 / sample.total() as f64 <= bound + 1e-9, "{training:?} over {bound}");
        }
        used.push(votes.len());
    }
    assert!(used.iter().any(|&used| used > 3), "{used:?}: hardly anything was boosted");
}

#[test]
fn weights_are_as_good_as_rows_said_again() {
    let mut used = Vec::new();
    for seed in 0..30 {
        let points = noisy(seed, 30, 4, 0.3);
        let weights = whole_weights(points.len());
        let repeated: Vec<Point> =
            points.iter().zip(&weights).flat_map(|(p, &w)| vec![p.clone(); w as usize]).collect();
        let weighted = scaled_sample(&points, 4, Storage::Sparse, &weights);
        let spec = spec("adaboost:base=fld,rounds=25");
        let (mut a, _) = fitted(&spec, &weighted);
        let (mut b, _) = fitted(&spec, &sample(&repeated));
        let (votes_a, votes_b) = (votes(a.as_mut()), votes(b.as_mut()));
        assert_eq!(votes_a.len(), votes_b.len());
        assert!(votes_a.iter().zip(&votes_b).all(|(a, b)| is_close(*a, *b, 1e-9)));
        for i in 0..weighted.len() {
            assert!(is_close(a.leaves().score(weighted.row(i)), b.leaves().score(weighted.row(i)), 1e-9));
        }
        used.push(votes_a.len());
    }
    assert!(used.iter().any(|&used| used > 3), "{used:?}: hardly anything was boosted");
}

/// Every learner as a base, by drawing rows; then with kernels and other settings.
fn bases() -> Vec<String> {
    let plain = ALGORITHMS.iter().map(|a| a.name.to_string());
    let more = [
        "perceptron,base.kernel=gaussian",
        "averaged,base.kernel=polynomial,base.cosine=true",
        "voted,base.kernel=gaussian",
        "second-order,base.mode=adaptive",
        "second-order,base.mode=pseudoinverse",
        "second-order,base.form=dual",
        "higher-order,base.form=dual",
        "forgetron,base.kernel=gaussian,base.budget=20",
        "rbp,base.kernel=gaussian,base.budget=20",
        "projectron,base.kernel=gaussian",
        "stoptron,base.budget=15,base.output=averaged",
        "adaboost,base.base=voted,base.weighting=resample-once,base.rounds=2,base.passes=1",
    ];
    plain.chain(more.map(String::from)).collect()
}

/// The sample with every row divided by its norm: what all learners can live with.
fn unit_rows(points: &[Point]) -> Sample {
    let scaled = sample(points);
    let mut rows = Rows::default();
    for i in 0..scaled.len() {
        let x = scaled.row(i);
        let mut dense = vec![0.0; scaled.dimension()];
        x.for_each(|j, v| dense[j] = v / x.norm(2.0));
        rows.push_row(Row::Dense(&dense));
    }
    let labels: Vec<Label> = points.iter().map(|point| point.y).collect();
    Sample::new("points", rows, &labels, &vec![1.0; points.len()], false).unwrap()
}

#[test]
fn any_learner_is_a_base_by_rows_drawn_once_and_its_model_is_saved_to_the_bit() {
    let points = noisy(7, 70, 5, 0.2);
    let sample = unit_rows(&points);
    let mut kinds = [0, 0];
    for base in bases() {
        let spec = spec(&format!("adaboost:base={base},weighting=resample-once,rounds=4,passes=2,seed=3"));
        let (mut learner, trace) = fitted(&spec, &sample);
        let used = rounds_used(learner.as_ref());
        assert_eq!(stopped(learner.as_ref()).is_none(), used == 4, "{spec}");
        assert!(used > 0, "{spec}: {:?}", stopped(learner.as_ref()));
        let errors = trace[used].rows;
        assert!(errors < 30, "{spec}: {errors} errors of 70");
        let one_by_one = outputs(learner.as_ref(), &sample);
        assert!(one_by_one.iter().all(|score| score.is_finite()), "{spec}");
        let mut together = Vec::new();
        learner.leaves().scores(sample.rows(), &mut together);
        assert_eq!(bits(&one_by_one), bits(&together), "{spec}");
        assert_eq!(trace[used], sample.errors_of(together.iter().copied()).unwrap(), "{spec}");
        assert_eq!((form_of(learner.as_ref()), weight_vector(learner.as_ref())), ("ensemble", None));
        kinds[usize::from(tensors(learner.as_mut()).contains_key("weights"))] += 1;

        let (mut again, _) = fitted(&spec, &sample);
        assert_eq!(tensors(again.as_mut()), tensors(learner.as_mut()), "{spec}: the same seed, another model");
        let mut loaded = copy_any(&spec, learner.as_mut());
        assert_eq!(bits(&outputs(&*loaded, &sample)), bits(&one_by_one), "{spec}");
        assert_eq!(format!("{:?}", loaded.facts()), format!("{:?}", learner.facts()), "{spec}");
        assert_eq!(loaded.leaves().support_len(), learner.leaves().support_len(), "{spec}");
        assert_eq!(tensors(&mut *loaded), tensors(learner.as_mut()), "{spec}");

        let mut model = Model::new(spec.clone(), plus_and_minus());
        (model.learner, model.features) = (AnyLearner::FitsAll(learner).into(), sample.dimension());
        let file = model.to_bytes().unwrap();
        let mut loaded = Model::from_bytes(&file).unwrap();
        assert!(loaded.to_bytes().unwrap() == file, "{spec}: another file after loading");
        let scores = loaded.scores(sample.rows(), &mut Default::default());
        assert_eq!(bits(&scores), bits(&one_by_one), "{spec}");
    }
    assert!(kinds[0] > 10 && kinds[1] > 8, "{kinds:?} kept as learners and as weights");
}

#[test]
fn another_seed_is_another_model_where_anything_is_drawn() {
    let sample = sample(&ring(8, 60));
    for (base, differs) in [
        ("fld,weighting=resample-once", true),
        ("fld", false),
        ("averaged", true),
        ("rcd-bias", true),
        ("rbp,base.budget=5,base.kernel=gaussian,weighting=resample-once", true),
    ] {
        let [a, b] = [1, 2].map(|seed| {
            let (mut learner, _) = fitted(&spec(&format!("adaboost:base={base},rounds=3,seed={seed}")), &sample);
            tensors(learner.as_mut())
        });
        assert_eq!(a != b, differs, "{base}");
    }
}

#[test]
fn support_is_that_of_all_members() {
    let sample = sample(&ring(9, 60));
    let (mut learner, _) = fitted(&spec("adaboost:base=perceptron,base.kernel=gaussian,rounds=5,passes=2"), &sample);
    let counted =
        tensors(learner.as_mut()).iter().filter(|(name, _)| name.ends_with("coefficients")).map(|(_, t)| t.len()).sum();
    assert!(counted > 5);
    assert_eq!(learner.leaves().support_len(), Some(counted));
    assert_eq!(fitted(&spec("adaboost:base=averaged,rounds=5"), &sample).0.leaves().support_len(), None);
}

/// One feature, and labels − + + −: no discriminant does better than chance for long.
fn hopeless() -> Sample {
    let points: Vec<Point> =
        [(1.0, false), (2.0, true), (3.0, true), (4.0, false)].map(|(x, y)| Point::new(vec![x], label(y))).to_vec();
    sample(&points)
}

#[test]
fn an_early_stop_says_why() {
    let (mut learner, trace) = fitted(&spec("adaboost:base=fld"), &hopeless());
    assert_eq!((rounds_used(learner.as_ref()), trace.len()), (0, 1));
    let reason = stopped(learner.as_ref()).unwrap();
    assert_eq!(reason, "round 1: the base's weighted error is 0.5000, not below 1/2");
    assert_eq!(learner.facts().warnings, [format!("adaboost: nobody votes and every row scores 0; {reason}").into()]);
    assert_eq!(outputs(learner.as_ref(), &hopeless()), [0.0; 4]);
    let loaded = copy_any(&spec("adaboost:base=fld"), learner.as_mut());
    assert_eq!((stopped(&*loaded), loaded.facts().warnings), (Some(reason), learner.facts().warnings));

    let (learner, trace) = fitted(&spec("adaboost:base=fld,rounds=300"), &sample(&noisy(4, 200, 5, 0.0)));
    let (used, reason) = (rounds_used(learner.as_ref()), stopped(learner.as_ref()).unwrap());
    assert_eq!(trace.len(), used + 1);
    assert!(
        used > 0 && reason.starts_with(&format!("round {}: the base's weighted error is 0.5", used + 1)),
        "{reason}"
    );
    assert!(learner.facts().warnings.is_empty());
}

#[test]
fn a_perfect_base_goes_on() {
    let points: Vec<Point> = (0..12).map(|i| Point::new(vec![f64::from(i)], label(i > 5))).collect();
    let (mut learner, trace) = fitted(&spec("adaboost:base=fld,rounds=9"), &sample(&points));
    assert_eq!(votes(learner.as_mut()), [0.5 * 1000f64.ln(); 9]);
    assert_eq!((trace[0].rows, trace[1].rows, trace[9].rows), (12, 0, 0));
}

#[test]
fn many_rounds_give_no_nan() {
    let sample = sample(&ring(10, 25));
    for (base, least) in [
        ("rcd-bias,base.epochs=20", 3000),
        ("perceptron,base.kernel=gaussian,base.sigma2=0.1,weighting=resample-once,passes=1", 100),
        ("voted,base.kernel=gaussian,base.sigma2=0.2,weighting=resample-once,passes=1", 100),
    ] {
        let (mut learner, trace) = fitted(&spec(&format!("adaboost:base={base},rounds=3000")), &sample);
        assert!(trace.len() > least, "{base}: {:?}", stopped(learner.as_ref()));
        assert!(votes(learner.as_mut()).iter().all(|vote| vote.is_finite() && *vote >= 0.0));
        assert!(outputs(learner.as_ref(), &sample).iter().all(|score| score.is_finite()));
    }
}

/// AdaBoost over the pocket, one function for the whole of it, each trial's row drawn from D by a plain loop.
#[test]
fn a_base_that_draws_its_trials_draws_them_from_the_weights() {
    let points = noisy(12, 80, 4, 0.2);
    let sample = sample(&points);
    let text = "adaboost:base=averaged-sampled,base.epochs=3,base.start=zero,rounds=5,weighting=resample,seed=9";
    let (mut learner, _) = fitted(&spec(text), &sample);
    let (mut d, mut random) = (vec![1.0 / 80.0; 80], Random::new(9));
    let mut expected = Vec::new();
    for _ in 0..5 {
        let mut draws = Random::new(random.next_u64());
        let (mut w, mut sum) = (vec![0.0; sample.dimension()], vec![0.0; sample.dimension()]);
        for _ in 0..3 * 80 {
            let k = draws.weighted(&d).unwrap();
            if sample.y()[k] * sample.row(k).dot(&w) <= 0.0 {
                sample.row(k).for_each(|j, v| w[j] += sample.y()[k] * v);
            }
            sum.iter_mut().zip(&w).for_each(|(sum, w)| *sum += w);
        }
        let is_wrong = |i: usize| (sample.row(i).dot(&sum) >= 0.0) != (sample.y()[i] > 0.0);
        let epsilon: f64 = (0..80).filter(|&i| is_wrong(i)).map(|i| d[i]).sum();
        if epsilon >= 0.5 {
            break;
        }
        expected.push(0.5 * (1.0 / epsilon - 1.0).ln());
        (0..80).filter(|&i| is_wrong(i)).for_each(|i| d[i] *= 1.0 / epsilon - 1.0);
        let total: f64 = d.iter().sum();
        d.iter_mut().for_each(|d| *d /= total);
    }
    let votes = votes(learner.as_mut());
    assert!(votes.len() > 1 && votes.len() == expected.len());
    assert!(votes.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{votes:?} {expected:?}");
    for (base, lack) in [("fld", "draw its trials"), ("sgd,base.order=fixed", "draw its trials")] {
        let message = format!("adaboost:base={base},weighting=resample").parse::<Spec>().unwrap_err().to_string();
        assert!(message.contains(lack) && message.ends_with("expected weighting=resample-once"), "{message}");
    }
}

#[test]
fn draws_of_one_class_end_the_boosting() {
    // The lone row of its class weighs so little that it is never drawn.
    let points: Vec<Point> = (0..5).map(|i| Point::new(vec![f64::from(i)], label(i > 0))).collect();
    let sample = scaled_sample(&points, 1, Storage::Sparse, &[1e-9, 1.0, 1.0, 1.0, 1.0]);
    let (learner, _) = fitted(&spec("adaboost:base=fld,weighting=resample-once"), &sample);
    assert_eq!(stopped(learner.as_ref()).unwrap(), "round 1: the base's rows are all of one class");
    assert_eq!(rounds_used(learner.as_ref()), 0);
    // By weight it is seen all the same.
    assert_eq!(fitted(&spec("adaboost:base=fld,rounds=2"), &sample).1[2].rows, 0);
}

fn refused(text: &str, sample: &Sample) -> String {
    spec(text).fits_all().unwrap().fit(sample, &mut ()).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let one_class: Vec<Point> = (0..4).map(|i| Point::new(vec![f64::from(i)], Label::Positive)).collect();
    assert_eq!(
        refused("adaboost", &sample(&one_class)),
        "points: every row is of one class; a batch learner needs rows of both"
    );
    let mut rows = Rows::default();
    [1.0, -1.0, 1e300, -1e300].iter().for_each(|&x| rows.push_row(Row::Dense(&[1.0, x])));
    let labels = [false, true, true, false].map(label);
    let huge = Sample::new("points", rows, &labels, &[1.0; 4], false).unwrap();
    let message = refused("adaboost:base=perceptron", &huge);
    let expected = "points: row 4: the score is -inf: the numbers have grown too large; scale or normalize the rows";
    assert_eq!(message, expected);
}

/// Ends the learning after so many ticks.
struct Impatient(u32);

impl Epochs for Impatient {
    fn tick(&mut self) -> onlinear::Result<()> {
        self.0 = self.0.checked_sub(1).ok_or(Error::Interrupted)?;
        Ok(())
    }
}

#[test]
fn it_can_be_interrupted_within_a_round() {
    let sample = sample(&ring(11, 600));
    for base in ["fld,rounds=1", "perceptron,rounds=1", "adaboost,base.base=perceptron,base.rounds=1,rounds=1"] {
        for ticks in 0..2 {
            let mut learner = spec(&format!("adaboost:base={base}")).fits_all().unwrap();
            let fit = learner.fit(&sample, &mut Impatient(ticks));
            assert!(matches!(fit, Err(Error::Interrupted)), "{base} after {ticks}");
            assert_eq!(learner.leaves().score(sample.row(0)), 0.0, "{base}: half a model is left");
        }
    }
}

#[test]
fn memory_is_asked_for_before_and_during_the_rounds() {
    let boosted = spec("adaboost:base=fld,rounds=100");
    let expected = |most| Expected { features: Some(1000), rows: Some(10), max_memory: Some(most) };
    let reason = boosted.fits_all().unwrap().prepare(&expected(1000)).unwrap_err().to_string();
    assert!(reason.ends_with("more than the memory limit allows"), "{reason}");
    let sample = sample(&ring(2, 150));
    let mut learner = boosted.fits_all().unwrap();
    learner.prepare(&Expected { features: Some(4), rows: Some(150), max_memory: Some(1000) }).unwrap();
    let error = learner.fit(&sample, &mut Trace::default()).unwrap_err();
    assert!(matches!(error, Error::Memory(_)) && error.to_string().starts_with("adaboost: 1 members need"), "{error}");
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let sample = sample(&ring(12, 60));
    let load = |spec: &Spec, tensors: std::collections::BTreeMap<String, Tensor>| {
        spec.fits_all().unwrap().state(&mut State::loading(tensors)).map_err(|error| error.to_string())
    };
    let linear = spec("adaboost:base=fld,rounds=3,weighting=resample-once");
    let good = tensors(fitted(&linear, &sample).0.as_mut());
    assert!(load(&linear, good.clone()).is_ok());
    assert_eq!(good["votes"].len(), 3);
    for (name, bad) in [
        ("votes", Tensor::F64(vec![1.0; 2])),
        ("votes", Tensor::F64(vec![1.0; 4])),
        ("votes", Tensor::F64(vec![f64::NAN; 3])),
        ("votes", Tensor::F64(vec![])),
        ("columns", Tensor::U64(vec![5])),
        ("columns", Tensor::U64(vec![u64::MAX])),
        ("columns", Tensor::U64(vec![0])),
        ("columns", Tensor::U64(vec![])),
        ("weights", Tensor::F64(vec![1.0; 11])),
        ("weights", Tensor::U64(vec![1; 12])),
        ("stopped", Tensor::U8(vec![0xff, 0xfe])),
        ("stopped", Tensor::U8(b"round 1:\x1b[2J".to_vec())),
    ] {
        let mut tensors = good.clone();
        tensors.insert(name.to_string(), bad.clone());
        assert!(load(&linear, tensors).is_err(), "{name}: {bad:?}");
    }
    for name in good.keys() {
        let mut tensors = good.clone();
        tensors.remove(name);
        assert!(load(&linear, tensors).is_err(), "without {name}");
    }
    let kernel = spec("adaboost:base=perceptron,base.kernel=gaussian,rounds=3,passes=1");
    let good = tensors(fitted(&kernel, &sample).0.as_mut());
    assert!(load(&kernel, good.clone()).is_ok());
    for name in good.keys() {
        let mut tensors = good.clone();
        tensors.remove(name);
        assert!(load(&kernel, tensors).is_err(), "without {name}");
    }
}

#[test]
fn dense_and_sparse_rows_score_alike_and_longer_ones_are_cut() {
    let points = ring(13, 60);
    let sample = sample(&points);
    let (learner, _) = fitted(&spec("adaboost:base=averaged,rounds=40"), &sample);
    for i in 0..sample.len() {
        let mut dense = vec![0.0; sample.dimension() + 3];
        sample.row(i).for_each(|j, v| dense[j] = v);
        let indices: Vec<u32> = (0..dense.len() as u32).collect();
        let [a, b, c] = [Row::Dense(&dense), Row::Sparse { indices: &indices, values: &dense }, sample.row(i)];
        let [a, b, c] = [a, b, c].map(|x| learner.leaves().score(x).to_bits());
        assert_eq!((a, b), (c, c));
    }
    assert_eq!(
        fitted(&spec("adaboost:base=averaged,rounds=40"), &sample).1[0],
        Training { rows: 60, units: sample.total() }
    );
}
