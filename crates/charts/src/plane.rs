//! What a classifier says about a plane, and the rows it learned from.

use crate::axes::Axes;
use crate::canvas::{Canvas, Sheet, along};
use crate::contour;
use crate::legend::{Legend, SWATCH};
use crate::marks;
use crate::number;
use crate::scale::{Limits, is_drawable};

/// More points than this are not drawn.
const MOST: usize = 2000;
/// How far from 0 scores are shaded deeper, as parts of the score that one in ten exceeds.
const LEVELS: [f64; 3] = [0.0, 0.35, 0.75];
/// The shapes and colours of the negative and the positive class, as those of series.
const SHAPES: [usize; 2] = [1, 0];
/// The size of points, on wide and on narrow screens.
const RADIUS: [f64; 2] = [3.6, 2.8];

/// Scores over a rectangle, and points.
#[derive(Clone)]
pub struct Plane {
    /// The feature that runs to the right.
    pub x_label: String,
    /// The feature that runs upwards.
    pub y_label: String,
    /// What the classifier says.
    pub scores: ScoreGrid,
    /// Rows, of which some are left out where they are very many.
    pub points: Vec<PlanePoint>,
    /// The names of the negative and the positive class.
    pub classes: [String; 2],
}

/// Scores at points that are spread evenly over a rectangle, its edges included.
#[derive(Clone)]
pub struct ScoreGrid {
    /// From where to where the rectangle reaches to the right.
    pub x: (f64, f64),
    /// From where to where it reaches upwards.
    pub y: (f64, f64),
    /// The first row is that of the smallest y, in it the first score that of the smallest x.
    pub rows: Vec<Vec<f64>>,
}

/// A row of the data that lies in the plane.
#[derive(Clone, Copy)]
pub struct PlanePoint {
    /// Its first feature.
    pub x: f64,
    /// Its second feature.
    pub y: f64,
    /// Whether it is of the positive class.
    pub positive: bool,
    /// Whether it is a support vector.
    pub support: bool,
    /// Whether it is on the wrong side.
    pub mistake: bool,
}

impl Plane {
    pub(crate) fn draw(&self, sheet: &Sheet) -> Canvas {
        let mut canvas = Canvas::default();
        let limits = |range: (f64, f64)| Limits::of([range.0, range.1].into_iter(), false);
        let (x, y) = (limits(self.scores.x), limits(self.scores.y));
        let shape = ((y.high - y.low) / (x.high - x.low)).clamp(0.5, 1.0);
        let width = if sheet.is_narrow() { sheet.width } else { (430.0 / shape + 70.0).min(sheet.width) };
        let axes = Axes::new(x, y, width, (width - 70.0) * shape);
        canvas.open_clipped(&format!("{}-plane", sheet.id), &axes.frame);
        self.regions(&mut canvas, &axes);
        canvas.close();
        axes.draw(&mut canvas, &self.x_label, &self.y_label);
        let radius = RADIUS[usize::from(sheet.is_narrow())];
        self.draw_points(&mut canvas, &axes, radius);
        let (names, symbols): (Vec<String>, Vec<Symbol>) = self.entries().into_iter().unzip();
        let beside = Legend::beside(&names, axes.frame.height()).filter(|legend| legend.width() + width <= sheet.width);
        let (legend, corner) = match beside {
            Some(legend) => (legend, (width, axes.frame.top)),
            None => (Legend::below(&names, sheet.width), (0.0, axes.bottom() + 4.0)),
        };
        legend.draw(&mut canvas, corner, |canvas, i, (x, y)| symbols[i].draw(canvas, (x + SWATCH / 2.0, y), radius));
        canvas.height = axes.bottom().max(corner.1 + legend.height());
        canvas
    }

