//! Rows, runs and comparisons that all tests share.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use onlinear::workshop::{AnyLearner, Classifier, LabelTable, Random};
use onlinear::{
    Batch, Classes, Example, Expected, Input, Keep, Label, LabelChoice, Learner, Passes, Plan, Predictor, ReadOptions,
    Round, Row, Spec, StageSpec, State, Step, open, rounds,
};

/// A row that can be shown to a learner in either storage.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Every component.
    pub dense: Vec<f64>,
    indices: Vec<u32>,
    values: Vec<f64>,
    /// Its label.
    pub y: Label,
}

/// How a row is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Storage {
    Dense,
    Sparse,
}

pub const STORAGES: [Storage; 2] = [Storage::Dense, Storage::Sparse];

impl Point {
    pub fn new(dense: Vec<f64>, y: Label) -> Point {
        let (indices, values) =
            dense.iter().enumerate().filter(|(_, v)| **v != 0.0).map(|(i, &v)| (i as u32, v)).unzip();
        Point { dense, indices, values, y }
    }

    /// `row` with zeros behind it up to `features` components.
    pub fn of(row: Row<'_>, features: usize, y: Label) -> Point {
        let mut dense = vec![0.0; features.max(row.dimension())];
        row.for_each(|i, v| dense[i] = v);
        Point::new(dense, y)
    }

    /// The row, sparse even where it has no zeros.
    pub fn row(&self, storage: Storage) -> Row<'_> {
        match storage {
            Storage::Dense => Row::Dense(&self.dense),
            Storage::Sparse => Row::Sparse { indices: &self.indices, values: &self.values },
        }
    }

    pub fn example(&self, storage: Storage) -> Example<'_> {
        Example::new(self.row(storage), self.y)
    }

    pub fn flipped(&self) -> Point {
        Point { y: self.y.flipped(), ..self.clone() }
    }

    pub fn scaled(&self, factor: f64) -> Point {
        Point::new(self.dense.iter().map(|v| v * factor).collect(), self.y)
    }

    /// The same row without the zeros at its end.
    pub fn trimmed(&self) -> Point {
        let length = self.dense.iter().rposition(|&v| v != 0.0).map_or(0, |last| last + 1);
        Point::new(self.dense[..length].to_vec(), self.y)
    }
}

pub fn label(positive: bool) -> Label {
    if positive { Label::Positive } else { Label::Negative }
}

