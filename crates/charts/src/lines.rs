//! Curves with bands of uncertainty.

use crate::axes::{Axes, Axis};
use crate::canvas::{Anchor, Canvas, Frame, Sheet};
use crate::curve::{CurveDrawing, Point, Series, thinned};
use crate::json;
use crate::legend::{Legend, SWATCH};
use crate::marks;
use crate::number;
use crate::scale::{Limits, Scale};

/// Points in the first part of x may be off the scale, if the others would be squeezed otherwise: the error of the
/// first trials is 0 or 100 %.
const EARLY: f64 = 0.02;
const SQUEEZED: f64 = 1.5;
/// With more curves than this the bands are paler.
const MANY: usize = 5;

/// Curves over one x.
#[derive(Clone)]
pub struct LineChart {
    /// What runs to the right.
    pub x: Axis,
    /// What runs upwards.
    pub y: Axis,
    /// The curves, the first on top.
    pub series: Vec<Series>,
    /// Straight lines to compare them with.
    pub references: Vec<Reference>,
}

/// A straight line to compare curves with.
#[derive(Clone)]
pub struct Reference {
    /// What the legend calls it.
    pub name: String,
    /// Where it stands.
    pub place: Position,
}

/// Where a reference line stands.
#[derive(Clone, Copy)]
pub enum Position {
    /// Upright, at this x.
    X(f64),
    /// Level, at this y.
    Y(f64),
}

impl LineChart {
    /// Whether x makes sense on both kinds of scale, so that readers may choose.
    pub(crate) fn has_two_scales(&self) -> bool {
        let Limits { low, high, .. } = Limits::of(self.points().map(|point| point.x), true);
        let negative = self.points().any(|point| point.x < 0.0);
        !negative && high > 20.0 * low
    }

    /// Which colour and shape a series has.
    fn style(&self, i: usize) -> usize {
        self.series[i].style.unwrap_or(i)
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }

    pub(crate) fn draw(&self, sheet: &Sheet) -> Canvas {
        let mut canvas = Canvas::default();
        let order = self.order();
        let names = self.names(&order);
        let height = if sheet.is_narrow() { 220.0 } else { 300.0 };
        let beside = if sheet.is_narrow() { None } else { Legend::beside(&names, height) };
        let width = sheet.width - beside.as_ref().map_or(0.0, Legend::width);
        let x = self.x_limits(sheet.log);
        let axes = Axes::new(x, self.y_limits(x), width, height);
        axes.grid(&mut canvas);
        self.plot(&mut canvas, &axes, &sheet.id);
        axes.draw(&mut canvas, &self.x.name(), &self.y.name());
        let (legend, corner) = match beside {
            Some(legend) => (legend, (width, axes.frame.top)),
            None => (Legend::below(&names, sheet.width), (0.0, axes.bottom() + 4.0)),
        };
        let place = |i: usize| order.get(i).copied().unwrap_or(i);
        legend.draw(&mut canvas, corner, |canvas, i, at| self.swatch(canvas, place(i), at));
        canvas.height = axes.bottom().max(corner.1 + legend.height());
        let Frame { left, top, right, bottom } = axes.frame;
        canvas.tell("frame", &json::list([left, top, right, bottom].map(|edge| json::number(Some(edge))).into_iter()));
        let [low, high] = [x.low, x.high].map(|limit| json::number(Some(limit)));
        canvas.tell("limits", &format!("[{low},{high},{}]", x.log));
        canvas
    }

    /// The series in the order of their ends, the highest first: so the legend reads as the curves stand.
    fn order(&self) -> Vec<usize> {
        let end = |i: &usize| self.series[*i].points.last().map_or(f64::NEG_INFINITY, |point| point.y);
        let mut order: Vec<usize> = (0..self.series.len()).collect();
        order.sort_by(|a, b| end(b).total_cmp(&end(a)));
        order
    }

    /// What the legend says.
    fn names(&self, order: &[usize]) -> Vec<String> {
        let series = order.iter().map(|&i| self.series[i].name.clone());
        let references = self.references.iter().map(|reference| match reference.place {
            Position::X(value) | Position::Y(value) => format!("{}: {}", reference.name, number::value(value)),
        });
        series.chain(references).collect()
    }

    fn x_limits(&self, log: bool) -> Limits {
        let references =
            self.references.iter().filter_map(|r| if let Position::X(value) = r.place { Some(value) } else { None });
        let limits = Limits::of(self.points().map(|point| point.x).chain(references), log).starting_at_zero(0.05);
        // Points that no line leads to are not to stand on the edge.
        if self.series.iter().all(|series| series.points.len() < 2) { limits.widened(0.08) } else { limits }
    }

    fn y_limits(&self, x: Limits) -> Limits {
        let percent = self.y.unit.as_deref() == Some("%");
        let log = self.y.log;
        let heights = |from: f64| {
            let points = self.points().filter(move |point| point.x >= from && point.is_drawable(x.log, log));
            let bands = move |point: &Point| {
                let (low, high) = point.band(log).unwrap_or((point.y, point.y));
                let (low, high) =
                    if percent { (low.max(0.0).min(point.y), high.min(100.0).max(point.y)) } else { (low, high) };
                [low, point.y, high]
            };
            let places = self.references.iter().map(|reference| reference.place);
            let references = places.filter_map(|place| if let Position::Y(value) = place { Some(value) } else { None });
            Limits::of(points.flat_map(bands).chain(references), log)
        };
        let (all, late) = (heights(f64::NEG_INFINITY), heights(x.low + EARLY * (x.high - x.low)));
        let squeezed =
            !x.log && !log && self.points().count() > 50 && late.low >= 0.0 && all.high > SQUEEZED * late.high;
        let limits = if squeezed { late } else { all };
        let (share, most) = if percent { (0.5, 100.0) } else { (0.3, f64::INFINITY) };
        limits.starting_at_zero(share).to_whole_ticks(most)
    }

