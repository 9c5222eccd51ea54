//! What a model says about the plane, where the rows have two features.

use std::collections::HashSet;

use onlinear::workshop::Scratch;
use onlinear::{Label, Model, Row, Rows, ScoreScratch};

use onlinear_charts::{Chart, Figure, Plane, PlanePoint, ScoreGrid};

/// The scores are drawn from so many points across and down.
const STEPS: usize = 90;
/// More rows than this are not drawn.
pub const MOST: usize = 2000;

/// A row of two features.
pub struct PlaneRow {
    pub x: f64,
    pub y: f64,
    pub class: Label,
}

impl PlaneRow {
    /// A row and its class.
    pub fn of(x: Row<'_>, class: usize) -> PlaneRow {
        let mut place = [0.0; 2];
        x.for_each(|i, value| place[i] = value);
        PlaneRow { x: place[0], y: place[1], class: Label::of_class(class) }
    }
}

/// The plane as the model sees it, with the rows it learned from.
pub fn figure(name: &str, title: &str, model: &Model, spots: &[PlaneRow]) -> Figure {
    let spotted = rows(spots.iter().map(|spot| (spot.x, spot.y)));
    let scores = scores(model, &spotted);
    let is_support = support(model, &spotted);
    let point = |((spot, score), support): ((&PlaneRow, &f64), bool)| PlanePoint {
        x: spot.x,
        y: spot.y,
        positive: spot.class == Label::Positive,
        support,
        mistake: Label::predicted(*score) != spot.class,
    };
    let points: Vec<PlanePoint> = spots.iter().zip(&scores).zip(is_support).map(point).collect();
    let [x_label, y_label] = [0, 1].map(|feature| feature_name(model, feature));
    let classes = [Label::Negative, Label::Positive].map(|label| model.classes.name(label).to_string());
    let (x, y) = (reach(spots.iter().map(|spot| spot.x)), reach(spots.iter().map(|spot| spot.y)));
    let plane = Plane { x_label, y_label, scores: grid(model, x, y), points, classes };
    let caption = "The line is where the score is 0; deeper shades are farther from it. Rows it learned from are \
                   marked where they are on the wrong side, and where they are support vectors.";
    Figure::new(name, title, caption, Chart::Plane(plane))
}

/// Which of the rows are support vectors of the model: its learner knows them as the stages made them.
fn support(model: &Model, rows: &Rows) -> Vec<bool> {
    let leaves = model.learner.leaves_of(0);
    let Some((set, _)) = leaves.support() else { return vec![false; rows.len()] };
    let vectors: HashSet<Vec<(usize, u64)>> = (0..set.len()).map(|place| components(set.row(place))).collect();
    let mut scratch = Scratch::default();
    (0..rows.len()).map(|i| vectors.contains(&components(model.stages.apply(rows.row(i), &mut scratch)))).collect()
}

/// The components of a row that are not 0, as they can be compared.
fn components(x: Row<'_>) -> Vec<(usize, u64)> {
    let mut components = Vec::new();
    x.for_each(|i, value| components.extend((value != 0.0).then_some((i, value.to_bits()))));
    components
}

/// A feature by its name, or by its number.
fn feature_name(model: &Model, feature: usize) -> String {
    let name = model.vocabulary.describe(feature, model.vocabulary.names().as_deref());
    if name.parse::<u64>().is_ok() { format!("feature {name}") } else { name }
}

/// From where to where values reach, with some room around them.
fn reach(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
    let room = if high > low { 0.06 * (high - low) } else { 1.0 };
    (low - room, high + room)
}

fn grid(model: &Model, x: (f64, f64), y: (f64, f64)) -> ScoreGrid {
    let at = |(low, high): (f64, f64), step: usize| low + (high - low) * step as f64 / (STEPS - 1) as f64;
    let places = (0..STEPS).flat_map(|row| (0..STEPS).map(move |column| (at(x, column), at(y, row))));
    let scores = scores(model, &rows(places));
    ScoreGrid { x, y, rows: scores.chunks(STEPS).map(<[f64]>::to_vec).collect() }
}

fn rows(places: impl Iterator<Item = (f64, f64)>) -> Rows {
    let mut rows = Rows::default();
    for (x, y) in places {
        rows.push(0, x);
        rows.push(1, y);
        rows.end_row();
    }
    rows
}

fn scores(model: &Model, rows: &Rows) -> Vec<f64> {
    model.scores(rows, &mut ScoreScratch::default())
}