pub fn stages(texts: &[&str]) -> Vec<StageSpec> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// The learner that `text` names.
pub fn spec(text: &str) -> Spec {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// `rows` noisy points, labelled by a random direction with every sixth label wrong on average; a
/// component is 0 with probability `zeros`.
pub fn noisy(seed: u64, rows: usize, features: usize, zeros: f64) -> Vec<Point> {
    let mut random = Random::new(seed);
    let target: Vec<f64> = (0..features).map(|_| random.gauss()).collect();
    (0..rows)
        .map(|_| {
            let x: Vec<f64> = (0..features).map(|_| if random.chance(zeros) { 0.0 } else { random.gauss() }).collect();
            let positive = (dot(&target, &x) >= 0.0) != random.chance(1.0 / 6.0);
            Point::new(x, label(positive))
        })
        .collect()
}

/// The same with small whole numbers: sums of their products are exact in any order.
pub fn integers(seed: u64, rows: usize, features: usize) -> Vec<Point> {
    let round = |point: &Point| Point::new(point.dense.iter().map(|v| (2.0 * v).round()).collect(), point.y);
    noisy(seed, rows, features, 0.3).iter().map(round).collect()
}

/// Σ aᵢ bᵢ, plainly.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// ‖x‖_p, plainly but without overflow.
pub fn norm(x: &[f64], p: f64) -> f64 {
    let largest = x.iter().fold(0f64, |largest, v| largest.max(v.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * x.iter().map(|v| (v.abs() / largest).powf(p)).sum::<f64>().powf(1.0 / p)
}

/// sgn(θᵢ)|θᵢ|^{p−1}/‖θ‖_p^{p−2}, straight from the definition.
pub fn link(theta: &[f64], p: f64) -> Vec<f64> {
    let length = norm(theta, p);
    let one = |t: &f64| if length == 0.0 { 0.0 } else { (t.abs() / length).powf(p - 1.0).copysign(*t) * length };
    theta.iter().map(one).collect()
}

/// A run of so many passes over a file.
pub fn plan(input: Input, passes: u64) -> Plan {
    Plan {
        input,
        read: ReadOptions::default(),
        labels: LabelChoice::default(),
        passes: Passes::Exactly(passes),
        keep: Keep { limit: None, cache: false, max_memory: 1 << 30 },
        train_error: false,
        holdout: None,
    }
}

/// The trials of `learner` on `points` in order.
pub fn run(learner: &mut dyn Learner, points: &[Point], storage: Storage) -> Vec<Round> {
    points.iter().map(|point| learner.round(&point.example(storage))).collect()
}

/// The trials of a fresh learner that knows the number of features.
pub fn trace(spec: &Spec, points: &[Point], storage: Storage) -> Vec<Round> {
    run(ready(spec, points).as_mut(), points, storage)
}

/// A fresh learner that knows what it must know before it meets `points`.
pub fn ready(spec: &Spec, points: &[Point]) -> Box<dyn Learner> {
    read_ahead(fresh(spec, features(points)), points)
}

/// A fresh learner that knows nothing of `points` but what it cannot do without.
pub fn unprepared(spec: &Spec, points: &[Point]) -> Box<dyn Learner> {
    read_ahead(spec.online().unwrap(), points)
}

fn read_ahead(mut learner: Box<dyn Learner>, points: &[Point]) -> Box<dyn Learner> {
    if let Some(ahead) = learner.reads_ahead() {
        points.iter().for_each(|point| ahead.read(point.row(Storage::Sparse)));
        ahead.end().unwrap();
    }
    learner
}

pub fn fresh(spec: &Spec, features: usize) -> Box<dyn Learner> {
    let mut learner = spec.online().unwrap();
    learner.prepare(&Expected { features: Some(features), ..Expected::default() }).unwrap();
    learner
}

pub fn features(points: &[Point]) -> usize {
    points.iter().map(|point| point.dense.len()).max().unwrap_or(0)
}

/// Which trials were mistakes.
pub fn mistakes(rounds: &[Round], points: &[Point]) -> Vec<bool> {
    rounds.iter().zip(points).map(|(round, point)| round.is_mistake(point.y)).collect()
}

pub fn count(flags: &[bool]) -> usize {
    flags.iter().filter(|&&flag| flag).count()
}

/// Scores and steps as bits, for comparisons that allow no difference at all.
pub fn bits(rounds: &[Round]) -> Vec<(u64, Step)> {
    rounds.iter().map(|round| ((round.score + 0.0).to_bits(), round.step)).collect()
}

/// Whether two numbers agree to `tolerance`, relative to the larger of 1 and the second.
pub fn is_close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs().max(1.0)
}

/// Asserts that two traces agree to 1e-9 and make the same mistakes.
pub fn assert_alike(a: &[Round], b: &[Round], points: &[Point], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (t, ((a, b), point)) in a.iter().zip(b).zip(points).enumerate() {
        assert!(is_close(a.score, b.score, 1e-9), "{what}, trial {t}: {} and {}", a.score, b.score);
        assert_eq!(a.is_mistake(point.y), b.is_mistake(point.y), "{what}, trial {t}: {} and {}", a.score, b.score);
        assert_eq!(a.step, b.step, "{what}, trial {t}");
    }
}

/// The trials on `points` with rows announced in blocks of at most `size`, up to one that overflows.
pub fn run_ahead(learner: &mut dyn Learner, points: &[Point], storage: Storage, size: usize) -> Vec<Round> {
    let mut all = Vec::new();
    for block in points.chunks(size) {
        let examples: Vec<Example<'_>> = block.iter().map(|point| point.example(storage)).collect();
        let end = rounds(learner, &examples, |_, round| {
            all.push(round);
            ControlFlow::Continue(())
        });
        if end.is_err() {
            break;
        }
    }
    all
}

/// What a report calls its form.
pub fn form_of(learner: &dyn Predictor) -> &'static str {
    learner.facts().form.unwrap_or_else(|| learner.leaves().form())
}

/// The weight vector that it leaves behind, if there is one.
pub fn weight_vector(learner: &dyn Predictor) -> Option<Vec<f64>> {
    learner.leaves().weights().map(|weights| weights.into_owned())
}

/// A copy by way of the learner's own state.
pub fn copy(spec: &Spec, learner: &mut dyn Learner) -> Box<dyn Learner> {
    match copy_any(spec, learner) {
        AnyLearner::Online(copy) => copy,
        AnyLearner::FitsAll(_) => panic!("{spec} does not learn by trials"),
    }
}

/// A copy of a learner of either kind by way of its own state.
pub fn copy_any(spec: &Spec, learner: &mut dyn Predictor) -> AnyLearner {
    let mut saved = State::saving();
    learner.state(&mut saved).unwrap();
    let mut state = State::loading(saved.into_tensors());
    let mut copy = spec.learner();
    copy.state(&mut state).unwrap();
    assert!(state.into_tensors().is_empty(), "{spec}: not all of its state is loaded");
    copy
}

/// Two classes called -1 and +1.
pub fn plus_and_minus() -> Classes {
    let choice = LabelChoice { labels: Some(vec!["-1".to_string(), "+1".to_string()]), positive: None };
    Classes::decide(&LabelTable::default(), &choice, "test").unwrap()
}

pub fn memory(bytes: impl Into<Arc<[u8]>>) -> Input {
    Input::Memory { name: "test".into(), bytes: bytes.into() }
}

/// Every row of a file of -1 and +1 labels, and its number of features.
pub fn read_points(input: &Input) -> (Vec<Point>, usize) {
    let (mut reader, _) = open(input, &ReadOptions::default()).unwrap();
    let mut classifier = Classifier::new(plus_and_minus());
    let (mut batch, mut points) = (Batch::default(), Vec::new());
    while reader.read(&mut batch).unwrap() {
        for (i, &id) in batch.labels.iter().enumerate() {
            let y = Label::of_class(classifier.class_of(id, reader.labels()).expect("a label of -1 or +1"));
            points.push(Point::of(batch.rows.row(i), 0, y));
        }
    }
    (points, reader.features())
}

/// Every row of a file, and its label as a number.
pub fn read_classes(input: &Input) -> (Vec<Point>, Vec<usize>) {
    let (mut reader, _) = open(input, &ReadOptions::default()).unwrap();
    let (mut batch, mut points, mut classes) = (Batch::default(), Vec::new(), Vec::new());
    while reader.read(&mut batch).unwrap() {
        for (i, &id) in batch.labels.iter().enumerate() {
            points.push(Point::of(batch.rows.row(i), 0, Label::Positive));
            classes.push(reader.labels().text(id).parse().unwrap());
        }
    }
    (points, classes)
}

pub fn golden_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}