    fn plot(&self, canvas: &mut Canvas, axes: &Axes, id: &str) {
        let curves: Vec<CurveDrawing> =
            self.series.iter().enumerate().map(|(i, series)| CurveDrawing::new(series, self.style(i), axes)).collect();
        canvas.open_clipped(&format!("{id}-plot"), &axes.frame);
        canvas.open(if curves.len() > MANY { "bands many" } else { "bands" }, "");
        for (i, curve) in curves.iter().enumerate() {
            canvas.open(&marks::colour_class(self.style(i)), "");
            curve.band(canvas);
            canvas.close();
        }
        canvas.close();
        let Frame { left, top, right, bottom } = axes.frame;
        for reference in &self.references {
            let (from, to) = match reference.place {
                Position::X(x) => ((axes.x.at(x), top), (axes.x.at(x), bottom)),
                Position::Y(y) => ((left, axes.y.at(y)), (right, axes.y.at(y))),
            };
            canvas.line("reference", from, to);
        }
        self.each(canvas, &curves, |curve, canvas| curve.line(canvas));
        canvas.close();
        self.each(canvas, &curves, |curve, canvas| curve.marks(canvas));
        if self.points().all(|point| !point.is_drawable(axes.x.limits.log, axes.y.limits.log)) {
            canvas.text("nothing", axes.frame.middle(), Anchor::Middle, "no data");
        }
    }

    /// Draws a part of every curve in its colour, the first curve on top.
    fn each(&self, canvas: &mut Canvas, curves: &[CurveDrawing], draw: impl Fn(&CurveDrawing, &mut Canvas)) {
        for (i, curve) in curves.iter().enumerate().rev() {
            canvas.open_told(&marks::colour_class(self.style(i)), &self.series[i].name);
            draw(curve, canvas);
            canvas.close();
        }
    }

    fn swatch(&self, canvas: &mut Canvas, i: usize, (x, y): (f64, f64)) {
        if i < self.series.len() {
            let style = self.style(i);
            canvas.open(&marks::colour_class(style), "");
            canvas.path("curve", &format!("M{x} {y}h{SWATCH}"), marks::dashes(style));
            marks::mark(canvas, style, (x + SWATCH / 2.0, y));
            canvas.close();
            return;
        }
        match self.references[i - self.series.len()].place {
            Position::X(_) => canvas.line("reference", (x + SWATCH / 2.0, y - 8.0), (x + SWATCH / 2.0, y + 8.0)),
            Position::Y(_) => canvas.line("reference", (x, y), (x + SWATCH, y)),
        }
    }

    /// The chart in words.
    pub(crate) fn describe(&self) -> String {
        let Limits { low, high, .. } = Limits::of(self.points().map(|point| point.x), false);
        let end = |series: &Series| {
            let last = series.points.iter().rev().find(|point| point.is_drawable(false, self.y.log));
            format!("{} ends at {}", series.name, last.map_or("no value".to_string(), |point| number::value(point.y)))
        };
        let ends: Vec<String> = self.series.iter().map(end).collect();
        let (from, to) = (number::value(low), number::value(high));
        format!("{} against {} from {from} to {to}: {}.", self.y.name(), self.x.name(), ends.join("; "))
    }

    /// What the page's script shows of the curves, as JSON.
    pub(crate) fn hover(&self) -> String {
        let series = json::list((0..self.series.len()).map(|i| self.hover_of(i)));
        format!("{{\"series\":{series},\"x\":{},\"y\":{}}}", json::text(&self.x.name()), json::text(&self.y.name()))
    }

    fn hover_of(&self, i: usize) -> String {
        let series = &self.series[i];
        let kept = |log: bool| {
            let scale = Scale { limits: self.x_limits(log), from: 0.0, to: 1000.0 };
            thinned(&series.points, &scale, 200)
        };
        let (linear, log) = (kept(false), kept(true));
        let chosen = series.points.iter().zip(linear.iter().zip(log)).filter(|(_, (linear, log))| **linear || *log);
        let points: Vec<&Point> =
            chosen.map(|(point, _)| point).filter(|point| point.is_drawable(false, self.y.log)).collect();
        let column = |part: fn(&Point) -> Option<f64>| {
            json::list(points.iter().map(|point| json::number(part(point).map(number::rounded))))
        };
        let band = match points.iter().any(|point| point.band(false).is_some()) {
            true => format!("\"high\":{},\"low\":{},", column(|point| point.high), column(|point| point.low)),
            false => String::new(),
        };
        let (name, style) = (json::text(&series.name), self.style(i));
        let (x, y) = (column(|point| Some(point.x)), column(|point| Some(point.y)));
        format!("{{{band}\"name\":{name},\"style\":{style},\"x\":{x},\"y\":{y}}}")
    }
}
