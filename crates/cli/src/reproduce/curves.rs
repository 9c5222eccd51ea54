//! The papers' figures, drawn from our runs.

use onlinear::data::Scratch;
use onlinear::evaluate::Summary;
use serde_json::{Value as Json, json};

use super::experiment::{Along, Data};
use super::library::Ready;
use super::measure::Measure;
use super::ran::Ran;
use super::sets::{Found, Shelf};
use crate::figures::banded;
use crate::output;
use onlinear_charts::{Axis, Chart, Figure, LineChart, Plane, PlanePoint, ScoreGrid, Series};

/// So many rows of a set are drawn.
const DRAWN: usize = 1000;

/// A measure of a learner along a run: means over the repeats that get there.
pub struct Curve<'a> {
    pub row: &'a str,
    pub column: &'a str,
    pub measure: Measure,
    pub along: Along,
    pub points: Vec<Point>,
    /// The same for curves that belong in one chart.
    chart: String,
    /// The place of the learner among all, which gives it its colour in every chart.
    place: usize,
}

/// A point of a curve.
pub struct Point {
    x: f64,
    /// What each repeat that gets there had.
    values: Vec<f64>,
    mean: Summary,
}

/// The curves of an experiment; none where it is no figure.
pub fn curves<'a>(ready: &'a Ready, rows: &[Ran<'a>]) -> Vec<Curve<'a>> {
    let Some(along) = ready.experiment.x else { return Vec::new() };
    let mut curves = Vec::new();
    for ran in rows {
        let drawn = ran.measures.iter().filter(|measure| ready.experiment.measures.contains(measure));
        for measure in drawn.copied() {
            let point = |(x, values): &(f64, Vec<f64>)| {
                Some(Point { x: *x, values: values.clone(), mean: Summary::of(values)? })
            };
            let points: Vec<Point> = ran.curve(measure).iter().filter_map(point).collect();
            let place = ready.experiment.learner.iter().position(|entry| entry.row == ran.entry.row).unwrap_or(0);
            let (row, column) = (ran.entry.row.as_str(), ran.data.column.as_str());
            let chart = format!("{} {}", ran.data.key(), measure.name());
            if !points.is_empty() {
                curves.push(Curve { row, column, measure, along, points, chart, place });
            }
        }
    }
    curves
}

impl Curve<'_> {
    /// A member of `curves`.
    pub fn as_json(&self) -> Json {
        let point = |Point { x, values, mean }: &Point| json!([x, mean.mean, mean.stderr, values.len()]);
        json!({
            "row": self.row, "column": self.column, "measure": self.measure.name(), "x": self.along.name(),
            "points": self.points.iter().map(point).collect::<Vec<_>>(),
            "values": self.points.iter().map(|point| &point.values).collect::<Vec<_>>(),
        })
    }

    /// Its lines of a CSV file.
    pub fn as_csv(&self) -> String {
        let curve = format!("{},{},{}", output::quoted(self.row), output::quoted(self.column), self.measure.name());
        let line = |Point { x, values, mean }: &Point| {
            let stderr = mean.stderr.map_or(String::new(), |stderr| stderr.to_string());
            format!("{curve},{x},{},{stderr},{}\n", mean.mean, values.len())
        };
        self.points.iter().map(line).collect()
    }

    fn series(&self, one_column: bool) -> Series {
        let name = if one_column { self.row.to_string() } else { format!("{}, {}", self.row, self.column) };
        let points = self.points.iter().map(|point| banded(point.x, point.mean)).collect();
        Series { name, style: Some(self.place), points }
    }
}

/// A chart for each measure on the same rows.
pub fn figures(ready: &Ready, curves: &[Curve]) -> Vec<Figure> {
    let mut charts: Vec<Vec<&Curve>> = Vec::new();
    for curve in curves {
        match charts.iter_mut().find(|chart| chart[0].chart == curve.chart) {
            Some(chart) => chart.push(curve),
            None => charts.push(vec![curve]),
        }
    }
    let titles = |chart: &Vec<&Curve>| charts.iter().filter(|other| other[0].measure == chart[0].measure).count() > 1;
    charts.iter().map(|chart| figure(ready, chart, titles(chart))).collect()
}

/// The curves that belong in one chart.
fn figure(ready: &Ready, chart: &[&Curve], names_column: bool) -> Figure {
    let Curve { measure, along, column, .. } = chart[0];
    let twice = |curve: &Curve| chart.iter().filter(|other| other.row == curve.row).count() > 1;
    let series: Vec<Series> = chart.iter().map(|curve| curve.series(!twice(curve))).collect();
    let xs = || series.iter().flat_map(|series| &series.points).map(|point| point.x).filter(|x| *x > 0.0);
    let (least, most) = (xs().fold(f64::INFINITY, f64::min), xs().fold(0.0, f64::max));
    let log = *along == Along::Epochs && most > 50.0 * least;
    let x = Axis { log, ..Axis::new(along.in_words(), None) };
    let y = Axis::new(measure.in_words(), measure.is_percent().then_some("%"));
    let place = if names_column { format!(", {column}") } else { String::new() };
    let bands = if chart.iter().any(|curve| curve.points.iter().any(|point| point.values.len() > 1)) {
        " Bands: the standard error of the mean over the repeats."
    } else {
        ""
    };
    Figure {
        name: format!("{} {} {column}", ready.experiment.name, measure.name()),
        title: format!("{}: {}{place}", ready.experiment.what(), measure.in_words()),
        caption: format!("Ours; the paper's curves are pictures only.{bands}"),
        chart: Chart::Lines(LineChart { x, y, series, references: Vec::new() }),
    }
}

/// The rows of a set on two of their features, where the experiment asks for that.
pub fn scatters(ready: &Ready, shelf: &Shelf) -> Vec<Figure> {
    let drawn = |data: &Data| {
        let [first, second] = data.scatter?;
        let Some(Found::Set(set)) = shelf.get(data, ready.experiment.kind) else { return None };
        let mut scratch = Scratch::default();
        let mut point = |row: usize| {
            let mut place = [0.0; 2];
            set.held.row(row, &mut scratch)?.for_each(|feature, value| {
                (0..2).filter(|k| [first, second][*k] == feature + 1).for_each(|k| place[k] = value);
            });
            Some(PlanePoint {
                x: place[0],
                y: place[1],
                positive: set.held.class(row) == 1,
                support: false,
                mistake: false,
            })
        };
        let points: Vec<PlanePoint> = (0..set.held.len().min(DRAWN)).filter_map(&mut point).collect();
        let reach = points.iter().flat_map(|point| [point.x.abs(), point.y.abs()]).fold(0.0, f64::max);
        let plane = Plane {
            x_label: format!("feature {first}"),
            y_label: format!("feature {second}"),
            scores: ScoreGrid { x: (-reach, reach), y: (-reach, reach), rows: Vec::new() },
            classes: [0usize, 1].map(|class| set.held.classes().name(class).to_string()),
            points,
        };
        Some(Figure {
            name: format!("{} {}", ready.experiment.name, data.column),
            title: format!("{}, {}", ready.experiment.what(), data.column),
            caption: format!("The first {} rows on two of their features.", set.held.len().min(DRAWN)),
            chart: Chart::Plane(plane),
        })
    };
    ready.experiment.data.iter().filter_map(drawn).collect()
}
