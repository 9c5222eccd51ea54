//! How often rows of one class were taken for another.

use crate::canvas::{Anchor, Canvas, Frame, Sheet, TEXT};
use crate::cells::Cells;
use crate::number;
use crate::text;

/// The shares that the colour bars show.
const SHARES: [(f64, &str); 5] = [(0.0, "0"), (0.01, "1"), (0.1, "10"), (0.5, "50"), (1.0, "100 %")];
/// The steps in which a colour bar is drawn.
const STEPS: usize = 50;
const BAR: f64 = 240.0;

/// Counts of rows by true and predicted class.
#[derive(Clone)]
pub struct Confusion {
    /// The names of the classes.
    pub labels: Vec<String>,
    /// A row for each true class, in it a count for each predicted one.
    pub counts: Vec<Vec<u64>>,
}

impl Confusion {
    fn count(&self, row: usize, column: usize) -> u64 {
        self.counts.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0)
    }

    /// The part of a class's rows that are in a cell.
    fn share(&self, row: usize, column: usize) -> f64 {
        let total: u64 = self.counts.get(row).map_or(0, |row| row.iter().sum());
        self.count(row, column) as f64 / total.max(1) as f64
    }

    pub(crate) fn draw(&self, sheet: &Sheet) -> Canvas {
        let mut canvas = Canvas::default();
        let cells = Cells::new(&self.labels, &self.labels, sheet.width, (44.0, 44.0));
        // Counts in full where they can be read, else in short.
        let sized = |write: fn(u64) -> String| {
            Some((write, cells.text_size(self.counts.iter().flatten().map(|&count| write(count)))?))
        };
        let writing = sized(number::count).or_else(|| sized(|count| number::compact(count as f64)));
        for row in 0..self.labels.len() {
            for column in 0..self.labels.len() {
                let count = self.count(row, column);
                let text = writing.filter(|_| count > 0).map(|(write, size)| (write(count), size));
                self.cell(&mut canvas, &cells, (row, column), text);
            }
        }
        canvas.rectangle("frame", &cells.frame, "");
        let bottom = cells.draw_names(&mut canvas, "predicted class", "true class");
        canvas.height = self.bars(&mut canvas, (cells.frame.left, bottom), sheet);
        canvas.tell("columns", &self.labels.len().to_string());
        canvas
    }

    fn cell(&self, canvas: &mut Canvas, cells: &Cells, (row, column): (usize, usize), text: Option<(String, f64)>) {
        let place = cells.at(row, column);
        let kind = if row == column { "right" } else { "wrong" };
        let depth = depth(self.share(row, column));
        canvas.open_told(&format!("cell {kind}"), &self.tell(row, column));
        canvas.rectangle("shade", &place, &format!(" fill-opacity=\"{depth:.3}\""));
        if let Some((text, size)) = text {
            let class = match depth {
                ..0.65 => "low",
                0.65..0.8 => "mid",
                _ => "high",
            };
            canvas.text_in(class, &place, size, &text);
        }
        canvas.close();
    }

    /// What a cell says.
    fn tell(&self, row: usize, column: usize) -> String {
        let (count, share) = (number::count(self.count(row, column)), number::value(100.0 * self.share(row, column)));
        let (truth, predicted) = (&self.labels[row], &self.labels[column]);
        format!("true {truth}, predicted {predicted}: {count} rows, {share} % of class {truth}")
    }

    /// Draws the two colour bars and returns where the drawing ends.
    fn bars(&self, canvas: &mut Canvas, (left, top): (f64, f64), sheet: &Sheet) -> f64 {
        let bar = BAR.min(sheet.width - left - 30.0);
        // The second bar stands beside the first where it can.
        let (right, down) = if left + 2.0 * bar + 74.0 < sheet.width { (bar + 50.0, 0.0) } else { (0.0, 56.0) };
        let names = [("right", "right, share of the true class"), ("wrong", "wrong, share of the true class")];
        for (i, (kind, name)) in (0u8..).zip(names) {
            let (left, top) = (left + right * f64::from(i), top + down * f64::from(i));
            canvas.open(kind, "");
            canvas.text("name", (left, top + 22.0), Anchor::Start, &text::shorten(name, sheet.width - left, TEXT));
            for step in 0..STEPS {
                let at = |step: usize| left + bar * step as f64 / STEPS as f64;
                let frame = Frame { left: at(step), top: top + 30.0, right: at(step + 1), bottom: top + 42.0 };
                let depth = (step as f64 + 0.5) / STEPS as f64;
                canvas.rectangle("shade bar", &frame, &format!(" fill-opacity=\"{depth:.2}\""));
            }
            for (share, label) in SHARES {
                canvas.text("tick", (left + bar * depth(share), top + 57.0), Anchor::Middle, label);
            }
            canvas.close();
        }
        top + down + 62.0
    }

    /// The chart in words.
    pub(crate) fn describe(&self) -> String {
        let size = self.labels.len();
        let total: u64 = self.counts.iter().flatten().sum();
        let right: u64 = (0..size).map(|i| self.count(i, i)).sum();
        let pairs = (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
        let worst = pairs.filter(|(row, column)| row != column).max_by_key(|&(row, column)| self.count(row, column));
        let worst = worst.map(|(row, column)| format!(" Most frequent mistake: {}.", self.tell(row, column)));
        let (right, total) = (number::count(right), number::count(total));
        format!("{right} of {total} rows of {size} classes are predicted right.{}", worst.unwrap_or_default())
    }
}

/// How deep the colour of a share is: small shares of mistakes must be seen too.
fn depth(share: f64) -> f64 {
    share.clamp(0.0, 1.0).sqrt()
}
