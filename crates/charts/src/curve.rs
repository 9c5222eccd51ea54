//! One curve: which of its points are drawn, and how.

use crate::axes::Axes;
use crate::canvas::{Canvas, along};
use crate::marks;
use crate::scale::{Scale, is_drawable};

/// A curve with so few points has a mark on each; others have one about every [`APART`].
const FEW: usize = 15;
const APART: f64 = 95.0;

/// A curve.
#[derive(Clone)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// Which of all colours and shapes it has, so that one thing looks the same in several charts; its place among
    /// the curves if not given.
    pub style: Option<usize>,
    /// In the order in which they are joined.
    pub points: Vec<Point>,
}

/// A point of a curve. Where y is no number the curve has a gap.
#[derive(Clone, Copy)]
pub struct Point {
    /// How far to the right.
    pub x: f64,
    /// How high.
    pub y: f64,
    /// How low y may really be.
    pub low: Option<f64>,
    /// How high it may be.
    pub high: Option<f64>,
}

impl Point {
    /// A point without uncertainty.
    pub fn new(x: f64, y: f64) -> Point {
        Point { x, y, low: None, high: None }
    }

    /// A mean with its standard error, where there is one.
    pub fn with_error(x: f64, y: f64, stderr: Option<f64>) -> Point {
        Point { x, y, low: stderr.map(|stderr| y - stderr), high: stderr.map(|stderr| y + stderr) }
    }

    /// Whether the point has a place on these axes.
    pub(crate) fn is_drawable(&self, log_x: bool, log_y: bool) -> bool {
        is_drawable(self.x, log_x) && is_drawable(self.y, log_y)
    }

    /// The uncertainty, where there is one.
    pub(crate) fn band(&self, log: bool) -> Option<(f64, f64)> {
        let (low, high) = (self.low?, self.high?);
        (is_drawable(low, false) && is_drawable(high, log)).then_some((low, high))
    }
}

/// Which points are drawn: about two for each of so many columns of the plot. The choice depends on x alone, so
/// that curves over the same trials keep the same ones.
pub fn thinned(points: &[Point], x: &Scale, columns: usize) -> Vec<bool> {
    let log = x.limits.log;
    let apart = (x.to - x.from).abs() / columns as f64;
    let every = points.len().div_ceil(columns).max(1);
    let mut last = f64::NAN;
    let keep = |(i, point): (usize, &Point)| {
        let place = if is_drawable(point.x, log) { x.at(point.x) } else { return false };
        let keep = i % every == 0 || i + 1 == points.len() || (place - last).abs() >= apart;
        last = if keep { place } else { last };
        keep
    };
    let kept: Vec<bool> = points.iter().enumerate().map(keep).collect();
    if kept.iter().filter(|kept| **kept).count() <= 2 * columns + 2 {
        return kept;
    }
    // A curve that goes back and forth.
    let every = points.len().div_ceil(2 * columns);
    (0..points.len()).map(|i| i % every == 0 || i + 1 == points.len()).collect()
}

/// The points of a curve as they are drawn.
pub struct CurveDrawing<'a> {
    axes: &'a Axes,
    /// The place of the curve among all.
    number: usize,
    /// Points that follow each other without a gap.
    runs: Vec<Vec<Point>>,
}

impl<'a> CurveDrawing<'a> {
    pub fn new(series: &Series, number: usize, axes: &'a Axes) -> CurveDrawing<'a> {
        let columns = (axes.frame.width() / 2.5).clamp(50.0, 200.0) as usize;
        let kept = thinned(&series.points, &axes.x, columns);
        let points: Vec<Point> =
            series.points.iter().zip(kept).filter_map(|(point, kept)| kept.then_some(*point)).collect();
        let drawable = |point: &Point| point.is_drawable(axes.x.limits.log, axes.y.limits.log);
        let runs = points.split(|point| !drawable(point)).filter(|run| !run.is_empty()).map(<[Point]>::to_vec);
        CurveDrawing { axes, number, runs: runs.collect() }
    }

    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        // A band may reach down to where a logarithmic axis has no place: the lower edge of the plot will do.
        let y = if self.axes.y.limits.log { y.max(self.axes.y.limits.low) } else { y };
        (self.axes.x.at(x), self.axes.y.at(y))
    }

    /// Draws how uncertain the curve is: an area, or a line for a point that is alone.
    pub fn band(&self, canvas: &mut Canvas) {
        let log = self.axes.y.limits.log;
        let banded = self.runs.iter().flat_map(|run| run.split(|point| point.band(log).is_none()));
        for run in banded.filter(|run| !run.is_empty()) {
            let edge =
                |point: &Point| point.band(log).map_or((point.x, point.y, point.y), |(low, high)| (point.x, low, high));
            let edges: Vec<(f64, f64, f64)> = run.iter().map(edge).collect();
            if let [(x, low, high)] = edges[..] {
                canvas.path("whisker", &along([self.at(x, low), self.at(x, high)].into_iter()), "");
                continue;
            }
            let upper = edges.iter().map(|&(x, _, high)| self.at(x, high));
            let lower = edges.iter().rev().map(|&(x, low, _)| self.at(x, low));
            canvas.path("band", &(along(upper.chain(lower)) + "Z"), "");
        }
    }

    /// Draws the curve itself.
    pub fn line(&self, canvas: &mut Canvas) {
        for run in self.runs.iter().filter(|run| run.len() > 1) {
            canvas.path("curve", &along(run.iter().map(|point| self.at(point.x, point.y))), marks::dashes(self.number));
        }
    }

    /// Draws the marks that tell the curve from others.
    pub fn marks(&self, canvas: &mut Canvas) {
        let points: Vec<&Point> = self.runs.iter().flatten().collect();
        let chosen: Vec<&Point> = if points.len() <= FEW { points } else { self.spread(&points) };
        let shown = |point: &&Point| self.axes.x.shows(point.x) && self.axes.y.shows(point.y);
        for point in chosen.into_iter().filter(shown) {
            marks::mark(canvas, self.number, self.at(point.x, point.y));
        }
    }

    /// Points at even distances along the curve, at other places than on neighbouring curves.
    fn spread<'p>(&self, points: &[&'p Point]) -> Vec<&'p Point> {
        let places = points.iter().map(|point| self.axes.x.at(point.x));
        let (first, last) =
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), place| (a.min(place), b.max(place)));
        let shift = 0.18 + 0.16 * (self.number % 5) as f64;
        let count = ((last - first) / APART).ceil().max(1.0);
        let wanted = (0..count as usize).map(|i| first + (last - first) * (i as f64 + shift) / count);
        let away = |point: &Point, place: f64| (self.axes.x.at(point.x) - place).abs();
        wanted
            .filter_map(|place| points.iter().copied().min_by(|a, b| away(a, place).total_cmp(&away(b, place))))
            .collect()
    }
}
