//! A chart with its title, as a file of its own or as a part of a page.

use crate::canvas::{Anchor, Canvas, Sheet};
use crate::confusion::Confusion;
use crate::heat::HeatMap;
use crate::lines::LineChart;
use crate::number::place;
use crate::plane::Plane;
use crate::text::{escape, shorten};

/// How charts look, on a page and alone.
pub const STYLE: &str = include_str!("chart.css");
/// The widths that charts are drawn at: for most screens and paper, and for telephones.
const WIDE: f64 = 820.0;
const NARROW: f64 = 340.0;
/// The title of a chart that stands alone takes this much.
const TITLE: f64 = 34.0;
const MARGIN: f64 = 14.0;

/// A chart and what is said about it.
#[derive(Clone)]
pub struct Figure {
    /// What its file is called, without the ending.
    pub name: String,
    /// What it is called where it has a number elsewhere; else it is numbered through the page.
    pub label: Option<String>,
    /// What it shows, in a few words.
    pub title: String,
    /// What its readers should know.
    pub caption: String,
    /// What is drawn.
    pub chart: Chart,
}

/// What is drawn.
#[derive(Clone)]
pub enum Chart {
    /// Curves over one x.
    Lines(LineChart),
    /// A value for each pair of two settings.
    Heat(HeatMap),
    /// How often one class was taken for another.
    Confusion(Confusion),
    /// A classifier over two features.
    Plane(Plane),
}

impl Chart {
    fn draw(&self, sheet: &Sheet) -> Canvas {
        match self {
            Chart::Lines(lines) => lines.draw(sheet),
            Chart::Heat(heat) => heat.draw(sheet),
            Chart::Confusion(confusion) => confusion.draw(sheet),
            Chart::Plane(plane) => plane.draw(sheet),
        }
    }

    fn describe(&self) -> String {
        match self {
            Chart::Lines(lines) => lines.describe(),
            Chart::Heat(heat) => heat.describe(),
            Chart::Confusion(confusion) => confusion.describe(),
            Chart::Plane(plane) => plane.describe(),
        }
    }

    /// Whether x is drawn on a logarithmic scale at first, and whether readers can choose.
    fn scales(&self) -> (bool, bool) {
        match self {
            Chart::Lines(lines) => (lines.x.log, lines.has_two_scales()),
            _ => (false, false),
        }
    }
}

impl Figure {
    /// A chart with its words.
    pub fn new(name: &str, title: &str, caption: &str, chart: Chart) -> Figure {
        let [name, title, caption] = [name, title, caption].map(str::to_string);
        Figure { name, label: None, title, caption, chart }
    }

    /// The chart as a file of its own.
    pub fn svg(&self) -> String {
        let canvas = self.chart.draw(&Sheet { width: WIDE, log: self.chart.scales().0, id: "chart".to_string() });
        let (width, height) = (WIDE + 2.0 * MARGIN, canvas.height + TITLE + 2.0 * MARGIN);
        let mut heading = Canvas::default();
        heading.text("title", (MARGIN, MARGIN + 15.0), Anchor::Start, &shorten(&self.title, WIDE, 17.0));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n<desc>{}</desc>\n\
             <style>\n{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{}\
             <g transform=\"translate({MARGIN} {})\">\n{}</g>\n</svg>\n",
            escape(&self.title),
            escape(&format!("{} {}", self.caption, self.chart.describe())),
            heading.body,
            MARGIN + TITLE,
            canvas.body,
            width = place(width),
            height = place(height),
        )
    }

    /// The chart as part of a page, drawn for wide and narrow screens and for each scale that readers may choose.
    pub(crate) fn html(&self, number: usize) -> String {
        let (log, both) = self.chart.scales();
        let scales = if both { vec![false, true] } else { vec![log] };
        let mut drawings = String::new();
        for log in scales {
            drawings += &self.drawing(number, WIDE, log);
            drawings += &self.drawing(number, NARROW, log);
        }
        let switch = if both { "<button type=\"button\" class=\"switch\" hidden></button>\n" } else { "" };
        let data = match &self.chart {
            Chart::Lines(lines) => format!("<script type=\"application/json\">{}</script>\n", lines.hover()),
            _ => String::new(),
        };
        format!(
            "<figure id=\"figure-{number}\" data-scale=\"{}\">\n\
             <figcaption><strong>{}. {}</strong> {}</figcaption>\n\
             {switch}<div class=\"stage\">\n{drawings}\
             <div class=\"readout\" role=\"status\" hidden></div>\n</div>\n{data}</figure>\n",
            scale_name(log),
            escape(&self.label.clone().unwrap_or_else(|| format!("Figure {number}"))),
            escape(&self.title),
            escape(&self.caption),
        )
    }

    fn drawing(&self, number: usize, width: f64, log: bool) -> String {
        let (size, scale) = (if width == WIDE { "wide" } else { "narrow" }, scale_name(log));
        let id = format!("figure-{number}-{size}-{scale}");
        let canvas = self.chart.draw(&Sheet { width, log, id: id.clone() });
        format!(
            "<svg class=\"chart {size} of-{scale}\" role=\"img\" aria-labelledby=\"{id}-title\" \
             aria-describedby=\"{id}-about\" viewBox=\"-4 0 {} {}\"{}>\n<title id=\"{id}-title\">{}</title>\n\
             <desc id=\"{id}-about\">{}</desc>\n{}</svg>\n",
            place(width + 8.0),
            place(canvas.height + 2.0),
            canvas.attributes,
            escape(&self.title),
            escape(&self.chart.describe()),
            canvas.body,
        )
    }
}

fn scale_name(log: bool) -> &'static str {
    if log { "log" } else { "linear" }
}
