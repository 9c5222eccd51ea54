//! Whether a test holds.

use onlinear::workshop::Summary;

use super::evidence;
use super::number::Number;
use super::{CellName, ClaimTest, Expression, Operation, Relation, Sign, Statistic};
use crate::agreement::{ROUNDING, STANDARD_ERRORS};

/// Where the values of cells come from.
pub trait CellValues {
    /// The columns, in their order.
    fn columns(&self) -> Vec<&str>;
    /// Whether a row runs on a column with this measure at all (even if its data are missing).
    fn has(&self, name: &CellName, column: &str) -> bool;
    /// The values over the repeats, in their order; `None` where the column was skipped.
    fn values(&self, name: &CellName, column: &str) -> Option<Vec<f64>>;
}

/// What is said of a test.
#[derive(Debug)]
pub struct Judgement {
    pub verdict: ClaimVerdict,
    /// Whether it hangs on comparisons that are decided by less than three standard errors.
    pub narrow: bool,
    /// The numbers behind it, in words.
    pub evidence: Vec<String>,
}

/// What the runs say to a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimVerdict {
    Holds,
    Fails,
    /// A cell it needs was skipped.
    NotRun,
}

impl ClaimVerdict {
    /// The verdict in words.
    pub fn name(self) -> &'static str {
        match self {
            ClaimVerdict::Holds => "holds",
            ClaimVerdict::Fails => "fails",
            ClaimVerdict::NotRun => "not run",
        }
    }
}

/// Judges a test by the values of its cells. In each column that has all its free cells it must hold; columns
/// that were skipped are left out while others remain.
pub fn judge(test: &ClaimTest, values: &dyn CellValues) -> Judgement {
    let answers: Vec<Answer> = Site::all(test, values).iter().filter_map(|place| place.answer(test)).collect();
    let Answer { holds, narrow } = all(&answers);
    let verdict = match holds {
        _ if answers.is_empty() => ClaimVerdict::NotRun,
        true => ClaimVerdict::Holds,
        false => ClaimVerdict::Fails,
    };
    Judgement { verdict, narrow, evidence: evidence::of(test, values) }
}

/// Whether something holds, and whether that could change if narrow comparisons went the other way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    pub holds: bool,
    pub narrow: bool,
}

impl Answer {
    /// The answer to the opposite question.
    fn not(self) -> Answer {
        Answer { holds: !self.holds, ..self }
    }
}

/// Whether all hold. If so that hangs on each of them, else on those that fail.
fn all(answers: &[Answer]) -> Answer {
    let holds = answers.iter().all(|answer| answer.holds);
    let narrow = match holds {
        true => answers.iter().any(|answer| answer.narrow),
        false => answers.iter().all(|answer| answer.holds || answer.narrow),
    };
    Answer { holds, narrow }
}

/// Whether any holds: not all fail.
fn any(answers: &[Answer]) -> Answer {
    all(&answers.iter().map(|answer| answer.not()).collect::<Vec<_>>()).not()
}

/// Which way the narrow comparisons in shares are taken to go.
#[derive(Clone, Copy)]
enum Lean {
    AsFound,
    /// So that numbers are the least they can be.
    Least,
    /// So that they are the largest.
    Most,
}

impl Lean {
    /// How a number leans that is taken away.
    fn opposite(self) -> Lean {
        match self {
            Lean::AsFound => Lean::AsFound,
            Lean::Least => Lean::Most,
            Lean::Most => Lean::Least,
        }
    }

    /// Whether a column with this answer counts as one that holds.
    fn counts(self, answer: Answer) -> bool {
        match self {
            Lean::AsFound => answer.holds,
            Lean::Least => answer.holds && !answer.narrow,
            Lean::Most => answer.holds || answer.narrow,
        }
    }
}

impl Sign {
    /// Whether a comparison holds; `stderr` is that of the difference.
    fn holds(self, left: f64, right: f64, stderr: f64) -> bool {
        let apart = (left - right).abs();
        match self {
            Sign::Less => left < right,
            Sign::LessOrEqual => left <= right,
            Sign::More => left > right,
            Sign::MoreOrEqual => left >= right,
            Sign::Equal => apart <= ROUNDING,
            Sign::Near => apart <= STANDARD_ERRORS * stderr + ROUNDING,
        }
    }

    /// Whether chance may turn it: `==` takes numbers as they are, and `~` allows for chance already.
    fn may_be_narrow(self) -> bool {
        !matches!(self, Sign::Equal | Sign::Near)
    }
}

/// Where a test is judged: in a column, unless all its cells have their own.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    pub column: Option<&'a str>,
    values: &'a dyn CellValues,
}

