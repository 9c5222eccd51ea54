//! Tests and what they compare, in words: what stands on pages beside the numbers.

use super::{CellName, ClaimTest, Expression, Function, Operation, Relation, Sign, Statistic};

impl CellName {
    /// What is measured, of which learner and where: in a column if it names none.
    pub fn in_words(&self, column: Option<&str>) -> String {
        let measure = self.measure.in_words();
        let measure = match self.of {
            Statistic::Max => format!("most {measure}"),
            Statistic::Min => format!("least {measure}"),
            Statistic::Sd => format!("standard deviation of the {measure}"),
            Statistic::Mean => measure.to_string(),
        };
        let column = self.column.as_deref().or(column).map_or(String::new(), |column| format!(" on {column}"));
        let at = self.at.map_or(String::new(), |at| format!(" at {at}"));
        format!("{measure} of {}{column}{at}", self.row)
    }
}

impl ClaimTest {
    /// The test in words.
    pub fn in_words(&self) -> String {
        let all = |part: &Vec<Relation>| part.iter().map(Relation::in_words).collect::<Vec<_>>().join(" and ");
        self.parts.iter().map(all).collect::<Vec<_>>().join(", or ")
    }
}

impl Relation {
    fn in_words(&self) -> String {
        let sign = match self.sign {
            Sign::Less => "below",
            Sign::LessOrEqual => "at most",
            Sign::More => "above",
            Sign::MoreOrEqual => "at least",
            Sign::Equal => "equal to",
            Sign::Near => "as near as chance allows to",
        };
        format!("{} {sign} {}", self.left.in_words(), self.right.in_words())
    }
}

impl Expression {
    fn in_words(&self) -> String {
        match self {
            Expression::Number(number) => number.to_string(),
            Expression::Cell(cell) => cell.in_words(None),
            Expression::Share(test) => format!("the share of columns with {}", test.in_words()),
            Expression::Two(left, operation, right) => {
                let sign = match operation {
                    Operation::Add => "+",
                    Operation::Subtract => "−",
                    Operation::Multiply => "×",
                    Operation::Divide => "/",
                    Operation::Power => "^",
                };
                format!("{} {sign} {}", left.as_operand(), right.as_operand())
            }
            Expression::Of(function, list) => {
                let list: Vec<String> = list.iter().map(Expression::in_words).collect();
                match function {
                    Function::Ln => format!("the logarithm of ({})", list.join(", ")),
                    Function::Sqrt => format!("the root of ({})", list.join(", ")),
                    Function::Min => format!("the least of ({})", list.join(", ")),
                    Function::Max => format!("the largest of ({})", list.join(", ")),
                }
            }
        }
    }

    /// It as part of a calculation.
    fn as_operand(&self) -> String {
        match self {
            Expression::Two(..) => format!("({})", self.in_words()),
            _ => self.in_words(),
        }
    }
}
