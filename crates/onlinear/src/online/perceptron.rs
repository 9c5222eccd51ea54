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
//! With a kernel, f = Σ αⱼ K(xⱼ, ·) and a mistaken row joins the support set with coefficient η y; the
//! lecture's dual Perceptron is the linear kernel, and has the same trace.
//!
//! Cost: O(non-zeros) per trial; with a kernel, one kernel value per support vector. Bound: mistakes ≤
//! R²/ρ² on data separable with margin ρ.
//!
//! **Differs from the paper:** a zero score counts as a mistake whatever the label.

use crate::algorithm::{Algorithm, Kind, Learns, Parameter, Range, Value};
use crate::error::Result;
use crate::kernel_parameters::{COSINE, DEGREE, KERNEL, OFFSET, SIGMA2, kernel};
use crate::learner::{Example, Learner, Round, Step};
use crate::space::{Hypothesis, Row, Rows};
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
    rule: "w ← w + η y x when y w·x ≤ 0; with a kernel, x joins the support set with coefficient η y",
    paper: "Rosenblatt (1958); Novikoff (1962)",
    cost: "O(non-zeros) per trial; with a kernel, one kernel value per support vector",
    bound: "mistakes ≤ R²/ρ² on data separable with margin ρ, ((R + D₂)/ρ)² on any data",
    differs: "a zero score counts as a mistake whatever the label",
    parameters: &[RATE, KERNEL, DEGREE, OFFSET, SIGMA2, COSINE],
    takes_weights: |_| true,
    needs_feature_count: |_| false,
    learns: Learns::RowByRow,
    new: |spec| Ok(Box::new(Perceptron::new(spec))),
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
    f: Hypothesis,
}

/// What a Perceptron trial did.
pub(crate) struct Trial {
    pub(crate) round: Round,
    /// How far it went along x; 0 for no update.
    pub(crate) step: f64,
    /// Where x is among the coefficients, if there was an update.
    pub(crate) place: usize,
}

impl Perceptron {
    /// f = 0.
    pub fn new(spec: &Spec) -> Perceptron {
        Perceptron { rate: spec.number("rate"), f: Hypothesis::new(kernel(spec)) }
    }

    /// One trial, with what the learners built on this one need to know.
    #[inline]
    pub(crate) fn trial(&mut self, example: &Example<'_>) -> Trial {
        let &Example { x, y, weight, .. } = example;
        let score = self.f.trial_score(x); // [1]
        let eta_y = self.rate * weight * y.sign();
        if y.sign() * score > 0.0 || eta_y == 0.0 || self.f.vanishes_at(x) {
            return Trial { round: Round { score, step: Step::Stay }, step: 0.0, place: 0 }; // [2]
        }
        let place = self.f.add(eta_y, example); // [3]
        Trial { round: Round { score, step: Step::Update }, step: eta_y, place }
    }

    /// The hypothesis.
    pub(crate) fn f(&self) -> &Hypothesis {
        &self.f
    }
}

impl Learner for Perceptron {
    fn score(&self, x: Row<'_>) -> f64 {
        self.f.score(x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        self.trial(example).round
    }

    fn hypothesis(&self) -> Option<&Hypothesis> {
        Some(&self.f)
    }

    fn hypothesis_mut(&mut self) -> Option<&mut Hypothesis> {
        Some(&mut self.f)
    }

    fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        self.f.scores(rows, out);
    }

    fn bytes(&self, features: usize) -> u64 {
        8 * features as u64
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.f.state(state)
    }
}
