//! The figures of a model on labelled rows, as JSON, text and parts of a page: no error stands without its baseline.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Value as Json, json};

use onlinear::workshop::{Baseline, METRICS, ProbabilityBin, Reliability, Summary, counted};
use onlinear::{ClassMetrics, Classes, Errors, Label, Metric, Metrics};
use onlinear_charts::{
    Align, Axis, Cell, Chart, Column, Confusion, Figure, LineChart, Part, Point, Section, Series, Table,
};

use crate::output;

/// With more classes than this the table of classes has no columns of what they were taken for …
const FEW: usize = 6;
/// … and with more than this there is none on the terminal.
const SOME: usize = 20;
/// Figures stand beside names, which take so much room.
const INDENT: usize = 14;

/// Reads the name of a figure.
pub fn metric() -> impl TypedValueParser<Value = &'static Metric> {
    let names = PossibleValuesParser::new(METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>());
    names.map(|name| Metric::named(&name).unwrap_or(Metric::usual()))
}

/// The figures of a model, and what they are to be compared with.
pub struct Measured<'a> {
    pub metrics: &'a Metrics,
    pub classes: &'a Classes,
    pub baseline: Baseline,
}

impl Measured<'_> {
    pub fn as_json(&self) -> Json {
        let errors = Errors::from(self.metrics);
        json!({
            "examples": errors.examples,
            "errors": errors.errors,
            "error_rate": errors.rate(),
            "baseline": self.baseline.error,
            "metrics": self.metrics.to_json(self.classes.names()),
        })
    }

    /// How many of these `rows` were wrong, and how many would be without a model.
    pub fn error(&self, rows: &str) -> String {
        let errors = Errors::from(self.metrics);
        format!("{}, {}", self::errors(errors, rows), beside(errors, Some(self.baseline), self.classes))
    }

    /// The figures of all classes together, on a line.
    pub fn figures(&self) -> String {
        let &Metrics { auc, average_precision, log_loss, ref reliability, .. } = self.metrics;
        let known = [
            ("AUC", auc),
            ("average precision", average_precision),
            ("log loss", log_loss),
            ("calibration error", reliability.as_ref().map(Reliability::error)),
        ];
        let shown = known.iter().filter_map(|(name, value)| value.map(|value| format!(", {name} {value:.4}")));
        let (balanced, f1) = (100.0 * self.metrics.balanced_accuracy(), self.metrics.f1());
        format!("balanced accuracy {balanced:.2} %, F1 {f1:.4}{}", shown.collect::<String>())
    }

    /// All there is to tell on a terminal.
    pub fn text(&self, rows: &str) -> String {
        format!("{}\n{}", self.error(rows), self.details())
    }

    /// All but the error.
    pub fn details(&self) -> String {
        let classes = match self.classes.len() <= SOME {
            true => format!("\n{}", output::table(&self.table(), INDENT).trim_end()),
            false => String::new(),
        };
        format!("{}{classes}", self.figures())
    }

    /// Class by class: how well it is told from the others and, of few, what it was taken for.
    pub fn table(&self) -> Table {
        let names: Vec<String> = self.classes.names().iter().map(|name| output::escaped(name).into_owned()).collect();
        let number = |name: &str| Column::new(name, Align::Right);
        let taken = if names.len() <= FEW { &names[..] } else { &[] };
        let as_class = |name: &String| Column { rank: 1, ..number(&format!("as {name}")) };
        let columns = ["rows", "precision", "recall", "F1"].into_iter().map(number).chain(taken.iter().map(as_class));
        let row = |((name, class), taken_for): ((&String, ClassMetrics), &Vec<u64>)| {
            let shares = [class.precision, class.recall, class.f1].map(|share| format!("{share:.4}"));
            let counts = taken_for.iter().take(taken.len()).map(u64::to_string);
            let texts = [name.clone(), class.support.to_string()].into_iter().chain(shares).chain(counts);
            texts.map(Cell::new).collect()
        };
        Table {
            caption: "Class by class.".to_string(),
            columns: [Column::new("class", Align::Left)].into_iter().chain(columns).collect(),
            rows: names.iter().zip(self.metrics.classes()).zip(&self.metrics.confusion).map(row).collect(),
            notes: Vec::new(),
        }
    }

    /// A part of a page, of what was tested.
    pub fn section(&self, heading: &str, rows: &str) -> Section {
        let text = format!("{}\n\n{}", self.error(rows), self.figures());
        let confusion = Confusion { labels: self.classes.names().to_vec(), counts: self.metrics.confusion.clone() };
        let caption = "What the rows of each class were taken for.";
        let figure = Figure::new("confusion", "Confusion", caption, Chart::Confusion(confusion));
        let mut parts = vec![Part::Text(text), Part::Table(self.table()), Part::Figure(figure)];
        parts.extend(self.metrics.reliability.iter().flat_map(|reliability| self.reliability(reliability)));
        Section::new(heading, parts)
    }

    /// What became of probabilities: a chart, and the numbers behind it.
    fn reliability(&self, reliability: &Reliability) -> [Part; 2] {
        // No share is below 0 or above 1, however few the rows.
        let point = |bin: &ProbabilityBin| {
            let (share, error) = (bin.observed(), bin.standard_error());
            let (low, high) = (Some((share - error).max(0.0)), Some((share + error).min(1.0)));
            Point { low, high, ..Point::new(bin.probability(), share) }
        };
        let points = reliability.bins().map(|(_, bin)| point(bin));
        let series = |name: &str, points: Vec<Point>| Series { name: name.to_string(), style: None, points };
        let chart = LineChart {
            x: Axis::new("probability", None),
            y: Axis::new("observed share", None),
            series: vec![
                series("observed", points.collect()),
                series("as it should be", [0.0, 1.0].map(|p| Point::new(p, p)).to_vec()),
            ],
            references: Vec::new(),
        };
        let of = match self.classes.len() {
            2 => format!("of class '{}'", output::escaped(self.classes.name(Label::Positive))),
            _ => "of the class predicted".to_string(),
        };
        let caption = format!(
            "The rows by the probability {of} that the model gave them, and how many of them were of it. The band is \
             what chance does to as many rows. Expected calibration error: {:.4}.",
            reliability.error()
        );
        let figure = Figure::new("reliability", "Reliability of probabilities", &caption, Chart::Lines(chart));
        [Part::Figure(figure), Part::Table(bins_of(reliability))]
    }
}

