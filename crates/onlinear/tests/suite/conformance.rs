//! What holds for every learner of the list, at its defaults and at variations drawn from its own
//! declaration: a new learner is covered as soon as it is on the list.

use onlinear::workshop::{Kind, Learns, Parameter, PassCounts, Random, Range, Scratch, Stages, Value};
use onlinear::{
    ALGORITHMS, Algorithm, BorrowedRows, Example, Expected, Input, Label, Learner, Model, Plan, Recipe, Round, Row,
    Rows, Spec, Start, Step, Watch,
};
use proptest::prelude::*;

use crate::support::{
    Point, STORAGES, Storage, assert_alike, bits, copy, features, is_close, label, memory, mistakes, noisy,
    plus_and_minus, ready, run, spec, stages, trace, unprepared, weight_vector,
};

/// The defaults, every parameter varied on its own, and all combinations of flags and choices.
fn variations(algorithm: &'static Algorithm) -> Vec<Spec> {
    let mut texts = vec![algorithm.name.to_string()];
    let mut combinations = vec![String::new()];
    for parameter in algorithm.parameters {
        let values = interesting_values(parameter);
        for needs in needs(parameter) {
            texts.extend(values.iter().map(|value| format!("{}:{}={value}{needs}", algorithm.name, parameter.name)));
        }
        if matches!(parameter.kind, Kind::Flag | Kind::Choice(_)) {
            let with =
                |one: &String| values.iter().map(|v| format!("{one},{}={v}", parameter.name)).collect::<Vec<_>>();
            combinations = combinations.iter().flat_map(with).collect();
        }
    }
    texts.extend(combinations.iter().filter(|c| !c.is_empty()).map(|c| format!("{}:{}", algorithm.name, &c[1..])));
    let mut specs: Vec<Spec> = Vec::new();
    for text in &texts {
        match text.parse::<Spec>() {
            Ok(spec) if specs.contains(&spec) => {}
            Ok(spec) => specs.push(spec),
            // Values that are each in range may still not go together: higher-order's kernels and forms.
            Err(error) => assert!(error.is_usage() && error.to_string().starts_with(algorithm.name), "{text}: {error}"),
        }
    }
    // One at least for each parameter but those that name another learner.
    let varied = algorithm.parameters.iter().filter(|p| !matches!(p.kind, Kind::Learner(_))).count();
    assert!(specs.len() > varied, "{}: {} specs of {varied} parameters", algorithm.name, specs.len());
    specs.retain(|spec| !spec.is_direct()); // of more than two classes: see `direct`
    specs
}

/// The kernel parameters, as the Perceptron has them.
fn kernel_parameters() -> &'static [Parameter] {
    let all = spec("perceptron").algorithm().parameters;
    &all[all.iter().position(|parameter| parameter.name == "kernel").unwrap()..]
}

/// K(x, z) of the kernel with these settings, from a Perceptron that has only x.
fn kernel_value(settings: &str, x: &[f64], z: &[f64]) -> f64 {
    let mut learner = spec(&format!("perceptron:{settings}")).online().unwrap();
    learner.round(&Example::new(Row::Dense(x), Label::Positive));
    learner.score(Row::Dense(z))
}

/// What must be set for a parameter to mean something: nothing, or one of the kernels whose values it changes.
fn needs(parameter: &Parameter) -> Vec<String> {
    let [kernel, of_kernels @ ..] = kernel_parameters() else { panic!("no kernel") };
    let Kind::Choice(kernels) = kernel.kind else { panic!("{kernel:?}") };
    let matters = |kernel: &&&str| {
        let values: Vec<u64> = interesting_values(parameter)
            .iter()
            .map(|value| kernel_value(&format!("kernel={kernel},{}={value}", parameter.name), &[0.5, 1.0], &[1.0, 0.7]))
            .map(f64::to_bits)
            .collect();
        values.iter().any(|value| *value != values[0])
    };
    let is_of_kernels = of_kernels.iter().any(|other| other.name == parameter.name);
    if !is_of_kernels || matters(&&kernels[0]) {
        return vec![String::new()];
    }
    let needs: Vec<String> = kernels.iter().filter(matters).map(|kernel| format!(",kernel={kernel}")).collect();
    assert!(!needs.is_empty(), "{} changes no kernel", parameter.name);
    needs
}

/// The closed ends of a range and two places within; every word of a choice.
fn interesting_values(parameter: &Parameter) -> Vec<Value> {
    let default = match parameter.default {
        Value::Number(number) => number,
        _ => 1.0,
    };
    let numbers = |values: [f64; 4], range: Range| -> Vec<Value> {
        values.into_iter().filter(|v| v.is_finite() && range.contains(*v)).map(Value::Number).collect()
    };
    let ends = |range: Range| {
        let between = |end: f64| if end.is_finite() { (default + end) / 2.0 } else { 3.7 * default };
        numbers([range.low.0, range.high.0, between(range.low.0), between(range.high.0)], range)
    };
    match parameter.kind {
        Kind::Width => vec![Value::Number(0.5), Value::Number(8.0)],
        Kind::Number(range) => ends(range),
        Kind::NumberOr(_, word) => vec![Value::Choice(word), Value::Number(0.5), Value::Number(3.7)],
        Kind::Integer { low, high } => {
            let (low, range) = (low as f64, Range::closed(low as f64, high as f64));
            numbers([low, low + 1.0, default + 1.0, (2.0 * default).min(50.0)], range)
        }
        Kind::Flag => vec![Value::Flag(false), Value::Flag(true)],
        Kind::Choice(words) => words.iter().map(|word| Value::Choice(word)).collect(),
        Kind::Learner(_) => vec![],
    }
}

