//! Charts and tables as text: one HTML page that needs no other file, SVG files, tables for terminals and in Markdown.
//!
//! Everything is data first. A [`Page`] has sections of text, [`Table`]s and [`Figure`]s; a figure is a [`Chart`] with
//! its words: curves ([`LineChart`]), colours over two settings ([`HeatMap`]), a [`Confusion`] matrix, or a
//! classifier's [`Plane`]. Functions from data to text do the rest: the same data give the same bytes, nothing
//! is read or written, and whatever is no number is left out rather than drawn.
//!
//! ```
//! use onlinear_charts::{Axis, Chart, Figure, LineChart, Page, Part, Point, Section, Series};
//!
//! let error = |trials: f64| Point::new(trials, 50.0 / trials.sqrt());
//! let points = (1..=100).map(|trials| error(f64::from(trials))).collect();
//! let chart = LineChart {
//!     x: Axis::new("trials", None),
//!     y: Axis::new("online error", Some("%")),
//!     series: vec![Series { name: "perceptron".to_string(), style: None, points }],
//!     references: Vec::new(),
//! };
//! let figure = Figure::new("error", "Online error", "One pass over shuffled rows.", Chart::Lines(chart));
//! assert!(figure.svg().starts_with("<svg"));
//!
//! let page = Page {
//!     title: "A first look".to_string(),
//!     about: vec![("rows".to_string(), "100".to_string())],
//!     sections: vec![Section::new("How it went", vec![Part::Figure(figure)])],
//! };
//! assert!(page.html().starts_with("<!DOCTYPE html>"));
//! assert_eq!(page.svg_files()[0].0, "error.svg");
//! ```

mod axes;
mod canvas;
mod cells;
mod colour;
mod confusion;
mod contour;
mod curve;
mod figure;
mod heat;
mod json;
mod legend;
mod lines;
mod marks;
mod number;
mod page;
mod plane;
mod scale;
mod table;
mod text;

#[cfg(test)]
mod tests;

pub use axes::Axis;
pub use confusion::Confusion;
pub use curve::{Point, Series};
pub use figure::{Chart, Figure};
pub use heat::{HeatMap, Key};
pub use lines::{LineChart, Position, Reference};
pub use page::{Page, Part, Section};
pub use plane::{Plane, PlanePoint, ScoreGrid};
pub use table::{Align, Cell, Column, Table, Tone};
pub use text::{csv_field, wrapped};