/// The numbers behind a chart of reliability.
fn bins_of(reliability: &Reliability) -> Table {
    let row = |((low, high), bin): ((f64, f64), &ProbabilityBin)| {
        let shares = [bin.probability(), bin.observed()].map(|share| format!("{share:.4}"));
        let texts = [format!("{low:.3} to {high:.3}"), bin.rows.to_string()].into_iter().chain(shares);
        texts.map(Cell::new).collect()
    };
    let names = ["rows", "mean probability", "observed share"];
    let columns = names.into_iter().map(|name| Column::new(name, Align::Right));
    Table {
        caption: "Rows by their probability.".to_string(),
        columns: [Column::new("probability", Align::Left)].into_iter().chain(columns).collect(),
        rows: reliability.bins().map(row).collect(),
        notes: Vec::new(),
    }
}

/// How many of some `rows` are wrong.
pub fn errors(Errors { examples, errors }: Errors, rows: &str) -> String {
    format!("{} in {examples} {rows}", counted(errors, "error", "errors"))
}

/// An error in percent beside that of always saying the largest class.
pub fn beside(errors: Errors, baseline: Option<Baseline>, classes: &Classes) -> String {
    let always = baseline.map(|baseline| format!("; {}", always(baseline, classes))).unwrap_or_default();
    format!("{:.2} %{always}", 100.0 * errors.rate())
}

/// What always saying the largest class would be worth.
pub fn always(Baseline { class, error }: Baseline, classes: &Classes) -> String {
    format!("always '{}' would be {:.2} %", output::escaped(classes.name(class)), 100.0 * error)
}

/// The mean of a figure over some tests, where all of them have it.
pub fn mean_figure(metric: &Metric, tests: impl Iterator<Item = Metrics>) -> Option<f64> {
    let figures = tests.map(|metrics| (metric.of)(&metrics)).collect::<Option<Vec<f64>>>()?;
    Some(Summary::of(&figures)?.mean)
}

/// What always saying the largest class would be worth, by a figure that learners are ranked by.
pub fn always_by(metric: &Metric, worth: Option<f64>, baseline: Baseline, classes: &Classes) -> String {
    match worth.filter(|_| metric.name != Metric::usual().name) {
        Some(worth) => {
            let worth = shown(metric, Summary { mean: worth, stderr: None, sd: None });
            let label = output::escaped(classes.name(baseline.class));
            format!("always '{label}' would be {worth} (error {:.2} %)", 100.0 * baseline.error)
        }
        None => always(baseline, classes),
    }
}

/// What to add where the best of some learners is no better than always saying the largest class.
pub fn no_better(metric: &Metric, best: Option<f64>, always: Option<f64>) -> &'static str {
    match best.zip(always) {
        Some((best, always)) if !metric.is_better(best, always) => ", so that it is no better than no model at all",
        _ => "",
    }
}

/// Why a learner cannot be ranked by a figure.
pub fn unknown_figure(metric: &Metric) -> String {
    match metric.needs_probabilities {
        true => format!("it gives no probabilities, of which {} is told", metric.name),
        false => format!("its {} is not known", metric.name),
    }
}

/// A value of a figure with its uncertainty, in percent where it is a share of rows.
pub fn shown(metric: &Metric, value: Summary) -> String {
    match (metric.is_share, value.stderr) {
        (true, _) => format!("{} %", output::percent(value)),
        (false, Some(stderr)) => format!("{:.4} ± {stderr:.4}", value.mean),
        (false, None) => format!("{:.4}", value.mean),
    }
}