/// Every variation of every learner that learns by trials; those that learn from all rows at once
/// have their own tests.
pub fn all() -> impl Iterator<Item = Spec> {
    let all: Vec<Spec> =
        ALGORITHMS.iter().flat_map(|algorithm| variations(algorithm)).filter(|spec| !spec.is_batch()).collect();
    assert!(all.len() >= 350, "only {} variations", all.len());
    all.into_iter()
}

/// The settings of the learner's kernel; of x·z, where it has none. `cosine` may be overruled.
fn kernel_settings(spec: &Spec, cosine: Option<bool>) -> String {
    let value = |parameter: &Parameter| match (spec.get(parameter.name), cosine) {
        (Some(_), Some(cosine)) if parameter.name == "cosine" => Value::Flag(cosine),
        (value, _) => value.unwrap_or(parameter.default),
    };
    let settings = kernel_parameters().iter().map(|parameter| format!("{}={}", parameter.name, value(parameter)));
    settings.collect::<Vec<_>>().join(",")
}

/// K(x,x) of a row of zeros.
fn square_of_nothing(spec: &Spec) -> f64 {
    kernel_value(&kernel_settings(spec, None), &[0.0; 2], &[0.0; 2])
}

/// The power of s by which the kernel, before any division, grows when all rows are multiplied by s.
fn kernel_degree(spec: &Spec) -> Option<i32> {
    const S: f64 = 1.0 + 1.0 / 1024.0;
    let settings = kernel_settings(spec, Some(false));
    let degree = |x: [f64; 2], z: [f64; 2]| {
        let [once, grown] = [1.0, S].map(|s| kernel_value(&settings, &x.map(|v| s * v), &z.map(|v| s * v)));
        (grown / once).ln() / S.ln()
    };
    let [a, b] = [degree([0.6, 0.8], [0.8, 0.6]), degree([0.9, 0.1], [1.0, 0.9])];
    ((a - a.round()).abs().max((b - a.round()).abs()) < 1e-6).then(|| a.round() as i32)
}

/// The power of s by which scores grow when all rows are multiplied by s, where the rule has one: to the bit for
/// powers of 2, large and small.
fn degree(spec: &Spec, points: &[Point]) -> Option<i32> {
    let most = 60 / kernel_degree(spec)?.max(1); // far from the ends of the range of numbers
    let plain = trace(spec, points, Storage::Sparse);
    let (t, first) = plain.iter().enumerate().find(|(_, round)| round.score != 0.0)?;
    let mut degree = None;
    for exponent in [-most, most] {
        let scaled: Vec<Point> = points.iter().map(|point| point.scaled(2f64.powi(exponent))).collect();
        let rounds = trace(spec, &scaled, Storage::Sparse);
        let power = (rounds[t].score / first.score).abs().log2() / f64::from(exponent);
        let is_same = (power - power.round()).abs() < 1e-6 && degree.is_none_or(|degree| degree == power.round());
        let is_alike = |(a, b): (&Round, &Round)| {
            a.step == b.step && is_close(a.score * 2f64.powf(-power.round() * f64::from(exponent)), b.score, 1e-9)
        };
        if !is_same || !rounds.iter().zip(&plain).all(is_alike) {
            return None;
        }
        degree = Some(power.round());
    }
    degree.map(|degree| degree as i32)
}

fn sets() -> [Vec<Point>; 3] {
    [noisy(1, 150, 12, 0.4), noisy(2, 120, 37, 0.7), noisy(3, 120, 20, 0.0)]
}

/// Rows that know of later features only when they have one: each ends at its last non-zero.
fn late_features(seed: u64) -> Vec<Point> {
    let hide = |(t, point): (usize, &Point)| Point::new(point.dense[..(5 + t / 2).min(45)].to_vec(), point.y).trimmed();
    noisy(seed, 120, 45, 0.3).iter().enumerate().map(hide).collect()
}

#[test]
fn the_score_before_is_the_score_of_the_round_for_either_label() {
    for spec in all() {
        for points in sets().iter().chain([&late_features(4)]) {
            for storage in STORAGES {
                let mut learner = unprepared(&spec, points);
                for (t, point) in points.iter().enumerate() {
                    let before = learner.score(point.row(storage));
                    let other = copy(&spec, learner.as_mut()).round(&point.flipped().example(storage)).score;
                    let left = learner.leaves().score(point.row(storage));
                    let mut same = copy(&spec, learner.as_mut());
                    let (_, of_model) = same.begin_with_model(point.row(storage), None);
                    assert!(is_close(of_model, left, 1e-9), "{spec}, {storage:?}, trial {t}: {of_model} {left}");
                    let round = learner.round(&point.example(storage));
                    assert_eq!(
                        before.to_bits(),
                        round.score.to_bits(),
                        "{spec}, {storage:?}, trial {t}: {before} {}",
                        round.score
                    );
                    assert_eq!(
                        before.to_bits(),
                        other.to_bits(),
                        "{spec}, {storage:?}, trial {t}, other label: {before} {other}"
                    );
                }
            }
        }
    }
}

