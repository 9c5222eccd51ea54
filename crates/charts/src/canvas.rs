//! SVG, element by element. Every text is escaped here and every place is a number.

use std::fmt::Write;

use crate::number::place;
use crate::text::escape;

/// The size of ordinary text in a drawing, as in the style sheet.
pub const TEXT: f64 = 12.0;

/// How a chart is to be drawn.
pub struct Sheet {
    /// The width of the drawing.
    pub width: f64,
    /// Whether x is drawn on a logarithmic scale, where a chart offers it.
    pub log: bool,
    /// What the names inside this drawing start with: a page holds several drawings.
    pub id: String,
}

impl Sheet {
    /// Whether the drawing is for a narrow screen.
    pub fn is_narrow(&self) -> bool {
        self.width < 500.0
    }
}

/// Where a text stands in relation to its place.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A rectangle.
#[derive(Clone, Copy)]
pub struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Frame {
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub fn middle(&self) -> (f64, f64) {
        ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }
}

/// A drawing in the making.
#[derive(Default)]
pub struct Canvas {
    pub body: String,
    /// Attributes of the drawing as a whole, each with a space before it.
    pub attributes: String,
    /// How high the drawing is.
    pub height: f64,
}

impl Canvas {
    fn push(&mut self, arguments: std::fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(arguments);
        self.body.push('\n');
    }

    /// Tells the page's script something about the drawing.
    pub fn tell(&mut self, name: &str, value: &str) {
        let _ = write!(self.attributes, " data-{name}=\"{}\"", escape(value));
    }

    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(place);
        self.push(format_args!("<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"));
    }

    /// A text with its baseline at a place.
    pub fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, text: &str) {
        self.text_with(class, at, anchor, "", text);
    }

    /// A text that reads upwards and ends at a place.
    pub fn text_upwards(&mut self, class: &str, at: (f64, f64), text: &str) {
        let turn = format!(" transform=\"rotate(-90 {} {})\"", place(at.0), place(at.1));
        self.text_with(class, at, Anchor::End, &turn, text);
    }

    /// A text of a font size in the middle of a cell.
    pub fn text_in(&mut self, class: &str, cell: &Frame, size: f64, text: &str) {
        let (x, y) = cell.middle();
        let style = format!(" style=\"font-size:{}px\"", place(size));
        self.text_with(class, (x, y + size * 0.35), Anchor::Middle, &style, text);
    }

    fn text_with(&mut self, class: &str, at: (f64, f64), anchor: Anchor, more: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y, text) = (place(at.0), place(at.1), escape(text));
        self.push(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"{more}>{text}</text>"
        ));
    }

    /// A shape, with attributes that have a space before each.
    pub fn path(&mut self, class: &str, d: &str, attributes: &str) {
        self.push(format_args!("<path class=\"{class}\" d=\"{d}\"{attributes}/>"));
    }

    /// A rectangle.
    pub fn rectangle(&mut self, class: &str, frame: &Frame, attributes: &str) {
        let [x, y, width, height] = [frame.left, frame.top, frame.width().max(0.0), frame.height().max(0.0)].map(place);
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"{attributes}/>"
        ));
    }

    /// Opens a group, to be closed by [`Canvas::close`].
    pub fn open(&mut self, class: &str, attributes: &str) {
        self.push(format_args!("<g class=\"{class}\"{attributes}>"));
    }

    /// Opens a group that tells what it shows to whoever points at it.
    pub fn open_told(&mut self, class: &str, told: &str) {
        self.push(format_args!("<g class=\"{class}\"><title>{}</title>", escape(told)));
    }

    pub fn close(&mut self) {
        self.push(format_args!("</g>"));
    }

    /// Opens a group of which only what lies in the frame is seen.
    pub fn open_clipped(&mut self, id: &str, frame: &Frame) {
        self.push(format_args!("<clipPath id=\"{}\">", escape(id)));
        self.rectangle("", frame, "");
        self.push(format_args!("</clipPath>\n<g clip-path=\"url(#{})\">", escape(id)));
    }
}

/// A path along points.
pub fn along(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut d = String::new();
    for (x, y) in points {
        let _ = write!(d, "{}{} {}", if d.is_empty() { "M" } else { "L" }, place(x), place(y));
    }
    d
}
