//! All classes told apart at once: what it must become, through files and further runs, and what is refused.

use std::fmt::Write;

use onlinear::workshop::{ClassExample, ClassRound};
use onlinear::{Classes, Input, Model, Plan, Recipe, RunResult, ScoreScratch, Spec, Start, Watch, learn};

use crate::support::{Point, Storage, is_close, memory, noisy, ready, run, spec};

/// The margins of a direct learner of two classes.
fn margins(text: &str, points: &[Point]) -> Vec<f64> {
    let mut learner = spec(text).direct(2).unwrap();
    let mut margin = |point: &Point| {
        let example = ClassExample::new(point.row(Storage::Sparse), point.y.into());
        learner.round(&example).unwrap().0.margin
    };
    points.iter().map(&mut margin).collect()
}

#[test]
fn with_two_classes_it_is_the_learner_of_two() {
    let points = noisy(1, 200, 8, 0.2);
    for (direct, two, factor) in [
        ("perceptron:multiclass=direct", "perceptron", 2.0),
        ("averaged:multiclass=direct,kernel=gaussian", "averaged:kernel=gaussian", 2.0),
        ("passive-aggressive:multiclass=direct,c=0.1", "passive-aggressive:c=0.2", 1.0),
        ("passive-aggressive:multiclass=direct,c=0.1,variant=pa2", "passive-aggressive:c=0.2,variant=pa2", 1.0),
        ("passive-aggressive:multiclass=direct,variant=pa", "passive-aggressive:variant=pa", 1.0),
        (
            "passive-aggressive:multiclass=direct,c=0.1,kernel=polynomial",
            "passive-aggressive:c=0.2,kernel=polynomial",
            1.0,
        ),
    ] {
        let rounds = run(ready(&spec(two), &points).as_mut(), &points, Storage::Sparse);
        for ((margin, round), point) in margins(direct, &points).iter().zip(&rounds).zip(&points) {
            let expected = factor * point.y.sign() * round.score;
            assert!(is_close(*margin, expected, 1e-9), "{direct}: {margin} instead of {expected}");
        }
    }
}

#[test]
fn a_linear_kernel_over_rows_is_the_weight_vector() {
    let points = noisy(2, 120, 6, 0.2);
    for learner in ["perceptron:multiclass=direct", "passive-aggressive:multiclass=direct,c=0.3,output=averaged"] {
        let dual = margins(&format!("{learner},kernel=polynomial,degree=1,offset=0"), &points);
        for (a, b) in margins(learner, &points).iter().zip(&dual) {
            assert!(is_close(*a, *b, 1e-9), "{learner}: {a} and {b}");
        }
    }
}

/// Points as text with four classes.
fn text(points: &[Point]) -> String {
    let mut text = String::new();
    for (i, point) in points.iter().enumerate() {
        write!(text, "{}", 2 * (i % 2) + usize::from(point.y)).unwrap();
        point.row(Storage::Sparse).for_each(|j, v| write!(text, " {}:{}", j + 1 + 6 * (i % 2), v).unwrap());
        text.push('\n');
    }
    text
}

fn plan(input: Input, passes: u64) -> Plan {
    let plan = crate::support::plan(input, passes);
    Plan { train_error: true, ..plan }
}

fn recipe(learner: &str) -> Recipe {
    Recipe::of(spec(learner), Vec::new())
}

fn fresh(learner: &str, text: &str, passes: u64) -> onlinear::Result<RunResult> {
    learn(plan(memory(text.as_bytes()), passes), Start::Fresh(recipe(learner)), &mut ())
}

const LEARNERS: [&str; 5] = [
    "perceptron:multiclass=direct",
    "averaged:multiclass=direct,kernel=gaussian",
    "passive-aggressive:multiclass=direct,output=averaged",
    "passive-aggressive:multiclass=direct,variant=pa2,kernel=polynomial",
    "arow:multiclass=direct",
];

/// The margins of all trials.
#[derive(Default)]
struct Margins(Vec<(f64, bool)>);