#[test]
fn dense_and_sparse_rows_give_the_same_trace() {
    for spec in all() {
        for points in sets() {
            let [dense, sparse] = STORAGES.map(|storage| {
                let mut learner = ready(&spec, &points);
                let rounds = run(learner.as_mut(), &points, storage);
                let outputs: Vec<f64> = points.iter().map(|point| learner.leaves().score(point.row(storage))).collect();
                (rounds, outputs)
            });
            assert_alike(&dense.0, &sparse.0, &points, &spec.to_string());
            for (a, b) in dense.1.iter().zip(&sparse.1) {
                assert!(is_close(*a, *b, 1e-9), "{spec}: outputs {a} and {b}");
            }
        }
    }
}

#[test]
fn the_same_run_gives_the_same_trace_to_the_bit() {
    for spec in all() {
        for points in sets() {
            assert_eq!(
                bits(&trace(&spec, &points, Storage::Sparse)),
                bits(&trace(&spec, &points, Storage::Sparse)),
                "{spec}"
            );
        }
    }
}

#[test]
fn a_state_saved_and_loaded_goes_on_to_the_bit() {
    for spec in all() {
        for points in sets().iter().chain([&late_features(4)]) {
            let whole = bits(&run(unprepared(&spec, points).as_mut(), points, Storage::Sparse));
            for cut in [0, 1, points.len() / 3, points.len() - 1] {
                let mut first = unprepared(&spec, points);
                let mut rounds = run(first.as_mut(), &points[..cut], Storage::Sparse);
                let mut second = copy(&spec, first.as_mut());
                rounds.extend(run(second.as_mut(), &points[cut..], Storage::Sparse));
                assert_eq!(bits(&rounds), whole, "{spec}, cut at {cut}");
                run(first.as_mut(), &points[cut..], Storage::Sparse);
                for point in points {
                    let (a, b) = (
                        first.leaves().score(point.row(Storage::Dense)),
                        second.leaves().score(point.row(Storage::Dense)),
                    );
                    assert_eq!(a.to_bits(), b.to_bits(), "{spec}, cut at {cut}: {a} {b}");
                }
            }
        }
    }
}

fn model_of(spec: &Spec, points: &[Point]) -> Model {
    let mut model = Model::new(spec.clone(), plus_and_minus());
    model.features = features(points);
    model.stages = Stages::new(&stages(&["l2", "bias:value=0.25"]));
    let features = Some(model.stages.features_after(model.features));
    model.learner.prepare(&Expected { features, ..Expected::default() }).unwrap();
    if let Some(ahead) = model.learner.alone().and_then(|learner| learner.reads_ahead()) {
        let mut scratch = Scratch::default();
        points.iter().for_each(|point| ahead.read(model.stages.apply(point.row(Storage::Sparse), &mut scratch)));
        ahead.end().unwrap();
    }
    model
}

/// Notes every trial of a run.
#[derive(Default)]
struct Notes(Vec<Round>);

impl Watch for Notes {
    fn trial(&mut self, _t: u64, _y: Label, round: &Round) -> onlinear::Result<()> {
        self.0.push(*round);
        Ok(())
    }
}

/// The trials of a model that goes on with these points, counted by it.
fn learn(model: &mut Model, points: &[Point]) -> Vec<Round> {
    if model.spec.algorithm().learns() == Learns::AfterReadingAll {
        return learn_after_reading(model, points);
    }
    let mut rows = Rows::default();
    points.iter().for_each(|point| rows.push_row(point.row(Storage::Sparse)));
    let labels: Vec<u32> = points.iter().map(|point| u32::from(point.y == Label::Positive)).collect();
    let texts = ["-1", "+1"].map(String::from);
    let mut lent = BorrowedRows::new("points", &rows, model.features, &texts, &labels, None).unwrap();
    let mut notes = Notes::default();
    lent.go_on(model, None, 1 << 30, &mut notes).unwrap();
    notes.0
}

/// The trials of a learner that has been shown all rows, and goes on with some of them: no run of the library does
/// that, so they are counted here.
fn learn_after_reading(model: &mut Model, points: &[Point]) -> Vec<Round> {
    let mut scratch = Scratch::default();
    if model.counts.passes.is_empty() {
        model.begin_pass();
    }
    let trial = |point: &Point| {
        let x = model.stages.apply(point.row(Storage::Sparse), &mut scratch);
        let round = model.learner.alone().unwrap().round(&Example::new(x, point.y));
        let pass = &mut model.counts.passes[0];
        pass.trials += 1;
        pass.mistakes += u64::from(round.is_mistake(point.y));
        pass.updates += u64::from(round.step == Step::Update);
        model.counts.classes[usize::from(point.y == Label::Positive)] += 1;
        round
    };
    points.iter().map(trial).collect()
}

