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

use super::alma::P;
use crate::bound::Theorem;
use crate::error::Result;
use crate::learner::{Example, Formula, Learner, Leaves, Predictor, Step};
use crate::space::{Finite, PNormDual, Row};
use crate::spec::{Algorithm, Charges, New, Parameters, PythonClass, parameters};
use crate::state::State;

parameters! {
    struct PNormParameters {
        p: f64 = P.default(4.0).help("the norm of the rows; 2 is the Perceptron, 2 ln n behaves like Winnow"),
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "p-norm",
    title: "p-norm Perceptron",
    summary: "Adds mistaken rows to θ as the Perceptron does, and predicts with its image w = g(θ).",
    rule: "θ ← θ + y x when y g(θ)·x ≤ 0; gᵢ(θ) = sgn(θᵢ)|θᵢ|^{p−1}/‖θ‖_p^{p−2}",
    paper: "Grove, Littlestone and Schuurmans (2001); Gentile (2003)",
    cost: "O(non-zeros) per trial",
    bound: "mistakes ≤ (p−1) R_p²/ρ² with ‖u‖_q = 1 on data separable with margin ρ",
    theorem: Charges::Mistakes(|settings, _| {
        let PNormParameters { p } = Parameters::read(settings);
        Ok(if p == 2.0 { Theorem::perceptron() } else { Theorem::first_order(ALGORITHM.title, p) })
    }),
    differs: "none",
    python: PythonClass::own("PNormPerceptron"),
    parameters: PNormParameters::TABLE,
    grid: &["p=2,4,8,16"],
    new: New::RowByRow(|settings| {
        let PNormParameters { p } = Parameters::read(settings);
        Ok(Box::new(PNorm { theta: PNormDual::new(p) }))
    }),
    ..Algorithm::ONLINE
};

/// The p-norm Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "p-norm:p=2".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[1.0, 2.0]);
/// learner.round(&Example::new(x, Label::Positive));
/// assert_eq!(learner.score(x), 5.0); // at p = 2, the Perceptron
/// # Ok::<(), onlinear::Error>(())
/// ```
struct PNorm {
    theta: PNormDual,
}

impl Learner for PNorm {
    fn score(&self, x: Row<'_>) -> f64 {
        self.theta.dot(x) // [1]
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let &Example { x, y, .. } = example;
        if y.sign() * score > 0.0 || x.is_zero() {
            return Ok(Step::Stay);
        }
        self.theta.add(y.sign(), x)?; // [2]
        Ok(Step::Update)
    }

    fn withhold(&mut self, _: u64) {}
}

impl Predictor for PNorm {
    fn leaves(&self) -> Leaves<'_> {
        Leaves::derived(
            |x| self.score(x),
            || {
                let (scale, weights) = self.theta.image();
                Formula::Linear { weights: weights.into(), less: None, scale, over_norm: None }
            },
        )
    }

    fn memory(&self, features: usize) -> u64 {
        self.theta.bytes(features)
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.theta.state(state)
    }
}
