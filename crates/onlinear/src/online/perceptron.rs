//! The Perceptron.
//!
//! Rosenblatt (1958); Mohri's lecture "Perceptron and Winnow", PERCEPTRON(w₀) and Novikoff's theorem.
//! Adds every mistaken row, times its label, to the weights.
//!
//! w ← w + η y x   when   y w·x ≤ 0
//!
//! | step | the lecture's line |
//! | --- | --- |
//! | \[1\] | 4: ŷ ← sgn(w·x) |
//! | \[2\] | 6: if ŷ ≠ y |
//! | \[3\] | 7: w ← w + η y x |
//!
//! Cost: O(non-zeros) per trial. Bound: mistakes ≤ R²/ρ² on data separable with margin ρ.
//!
//! **Differs from the paper:** a zero score counts as a mistake whatever the label.

use crate::algorithm::{Algorithm, Kind, Parameter, Range, Value};
use crate::error::Result;
use crate::learner::{Example, Learner, Round, Step};
use crate::space::{Row, Weights};
use crate::spec::Spec;
use crate::state::State;

pub(crate) const RATE: Parameter = Parameter {
    name: "rate",
    aliases: &["eta"],
    kind: Kind::Number(Range::POSITIVE),
    default: Value::Number(1.0),
    help: "size of an update; scales the scores, never changes a decision",
};

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "perceptron",
    title: "Perceptron",
    summary: "Adds every mistaken row, times its label, to the weights.",
    rule: "w ← w + η y x when y w·x ≤ 0",
    paper: "Rosenblatt (1958); Novikoff (1962)",
    cost: "O(non-zeros) per trial",
    bound: "mistakes ≤ R²/ρ² on data separable with margin ρ, ((R + D₂)/ρ)² on any data",
    differs: "a zero score counts as a mistake whatever the label",
    parameters: &[RATE],
    takes_weights: |_| true,
    needs_feature_count: false,
    new: |spec| Box::new(Perceptron::new(spec)),
};

/// The Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Learner, Row, Spec};
/// let mut learner = "perceptron".parse::<Spec>()?.learner();
/// let x = Row::Dense(&[1.0, 2.0]);
/// learner.round(&Example::new(x, Label::Negative));
/// assert_eq!(learner.score(x), -5.0);
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct Perceptron {
    rate: f64,
    w: Weights,
}

impl Perceptron {
    /// w = 0.
    pub fn new(spec: &Spec) -> Perceptron {
        Perceptron { rate: spec.number("rate"), w: Weights::default() }
    }

    /// One trial, and the step it took along x (0 for none): for the learners built on this one.
    #[inline]
    pub(crate) fn trial(&mut self, example: &Example<'_>) -> (Round, f64) {
        let &Example { x, y, weight, .. } = example;
        let score = self.w.dot(x); // [1]
        let eta_y = self.rate * weight * y.sign();
        if y.sign() * score > 0.0 || eta_y == 0.0 || x.is_zero() {
            return (Round { score, step: Step::Stay }, 0.0); // [2]
        }
        self.w.add(eta_y, x); // [3]
        (Round { score, step: Step::Update }, eta_y)
    }

    /// The weights.
    pub(crate) fn w(&self) -> &Weights {
        &self.w
    }
}

impl Learner for Perceptron {
    fn score(&self, x: Row<'_>) -> f64 {
        self.w.dot(x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        self.trial(example).0
    }

    fn weights(&self) -> Option<Vec<f64>> {
        Some(self.w.as_slice().to_vec())
    }

    fn bytes_per_feature(&self) -> usize {
        8
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        state.f64s("weights", self.w.as_mut_vec())
    }
}
