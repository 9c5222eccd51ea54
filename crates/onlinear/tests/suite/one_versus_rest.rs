//! More than two classes: to the bit what a learner for each class against the rest does on its own.

use std::fmt::Write;

use onlinear::workshop::{ClassRound, Epoch, Learns, Random, Run};
use onlinear::{
    Classes, Error, Errors, Input, Keep, Label, LabelChoice, Model, Passes, Plan, ReadOptions, Recipe, Result, Round,
    Row, Rows, RowsInMemory, RunResult, ScoreScratch, Spec, Start, Watch, learn, predicted_class, test,
};

use crate::support::{memory, spec, stages};

/// In their sort order: numbers, then words.
const LABELS: [&str; 4] = ["9", "10", "ash", "oak"];

const SPECS: [&str; 17] = [
    "perceptron",
    "averaged",
    "voted",
    "passive-aggressive",
    "alma",
    "winnow",
    "whitened",
    "second-order",
    "second-order:kernel=gaussian",
    "higher-order",
    "perceptron:kernel=gaussian",
    "averaged:kernel=polynomial",
    "projectron:kernel=gaussian,tolerance=0.5",
    "forgetron:kernel=gaussian,budget=20",
    "rcd:epochs=20",
    "fld",
    "adaboost:base=rcd-bias,base.epochs=10,rounds=5",
];

/// A row and the number of its class.
type Point = (Vec<f64>, usize);

fn points(seed: u64, count: usize, features: usize) -> Vec<Point> {
    let mut random = Random::new(seed);
    let mut point = || {
        let x: Vec<f64> = (0..features).map(|_| random.gauss()).collect();
        let clear = usize::from(x[0] > 0.0) + 2 * usize::from(x[1] + x[2] > 0.0);
        (x, if random.chance(0.1) { random.index(4) } else { clear })
    };
    (0..count).map(|_| point()).collect()
}

fn text(points: &[Point]) -> String {
    let mut text = String::new();
    for (x, class) in points {
        text.push_str(LABELS[*class]);
        let non_zeros = x.iter().enumerate().filter(|(_, v)| **v != 0.0);
        non_zeros.for_each(|(j, v)| write!(text, " {}:{v}", j + 1).unwrap());
        text.push('\n');
    }
    text
}

fn input(points: &[Point]) -> Input {
    memory(text(points).into_bytes())
}

fn plan(points: &[Point], passes: u64, labels: LabelChoice) -> Plan {
    Plan { labels, train_error: true, ..crate::support::plan(input(points), passes) }
}

fn fresh(spec: &Spec, shuffle: Option<u64>) -> Recipe {
    let list: &[&str] = if spec.is_batch() { &["minmax", "bias"] } else { &["bias"] };
    Recipe { shuffle, ..Recipe::of(spec.clone(), stages(list)) }
}

/// Every trial and epoch of a run.
#[derive(Default)]
struct Notes {
    trials: Vec<(Label, Round)>,
    rest: Vec<ClassRound>,
    epochs: Vec<u64>,
    restarts: usize,
}

impl Watch for Notes {
    fn trial(&mut self, t: u64, y: Label, round: &Round) -> Result<()> {
        assert_eq!(t, self.trials.len() as u64);
        self.trials.push((y, *round));
        Ok(())
    }

    fn rest_trial(&mut self, t: u64, classes: &Classes, round: &ClassRound) -> Result<()> {
        assert!(t == self.rest.len() as u64 && round.class < classes.len() && classes.len() > 2);
        self.rest.push(*round);
        Ok(())
    }

    fn wants_epochs(&self) -> bool {
        true
    }

    fn epoch(&mut self, epoch: &Epoch) -> Result<()> {
        assert_eq!(epoch.epoch, self.epochs.len() as u64);
        self.epochs.push(epoch.errors.errors);
        Ok(())
    }

    fn restart(&mut self) -> Result<()> {
        *self = Notes { restarts: self.restarts + 1, ..Notes::default() };
        Ok(())
    }
}

fn run(points: &[Point], spec: &Spec, passes: u64, shuffle: Option<u64>, labels: LabelChoice) -> (RunResult, Notes) {
    let mut notes = Notes::default();
    let outcome = learn(plan(points, passes, labels), Start::Fresh(fresh(spec, shuffle)), &mut notes);
    (outcome.unwrap_or_else(|error| panic!("{spec}: {error}")), notes)
}

fn scores(model: &Model, points: &[Point]) -> Vec<u64> {
    let mut rows = Rows::default();
    points.iter().for_each(|(x, _)| rows.push_row(Row::Dense(x)));
    model.scores(&rows, &mut ScoreScratch::default()).iter().map(|score| (score + 0.0).to_bits()).collect()
}