    /// Shades both sides, deeper where scores are larger, and draws the line between them.
    fn regions(&self, canvas: &mut Canvas, axes: &Axes) {
        let rows = &self.scores.rows;
        let columns = rows.iter().map(Vec::len).min().unwrap_or(0);
        if rows.len() < 2 || columns < 2 {
            return;
        }
        let frame = axes.frame;
        let place = |(column, row): (f64, f64)| {
            let (right, up) = (column / (columns - 1) as f64, row / (rows.len() - 1) as f64);
            (frame.left + right * frame.width(), frame.bottom - up * frame.height())
        };
        let negated: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|score| -score).collect()).collect();
        let large = large(rows);
        for (class, rows) in [&negated, rows].into_iter().enumerate() {
            canvas.open(&marks::colour_class(SHAPES[class]), "");
            for level in LEVELS {
                let d = contour::area(rows, level * large, place);
                if !d.is_empty() {
                    canvas.path("region", &d, "");
                }
            }
            canvas.close();
        }
        canvas.path("boundary", &contour::line(rows, 0.0, place), "");
    }

    fn draw_points(&self, canvas: &mut Canvas, axes: &Axes, radius: f64) {
        let every = self.points.len().div_ceil(MOST).max(1);
        // Points that matter are drawn last, on top.
        let mut shown: Vec<&PlanePoint> = self.points.iter().step_by(every).collect();
        shown.sort_by_key(|point| (point.support, point.mistake));
        for point in shown {
            let drawable = is_drawable(point.x, false) && is_drawable(point.y, false);
            if drawable && axes.x.shows(point.x) && axes.y.shows(point.y) {
                canvas.open_told("cell", &self.tell(point));
                let at = (axes.x.at(point.x), axes.y.at(point.y));
                Symbol::Point(usize::from(point.positive)).draw(canvas, at, radius);
                if point.support {
                    Symbol::Ring.draw(canvas, at, radius);
                }
                if point.mistake {
                    Symbol::Cross.draw(canvas, at, radius);
                }
                canvas.close();
            }
        }
    }

    /// What a point says.
    fn tell(&self, point: &PlanePoint) -> String {
        let support = if point.support { ", support vector" } else { "" };
        let mistake = if point.mistake { ", mistake" } else { "" };
        let class = &self.classes[usize::from(point.positive)];
        format!("class {class} at ({}, {}){support}{mistake}", number::value(point.x), number::value(point.y))
    }

    /// The legend: only what is drawn.
    fn entries(&self) -> Vec<(String, Symbol)> {
        let classes = [1, 0].map(|class| (format!("class {}", self.classes[class]), Symbol::Point(class)));
        let others = [
            (self.points.iter().any(|point| point.support), "support vector", Symbol::Ring),
            (self.points.iter().any(|point| point.mistake), "mistake", Symbol::Cross),
            (!self.scores.rows.is_empty(), "boundary, score 0", Symbol::Boundary),
        ];
        let others = others.into_iter().filter(|(is_drawn, ..)| *is_drawn);
        classes.into_iter().chain(others.map(|(_, name, symbol)| (name.to_string(), symbol))).collect()
    }

    /// The chart in words.
    pub(crate) fn describe(&self) -> String {
        let count = |choose: &dyn Fn(&PlanePoint) -> bool| {
            number::count(self.points.iter().filter(|p| choose(p)).count() as u64)
        };
        let [negative, positive] = &self.classes;
        let drawn = match self.points.len().div_ceil(MOST) {
            0 | 1 => String::new(),
            every => format!(" One point in {every} is drawn."),
        };
        format!(
            "The sides of the decision boundary over {} and {}: {} points of class {positive} and {} of class \
             {negative}, {} support vectors and {} mistakes among them.{drawn}",
            self.x_label,
            self.y_label,
            count(&|point| point.positive),
            count(&|point| !point.positive),
            count(&|point| point.support),
            count(&|point| point.mistake)
        )
    }
}

/// The size that one score in ten exceeds, or 1 where there is none.
fn large(rows: &[Vec<f64>]) -> f64 {
    let mut sizes: Vec<f64> = rows.iter().flatten().map(|score| score.abs()).filter(|size| size.is_finite()).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() * 9 / 10).copied().filter(|&size| size > 0.0).unwrap_or(1.0)
}

/// What is drawn at a point.
enum Symbol {
    /// A point of the negative (0) or the positive class (1).
    Point(usize),
    Ring,
    Cross,
    Boundary,
}

impl Symbol {
    fn draw(&self, canvas: &mut Canvas, (x, y): (f64, f64), radius: f64) {
        match self {
            Symbol::Point(class) => {
                let shape = SHAPES[*class];
                let kind = format!("mark {}", marks::colour_class(shape));
                canvas.path(&kind, &marks::outline(shape, (x, y), radius), "");
            }
            Symbol::Ring => canvas.path("ring", &marks::circle((x, y), radius * 1.9), ""),
            Symbol::Cross => {
                let arm = radius * 1.5;
                let strokes = [(-arm, -arm, arm, arm), (-arm, arm, arm, -arm)];
                let d: String =
                    strokes.map(|(a, b, c, d)| along([(x + a, y + b), (x + c, y + d)].into_iter())).concat();
                canvas.path("cross", &d, "");
            }
            Symbol::Boundary => canvas.line("boundary", (x - SWATCH / 2.0, y), (x + SWATCH / 2.0, y)),
        }
    }
}
