//! The papers' figures, drawn from our runs.

use onlinear::workshop::Scratch;
use onlinear_charts::{Axis, Chart, Figure, LineChart, Plane, PlanePoint, Point, ScoreGrid, Series, csv_field};
use serde_json::{Value as Json, json};

use crate::distinct::distinct;
use crate::experiment::{CurveAxis, DataColumn};
use crate::measure::Measure;
use crate::row_result::{CurvePoint, RowResult};
use crate::sets::{Availability, Shelf};
use crate::studies::Study;

/// So many rows of a set are drawn.
const DRAWN: usize = 1000;

/// A measure of a learner along a run: means over the repeats that get there.
pub struct ResultCurve<'a> {
    pub row: &'a str,
    pub column: &'a str,
    pub measure: Measure,
    pub along: CurveAxis,
    pub points: Vec<CurvePoint>,
    /// What tells the chart it belongs into from others.
    chart: String,
    /// The place of the learner among all, which gives it its colour in every chart.
    place: usize,
}

/// The curves of an experiment; none where it is no figure.
pub fn curves<'a>(study: &'a Study, rows: &[RowResult<'a>]) -> Vec<ResultCurve<'a>> {
    let Some(along) = study.experiment.x else { return Vec::new() };
    let mut curves = Vec::new();
    for ran in rows {
        let drawn = ran.measures.iter().filter(|measure| study.experiment.measures.contains(measure));
        for measure in drawn.copied() {
            let points = ran.curve(measure).to_vec();
            let place = study.experiment.learner.iter().position(|learner| learner.row == ran.learner.row).unwrap_or(0);
            let (row, column) = (ran.learner.row.as_str(), ran.data.column.as_str());
            let chart = format!("{} {}", ran.data.key(), measure.name());
            if !points.is_empty() {
                curves.push(ResultCurve { row, column, measure, along, points, chart, place });
            }
        }
    }
    curves
}

impl ResultCurve<'_> {
    /// A member of `curves`.
    pub fn as_json(&self) -> Json {
        let point = |CurvePoint { x, values, mean }: &CurvePoint| json!([x, mean.mean, mean.stderr, values.len()]);
        json!({
            "row": self.row, "column": self.column, "measure": self.measure.name(), "x": self.along,
            "points": self.points.iter().map(point).collect::<Vec<_>>(),
            "values": self.points.iter().map(|point| &point.values).collect::<Vec<_>>(),
        })
    }

    /// Its lines of a CSV file.
    pub fn as_csv(&self) -> String {
        let curve = format!("{},{},{}", csv_field(self.row), csv_field(self.column), self.measure.name());
        let line = |CurvePoint { x, values, mean }: &CurvePoint| {
            let stderr = mean.stderr.map_or(String::new(), |stderr| stderr.to_string());
            format!("{curve},{x},{},{stderr},{}\n", mean.mean, values.len())
        };
        self.points.iter().map(line).collect()
    }

    fn series(&self, one_column: bool) -> Series {
        let name = if one_column { self.row.to_string() } else { format!("{}, {}", self.row, self.column) };
        let points =
            self.points.iter().map(|point| Point::with_error(point.x, point.mean.mean, point.mean.stderr)).collect();
        Series { name, style: Some(self.place), points }
    }
}

/// A chart for each measure on the same rows.
pub fn figures(study: &Study, curves: &[ResultCurve]) -> Vec<Figure> {
    let names = distinct(curves.iter().map(|curve| &curve.chart));
    let charts: Vec<Vec<&ResultCurve>> =
        names.iter().map(|name| curves.iter().filter(|curve| curve.chart == **name).collect()).collect();
    let titles =
        |chart: &Vec<&ResultCurve>| charts.iter().filter(|other| other[0].measure == chart[0].measure).count() > 1;
    charts.iter().map(|chart| figure(study, chart, titles(chart))).collect()
}

/// The curves that belong in one chart.
fn figure(study: &Study, chart: &[&ResultCurve], names_column: bool) -> Figure {
    let ResultCurve { measure, along, column, .. } = chart[0];
    let twice = |curve: &ResultCurve| chart.iter().filter(|other| other.row == curve.row).count() > 1;
    let series: Vec<Series> = chart.iter().map(|curve| curve.series(!twice(curve))).collect();
    let xs = || series.iter().flat_map(|series| &series.points).map(|point| point.x).filter(|x| *x > 0.0);
    let (least, most) = (xs().fold(f64::INFINITY, f64::min), xs().fold(0.0, f64::max));
    let log = *along == CurveAxis::Epochs && most > 50.0 * least;
    let x = Axis { log, ..Axis::new(along.in_words(), None) };
    let y = Axis::new(measure.in_words(), measure.is_percent().then_some("%"));
    let place = if names_column { format!(", {column}") } else { String::new() };
    let bands = if chart.iter().any(|curve| curve.points.iter().any(|point| point.values.len() > 1)) {
        " Bands: the standard error of the mean over the repeats."
    } else {
        ""
    };
    Figure {
        name: format!("{} {} {column}", study.experiment.name, measure.name()),
        label: Some(study.experiment.figure()),
        title: format!("{}: {}{place}", study.experiment.what(), measure.in_words()),
        caption: format!("Ours; the paper's curves are pictures only.{bands}"),
        chart: Chart::Lines(LineChart { x, y, series, references: Vec::new() }),
    }
}

/// The rows of a set on two of their features, where the experiment asks for that.
pub fn scatters(study: &Study, shelf: &Shelf) -> Vec<Figure> {
    let drawn = |data: &DataColumn| {
        let [first, second] = data.scatter?;
        let Some(Availability::Set(set)) = shelf.get(data, study.experiment.kind) else { return None };
        let mut scratch = Scratch::default();
        let mut point = |row: usize| {
            let (mut x, mut y) = (0.0, 0.0);
            set.held.row(row, &mut scratch)?.for_each(|feature, value| {
                x = if feature + 1 == first { value } else { x };
                y = if feature + 1 == second { value } else { y };
            });
            Some(PlanePoint { x, y, positive: set.held.class(row) == 1, support: false, mistake: false })
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
            name: format!("{} {}", study.experiment.name, data.column),
            label: Some(study.experiment.figure()),
            title: format!("{}, {}", study.experiment.what(), data.column),
            caption: format!("The first {} rows on two of their features.", set.held.len().min(DRAWN)),
            chart: Chart::Plane(plane),
        })
    };
    study.experiment.data.iter().filter_map(drawn).collect()
}
