//! Two numeric axes with their ticks, grid and names.

use crate::canvas::{Anchor, Canvas, Frame, TEXT};
use crate::scale::{Limits, Scale, Tick};
use crate::text;

/// The name of the vertical axis stands above the plot.
const TOP: f64 = 26.0;
/// The labels and the name of the horizontal axis stand below it.
const BOTTOM: f64 = 42.0;
/// Between a tick and its label.
const GAP: f64 = 7.0;

/// What is measured along an axis.
#[derive(Clone, Default)]
pub struct Axis {
    /// What it is.
    pub label: String,
    /// What it is counted in, such as %.
    pub unit: Option<String>,
    /// Whether the scale is logarithmic; readers can choose another one for x.
    pub log: bool,
}

impl Axis {
    /// An axis with an even scale.
    pub fn new(label: &str, unit: Option<&str>) -> Axis {
        Axis { label: label.to_string(), unit: unit.map(str::to_string), log: false }
    }

    /// The label and, in brackets, the unit.
    pub(crate) fn name(&self) -> String {
        match &self.unit {
            Some(unit) => format!("{} ({unit})", self.label),
            None => self.label.clone(),
        }
    }
}

/// Two axes around a plot.
pub struct Axes {
    pub frame: Frame,
    pub x: Scale,
    pub y: Scale,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
}

impl Axes {
    /// Axes that take up a width in all, around a plot of a height.
    pub fn new(x: Limits, y: Limits, width: f64, height: f64) -> Axes {
        let y = Scale { limits: y, from: TOP + height, to: TOP };
        let y_ticks = y.ticks(|_| TEXT * 2.0);
        let left = y_ticks.iter().map(|tick| text::width(&tick.label, TEXT)).fold(12.0, f64::max) + GAP + 2.0;
        // Half of the last label may stand out on the right.
        let x = Scale { limits: x, from: left, to: width - 24.0 };
        let x_ticks = x.ticks(|label| text::width(label, TEXT) + TEXT);
        Axes { frame: Frame { left, top: TOP, right: x.to, bottom: TOP + height }, x, y, x_ticks, y_ticks }
    }

    /// Where the drawing can go on below.
    pub fn bottom(&self) -> f64 {
        self.frame.bottom + BOTTOM
    }

    /// Draws the grid, to be drawn over.
    pub fn grid(&self, canvas: &mut Canvas) {
        let Frame { left, top, right, bottom } = self.frame;
        for tick in &self.x_ticks {
            let x = self.x.at(tick.value);
            canvas.line("grid", (x, top), (x, bottom));
        }
        for tick in &self.y_ticks {
            let y = self.y.at(tick.value);
            canvas.line("grid", (left, y), (right, y));
        }
    }

    /// Draws axes, ticks, labels and names.
    pub fn draw(&self, canvas: &mut Canvas, x_name: &str, y_name: &str) {
        let Frame { left, top, right, bottom } = self.frame;
        canvas.line("axis", (left, bottom), (right, bottom));
        canvas.line("axis", (left, top), (left, bottom));
        ticks_below(canvas, &self.x, &self.x_ticks, bottom);
        for tick in &self.y_ticks {
            let y = self.y.at(tick.value);
            canvas.line("axis", (left - 4.0, y), (left, y));
            canvas.text("tick", (left - GAP, y + 4.0), Anchor::End, &tick.label);
        }
        let x_name = text::shorten(x_name, self.frame.width(), TEXT);
        canvas.text("name", ((left + right) / 2.0, bottom + 35.0), Anchor::Middle, &x_name);
        let y_name = text::shorten(y_name, right, TEXT);
        canvas.text("name", (0.0, 12.0), Anchor::Start, &y_name);
    }
}

/// The ticks of a scale that runs to the right, with their labels below them.
pub fn ticks_below(canvas: &mut Canvas, scale: &Scale, ticks: &[Tick], top: f64) {
    for tick in ticks {
        let x = scale.at(tick.value);
        canvas.line("axis", (x, top), (x, top + 4.0));
        canvas.text("tick", (x, top + 17.0), Anchor::Middle, &tick.label);
    }
}
