//! What papers say in words, as tests of cells; `experiments/README.md` describes the language.

mod evidence;
mod judge;
mod number;
mod parse;

#[cfg(test)]
mod tests;

use crate::measure::Measure;
use number::Number;

pub use judge::{CellValues, ClaimVerdict, Judgement, judge};

/// What an expression over named numbers comes to.
pub fn number(text: &str, names: &dyn Fn(&str) -> Option<f64>) -> anyhow::Result<f64> {
    let number = parse::sum(text, names)?.number();
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
    Mean,
    Max,
    Min,
    /// The standard deviation.
    Sd,
}

impl Statistic {
    /// What stands behind the measure.
    fn suffix(self) -> &'static str {
        match self {
            Statistic::Mean => "",
            Statistic::Max => ".max",
            Statistic::Min => ".min",
            Statistic::Sd => ".sd",
        }
    }
}

impl CellName {
    /// The cell as it is written, in a column if it names none.
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
        let cells = |leaf| match leaf {
            Leaf::Cell(cell) => vec![cell],
            Leaf::Share(test) => test.cells(),
        };
        self.leaves().into_iter().flat_map(cells).collect()
    }

    /// The cells outside of shares.
    fn own_cells(&self) -> Vec<&CellName> {
        let cell = |leaf| if let Leaf::Cell(cell) = leaf { Some(cell) } else { None };
        self.leaves().into_iter().filter_map(cell).collect()
    }

    /// The tests whose shares it compares.
    fn shares(&self) -> Vec<&ClaimTest> {
        let share = |leaf| if let Leaf::Share(test) = leaf { Some(test) } else { None };
        self.leaves().into_iter().filter_map(share).collect()
    }

    /// The cells that are looked at in each column: those without one of their own, outside of shares.
    fn free_cells(&self) -> Vec<&CellName> {
        self.own_cells().into_iter().filter(|cell| cell.column.is_none()).collect()
    }

    /// What its numbers are computed from, in the order of the text.
    fn leaves(&self) -> Vec<Leaf<'_>> {
        let mut leaves = Vec::new();
        for comparison in self.parts.iter().flatten() {
            comparison.left.leaves(&mut leaves);
            comparison.right.leaves(&mut leaves);
        }
        leaves
    }
}

/// What a number is computed from.
enum Leaf<'a> {
    Cell(&'a CellName),
    Share(&'a ClaimTest),
}

impl Expression {
    /// Its value, where it is computed from numbers alone.
    fn number(&self) -> Option<Number> {
        match self {
            Expression::Number(number) => Some(Number::exact(*number)),
            Expression::Cell(_) | Expression::Share(_) => None,
            Expression::Two(left, operation, right) => Some(left.number()?.and(*operation, right.number()?)),
            Expression::Of(function, sums) => {
                Number::of(*function, &sums.iter().map(Expression::number).collect::<Option<Vec<_>>>()?)
            }
        }
    }

    /// Adds what it is computed from.
    fn leaves<'a>(&'a self, leaves: &mut Vec<Leaf<'a>>) {
        match self {
            Expression::Number(_) => {}
            Expression::Cell(cell) => leaves.push(Leaf::Cell(cell)),
            Expression::Share(test) => leaves.push(Leaf::Share(test)),
            Expression::Two(left, _, right) => [left, right].into_iter().for_each(|sum| sum.leaves(leaves)),
            Expression::Of(_, sums) => sums.iter().for_each(|sum| sum.leaves(leaves)),
        }
    }
}
