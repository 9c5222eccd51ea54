//! ALMA_p, the approximate large margin algorithm for p-norms.
//!
//! Gentile (2001), Figure 1; a baseline of the papers here.
//! Demands a margin that falls with the number of updates, and keeps the weights in the unit q-ball.
//!
//! x̂ = x/‖x‖_p,  k = updates + 1,  γ_k = B√(p−1)/√k,  B = √8/α,  η_k = √2/(√(p−1)√k)
//!
//! | step | the paper's |
//! | --- | --- |
//! | \[1\] | normalise: x̂ |
//! | \[2\] | if y w·x̂ ≤ (1−α) γ_k |
//! | \[3\] | w′ = f⁻¹(f(w) + η_k y x̂) |
//! | \[4\] | w = w′/max(1, ‖w′‖_q),   k ← k + 1 |
//!
//! Here θ = f(w) is kept, not w: f⁻¹ is the link g, ‖w‖_q = ‖θ‖_p, and dividing w divides θ.
//!
//! Cost: O(non-zeros) per trial. Bound: none reported here.
//!
//! **Differs from the paper:** none (C = √2 and B = √8/α are its own choices).

use crate::algorithm::{Algorithm, Kind, Learns, Parameter, Range, Value};
use crate::error::Result;
use crate::learner::{Example, Learner, Round, Step};
use crate::space::{PNormDual, Row};
use crate::spec::Spec;
use crate::state::State;

/// p = 1000 is far beyond use (p = 2 ln n imitates Winnow: 55 at n = 10¹²) and still far from overflow.
pub(crate) const P_RANGE: Range = Range::closed(2.0, 1000.0);

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "alma",
    title: "ALMA_p",
    summary: "Demands a margin that falls with the number of updates, and keeps the weights in the unit ball.",
    rule: "when y w·x̂ ≤ (1−α)γ_k: θ ← θ + η_k y x̂, θ ← θ/max(1, ‖θ‖_p), w = g(θ); x̂ = x/‖x‖_p",
    paper: "Gentile (2001)",
    cost: "O(non-zeros) per trial",
    bound: "none reported",
    differs: "none",
    parameters: &[
        Parameter {
            name: "p",
            aliases: &[],
            kind: Kind::Number(P_RANGE),
            default: Value::Number(2.0),
            help: "the norm of the rows; 2 behaves like a Perceptron, 2 ln n like Winnow",
        },
        Parameter {
            name: "alpha",
            aliases: &[],
            kind: Kind::Number(Range { low: (0.0, false), high: (1.0, true) }),
            default: Value::Number(0.9),
            help: "how far below the largest margin the result may stay; smaller is slower and wider",
        },
    ],
    takes_weights: |_| false,
    needs_feature_count: |_| false,
    learns: Learns::RowByRow,
    new: |spec| Ok(Box::new(Alma::new(spec))),
};

/// ALMA_p.
///
/// ```
/// use onlinear::{Example, Label, Learner, Row, Spec};
/// let mut learner = "alma".parse::<Spec>()?.learner();
/// let x = Row::Dense(&[3.0, 4.0]);
/// learner.round(&Example::new(x, Label::Positive));
/// assert!((learner.score(x) - 1.0).abs() < 1e-15); // on the unit ball
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct Alma {
    p: f64,
    alpha: f64,
    /// θ = f(w).
    theta: PNormDual,
    updates: u64,
}

impl Alma {
    /// w = 0.
    pub fn new(spec: &Spec) -> Alma {
        let p = spec.number("p");
        Alma { p, alpha: spec.number("alpha"), theta: PNormDual::new(p), updates: 0 }
    }

    fn score_given_norm(&self, x: Row<'_>, norm: f64) -> f64 {
        if norm == 0.0 { 0.0 } else { self.theta.dot(x) / norm }
    }
}

impl Learner for Alma {
    fn score(&self, x: Row<'_>) -> f64 {
        self.score_given_norm(x, x.norm(self.p))
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        let &Example { x, y, .. } = example;
        let norm = x.norm(self.p); // [1]
        let score = self.score_given_norm(x, norm);
        let root_k = ((self.updates + 1) as f64).sqrt();
        let root_p = (self.p - 1.0).sqrt();
        let gamma = 8f64.sqrt() / self.alpha * root_p / root_k;
        if norm == 0.0 || y.sign() * score > (1.0 - self.alpha) * gamma {
            return Round { score, step: Step::Stay }; // [2]
        }
        let eta = 2f64.sqrt() / (root_p * root_k);
        self.theta.add(eta * y.sign() / norm, x); // [3]
        let length = self.theta.norm();
        if length > 1.0 {
            self.theta.multiply(1.0 / length); // [4]
        }
        self.updates += 1;
        Round { score, step: Step::Update }
    }

    fn weights(&self) -> Option<Vec<f64>> {
        Some(self.theta.image())
    }

    fn bytes(&self, features: usize) -> u64 {
        self.theta.bytes(features)
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.theta.state(state)?;
        state.u64("updates", &mut self.updates)
    }
}
