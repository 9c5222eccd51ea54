//! A matrix of cells with names along two sides.

use crate::canvas::{Anchor, Canvas, Frame, TEXT};
use crate::text;

/// Names along a side take no more room than this.
const LONGEST: f64 = 130.0;
/// The smallest text that is still read.
const SMALLEST: f64 = 8.0;

/// Where the cells of a matrix are. The first row is at the top.
pub struct Cells<'a> {
    pub frame: Frame,
    rows: &'a [String],
    columns: &'a [String],
    pub cell: (f64, f64),
    /// The width of the drawing.
    width: f64,
    /// Whether the names of columns read upwards.
    upright: bool,
}

impl<'a> Cells<'a> {
    /// Cells as large as a width allows, but no larger than `most`.
    pub fn new(rows: &'a [String], columns: &'a [String], width: f64, most: (f64, f64)) -> Cells<'a> {
        let longest = LONGEST.min(width / 3.5);
        let left = rows.iter().map(|name| text::width(name, TEXT)).fold(10.0, f64::max).min(longest) + 8.0;
        let across = ((width - left - 2.0) / columns.len().max(1) as f64).min(most.0);
        let upright = columns.iter().any(|name| text::width(name, TEXT) + 6.0 > across);
        let down = if most.0 == most.1 { across } else { most.1 };
        let (right, bottom) = (left + across * columns.len() as f64, TOP + down * rows.len() as f64);
        Cells { frame: Frame { left, top: TOP, right, bottom }, rows, columns, cell: (across, down), width, upright }
    }

    /// The place of a cell.
    pub fn at(&self, row: usize, column: usize) -> Frame {
        let (left, top) = (self.frame.left + self.cell.0 * column as f64, self.frame.top + self.cell.1 * row as f64);
        Frame { left, top, right: left + self.cell.0, bottom: top + self.cell.1 }
    }

    /// The font size at which all of some texts fit into their cells, if one can read it.
    pub fn text_size(&self, texts: impl Iterator<Item = String>) -> Option<f64> {
        let widest = texts.map(|text| text::width(&text, 1.0)).fold(0.0, f64::max);
        let size = ((self.cell.0 - 5.0) / widest).min(self.cell.1 - 4.0).min(TEXT);
        (size >= SMALLEST).then_some(size)
    }

    /// Writes the names of rows, columns and axes, and returns where the drawing can go on below.
    pub fn draw_names(&self, canvas: &mut Canvas, x_name: &str, y_name: &str) -> f64 {
        let Frame { left, right, bottom, .. } = self.frame;
        canvas.text("name", (0.0, 12.0), Anchor::Start, &text::shorten(y_name, self.width, TEXT));
        let every = |room: f64| ((TEXT + 1.0) / room).ceil().max(1.0) as usize;
        for (i, name) in self.rows.iter().enumerate().step_by(every(self.cell.1)) {
            let place = self.at(i, 0);
            let name = text::shorten(name, left - 8.0, TEXT);
            canvas.text("tick", (left - 6.0, (place.top + place.bottom) / 2.0 + 4.0), Anchor::End, &name);
        }
        let mut depth = TEXT + 4.0;
        for (i, name) in self.columns.iter().enumerate().step_by(if self.upright { every(self.cell.0) } else { 1 }) {
            let place = self.at(0, i);
            let middle = (place.left + place.right) / 2.0;
            if self.upright {
                let name = text::shorten(name, LONGEST, TEXT);
                depth = depth.max(text::width(&name, TEXT) + 4.0);
                canvas.text_upwards("tick", (middle + 4.0, bottom + 6.0), &name);
            } else {
                canvas.text("tick", (middle, bottom + 16.0), Anchor::Middle, name);
            }
        }
        let x_name = text::shorten(x_name, self.width, TEXT);
        // A name wider than the matrix must not leave the drawing.
        let half = text::width(&x_name, TEXT) / 2.0;
        let middle = ((left + right) / 2.0).min(self.width - half).max(half);
        canvas.text("name", (middle, bottom + depth + 18.0), Anchor::Middle, &x_name);
        bottom + depth + 26.0
    }
}

/// The name of the vertical axis stands above the cells.
const TOP: f64 = 24.0;
