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
pub use plane::{Plane, PlanePoint, ScoreGrid};
pub use table::{Align, Cell, Column, Table};
pub use text::csv_field;

/// What a command has found out, ready to be read.
pub struct Page {
    /// The heading of the page.
    pub title: String,
    /// How it was found out: names and texts at the top of the page.
    pub about: Vec<(String, String)>,
    /// What stands on it, from top to bottom.
    pub sections: Vec<Section>,
}

/// A heading with what stands under it.
pub struct Section {
    /// What stands above.
    pub heading: String,
    /// What stands below it, from top to bottom.
    pub parts: Vec<Part>,
}

impl Section {
    /// These parts under a heading.
    pub fn new(heading: &str, parts: Vec<Part>) -> Section {
        Section { heading: heading.to_string(), parts }
    }
}

/// A piece of a section.
pub enum Part {
    /// Paragraphs, with an empty line between them.
    Text(String),
    /// Numbers in rows and columns.
    Table(Table),
    /// A chart with its words; figures are numbered through the page.
    Figure(Figure),
}

impl Page {
    /// The whole page as one file that needs no other.
    pub fn html(&self) -> String {
        page::html(self)
    }

    /// Every figure as a file of its own: names, no two of them the same, and contents.
    pub fn svg_files(&self) -> Vec<(String, String)> {
        let parts = self.sections.iter().flat_map(|section| &section.parts);
        let figures = parts.filter_map(|part| if let Part::Figure(figure) = part { Some(figure) } else { None });
        let mut files: Vec<(String, String)> = Vec::new();
        for figure in figures {
            let stem = text::stem(&figure.name);
            let taken = |name: &String| files.iter().any(|(other, _)| other == name);
            let mut name = format!("{stem}.svg");
            for again in 2.. {
                if !taken(&name) {
                    break;
                }
                name = format!("{stem}-{again}.svg");
            }
            files.push((name, figure.svg()));
        }
        files
    }
}