/// The same for each class on its own.
fn alone(points: &[Point], spec: &Spec, passes: u64, shuffle: Option<u64>) -> Vec<(RunResult, Notes)> {
    let positive = |label: &&str| LabelChoice { positive: Some(label.to_string()), labels: None };
    LABELS.iter().map(|label| run(points, spec, passes, shuffle, positive(label))).collect()
}

fn check(points: &[Point], unseen: &[Point], spec: &Spec, passes: u64, shuffle: Option<u64>) {
    let (ours, notes) = run(points, spec, passes, shuffle, LabelChoice::default());
    let theirs = alone(points, spec, passes, shuffle);
    let what = format!("{spec}, {passes} passes");
    assert_eq!(ours.model.classes.names(), LABELS.map(String::from));

    let scored: Vec<Vec<u64>> = theirs.iter().map(|(outcome, _)| scores(&outcome.model, unseen)).collect();
    let expected: Vec<u64> = (0..unseen.len()).flat_map(|i| scored.iter().map(move |scores| scores[i])).collect();
    assert!(scores(&ours.model, unseen) == expected, "{what}: other scores");

    for (p, pass) in ours.model.counts.passes.iter().enumerate() {
        let sum = |count: fn(&onlinear::workshop::PassCounts) -> u64| -> u64 {
            theirs.iter().map(|(outcome, _)| count(&outcome.model.counts.passes[p])).sum()
        };
        assert_eq!(pass.trials, points.len() as u64);
        assert_eq!((pass.mistakes, pass.updates), (sum(|pass| pass.mistakes), sum(|pass| pass.updates)), "{what}");
    }
    for (t, round) in notes.rest.iter().enumerate() {
        let scores: Vec<f64> = theirs.iter().map(|(_, notes)| notes.trials[t].1.score).collect();
        let class = theirs.iter().position(|(_, notes)| notes.trials[t].0 == Label::Positive).unwrap();
        let mistakes = theirs.iter().filter(|(_, notes)| notes.trials[t].1.is_mistake(notes.trials[t].0)).count();
        assert_eq!(
            (round.class, round.predicted, round.mistakes),
            (class, predicted_class(&scores).unwrap(), mistakes as u64),
            "{what} at {t}"
        );
    }
    let wrong = notes.rest.iter().filter(|round| round.is_mistake()).count();
    assert_eq!(ours.model.counts.multiclass_mistakes, wrong as u64, "{what}");
    assert_eq!(notes.rest.len() as u64, ours.model.counts.total().trials, "{what}");
    let epochs = theirs.iter().map(|(_, notes)| notes.epochs.len()).max().unwrap();
    let summed: Vec<u64> = (0..epochs).map(|e| theirs.iter().map(|(_, notes)| notes.epochs[e]).sum()).collect();
    assert_eq!(notes.epochs, summed, "{what}");

    let predicted = expected
        .chunks_exact(4)
        .map(|bits| predicted_class(&bits.iter().map(|b| f64::from_bits(*b)).collect::<Vec<_>>()));
    let errors = predicted.zip(unseen).filter(|(predicted, (_, class))| *predicted != Some(*class)).count() as u64;
    let tested = Errors::from(&test(&ours.model, &input(unseen), &ours.model.read_options(), None, &mut ()).unwrap());
    assert_eq!(tested, Errors { examples: unseen.len() as u64, errors }, "{what}");
    let again = Errors::from(&test(&ours.model, &input(points), &ours.model.read_options(), None, &mut ()).unwrap());
    assert_eq!(ours.train, Some(again), "{what}");
    let supports: Option<usize> = theirs.iter().map(|(outcome, _)| outcome.model.learner.support()).sum();
    assert_eq!(ours.model.learner.support(), supports, "{what}");
}

#[test]
fn every_score_is_that_of_a_learner_on_its_own() {
    let (points, unseen) = (points(1, 150, 5), points(2, 90, 5));
    for spec in SPECS.map(spec) {
        check(&points, &unseen, &spec, 1, None);
        if !spec.is_batch() {
            check(&points, &unseen, &spec, 3, None);
            check(&points, &unseen, &spec, 2, Some(7));
        }
    }
}

/// Learners that meet sparse rows side by side.
const WITH_PLAIN_WEIGHTS: [&str; 7] = [
    "perceptron",
    "perceptron:output=longest",
    "averaged",
    "voted",
    "passive-aggressive:output=averaged",
    "arow:output=averaged",
    "arow:forgetting=0.1",
];

