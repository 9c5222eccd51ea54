//! Reports: tables and charts as one HTML file, charts as SVG files. Pure functions from data to text.

mod axes;
mod canvas;
mod cells;
mod colour;
mod confusion;
mod contour;
mod curve;
mod figure;
mod heat;
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
mod browser_tests;
#[cfg(test)]
mod demo;
#[cfg(test)]
mod tests;

pub use confusion::Confusion;
pub use curve::{Point, Series};
pub use figure::{Axis, Chart, Figure};
pub use heat::{Heat, Key};
pub use lines::{Lines, Place, Reference};
pub use plane::{Grid, Plane, PlanePoint};
pub use table::{Align, Cell, Column, Table};

/// What a command has found out, ready to be read.
pub struct Report {
    /// The heading of the page.
    pub title: String,
    /// How it was found out: names and texts at the top of the page.
    pub about: Vec<(String, String)>,
    pub sections: Vec<Section>,
}

/// A heading with what stands under it.
pub struct Section {
    pub heading: String,
    pub parts: Vec<Part>,
}

/// A piece of a section.
pub enum Part {
    /// Paragraphs, with an empty line between them.
    Text(String),
    Table(Table),
    Figure(Figure),
}

impl Report {
    /// The whole report as one file that needs no other.
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
