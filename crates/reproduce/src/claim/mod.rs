//! What papers say in words, as tests of cells; `experiments/README.md` describes the language.

mod evidence;
mod judge;
mod number;
mod parse;
mod words;

#[cfg(test)]
mod tests;

use crate::measure::Measure;
use judge::Lean;
use number::Number;

pub use judge::{CellValues, ClaimVerdict, Judgement, judge};

/// What an expression over named numbers comes to.
pub fn number(text: &str, names: &dyn Fn(&str) -> Option<f64>) -> anyhow::Result<f64> {
    let number = parse::sum(text, names)?.number(Lean::AsFound, &|_, _| None);
    number.map(|number| number.value).ok_or_else(|| anyhow::anyhow!("'{text}' names cells"))
}

/// A parsed test: it holds where every comparison of one of its parts does.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimTest {
    /// As it was written.
    text: String,
    /// Joined by `or`; the comparisons of each by `and`. None is empty.
    parts: Vec<Vec<Relation>>,
}

/// Two numbers, compared.
#[derive(Clone, Debug, PartialEq)]
struct Relation {
    left: Expression,
    sign: Sign,
    right: Expression,
}

/// How numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
    /// Equal, but for rounding.
    Equal,
    /// No further apart than chance allows.
    Near,
}

/// A number, or how one is computed.
#[derive(Clone, Debug, PartialEq)]
enum Expression {
    Number(f64),
    Cell(CellName),
    /// The share of columns where a test holds.
    Share(ClaimTest),
    Two(Box<Expression>, Operation, Box<Expression>),
    /// A function of one number or more.
    Of(Function, Vec<Expression>),
}

/// What is done with two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

/// What is done with a list of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Ln,
    Sqrt,
    Min,
    Max,
}

/// A cell as a test names it.
#[derive(Clone, Debug, PartialEq)]
pub struct CellName {
    pub measure: Measure,
    pub of: Statistic,
    pub row: String,
    /// `None`: each column in turn.
    pub column: Option<String>,
    /// A point of a curve; `None`: the last.
    pub at: Option<f64>,
}

/// What is taken of the values over the repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    Max,
    Min,
    /// The standard deviation.
    Sd,
    Mean,
}

impl Statistic {
    /// All of them in the order of their definition, with what stands behind the measure.
    const SUFFIXES: [(Statistic, &str); 4] =
        [(Statistic::Max, ".max"), (Statistic::Min, ".min"), (Statistic::Sd, ".sd"), (Statistic::Mean, "")];

    /// What stands behind the measure.
    #[cfg(test)]
    fn suffix(self) -> &'static str {
        Statistic::SUFFIXES[self as usize].1
    }
}

impl CellName {
    /// The cell as it is written, in a column if it names none.
    #[cfg(test)]
    pub fn in_column(&self, column: Option<&str>) -> String {
        let column = self.column.as_deref().or(column).map_or(String::new(), |column| format!(", {column}"));
        let at = self.at.map_or(String::new(), |at| format!(" @ {at}"));
        format!("{}{}[{}{column}{at}]", self.measure.name(), self.of.suffix(), self.row)
    }
}

impl ClaimTest {
    /// Reads a test. Errors name the place and what was expected.
    pub fn parse(text: &str) -> anyhow::Result<ClaimTest> {
        parse::parse(text)
    }

    /// The cells it names, those in shares too.
    #[cfg(test)]
    pub fn cells(&self) -> Vec<&CellName> {
        let cells = self.leaves().into_iter().flat_map(|leaf| match leaf {
            Expression::Cell(cell) => vec![cell],
            Expression::Share(test) => test.cells(),
            _ => Vec::new(),
        });
        cells.collect()
    }

    /// The cells outside of shares.
    fn own_cells(&self) -> Vec<&CellName> {
        let leaves = self.leaves().into_iter();
        leaves.filter_map(|leaf| if let Expression::Cell(cell) = leaf { Some(cell) } else { None }).collect()
    }

    /// The tests whose shares it compares.
    fn shares(&self) -> Vec<&ClaimTest> {
        let leaves = self.leaves().into_iter();
        leaves.filter_map(|leaf| if let Expression::Share(test) = leaf { Some(test) } else { None }).collect()
    }

    /// The cells that are looked at in each column: those without one of their own, outside of shares.
    fn free_cells(&self) -> Vec<&CellName> {
        self.own_cells().into_iter().filter(|cell| cell.column.is_none()).collect()
    }

    /// The numbers, cells and shares it is computed from, in the order of the text.
    fn leaves(&self) -> Vec<&Expression> {
        let sides = self.parts.iter().flatten().flat_map(|Relation { left, right, .. }| [left, right]);
        sides.flat_map(Expression::leaves).collect()
    }
}

impl Expression {
    /// What it comes to, with `leaf` for cells and shares; `None` where one of them is missing.
    fn number(&self, lean: Lean, leaf: &dyn Fn(&Expression, Lean) -> Option<Number>) -> Option<Number> {
        match self {
            Expression::Number(number) => Some(Number::exact(*number)),
            Expression::Cell(_) | Expression::Share(_) => leaf(self, lean),
            Expression::Two(left, operation, right) => {
                let against = matches!(operation, Operation::Subtract | Operation::Divide);
                let right = right.number(if against { lean.opposite() } else { lean }, leaf)?;
                Some(left.number(lean, leaf)?.and(*operation, right))
            }
            Expression::Of(function, sums) => {
                let numbers: Option<Vec<Number>> = sums.iter().map(|sum| sum.number(lean, leaf)).collect();
                Number::of(*function, &numbers?)
            }
        }
    }

    /// The numbers, cells and shares it is computed from.
    fn leaves(&self) -> Vec<&Expression> {
        match self {
            Expression::Number(_) | Expression::Cell(_) | Expression::Share(_) => vec![self],
            Expression::Two(left, _, right) => [left.leaves(), right.leaves()].concat(),
            Expression::Of(_, sums) => sums.iter().flat_map(Expression::leaves).collect(),
        }
    }
}