#[test]
fn sparse_rows_too() {
    let sparse = |seed: u64, count: usize| {
        let (mut random, mut points) = (Random::new(seed), points(seed, count, 40));
        for (x, _) in &mut points {
            x.iter_mut().skip(3).filter(|_| random.chance(0.7)).for_each(|v| *v = 0.0);
        }
        points
    };
    let (points, unseen) = (sparse(11, 200), sparse(12, 50));
    for spec in WITH_PLAIN_WEIGHTS.map(spec) {
        check(&points, &unseen, &spec, 1, None);
        check(&points, &unseen, &spec, 2, Some(7));
    }
}

/// More classes than stand side by side, features that turn up late, rows without gaps and without components.
#[test]
fn many_classes_are_each_on_their_own() {
    const CLASSES: usize = 21;
    let mut random = Random::new(13);
    let (mut text, mut rows) = (String::new(), Rows::default());
    for t in 0..300 {
        let class = random.index(CLASSES);
        write!(text, "{class}").unwrap();
        let indices: Vec<u32> = match t % 50 {
            7 => Vec::new(),
            8 => (0..30).collect(),
            _ => (0..40 + t / 4).filter(|_| random.chance(0.3)).collect(),
        };
        for &i in &indices {
            let value = random.gauss() + if i as usize % CLASSES == class { 2.0 } else { 0.0 };
            write!(text, " {}:{value}", i + 1).unwrap();
            rows.push(i, value);
        }
        text.push('\n');
        rows.end_row();
    }
    let run = |spec: &Spec, labels: LabelChoice| {
        let plan = Plan { labels, ..crate::support::plan(memory(text.clone().into_bytes()), 2) };
        let mut notes = Notes::default();
        let outcome = learn(plan, Start::Fresh(Recipe::of(spec.clone(), Vec::new())), &mut notes).unwrap();
        let scores = outcome.model.scores(&rows, &mut ScoreScratch::default());
        (scores.iter().map(|score| score.to_bits()).collect::<Vec<u64>>(), notes)
    };
    for spec in WITH_PLAIN_WEIGHTS.map(spec) {
        let (ours, rounds) = run(&spec, LabelChoice::default());
        let positive = |k: usize| LabelChoice { positive: Some(k.to_string()), labels: None };
        let theirs: Vec<_> = (0..CLASSES).map(|k| run(&spec, positive(k))).collect();
        for (k, (scores, _)) in theirs.iter().enumerate() {
            assert!(ours.iter().skip(k).step_by(CLASSES).eq(scores), "{spec}: class {k}");
        }
        for (t, round) in rounds.rest.iter().enumerate() {
            let scores: Vec<f64> = theirs.iter().map(|(_, notes)| notes.trials[t].1.score).collect();
            assert_eq!(Some(round.predicted), predicted_class(&scores), "{spec}: trial {t}");
            assert_eq!(round.score, scores[round.predicted], "{spec}: trial {t}");
        }
    }
}

/// Enough work for each block to be shared among threads.
#[test]
fn threads_do_not_show() {
    check(&points(3, 1500, 60), &points(4, 200, 60), &spec("perceptron:kernel=gaussian,sigma2=100"), 1, None);
    check(&points(5, 700, 150), &points(6, 100, 150), &spec("second-order"), 1, None);
}

#[test]
fn a_model_file_goes_on_to_the_bit() {
    let points = points(8, 180, 4);
    for spec in SPECS.map(spec) {
        let (mut whole, _) = run(&points, &spec, 1, None, LabelChoice::default());
        let bytes = whole.model.to_bytes().unwrap();
        let mut loaded = Model::from_bytes(&bytes).unwrap();
        assert!(loaded.to_bytes().unwrap() == bytes, "{spec}: another file after loading");
        assert!(scores(&loaded, &points) == scores(&whole.model, &points), "{spec}: other scores after loading");
        assert_eq!(loaded.counts, whole.model.counts);
        if spec.algorithm().learns() != Learns::RowByRow {
            continue;
        }
        let features = |mut plan: Plan| {
            (plan.read.features, plan.train_error) = (Some(4), false);
            plan
        };
        let choice = || LabelChoice { positive: None, labels: Some(LABELS.map(String::from).to_vec()) };
        let from = |points: &[Point], start| {
            learn(features(plan(points, 1, choice())), start, &mut ())
                .unwrap_or_else(|error| panic!("{spec}: {error}"))
                .model
        };
        let mut half = from(&points[..77], Start::Fresh(fresh(&spec, None)));
        let half = Model::from_bytes(&half.to_bytes().unwrap()).unwrap();
        let mut resumed = from(&points[77..], Start::Resume(Box::new(half)));
        let mut long = from(&points, Start::Fresh(fresh(&spec, None)));
        assert!(resumed.to_bytes().unwrap() == long.to_bytes().unwrap(), "{spec}: another model after resuming");
    }
}