#[test]
fn a_model_file_goes_on_to_the_bit_and_keeps_everything() {
    for spec in all() {
        for points in sets() {
            let cut = points.len() / 2;
            let mut whole = model_of(&spec, &points);
            let expected = bits(&learn(&mut whole, &points));

            let mut model = model_of(&spec, &points);
            model.shuffle = Some(u64::MAX);
            model.margin = Some(0.1 + 0.2);
            let mut rounds = learn(&mut model, &points[..cut]);
            let bytes = model.to_bytes().unwrap();
            assert_eq!(model.to_bytes().unwrap(), bytes, "{spec}: saving changed the model");
            let mut model = Model::from_bytes(&bytes).unwrap();
            assert_eq!(model.to_bytes().unwrap(), bytes, "{spec}: another file after loading");
            assert_eq!((&model.spec, model.features, model.shuffle), (&spec, features(&points), Some(u64::MAX)));
            assert_eq!((model.margin, &model.stages), (Some(0.1 + 0.2), &whole.stages));
            assert_eq!(model.classes, whole.classes);
            assert_eq!(model.counts.total().trials, cut as u64);
            (model.shuffle, model.margin) = (None, None);
            rounds.extend(learn(&mut model, &points[cut..]));
            assert_eq!(bits(&rounds), expected, "{spec}");
            assert_eq!(model.counts, whole.counts, "{spec}");
            assert_eq!(model.to_bytes().unwrap(), whole.to_bytes().unwrap(), "{spec}: another file than one run's");

            let flags = mistakes(&rounds, &points);
            let updates = rounds.iter().filter(|round| round.step == Step::Update).count() as u64;
            let mistakes = flags.iter().filter(|&&flag| flag).count() as u64;
            assert_eq!(model.counts.total(), PassCounts { trials: points.len() as u64, mistakes, updates });
        }
    }
}

/// Cut anywhere, or with any byte changed, a model file is refused, or it is still the same model.
#[test]
fn a_damaged_model_file_is_refused() {
    let mut random = Random::new(9);
    for algorithm in ALGORITHMS {
        let points = noisy(10, 30, 6, 0.3);
        let spec = Spec::of(algorithm);
        let mut model = if spec.is_batch() {
            let fresh = Recipe::of(spec, stages(&["l2", "bias:value=0.25"]));
            onlinear::learn(plan(&points, 1), Start::Fresh(fresh), &mut ()).unwrap().model
        } else {
            let mut model = model_of(&spec, &points);
            learn(&mut model, &points);
            model
        };
        let bytes = model.to_bytes().unwrap();
        for cut in 0..bytes.len() {
            assert!(Model::from_bytes(&bytes[..cut]).is_err(), "{}: cut at {cut}", algorithm.name);
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 + random.index(255) as u8;
            if let Ok(mut loaded) = Model::from_bytes(&changed) {
                assert!(
                    loaded.to_bytes().unwrap() == bytes,
                    "{}: byte {at} changed, and it went unseen",
                    algorithm.name
                );
            }
        }
    }
}

/// The points as a file of LIBSVM text.
fn file(points: &[Point]) -> Input {
    let mut text = String::new();
    for point in points {
        text.push_str(if point.y == Label::Positive { "+1" } else { "-1" });
        point.row(Storage::Sparse).for_each(|i, v| text.push_str(&format!(" {}:{v}", i + 1)));
        text.push('\n');
    }
    memory(text.into_bytes())
}

pub fn plan(points: &[Point], passes: u64) -> Plan {
    crate::support::plan(file(points), passes)
}

#[test]
fn resuming_is_one_long_run_to_the_bit() {
    let points = noisy(7, 200, 20, 0.0); // every row has every feature: all parts know as many
    let (mut resumed, mut blown_up) = (0, 0);
    for spec in all().filter(|spec| spec.algorithm().learns() == Learns::RowByRow) {
        for (list, shuffle) in [(&[][..], None), (&["l2", "bias"], Some(3))] {
            let fresh = || Start::Fresh(Recipe { shuffle, ..Recipe::of(spec.clone(), stages(list)) });
            let from = |plan: Plan, start: Start| onlinear::learn(plan, start, &mut ()).unwrap().model;
            let reload =
                |mut model: Model| Start::Resume(Box::new(Model::from_bytes(&model.to_bytes().unwrap()).unwrap()));

            // What blows up on rows of any length (as the higher-order Perceptron, whose warning says so) has
            // nothing to resume; on rows of length 1 nothing does.
            let long = match onlinear::learn(plan(&points, 5), fresh(), &mut ()) {
                Ok(mut outcome) => outcome.model.to_bytes().unwrap(),
                Err(error) => {
                    assert!(list.is_empty() && error.to_string().contains("too large"), "{spec}: {error}");
                    blown_up += 1;
                    continue;
                }
            };
            resumed += 1;
            let two = from(plan(&points, 2), fresh());
            assert_eq!(two.counts.passes.len(), 2);
            let five = from(plan(&points, 3), reload(two)).to_bytes().unwrap();
            assert!(long == five, "{spec}: 5 passes are not 2 and 3");

            if shuffle.is_none() {
                let whole = from(plan(&points, 1), fresh()).to_bytes().unwrap();
                let half = from(plan(&points[..80], 1), fresh());
                let rest = from(plan(&points[80..], 1), reload(half)).to_bytes().unwrap();
                assert!(whole == rest, "{spec}: one file is not its two parts");
            }
        }
    }
    assert!(resumed > 20 * blown_up, "{resumed} resumed, {blown_up} blown up");
}

/// What is saved can be loaded: a model whose numbers have grown too large is not saved at all.
#[test]
fn a_model_that_was_saved_can_be_loaded() {
    let mut saved = [0, 0];
    for spec in all() {
        for size in [1e300, 1e155, 1e-155, 1e-300] {
            for rows in [1, 2, 3, 40] {
                let points: Vec<Point> = noisy(8, rows, 4, 0.2).iter().map(|point| point.scaled(size)).collect();
                let fresh = Recipe::of(spec.clone(), Vec::new());
                let mut outcome = match onlinear::learn(plan(&points, 1), Start::Fresh(fresh), &mut ()) {
                    Ok(outcome) => outcome,
                    Err(error) => {
                        let is_expected =
                            error.to_string().contains("too large") || spec.algorithm().learns() != Learns::RowByRow;
                        assert!(is_expected, "{spec}: {error}");
                        saved[1] += 1;
                        continue;
                    }
                };
                match outcome.model.to_bytes() {
                    Ok(bytes) => {
                        saved[0] += 1;
                        let loaded = Model::from_bytes(&bytes);
                        assert!(loaded.is_ok(), "{spec}, {rows} rows of size {size:e}: {}", loaded.err().unwrap());
                    }
                    Err(error) => assert!(error.to_string().contains("not finite"), "{spec}: {error}"),
                }
            }
        }
    }
    assert!(saved[0] > saved[1], "{} saved, {} not learned", saved[0], saved[1]);
}