impl<'a> Site<'a> {
    /// All places where a test is to be judged, skipped or not.
    pub fn all(test: &ClaimTest, values: &'a dyn CellValues) -> Vec<Site<'a>> {
        let free = test.free_cells();
        if free.is_empty() {
            return vec![Site { column: None, values }];
        }
        let has_all = |column: &&str| free.iter().all(|cell| values.has(cell, column));
        values.columns().into_iter().filter(has_all).map(|column| Site { column: Some(column), values }).collect()
    }

    /// Whether a test holds here; `None` where a cell is missing.
    pub fn answer(self, test: &ClaimTest) -> Option<Answer> {
        let part = |part: &Vec<Relation>| {
            let answers: Option<Vec<Answer>> = part.iter().map(|comparison| self.compare(comparison)).collect();
            answers.map(|answers| all(&answers))
        };
        let answers: Option<Vec<Answer>> = test.parts.iter().map(part).collect();
        answers.map(|answers| any(&answers))
    }

    /// Whether a comparison holds here.
    fn compare(self, comparison: &Relation) -> Option<Answer> {
        let Relation { left, sign, right } = comparison;
        let paired = self.paired(left, right);
        let at = |lean: Lean| {
            let (left, right) = (self.number(left, lean)?, self.number(right, lean.opposite())?);
            let stderr = paired.unwrap_or(left.stderr.hypot(right.stderr));
            let near = (left.value - right.value).abs() < STANDARD_ERRORS * stderr;
            Some(Answer { holds: sign.holds(left.value, right.value, stderr), narrow: near && sign.may_be_narrow() })
        };
        let found = at(Lean::AsFound)?;
        let turned = [at(Lean::Least)?, at(Lean::Most)?].iter().any(|other| other.holds != found.holds);
        Some(Answer { narrow: found.narrow || turned, ..found })
    }

    /// The standard error of the difference of two plain cells, repeat by repeat.
    fn paired(self, left: &Expression, right: &Expression) -> Option<f64> {
        let (Expression::Cell(left), Expression::Cell(right)) = (left, right) else { return None };
        let plain = [left, right].iter().all(|cell| cell.of == Statistic::Mean);
        let (left, right) = (self.values(left)?, self.values(right)?);
        let differences: Vec<f64> = left.iter().zip(&right).map(|(left, right)| left - right).collect();
        Summary::of(&differences).filter(|_| plain && left.len() == right.len())?.stderr
    }

    /// The values of a cell, at least one.
    pub fn values(self, cell: &CellName) -> Option<Vec<f64>> {
        let column = cell.column.as_deref().or(self.column)?;
        self.values.values(cell, column).filter(|values| !values.is_empty())
    }

    /// A cell as a number; `None` where it was skipped, or has a single value and so no deviation.
    pub fn cell(self, cell: &CellName) -> Option<Number> {
        let values = self.values(cell)?;
        let summary = Summary::of(&values)?;
        match cell.of {
            Statistic::Mean => Some(Number { value: summary.mean, stderr: summary.stderr.unwrap_or(0.0) }),
            Statistic::Max => values.into_iter().reduce(f64::max).map(Number::exact),
            Statistic::Min => values.into_iter().reduce(f64::min).map(Number::exact),
            Statistic::Sd => summary.sd.map(Number::exact),
        }
    }

    /// What a sum comes to here; `None` where a cell is missing.
    fn number(self, sum: &Expression, lean: Lean) -> Option<Number> {
        match sum {
            Expression::Number(number) => Some(Number::exact(*number)),
            Expression::Cell(cell) => self.cell(cell),
            Expression::Share(test) => self.share(test, lean).map(Number::exact),
            Expression::Two(left, operation, right) => {
                let against = matches!(operation, Operation::Subtract | Operation::Divide);
                let right = self.number(right, if against { lean.opposite() } else { lean })?;
                Some(self.number(left, lean)?.and(*operation, right))
            }
            Expression::Of(function, sums) => {
                let numbers: Option<Vec<Number>> = sums.iter().map(|sum| self.number(sum, lean)).collect();
                Number::of(*function, &numbers?)
            }
        }
    }

    /// The share of a test's columns, of those that were run, where it holds; `None` where none was run.
    fn share(self, test: &ClaimTest, lean: Lean) -> Option<f64> {
        let places = Site::all(test, self.values);
        let answers: Vec<Answer> = places.iter().filter_map(|place| place.answer(test)).collect();
        let holding = answers.iter().filter(|answer| lean.counts(**answer)).count();
        (!answers.is_empty()).then(|| holding as f64 / answers.len() as f64)
    }
}
