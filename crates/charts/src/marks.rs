//! How series are told apart: colour, shape and dashes, so that two of these may be lost.

use crate::canvas::{Canvas, along};
use crate::number::place;

/// How many colours the style sheet has.
pub const COLOURS: usize = 8;
/// The arm of a cross is so thick.
const ARM: f64 = 0.36;

/// The class that gives a series its colour.
pub fn colour_class(series: usize) -> String {
    format!("s{}", series % COLOURS)
}

/// The attribute that gives a series its dashes: every second set of colours has them.
pub fn dashes(series: usize) -> &'static str {
    match series / COLOURS % 3 {
        0 => "",
        1 => " stroke-dasharray=\"6 3\"",
        _ => " stroke-dasharray=\"2 2.5\"",
    }
}

/// Draws the mark of a series: one shape per colour, hollow where the line is dashed.
pub fn mark(canvas: &mut Canvas, series: usize, at: (f64, f64)) {
    let class = if (series / COLOURS).is_multiple_of(2) { "mark" } else { "mark hollow" };
    canvas.path(class, &outline(series, at, 4.0), "");
}

/// The outline of a shape around a place.
pub fn outline(shape: usize, (x, y): (f64, f64), radius: f64) -> String {
    let corners: &[(f64, f64)] = match shape % COLOURS {
        0 => return circle((x, y), radius),
        1 => &[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
        2 => &[(0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)],
        3 => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
        4 => &[(0.0, 1.15), (1.1, -0.85), (-1.1, -0.85)],
        5 => return cross((x, y), radius * 1.2, 0.0),
        6 => return cross((x, y), radius * 1.2, std::f64::consts::FRAC_PI_4),
        _ => &[(1.15, 0.0), (-0.85, 1.1), (-0.85, -1.1)],
    };
    along(corners.iter().map(|(dx, dy)| (x + dx * radius, y + dy * radius))) + "Z"
}

/// A circle as a path.
pub fn circle((x, y): (f64, f64), radius: f64) -> String {
    let (r, d) = (place(radius), place(2.0 * radius));
    format!("M{} {}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z", place(x - radius), place(y))
}

/// A plus sign with thick arms, turned by an angle.
fn cross((x, y): (f64, f64), radius: f64, angle: f64) -> String {
    let (sin, cos) = angle.sin_cos();
    let quarter = [(ARM, -1.0), (ARM, -ARM), (1.0, -ARM)];
    // A quarter turn takes (x, y) to (−y, x).
    let turned = (0..4).flat_map(|turn| quarter.map(|corner| (0..turn).fold(corner, |(a, b), _| (-b, a))));
    let corners = turned.map(|(a, b)| (x + radius * (a * cos - b * sin), y + radius * (a * sin + b * cos)));
    along(corners) + "Z"
}
