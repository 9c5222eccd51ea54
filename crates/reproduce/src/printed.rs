//! The figures that the papers print.

use crate::measure::Measure;

/// A printed figure.
#[derive(Clone, Debug)]
pub struct PrintedCell {
    pub experiment: String,
    pub row: String,
    pub column: String,
    pub measure: Measure,
    pub figure: PrintedNumber,
}

/// A number as it is printed, with what the paper says of its spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintedNumber {
    pub value: f64,
    /// How many digits stand behind the point.
    pub decimals: usize,
    pub spread: Option<Spread>,
}

/// What stands behind a printed ±.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spread {
    /// The standard deviation over the paper's runs.
    Sd(f64),
    /// The standard error of their mean.
    Stderr(f64),
}

impl Spread {
    /// The number after the ±.
    pub fn value(self) -> f64 {
        let (Spread::Sd(value) | Spread::Stderr(value)) = self;
        value
    }
}

/// The first line of every file.
const HEADER: &str = "experiment,row,column,measure,value,spread,spread_kind";

/// The figures of a file. Its fields have no commas and no quotes.
pub fn printed(text: &str) -> anyhow::Result<Vec<PrintedCell>> {
    let mut lines = text.lines();
    anyhow::ensure!(lines.next() == Some(HEADER), "expected.csv: expected the header {HEADER}");
    lines.map(|line| one(line).ok_or_else(|| anyhow::anyhow!("expected.csv: cannot read '{line}'"))).collect()
}

/// The figure of a line; `None` where it cannot be read.
fn one(line: &str) -> Option<PrintedCell> {
    let fields: Vec<&str> = line.split(',').collect();
    let [experiment, row, column, measure, value, spread, kind] = fields[..] else { return None };
    let spread = match (spread, kind) {
        ("", "") => None,
        (spread, "sd") => Some(Spread::Sd(spread.parse().ok()?)),
        (spread, "stderr") => Some(Spread::Stderr(spread.parse().ok()?)),
        _ => return None,
    };
    let decimals = value.split_once('.').map_or(0, |(_, digits)| digits.len());
    let figure = PrintedNumber { value: value.parse().ok()?, decimals, spread };
    let [experiment, row, column] = [experiment, row, column].map(str::to_string);
    Some(PrintedCell { experiment, row, column, measure: Measure::named(measure)?, figure })
}