#[test]
fn a_label_that_turns_up_late_starts_the_run_again() {
    let mut points = points(9, 6000, 3);
    points[..5000].iter_mut().for_each(|(_, class)| *class %= 2);
    points[..5900].iter_mut().for_each(|(_, class)| *class %= 3);
    let (mut late, notes) = run(&points, &spec("averaged"), 1, None, LabelChoice::default());
    assert!((1..=2).contains(&notes.restarts));
    let named = LabelChoice { positive: None, labels: Some(vec!["oak".into(), "10".into(), "ash".into(), "9".into()]) };
    let (mut told, notes) = run(&points, &spec("averaged"), 1, None, named);
    assert_eq!((notes.restarts, late.warnings), (0, Vec::new()));
    assert!(late.model.to_bytes().unwrap() == told.model.to_bytes().unwrap());
}

#[test]
fn parts_of_rows_held_know_all_classes() {
    let points = points(10, 200, 4);
    let keep = Keep { limit: None, cache: false, max_memory: 1 << 30 };
    let held =
        RowsInMemory::load(&input(&points), &ReadOptions::default(), &LabelChoice::default(), &keep, &mut ()).unwrap();
    assert!(points.iter().enumerate().all(|(i, (_, class))| held.class(i) == *class));
    assert_eq!(held.classes().len(), 4);
    let (rows, others): (Vec<usize>, Vec<usize>) = (0..200).partition(|i| i % 3 > 0);
    for spec in ["averaged", "perceptron:kernel=gaussian", "rcd:epochs=20"].map(spec) {
        let run = |rows| {
            let fresh = fresh(&spec, None);
            held.learn(
                &Run { fresh: &fresh, rows, passes: Passes::Exactly(1), max_memory: 1 << 30, checkpoints: None },
                &mut (),
            )
        };
        let model = run(&rows).unwrap().model;
        let part: Vec<Point> = rows.iter().map(|&i| points[i].clone()).collect();
        let (from_file, _) = self::run(&part, &spec, 1, None, LabelChoice::default());
        assert!(scores(&model, &points) == scores(&from_file.model, &points), "{spec}");
        assert!(held.test(&model, &others).unwrap().rate() < 0.5, "{spec}");
        let three: Vec<usize> = (0..200).filter(|&i| held.class(i) != 2).collect();
        match run(&three) {
            Ok(outcome) => assert_eq!(outcome.model.classes.len(), 4),
            Err(error) => {
                assert_eq!(
                    error.to_string(),
                    "test: no row is of class 'ash'; a batch learner needs rows of every class"
                );
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    let points = points(11, 50, 3);
    let (outcome, _) = run(&points, &spec("perceptron"), 1, None, LabelChoice::default());
    let tested =
        |text: &str| test(&outcome.model, &memory(text.as_bytes()), &outcome.model.read_options(), None, &mut ());
    let message = tested("ash 1:1\nelm 1:1\n").unwrap_err().to_string();
    assert_eq!(message, "test:2:1: label 'elm' is none of the 4 classes of this model (9, 10, ash, oak)");
    let message = tested("9,10 1:1\n").unwrap_err().to_string();
    assert!(message.starts_with("test:1:1: label '9,10' is none of"), "{message}");
    let fewer = LabelChoice { positive: None, labels: Some(["9", "10", "ash"].map(String::from).to_vec()) };
    for passes in [1, 2] {
        let error =
            learn(plan(&points, passes, fewer.clone()), Start::Fresh(fresh(&spec("perceptron"), None)), &mut ());
        let message = error.map(|_| ()).unwrap_err().to_string();
        assert!(message.ends_with("label 'oak' is none of the 3 classes of this model (9, 10, ash)"), "{message}");
    }
    let huge = memory(*b"a 1:1e300\nb 1:1e300\nc 1:1e300\na 1:1e300\nb 1:1e300\n");
    let plan = Plan { input: huge, ..plan(&points, 1, LabelChoice::default()) };
    let message = learn(plan, Start::Fresh(fresh(&spec("perceptron"), None)), &mut ()).map(|_| ()).unwrap_err();
    assert!(matches!(&message, Error::Row { place, .. } if place.line == 2), "{message}");
}
