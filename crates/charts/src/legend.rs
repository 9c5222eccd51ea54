//! The names of what is drawn, beside the plot or below it, never over it.

use crate::canvas::{Anchor, Canvas, TEXT};
use crate::text;

/// From one line to the next.
pub const LINE: f64 = 19.0;
/// What stands before a name.
pub const SWATCH: f64 = 26.0;
/// Between a swatch and its name.
const GAP: f64 = 7.0;
/// Between two columns.
const BETWEEN: f64 = 18.0;
/// A legend wider than this goes below the plot.
const WIDEST_BESIDE: f64 = 250.0;

/// Where the names go.
pub struct Legend<'a> {
    names: &'a [String],
    columns: usize,
    /// How wide a column is, with the gap to the next.
    column: f64,
}

impl<'a> Legend<'a> {
    /// A legend in one column, where that is small enough to stand beside a plot of some height.
    pub fn beside(names: &'a [String], height: f64) -> Option<Legend<'a>> {
        let legend = Legend { names, columns: 1, column: widest(names) + SWATCH + GAP + BETWEEN };
        (legend.column <= WIDEST_BESIDE && legend.height() <= height).then_some(legend)
    }

    /// A legend in as many columns as a width has room for.
    pub fn below(names: &'a [String], width: f64) -> Legend<'a> {
        let column = (widest(names) + SWATCH + GAP + BETWEEN).min(width);
        let columns = ((width / column) as usize).clamp(1, names.len().max(1));
        Legend { names, columns, column: (width / columns as f64).min(column * 1.3) }
    }

    pub fn width(&self) -> f64 {
        self.column
    }

    pub fn height(&self) -> f64 {
        LINE * self.names.len().div_ceil(self.columns) as f64
    }

    /// Draws the names, and before each its swatch, whose left middle is handed to `swatch`.
    pub fn draw(&self, canvas: &mut Canvas, (left, top): (f64, f64), swatch: impl Fn(&mut Canvas, usize, (f64, f64))) {
        let lines = self.names.len().div_ceil(self.columns);
        for (i, name) in self.names.iter().enumerate() {
            let x = left + self.column * (i / lines) as f64;
            let y = top + LINE * ((i % lines) as f64 + 0.5);
            canvas.open_told("entry", name);
            swatch(canvas, i, (x, y));
            let room = self.column - SWATCH - GAP - BETWEEN / 2.0;
            let name = text::shorten(name, room, TEXT);
            canvas.text("", (x + SWATCH + GAP, y + 4.0), Anchor::Start, &name);
            canvas.close();
        }
    }
}

fn widest(names: &[String]) -> f64 {
    names.iter().map(|name| text::width(name, TEXT)).fold(0.0, f64::max)
}
