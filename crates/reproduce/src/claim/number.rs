//! Numbers that know their standard error.

use super::{Function, Operation};

/// A number with its standard error, which is carried through what is computed to first order, as if all
/// numbers were independent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    pub value: f64,
    pub stderr: f64,
}

impl Number {
    /// A number without an error.
    pub fn exact(value: f64) -> Number {
        Number { value, stderr: 0.0 }
    }

    /// What an operation makes of two numbers.
    pub fn and(self, operation: Operation, other: Number) -> Number {
        let (a, b) = (self.value, other.value);
        // The value, and how fast it moves with each of the two.
        let (value, slopes) = match operation {
            Operation::Add => (a + b, [1.0, 1.0]),
            Operation::Subtract => (a - b, [1.0, -1.0]),
            Operation::Multiply => (a * b, [b, a]),
            Operation::Divide => (a / b, [1.0 / b, -a / (b * b)]),
            Operation::Power => (a.powf(b), [b * a.powf(b - 1.0), a.powf(b) * a.ln()]),
        };
        Number { value, stderr: carried(slopes[0], self.stderr).hypot(carried(slopes[1], other.stderr)) }
    }

    /// What a function makes of some numbers; `None` where there are none.
    pub fn of(function: Function, numbers: &[Number]) -> Option<Number> {
        let order = |a: &&Number, b: &&Number| a.value.total_cmp(&b.value);
        let through = |value: f64, slope: f64, of: &Number| Number { value, stderr: carried(slope, of.stderr) };
        match function {
            Function::Ln => numbers.first().map(|of| through(of.value.ln(), 1.0 / of.value, of)),
            Function::Sqrt => numbers.first().map(|of| through(of.value.sqrt(), 0.5 / of.value.sqrt(), of)),
            Function::Min => numbers.iter().min_by(order).copied(),
            Function::Max => numbers.iter().max_by(order).copied(),
        }
    }
}

/// An error after a slope; none stays none even where the slope is infinite.
fn carried(slope: f64, stderr: f64) -> f64 {
    if stderr == 0.0 { 0.0 } else { (slope * stderr).abs() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Number = Number { value: 6.0, stderr: 0.3 };
    const B: Number = Number { value: 2.0, stderr: 0.4 };

    fn is(found: Number, value: f64, stderr: f64) {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(found.value, value) && near(found.stderr, stderr), "{found:?}, expected {value} ± {stderr}");
    }

    #[test]
    fn errors_are_carried_to_first_order() {
        is(A.and(Operation::Add, B), 8.0, 0.5);
        is(A.and(Operation::Subtract, B), 4.0, 0.5);
        // Relative errors of 5 % and 20 %.
        is(A.and(Operation::Multiply, B), 12.0, 12.0 * 0.05f64.hypot(0.2));
        is(A.and(Operation::Divide, B), 3.0, 3.0 * 0.05f64.hypot(0.2));
        is(A.and(Operation::Power, Number::exact(2.0)), 36.0, 2.0 * 6.0 * 0.3);
        is(Number::exact(2.0).and(Operation::Power, B), 4.0, 4.0 * 2f64.ln() * 0.4);
        is(Number::exact(-1.5).and(Operation::Multiply, B), -3.0, 0.6);
    }

    #[test]
    fn functions_carry_errors_too() {
        is(Number::of(Function::Ln, &[A]).unwrap(), 6f64.ln(), 0.05);
        is(Number::of(Function::Sqrt, &[Number { value: 4.0, stderr: 0.4 }]).unwrap(), 2.0, 0.1);
        is(Number::of(Function::Min, &[A, B, Number::exact(9.0)]).unwrap(), 2.0, 0.4);
        is(Number::of(Function::Max, &[A, B]).unwrap(), 6.0, 0.3);
        assert_eq!(Number::of(Function::Min, &[]), None);
    }

    #[test]
    fn no_error_stays_none_at_an_infinite_slope() {
        is(Number::of(Function::Sqrt, &[Number::exact(0.0)]).unwrap(), 0.0, 0.0);
        is(Number::exact(0.0).and(Operation::Power, Number::exact(2.0)), 0.0, 0.0);
    }
}
