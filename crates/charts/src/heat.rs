//! A value for each pair of two settings, as colours.

use crate::axes::{Axis, ticks_below};
use crate::canvas::{Anchor, Canvas, Frame, Sheet, TEXT};
use crate::cells::Cells;
use crate::colour::Colour;
use crate::number;
use crate::scale::{Limits, Scale};
use crate::text;

/// The steps in which the colour bar is drawn.
const STEPS: usize = 60;

/// Values over two keys.
#[derive(Clone)]
pub struct HeatMap {
    /// The settings from left to right.
    pub x: Key,
    /// The settings from bottom to top.
    pub y: Key,
    /// What the values are.
    pub value: Axis,
    /// A row for each setting of y, which starts at the bottom; in it a value for each setting of x.
    pub values: Vec<Vec<Option<f64>>>,
    /// The row and the column of the winner.
    pub best: Option<(usize, usize)>,
}

/// A key with the settings tried.
#[derive(Clone)]
pub struct Key {
    /// What is set.
    pub name: String,
    /// To what, in order.
    pub settings: Vec<String>,
}

impl HeatMap {
    fn value(&self, row: usize, column: usize) -> Option<f64> {
        let value = *self.values.get(row)?.get(column)?;
        value.filter(|value| value.abs() < 1e100)
    }

    /// The winner, if it is one of the cells.
    fn winner(&self) -> Option<(usize, usize)> {
        self.best.filter(|&(row, column)| row < self.y.settings.len() && column < self.x.settings.len())
    }

    fn limits(&self) -> Limits {
        Limits::of(self.values.iter().flatten().flatten().copied(), false)
    }

    pub(crate) fn draw(&self, sheet: &Sheet) -> Canvas {
        let mut canvas = Canvas::default();
        let rows: Vec<String> = self.y.settings.iter().rev().cloned().collect();
        let cells = Cells::new(&rows, &self.x.settings, sheet.width, (84.0, 34.0));
        let limits = self.limits();
        let size = cells.text_size(self.values.iter().flatten().flatten().map(|value| number::value(*value)));
        for row in 0..rows.len() {
            for column in 0..self.x.settings.len() {
                self.cell(&mut canvas, &cells, limits, (rows.len() - 1 - row, column), size);
            }
        }
        if let Some((row, column)) = self.winner() {
            let place = cells.at(rows.len() - 1 - row, column);
            canvas.rectangle("halo", &place, "");
            canvas.rectangle("best", &place, "");
        }
        let bottom = cells.draw_names(&mut canvas, &self.x.name, &self.y.name);
        canvas.height = self.bar(&mut canvas, limits, (cells.frame.left, bottom), sheet.width);
        canvas.tell("columns", &self.x.settings.len().to_string());
        canvas
    }

    fn cell(&self, canvas: &mut Canvas, cells: &Cells, limits: Limits, at: (usize, usize), size: Option<f64>) {
        let (row, column) = at;
        let place = cells.at(self.y.settings.len() - 1 - row, column);
        canvas.open_told("cell", &self.tell(row, column));
        match self.value(row, column) {
            None => canvas.rectangle("missing", &place, ""),
            Some(value) => {
                let colour = Colour::of((value - limits.low) / (limits.high - limits.low));
                canvas.rectangle("heat", &place, &format!(" style=\"fill:{}\"", colour.css()));
                if let Some(size) = size {
                    let class = if colour.wants_dark_text() { "dark" } else { "light" };
                    canvas.text_in(class, &place, size, &number::value(value));
                }
            }
        }
        canvas.close();
    }

    /// What a cell says.
    fn tell(&self, row: usize, column: usize) -> String {
        let value = self.value(row, column).map_or("no value".to_string(), number::value);
        let best = if self.best == Some((row, column)) { ", best" } else { "" };
        let (x, y) = (&self.x.settings[column], &self.y.settings[row]);
        format!("{} {x}, {} {y}: {} {value}{best}", self.x.name, self.y.name, self.value.name())
    }

    /// Draws the colour bar and returns where the drawing ends.
    fn bar(&self, canvas: &mut Canvas, limits: Limits, (left, top): (f64, f64), width: f64) -> f64 {
        let right = (left + 320.0).min(width - 24.0);
        let scale = Scale { limits, from: left, to: right };
        let name = text::shorten(&self.value.name(), width - left, TEXT);
        canvas.text("name", (left, top + 22.0), Anchor::Start, &name);
        let (top, bottom) = (top + 30.0, top + 42.0);
        for step in 0..STEPS {
            let at = |step: usize| left + (right - left) * step as f64 / STEPS as f64;
            // Each step reaches under the next one, so that no seam is seen.
            let place = Frame { left: at(step), top, right: (at(step + 1) + 1.0).min(right), bottom };
            let colour = Colour::of((step as f64 + 0.5) / STEPS as f64).css();
            canvas.rectangle("bar", &place, &format!(" style=\"fill:{colour}\""));
        }
        ticks_below(canvas, &scale, &scale.ticks(|label| text::width(label, TEXT) + TEXT), bottom);
        bottom + 22.0
    }

    /// The chart in words.
    pub(crate) fn describe(&self) -> String {
        let count = self.values.iter().flatten().flatten().count();
        let Limits { low, high, .. } = self.limits();
        let best = self.winner().map(|(row, column)| format!("; {}", self.tell(row, column)));
        let range = format!("from {} to {}", number::value(low), number::value(high));
        let what = self.value.name();
        format!("{what} for {count} pairs of {} and {}, {range}{}.", self.x.name, self.y.name, best.unwrap_or_default())
    }
}