/// A few rows of few features, of any size, met again and again: the matrices over them are as singular as can be.
fn repeated(random: &mut Random) -> Vec<Point> {
    let (features, size) = (1 + random.index(3), 10f64.powf(9.0 * random.uniform()));
    let one = |random: &mut Random| (0..features).map(|_| (size * random.gauss()).round()).collect::<Vec<f64>>();
    let few: Vec<Vec<f64>> = (0..1 + random.index(4)).map(|_| one(random)).collect();
    (0..4 + random.index(20))
        .map(|_| Point::new(few[random.index(few.len())].clone(), label(random.chance(0.5))))
        .collect()
}

/// What the loader verifies is true of whatever a learner computes, however little is left of it by rounding.
#[test]
fn rows_that_depend_on_each_other_leave_a_model_that_loads() {
    let sets = if std::env::var_os("ONLINEAR_LONG").is_some() { 1000 } else { 25 };
    let mut random = Random::new(9);
    for _ in 0..sets {
        let points = repeated(&mut random);
        for spec in all() {
            let mut learner = ready(&spec, &points);
            let rounds = run(learner.as_mut(), &points, Storage::Dense);
            if rounds.iter().all(|round| round.score.is_finite()) {
                copy(&spec, learner.as_mut());
            }
        }
    }
}

/// Every row without a non-zero component, in every storage.
const NOTHING: [Row<'static>; 4] = [
    Row::Dense(&[]),
    Row::Dense(&[0.0, -0.0, 0.0]),
    Row::Sparse { indices: &[], values: &[] },
    Row::Sparse { indices: &[1, 4], values: &[0.0, -0.0] },
];

#[test]
fn a_row_of_zeros_scores_zero_and_changes_nothing() {
    for spec in all().filter(|spec| square_of_nothing(spec) == 0.0) {
        let points = &sets()[0];
        let mut learner = ready(&spec, points);
        for point in points.iter().take(60) {
            let before: Vec<u64> = points.iter().map(|p| learner.score(p.row(Storage::Sparse)).to_bits()).collect();
            for (row, y) in NOTHING.iter().flat_map(|row| [(row, Label::Positive), (row, Label::Negative)]) {
                assert_eq!(learner.score(*row), 0.0, "{spec}");
                assert_eq!(learner.leaves().score(*row), 0.0, "{spec}");
                let round = learner.round(&Example::new(*row, y));
                assert_eq!((round.score, round.step), (0.0, Step::Stay), "{spec}");
            }
            let after: Vec<u64> = points.iter().map(|p| learner.score(p.row(Storage::Sparse)).to_bits()).collect();
            assert_eq!(before, after, "{spec}");
            assert!(learner.round(&point.example(Storage::Sparse)).score.is_finite(), "{spec}");
        }
        let weights = weight_vector(learner.as_ref()).unwrap_or_default();
        assert!(weights.iter().all(|w| w.is_finite()), "{spec}: {weights:?}");
    }
}

/// A trial whose label is not revealed leaves what a row without components does. Not of learners that ask: they draw
/// where there is a label to ask for.
#[test]
fn a_trial_without_a_label_is_one_that_changes_nothing() {
    let points = &sets()[0];
    for spec in all().filter(|spec| square_of_nothing(spec) == 0.0) {
        let mut learner = ready(&spec, points);
        if learner.asks().is_some() {
            continue;
        }
        run(learner.as_mut(), &points[..40], Storage::Sparse);
        let mut other = copy(&spec, learner.as_mut());
        for _ in 0..3 {
            learner.round(&Example::new(NOTHING[0], Label::Positive));
            other.begin(NOTHING[0], None);
        }
        other.withhold(3);
        let [all, labelled] = [&mut learner, &mut other].map(|learner| {
            let scores: Vec<u64> =
                points.iter().map(|point| learner.leaves().score(point.row(Storage::Sparse)).to_bits()).collect();
            (scores, bits(&run(learner.as_mut(), &points[40..], Storage::Sparse)))
        });
        assert_eq!(all, labelled, "{spec}");
    }
}

/// Where K(0,0) is not 0, a row of zeros is a row like any other.
#[test]
fn a_row_of_zeros_is_learned_where_the_kernel_sees_it() {
    for spec in all().filter(|spec| square_of_nothing(spec) > 0.0) {
        let points = &sets()[0];
        let mut learner = ready(&spec, points);
        for (t, point) in points.iter().take(60).enumerate() {
            let scores = NOTHING.map(|row| learner.score(row).to_bits());
            assert!(scores.iter().all(|score| *score == scores[0]), "{spec}: storage makes a difference");
            let y = if t % 2 == 0 { Label::Positive } else { Label::Negative };
            let round = learner.round(&Example::new(NOTHING[t % 4], y));
            assert_eq!(round.score.to_bits(), scores[0], "{spec}");
            let after = learner.score(NOTHING[0]);
            if round.is_mistake(y) {
                assert_eq!(round.step, Step::Update, "{spec}, trial {t}");
                assert!(y.sign() * (after - round.score) > 0.0, "{spec}, trial {t}: {} then {after}", round.score);
            }
            assert!(learner.round(&point.example(Storage::Sparse)).score.is_finite(), "{spec}");
        }
    }
}

