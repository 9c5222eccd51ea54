//! Runs on rows lent from memory: the same as runs on files of those rows.

use std::fmt::Write;

use onlinear::{
    BorrowedRows, Classes, Input, Keep, Label, LabelChoice, Model, Passes, Plan, ReadOptions, Recipe, Row, Rows, Start,
    learn,
};

use crate::support::{Point, memory, noisy, spec, stages};

const MEMORY: u64 = 1 << 30;
const SPECS: [&str; 6] =
    ["perceptron", "averaged", "perceptron:kernel=gaussian", "projectron:kernel=gaussian", "whitened", "rcd:epochs=20"];

fn fresh(name: &str, shuffle: Option<u64>) -> Recipe {
    Recipe { shuffle, ..Recipe::of(spec(name), stages(&["bias"])) }
}

fn texts() -> Vec<String> {
    ["-1", "1"].map(String::from).to_vec()
}

fn rows(points: &[Point]) -> (Rows, Vec<u32>) {
    let mut rows = Rows::default();
    points.iter().for_each(|point| rows.push_row(Row::Dense(&point.dense)));
    (rows, points.iter().map(|point| u32::from(point.y == Label::Positive)).collect())
}

fn from_file(points: &[Point], fresh: Recipe, passes: Passes) -> Model {
    let mut text = String::new();
    for point in points {
        write!(text, "{}", point.y.sign()).unwrap();
        point.dense.iter().enumerate().for_each(|(j, v)| write!(text, " {}:{v}", j + 1).unwrap());
        text.push('\n');
    }
    let input: Input = memory(text.into_bytes());
    let keep = Keep { limit: None, cache: false, max_memory: MEMORY };
    let (read, labels) = (ReadOptions::default(), LabelChoice::default());
    learn(Plan { input, read, labels, passes, keep, train_error: false, holdout: None }, Start::Fresh(fresh), &mut ())
        .unwrap()
        .model
}

fn from_memory(points: &[Point], fresh: &Recipe, passes: Passes) -> Model {
    let (table, labels) = rows(points);
    let mut lent = BorrowedRows::new("X", &table, 5, &texts(), &labels, None).unwrap();
    lent.learn(fresh, Classes::of(&texts()).unwrap(), passes, MEMORY, &mut ()).unwrap().model
}

/// What the model makes of the rows.
fn scores(model: &Model, points: &[Point]) -> Vec<f64> {
    model.scores(&rows(points).0, &mut Default::default())
}

#[test]
fn rows_from_memory_are_rows_from_a_file() {
    let points = noisy(7, 200, 5, 0.0);
    for name in SPECS {
        let passes = Passes::Exactly(if spec(name).is_batch() { 1 } else { 3 });
        for shuffle in [None, Some(5)].into_iter().filter(|shuffle| shuffle.is_none() || !spec(name).is_batch()) {
            let (here, there) =
                (from_memory(&points, &fresh(name, shuffle), passes), from_file(&points, fresh(name, shuffle), passes));
            assert_eq!(here.counts, there.counts, "{name}");
            assert_eq!(scores(&here, &points), scores(&there, &points), "{name}");
        }
    }
}

#[test]
fn parts_of_a_stream_are_the_whole() {
    let points = noisy(8, 200, 5, 0.1);
    for name in ["perceptron", "averaged", "perceptron:kernel=gaussian", "second-order"] {
        let whole = from_memory(&points, &fresh(name, None), Passes::Exactly(1));
        let mut parts: Option<Model> = None;
        for part in points.chunks(70) {
            let (table, labels) = rows(part);
            let mut lent = BorrowedRows::new("X", &table, 5, &texts(), &labels, None).unwrap();
            let start = || lent.model(&fresh(name, None), Classes::of(&texts()).unwrap(), MEMORY).unwrap();
            let mut model = parts.take().unwrap_or_else(start);
            lent.go_on(&mut model, None, MEMORY, &mut ()).unwrap();
            parts = Some(model);
        }
        let parts = parts.unwrap();
        assert_eq!((parts.counts.passes.len(), &parts.counts), (1, &whole.counts), "{name}");
        assert_eq!(scores(&parts, &points), scores(&whole, &points), "{name}");
    }
}

#[test]
fn rows_met_later_are_other_rows() {
    let points = noisy(9, 120, 5, 0.0);
    let mut model = from_memory(&points[..60], &fresh("perceptron:kernel=gaussian", None), Passes::Exactly(3));
    let before = model.learner.support().unwrap();
    let (table, labels) = rows(&points[60..]);
    let mut lent = BorrowedRows::new("X", &table, 5, &texts(), &labels, None).unwrap();
    lent.go_on(&mut model, Some(2), MEMORY, &mut ()).unwrap();
    let leaves = model.learner.leaves_of(0);
    let (set, coefficients) = leaves.support().unwrap();
    let new = (before..set.len()).map(|place| set.row(place).values()[1..].to_vec());
    assert!(set.len() > before && coefficients.unwrap().len() == set.len());
    for row in new {
        assert!(points[60..].iter().any(|point| point.dense == row));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (table, labels) = rows(&noisy(1, 4, 5, 0.0));
    let refused =
        |labels: &[u32], weights: Option<&[f64]>| BorrowedRows::new("X", &table, 5, &texts(), labels, weights).is_err();
    assert!(!refused(&labels, None) && !refused(&labels, Some(&[1.0, 0.0, 2.0, 3.0])));
    assert!(refused(&labels[1..], None) && refused(&[0, 1, 2, 0], None));
    assert!(refused(&labels, Some(&[1.0; 3])) && refused(&labels, Some(&[1.0, -1.0, 1.0, 1.0])));
    assert!(refused(&labels, Some(&[1.0, f64::NAN, 1.0, 1.0])));
    let twice = ["a", "a"].map(String::from);
    assert!(BorrowedRows::new("X", &table, 5, &twice, &labels, None).is_err() && Classes::of(&twice).is_err());
    let scaled = Recipe { stages: stages(&["minmax", "bias"]), ..fresh("perceptron", None) };
    let lent = BorrowedRows::new("X", &table, 5, &texts(), &labels, None).unwrap();
    assert!(lent.model(&scaled, Classes::of(&texts()).unwrap(), MEMORY).is_err());
}
