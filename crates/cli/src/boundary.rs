//! What a model says about the plane, where the rows have two features.

use onlinear::model::ScoreScratch;
use onlinear::space::Rows;
use onlinear::{Label, Model};

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
    /// Its position in the data.
    pub id: u64,
}

/// The plane as the model sees it, with the rows it learned from.
pub fn figure(name: &str, title: &str, model: &Model, spots: &[PlaneRow]) -> Figure {
    let scores = scores(model, &rows(spots.iter().map(|spot| (spot.x, spot.y))));
    let set = model.learner.first().hypothesis().and_then(|f| f.expansion()).map(|expansion| expansion.set());
    let point = |(spot, score): (&PlaneRow, &f64)| PlanePoint {
        x: spot.x,
        y: spot.y,
        positive: spot.class == Label::Positive,
        support: set.is_some_and(|set| set.place_of(Some(spot.id)).is_some()),
        mistake: Label::predicted(*score) != spot.class,
    };
    let points: Vec<PlanePoint> = spots.iter().zip(&scores).map(point).collect();
    let [x_label, y_label] = [0, 1].map(|feature| feature_name(model, feature));
    let classes = [Label::Negative, Label::Positive].map(|label| model.classes.name(label).to_string());
    let (x, y) = (reach(spots.iter().map(|spot| spot.x)), reach(spots.iter().map(|spot| spot.y)));
    let plane = Plane { x_label, y_label, scores: grid(model, x, y), points, classes };
    let caption = "The line is where the score is 0; deeper shades are farther from it. Rows it learned from are \
                   marked where they are on the wrong side, and where they are support vectors.";
    Figure::new(name, title, caption, Chart::Plane(plane))
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