/// The empty row first of all, when nothing is known about the features.
#[test]
fn a_first_row_without_features_scores_zero() {
    for spec in all() {
        for row in NOTHING {
            let mut learner = spec.online().unwrap();
            let round = learner.round(&Example::new(row, Label::Positive));
            if square_of_nothing(&spec) > 0.0 {
                assert_eq!((round.score, round.step), (0.0, Step::Update), "{spec}");
                assert!(learner.leaves().score(row) > 0.0, "{spec}");
            } else {
                assert_eq!((round.score, round.step), (0.0, Step::Stay), "{spec}");
                assert_eq!(learner.leaves().score(row), 0.0, "{spec}");
            }
            let weights = weight_vector(learner.as_ref()).unwrap_or_default();
            assert!(weights.iter().all(|w| w.is_finite()), "{spec}: {weights:?}");
            let points = &sets()[1];
            let rounds = run(learner.as_mut(), points, Storage::Sparse);
            assert!(rounds.iter().all(|round| round.score.is_finite()), "{spec}");
        }
    }
}

/// Whether a number of the learner's is found out on the way, so that a correct trial may move the scores all the
/// same: by a new largest norm.
fn finds_a_number_out(spec: &Spec) -> bool {
    let is_open = |parameter: &Parameter| match parameter.kind {
        Kind::NumberOr(_, word) => spec.get(parameter.name) == Some(Value::Choice(word)),
        _ => false,
    };
    spec.algorithm().parameters.iter().any(is_open)
}

#[test]
fn a_trial_that_is_no_update_leaves_the_hypothesis_alone() {
    let (mut stays, mut moves) = (0, 0);
    for spec in all() {
        let points = &sets()[0];
        let mut learner = ready(&spec, points);
        let scores = |learner: &dyn Learner| {
            points.iter().map(|p| learner.score(p.row(Storage::Dense)).to_bits()).collect::<Vec<_>>()
        };
        let mut before = scores(learner.as_ref());
        for (t, point) in points.iter().enumerate() {
            let round = learner.round(&point.example(Storage::Dense));
            let after = scores(learner.as_ref());
            if round.step == Step::Stay && before == after {
                stays += 1;
            } else if round.step == Step::Stay {
                assert!(finds_a_number_out(&spec), "{spec}, trial {t}");
                moves += 1;
            }
            before = after;
        }
    }
    assert!(moves > 0 && stays > 100 * moves, "{moves} correct trials of {stays} moved the scores");
}

/// Whatever the model is to be, the trials are the same; it is the last hypothesis, the mean of those after each
/// trial, or the first of those that survived most trials.
#[test]
fn the_output_is_the_hypothesis_that_it_names() {
    let with = |spec: &Spec, output: &str| Spec::varied(&spec.to_string(), &[("output", output)]);
    let mut learners = [0, 0];
    for spec in all().filter(|spec| spec.get("output") == Some(Value::Choice("last"))) {
        for points in &sets()[..2] {
            let probes: Vec<Row<'_>> = points.iter().step_by(30).map(|point| point.row(Storage::Sparse)).collect();
            let mut learner = ready(&spec, points);
            let (mut rounds, mut hypotheses) = (Vec::new(), vec![(vec![0.0; probes.len()], 0.0)]);
            for point in points {
                let round = learner.round(&point.example(Storage::Sparse));
                let scores: Vec<f64> = probes.iter().map(|&x| learner.score(x)).collect();
                let last: Vec<f64> = probes.iter().map(|&x| learner.leaves().score(x)).collect();
                assert_eq!(last, scores, "{spec}");
                match (round.step, hypotheses.last_mut()) {
                    (Step::Stay, Some((_, survived))) => *survived += 1.0,
                    _ => hypotheses.push((scores, 1.0)),
                }
                rounds.push(round);
            }
            let after = |spec: &Spec| {
                let mut learner = ready(spec, points);
                let same = run(learner.as_mut(), points, Storage::Sparse);
                assert_eq!(bits(&same), bits(&rounds), "{spec}: another trace");
                probes.iter().map(|&x| learner.leaves().score(x)).collect::<Vec<f64>>()
            };
            let most = hypotheses.iter().fold(0.0, |most, (_, survived)| f64::max(most, *survived));
            let longest = hypotheses.iter().find(|(_, survived)| *survived == most).unwrap();
            assert_eq!(after(&with(&spec, "longest").unwrap()), longest.0, "{spec}");
            learners[0] += 1;
            let averaging = match with(&spec, "averaged") {
                Ok(averaging) => averaging,
                // A learner that throws vectors away has no mean.
                Err(error) => {
                    assert!(error.is_usage() && error.to_string().contains("output=averaged"), "{spec}: {error}");
                    continue;
                }
            };
            for (i, mean) in after(&averaging).into_iter().enumerate() {
                let sum: f64 = hypotheses.iter().map(|(scores, survived)| scores[i] * survived).sum();
                assert!(is_close(mean, sum / points.len() as f64, 1e-9), "{averaging}: {mean}");
            }
            learners[1] += 1;
        }
    }
    assert!(learners[0] > 100 && learners[1] > 60, "{learners:?}");
}

