//! The p-norm Perceptron.
//!
//! Grove, Littlestone and Schuurmans (2001), Gentile (2003); HO_p(0) of the Higher-order paper.
//! Adds mistaken rows to θ as the Perceptron does, and predicts with its image w = g(θ).
//!
//! gᵢ(θ) = sgn(θᵢ)|θᵢ|^{p−1}/‖θ‖_p^{p−2}
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | score g(θ)·x |
//! | \[2\] | on a mistake θ ← θ + y x |
//!
//! p = 2 is the Perceptron; p = 2 ln n behaves like Winnow.
//!
//! Cost: O(non-zeros) per trial. Bound: mistakes ≤ (p−1) R_p²/ρ² with ‖u‖_q = 1 on separable data.
//!
//! **Differs from the paper:** none.

use super::alma::P_RANGE;
use crate::algorithm::{Algorithm, Kind, Learns, Parameter, Value};
use crate::error::Result;
use crate::learner::{Example, Learner, Round, Step};
use crate::space::{PNormDual, Row};
use crate::spec::Spec;
use crate::state::State;

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "p-norm",
    title: "p-norm Perceptron",
    summary: "Adds mistaken rows to θ as the Perceptron does, and predicts with its image w = g(θ).",
    rule: "θ ← θ + y x when y g(θ)·x ≤ 0; gᵢ(θ) = sgn(θᵢ)|θᵢ|^{p−1}/‖θ‖_p^{p−2}",
    paper: "Grove, Littlestone and Schuurmans (2001); Gentile (2003)",
    cost: "O(non-zeros) per trial",
    bound: "mistakes ≤ (p−1) R_p²/ρ² with ‖u‖_q = 1 on data separable with margin ρ",
    differs: "none",
    parameters: &[Parameter {
        name: "p",
        aliases: &[],
        kind: Kind::Number(P_RANGE),
        default: Value::Number(4.0),
        help: "the norm of the rows; 2 is the Perceptron, 2 ln n behaves like Winnow",
    }],
    takes_weights: |_| false,
    needs_feature_count: |_| false,
    learns: Learns::RowByRow,
    new: |spec| Ok(Box::new(PNorm::new(spec))),
};

/// The p-norm Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Learner, Row, Spec};
/// let mut learner = "p-norm:p=2".parse::<Spec>()?.learner();
/// let x = Row::Dense(&[1.0, 2.0]);
/// learner.round(&Example::new(x, Label::Positive));
/// assert_eq!(learner.score(x), 5.0); // at p = 2, the Perceptron
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct PNorm {
    theta: PNormDual,
}

impl PNorm {
    /// θ = 0.
    pub fn new(spec: &Spec) -> PNorm {
        PNorm { theta: PNormDual::new(spec.number("p")) }
    }
}

impl Learner for PNorm {
    fn score(&self, x: Row<'_>) -> f64 {
        self.theta.dot(x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        let &Example { x, y, .. } = example;
        let score = self.theta.dot(x); // [1]
        if y.sign() * score > 0.0 || x.is_zero() {
            return Round { score, step: Step::Stay };
        }
        self.theta.add(y.sign(), x); // [2]
        Round { score, step: Step::Update }
    }

    fn weights(&self) -> Option<Vec<f64>> {
        Some(self.theta.image())
    }

    fn bytes(&self, features: usize) -> u64 {
        self.theta.bytes(features)
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.theta.state(state)
    }
}