impl Watch for Margins {
    fn rest_trial(&mut self, _: u64, classes: &Classes, round: &ClassRound) -> onlinear::Result<()> {
        assert!(round.class < classes.len() && round.mistakes == u64::from(round.is_mistake()));
        self.0.push((round.score, round.is_mistake()));
        Ok(())
    }
}

#[test]
fn a_run_that_goes_on_is_one_long_run_to_the_bit() {
    let all = text(&noisy(3, 160, 6, 0.2));
    let lines: Vec<&str> = all.split_inclusive('\n').collect();
    for learner in LEARNERS {
        let mut notes = Margins::default();
        let plan_of = |text: &str| plan(memory(text.as_bytes().to_vec()), 1);
        let whole = learn(plan_of(&all), Start::Fresh(recipe(learner)), &mut notes).unwrap();
        assert!(notes.0.len() == 160 && notes.0.iter().all(|(margin, wrong)| (*margin <= 0.0) == *wrong));
        let mistakes = notes.0.iter().filter(|(_, wrong)| *wrong).count() as u64;
        let mut whole = whole.model;
        assert_eq!((whole.counts.total().mistakes, whole.counts.multiclass_mistakes), (mistakes, mistakes));
        assert_eq!((whole.learner.len(), whole.learner.is_direct()), (4, true));
        let mut half = fresh(learner, &lines[..70].concat(), 1).unwrap().model;
        let half = Model::from_bytes(&half.to_bytes().unwrap()).unwrap();
        let start = Start::Resume(half.into());
        let mut rest = learn(plan_of(&lines[70..].concat()), start, &mut ()).unwrap().model;
        assert!(rest.to_bytes().unwrap() == whole.to_bytes().unwrap(), "{learner}");
    }
}

#[test]
fn it_learns_and_predicts_by_the_largest_score() {
    let points = noisy(4, 300, 6, 0.0);
    for learner in LEARNERS {
        let outcome = fresh(learner, &text(&points), 5).unwrap();
        let train = outcome.train.unwrap();
        assert!(train.rate() < 0.5, "{learner}: {}", train.rate());
        let mut rows = onlinear::Rows::default();
        points.iter().for_each(|point| rows.push_row(point.row(Storage::Dense)));
        let model = &outcome.model;
        let scores = model.scores(&rows, &mut ScoreScratch::default());
        for (i, of_row) in scores.chunks(4).enumerate() {
            for (leaves, score) in model.learner.leaves().zip(of_row) {
                assert!(is_close(leaves.score(rows.row(i)), *score, 1e-9), "{learner}");
            }
        }
    }
}

#[test]
fn what_does_not_go_with_it_is_refused_by_name() {
    for (text, message) in [
        ("arow:multiclass=direct,matrix=full", "arow: matrix=full does not go with multiclass=direct"),
        ("arow:multiclass=direct,forgetting=0.1", "arow: forgetting=0.1 does not go with multiclass=direct"),
        ("arow:multiclass=direct,kernel=gaussian", "arow: kernel=gaussian does not go with matrix=diagonal"),
        (
            "perceptron:multiclass=direct,output=longest",
            "perceptron: output=longest does not go with multiclass=direct",
        ),
        ("selective:base.multiclass=direct", "selective: base: perceptron: multiclass=direct tells all classes apart"),
        ("adaboost:base=averaged,base.multiclass=direct", "adaboost: base: averaged: multiclass=direct tells all"),
    ] {
        let error = text.parse::<Spec>().unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
    let data = || memory(b"1 1:1\n2 1:2\n3 2:1\n".to_vec());
    let calibrated = Recipe { calibrate: Some(10), ..recipe("perceptron:multiclass=direct") };
    let error = learn(plan(data(), 1), Start::Fresh(calibrated), &mut ()).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error, "calibration does not go with multiclass=direct");
    let stream = Plan { input: Input::Stdin, ..plan(data(), 1) };
    let error = learn(stream, Start::Fresh(recipe("arow:multiclass=direct")), &mut ()).map(|_| ()).unwrap_err();
    assert!(error.to_string().starts_with("multiclass=direct must know all classes before the first row"), "{error}");
    assert!(!spec("perceptron:multiclass=direct").takes_weights() && spec("perceptron").takes_weights());
}