#[test]
fn features_may_turn_up_late() {
    for spec in all() {
        let late = late_features(5);
        let padded: Vec<Point> = late.iter().map(|p| Point::of(p.row(Storage::Dense), 45, p.y)).collect();
        let known = trace(&spec, &padded, Storage::Sparse);
        for storage in STORAGES {
            let learned = run(unprepared(&spec, &late).as_mut(), &late, storage);
            if spec.needs_feature_count() {
                // The scale of the scores may depend on the number of features; decisions may not.
                assert_eq!(mistakes(&learned, &late), mistakes(&known, &late), "{spec}, {storage:?}");
                assert_alike(&run(ready(&spec, &padded).as_mut(), &late, storage), &known, &late, &spec.to_string());
            } else {
                assert_alike(&learned, &known, &late, &spec.to_string());
            }
        }
    }
}

/// Where the first scores are 0 neither class is the nearer one; plain Winnow's weights are never negative.
#[test]
fn flipped_labels_flip_the_scores() {
    let (mut odd, mut others) = (0, 0);
    for spec in all() {
        for points in sets() {
            let first = ready(&spec, &points);
            if points.iter().any(|point| first.score(point.row(Storage::Sparse)) != 0.0) {
                others += 1;
                continue;
            }
            odd += 1;
            let flipped: Vec<Point> = points.iter().map(Point::flipped).collect();
            let (a, b) = (trace(&spec, &points, Storage::Sparse), trace(&spec, &flipped, Storage::Sparse));
            let negated: Vec<Round> = b.iter().map(|round| Round { score: -round.score, ..*round }).collect();
            assert_eq!(bits(&a), bits(&negated), "{spec}");
            assert_eq!(mistakes(&a, &points), mistakes(&b, &flipped), "{spec}");
        }
    }
    assert!(odd > 50 * others, "{others} of {odd} start with a class");
}

#[test]
fn sample_weights_of_one_change_nothing_and_others_do() {
    // Rows so short and a weight so small that the C of PA-I bounds the first step: a step that it does
    // not bound feels no weight.
    let points: Vec<Point> = sets()[0].iter().map(|point| point.scaled(0.1)).collect();
    let with_first = |spec: &Spec, weight: f64| {
        let mut learner = ready(spec, &points);
        let weight_of = |t: usize| if t == 0 { weight } else { 1.0 };
        let example =
            |(t, point): (usize, &Point)| learner.round(&point.example(Storage::Sparse).weighing(weight_of(t)));
        let rounds: Vec<Round> = points.iter().enumerate().map(example).collect();
        bits(&rounds)
    };
    for spec in all().filter(|spec| spec.takes_weights()) {
        let plain = bits(&trace(&spec, &points, Storage::Sparse));
        assert_eq!(with_first(&spec, 1.0), plain, "{spec}");
        assert!(with_first(&spec, 0.01) != plain, "{spec}: the weight makes no difference");
        assert_eq!(with_first(&spec, 0.0)[0].1, Step::Stay, "{spec}: a row of weight 0 is no update");
    }
}

#[test]
fn rows_multiplied_by_a_number_scale_the_scores_where_the_rule_says_so() {
    let mut scaling = std::collections::BTreeSet::new();
    for spec in all() {
        // With p in the hundreds the scores themselves reach down to 1e-310: no room to scale.
        if spec.own_norm().is_some_and(|p| p > 100.0) {
            continue;
        }
        for points in sets() {
            let Some(degree) = degree(&spec, &points) else { continue };
            scaling.insert(spec.algorithm().name);
            let kernel_degree = kernel_degree(&spec);
            let plain = trace(&spec, &points, Storage::Sparse);
            // Powers of 2, so that rounding has no part in it.
            for exponent in [-352, -332, -173, -23, -3, 3, 23, 166, 332] {
                // A kernel value beyond the range of numbers does not scale.
                if kernel_degree.is_some_and(|degree| (degree * exponent).abs() > 704) {
                    continue;
                }
                let scaled: Vec<Point> = points.iter().map(|point| point.scaled(2f64.powi(exponent))).collect();
                let rounds = trace(&spec, &scaled, Storage::Sparse);
                let unscale = |round: &Round| Round { score: round.score * 2f64.powi(-degree * exponent), ..*round };
                let unscaled: Vec<Round> = rounds.iter().map(unscale).collect();
                assert_alike(&unscaled, &plain, &points, &format!("{spec}, rows times 2^{exponent}"));
            }
        }
    }
    assert!(scaling.len() >= 12, "only {scaling:?}");
}

#[test]
fn huge_and_tiny_rows_never_panic() {
    let sizes = [1e300, -1e300, f64::MAX, 1e-300, 5e-324, 1e155, 1.0];
    for spec in all() {
        for storage in STORAGES {
            let mut learner = spec.online().unwrap();
            let mut random = Random::new(6);
            for t in 0..200 {
                let x: Vec<f64> =
                    (0..6).map(|_| if random.chance(0.5) { sizes[random.index(sizes.len())] } else { 0.0 }).collect();
                let point = Point::new(x, if t % 3 == 0 { Label::Positive } else { Label::Negative });
                learner.score(point.row(storage));
                learner.round(&point.example(storage));
                learner.leaves().score(point.row(storage));
            }
            weight_vector(learner.as_ref());
            copy_if_possible(&spec, learner.as_mut());
        }
    }
}

