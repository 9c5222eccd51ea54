//! Curves with bands of uncertainty.

use serde_json::{Value as Json, json};

use super::axes::Axes;
use super::canvas::{Anchor, Canvas, Sheet};
use super::curve::{Curve, Point, Series, thinned};
use super::figure::Axis;
use super::legend::{Legend, SWATCH};
use super::marks;
use super::number;
use super::scale::{Limits, Scale};

/// Points in the first part of x may be off the scale, if the others would be squeezed otherwise: the error of the
/// first trials is 0 or 100 %.
const EARLY: f64 = 0.02;
const SQUEEZED: f64 = 1.5;
/// With more curves than this the bands are paler.
const MANY: usize = 5;

/// Curves over one x.
#[derive(Clone)]
pub struct Lines {
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
    pub references: Vec<Reference>,
}

/// A straight line to compare curves with.
#[derive(Clone)]
pub struct Reference {
    pub name: String,
    pub place: Place,
}

/// Where a reference line stands.
#[derive(Clone, Copy)]
pub enum Place {
    /// Upright, at this x.
    X(f64),
    /// Level, at this y.
    Y(f64),
}

impl Lines {
    /// Whether x makes sense on both kinds of scale, so that readers may choose.
    pub fn has_two_scales(&self) -> bool {
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

    pub fn draw(&self, sheet: &Sheet) -> Canvas {
        let mut canvas = Canvas::default();
        let names = self.names();
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
        legend.draw(&mut canvas, corner, |canvas, i, at| self.swatch(canvas, i, at));
        canvas.height = axes.bottom().max(corner.1 + legend.height());
        canvas
            .tell("frame", &json!([axes.frame.left, axes.frame.top, axes.frame.right, axes.frame.bottom]).to_string());
        canvas.tell("limits", &json!([x.low, x.high, x.log]).to_string());
        canvas
    }

    /// What the legend says.
    fn names(&self) -> Vec<String> {
        let series = self.series.iter().map(|series| series.name.clone());
        let references = self.references.iter().map(|reference| match reference.place {
            Place::X(value) | Place::Y(value) => format!("{}: {}", reference.name, number::value(value)),
        });
        series.chain(references).collect()
    }

    fn x_limits(&self, log: bool) -> Limits {
        let references =
            self.references.iter().filter_map(|r| if let Place::X(value) = r.place { Some(value) } else { None });
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
            let references =
                self.references.iter().filter_map(|r| if let Place::Y(value) = r.place { Some(value) } else { None });
            Limits::of(points.flat_map(bands).chain(references), log)
        };
        let (all, late) = (heights(f64::NEG_INFINITY), heights(x.low + EARLY * (x.high - x.low)));
        let squeezed =
            !x.log && !log && self.points().count() > 50 && late.low >= 0.0 && all.high > SQUEEZED * late.high;
        let limits = if squeezed { late } else { all };
        limits.starting_at_zero(if percent { 0.5 } else { 0.3 }).to_whole_ticks(if percent {
            100.0
        } else {
            f64::INFINITY
        })
    }

    fn plot(&self, canvas: &mut Canvas, axes: &Axes, id: &str) {
        let curves: Vec<Curve> =
            self.series.iter().enumerate().map(|(i, series)| Curve::new(series, self.style(i), axes)).collect();
        canvas.open_clipped(&format!("{id}-plot"), &axes.frame);
        canvas.open(if curves.len() > MANY { "bands many" } else { "bands" }, "");
        for (i, curve) in curves.iter().enumerate() {
            canvas.open(&marks::colour_class(self.style(i)), "");
            curve.band(canvas);
            canvas.close();
        }
        canvas.close();
        for reference in &self.references {
            match reference.place {
                Place::X(x) => {
                    canvas.line("reference", (axes.x.at(x), axes.frame.top), (axes.x.at(x), axes.frame.bottom))
                }
                Place::Y(y) => {
                    canvas.line("reference", (axes.frame.left, axes.y.at(y)), (axes.frame.right, axes.y.at(y)))
                }
            }
        }
        self.each(canvas, &curves, Curve::line);
        canvas.close();
        self.each(canvas, &curves, Curve::marks);
        if self.points().all(|point| !point.is_drawable(axes.x.limits.log, axes.y.limits.log)) {
            let middle = ((axes.frame.left + axes.frame.right) / 2.0, (axes.frame.top + axes.frame.bottom) / 2.0);
            canvas.text("nothing", middle, Anchor::Middle, "no data");
        }
    }

    /// Draws a part of every curve in its colour, the first curve on top.
    fn each<'a>(&self, canvas: &mut Canvas, curves: &[Curve<'a>], draw: impl Fn(&Curve<'a>, &mut Canvas)) {
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
            Place::X(_) => canvas.line("reference", (x + SWATCH / 2.0, y - 8.0), (x + SWATCH / 2.0, y + 8.0)),
            Place::Y(_) => canvas.line("reference", (x, y), (x + SWATCH, y)),
        }
    }

    /// The chart in words.
    pub fn describe(&self) -> String {
        let Limits { low, high, .. } = Limits::of(self.points().map(|point| point.x), false);
        let end = |series: &Series| {
            let last = series.points.iter().rev().find(|point| point.is_drawable(false, self.y.log));
            format!("{} ends at {}", series.name, last.map_or("no value".to_string(), |point| number::value(point.y)))
        };
        let ends: Vec<String> = self.series.iter().map(end).collect();
        let (from, to) = (number::value(low), number::value(high));
        format!("{} against {} from {from} to {to}: {}.", self.y.name(), self.x.name(), ends.join("; "))
    }

    /// What the page's script shows of the curves.
    pub fn hover(&self) -> Json {
        let series: Vec<Json> = (0..self.series.len()).map(|i| self.hover_of(i)).collect();
        json!({"x": self.x.name(), "y": self.y.name(), "series": series})
    }

    fn hover_of(&self, i: usize) -> Json {
        let series = &self.series[i];
        let kept = |log: bool| {
            let scale = Scale { limits: self.x_limits(log), from: 0.0, to: 1000.0 };
            thinned(&series.points, &scale, 200)
        };
        let (linear, log) = (kept(false), kept(true));
        let chosen = series.points.iter().zip(linear.iter().zip(log)).filter(|(_, (linear, log))| **linear || *log);
        let points: Vec<&Point> =
            chosen.map(|(point, _)| point).filter(|point| point.is_drawable(false, self.y.log)).collect();
        let column = |part: &dyn Fn(&Point) -> Option<f64>| -> Vec<Option<f64>> {
            points.iter().map(|point| part(point).filter(|value| value.is_finite()).map(number::rounded)).collect()
        };
        let mut json = json!({"name": series.name, "style": self.style(i), "x": column(&|point| Some(point.x)), "y": column(&|point| Some(point.y))});
        if points.iter().any(|point| point.band(false).is_some()) {
            json["low"] = json!(column(&|point| point.low));
            json["high"] = json!(column(&|point| point.high));
        }
        json
    }
}