/// A state full of infinities may be refused, but not with a panic.
fn copy_if_possible(spec: &Spec, learner: &mut dyn Learner) {
    let mut saved = onlinear::State::saving();
    learner.state(&mut saved).unwrap();
    let _ = spec.online().unwrap().state(&mut onlinear::State::loading(saved.into_tensors()));
}

#[test]
fn every_bound_of_every_parameter_is_refused_by_name() {
    for algorithm in ALGORITHMS {
        for parameter in algorithm.parameters {
            let (accepted, refused) = around_the_bounds(&parameter.kind);
            for key in parameter.aliases.iter().chain([&parameter.name]) {
                let parse = |value: &String| format!("{}:{key}={value}", algorithm.name).parse::<Spec>();
                for value in &accepted {
                    // A value in range may still not go with the defaults of the others.
                    let at_odds =
                        |error: String| error.contains(&format!("{}=", parameter.name)) && error.contains("expected");
                    let accepted = parse(value).map_or_else(|error| at_odds(error.to_string()), |_| true);
                    assert!(accepted, "{}:{key}={value}", algorithm.name);
                }
                let is_word = |value: &&String| matches!(parameter.kind, Kind::NumberOr(_, word) if word == **value);
                for value in refused.iter().filter(|value| !is_word(value)) {
                    let error = parse(value).expect_err(&format!("{}:{key}={value}", algorithm.name));
                    assert!(error.is_usage(), "{error}");
                    let start = format!("{}: {key}={value} is ", algorithm.name);
                    assert!(error.to_string().starts_with(&start), "{error}");
                }
            }
        }
        let unknown = format!("{}:no-such-parameter=1", algorithm.name).parse::<Spec>().unwrap_err();
        assert!(unknown.is_usage() && unknown.to_string().contains("no-such-parameter"), "{unknown}");
    }
}

/// Values just inside the bounds of a parameter, and values just outside.
fn around_the_bounds(kind: &Kind) -> (Vec<String>, Vec<String>) {
    let text = |number: f64| format!("{number:e}");
    match kind {
        Kind::NumberOr(range, word) => {
            let (mut accepted, refused) = around_the_bounds(&Kind::Number(*range));
            accepted.push(word.to_string());
            (accepted, refused)
        }
        Kind::Width => around_the_bounds(&Kind::NumberOr(Range::POSITIVE, Kind::FOUND)),
        Kind::Number(range) => {
            let (mut accepted, mut refused) =
                (Vec::new(), vec!["NaN".to_string(), "inf".to_string(), "-inf".to_string(), "x".to_string()]);
            for ((bound, allowed), inwards, outwards) in [
                (range.low, f64::next_up as fn(f64) -> f64, f64::next_down as fn(f64) -> f64),
                (range.high, f64::next_down, f64::next_up),
            ] {
                accepted.push(text(inwards(bound)));
                if bound.is_finite() {
                    refused.push(text(outwards(bound)));
                    if allowed { accepted.push(text(bound)) } else { refused.push(text(bound)) }
                }
            }
            (accepted, refused)
        }
        Kind::Integer { low, high } => {
            let accepted = vec![low.to_string(), high.to_string()];
            let below = if *low == 0 { "-1".to_string() } else { (low - 1).to_string() };
            (accepted, vec![below, (high + 1).to_string(), format!("{low}.5"), "NaN".to_string(), "inf".to_string()])
        }
        Kind::Flag => {
            (vec!["true".to_string(), "false".to_string()], vec!["maybe".to_string(), "1".to_string(), String::new()])
        }
        Kind::Choice(words) => {
            (words.iter().map(|word| word.to_string()).collect(), vec!["nonsense".to_string(), String::new()])
        }
        Kind::Learner(_) => (vec!["fld".to_string()], vec!["nonsense".to_string(), String::new()]),
    }
}

#[test]
fn a_spec_prints_what_it_reads() {
    for spec in all() {
        let text = spec.to_string();
        let again: Spec = text.parse().unwrap();
        assert_eq!((&again, again.to_string()), (&spec, text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn any_number_in_range_is_printed_and_read_back(
        which in any::<prop::sample::Index>(),
        bits in any::<u64>(),
        unit in 0.0..1.0f64,
    ) {
        let all = ALGORITHMS.iter().flat_map(|a| a.parameters.iter().map(move |p| (a, p)));
        let number = |(a, p): (&'static Algorithm, &'static Parameter)| match p.kind {
            Kind::Number(range) => Some((a, p, range)),
            _ => None,
        };
        let numbers: Vec<_> = all.map(|(a, p)| (*a, p)).filter_map(number).collect();
        let (algorithm, parameter, range) = which.get(&numbers);
        let inside = range.low.0.max(0.0) + unit * (range.high.0.min(1e6) - range.low.0.max(0.0));
        for value in [f64::from_bits(bits), inside].into_iter().filter(|v| v.is_finite() && range.contains(*v)) {
            let spec = spec(&format!("{}:{}={value:e}", algorithm.name, parameter.name));
            prop_assert_eq!(spec.get(parameter.name), Some(Value::Number(value)));
            prop_assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec);
        }
    }

    #[test]
    fn any_text_is_a_spec_or_an_error(text in "(perceptron|winnow|p-norm|alma)?[:a-z=,0-9.-]{0,20}") {
        if let Ok(spec) = text.parse::<Spec>() {
            prop_assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec);
        }
    }
}
