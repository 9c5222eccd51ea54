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

use crate::bound::{Evidence, Measures, Theorem};
use crate::error::Result;
use crate::learner::{Example, Formula, Learner, Leaves, Predictor, Step};
use crate::space::{Finite, Overflow, PNormDual, Row, Rows};
use crate::spec::{Algorithm, Charges, Declaration, New, Parameters, PythonClass, Range, number, parameters};
use crate::state::State;

/// p. 1000 is far beyond use (p = 2 ln n imitates Winnow: 55 at n = 10¹²) and still far from overflow.
pub(crate) const P: Declaration<f64> = number(
    "p",
    2.0,
    Range::closed(2.0, 1000.0),
    "the norm of the rows; 2 behaves like a Perceptron, 2 ln n like Winnow",
);

parameters! {
    struct AlmaParameters {
        p: f64 = P,
        alpha: f64 = number(
            "alpha",
            0.9,
            Range { low: (0.0, false), high: (1.0, true) },
            "how far below the largest margin the result may stay; smaller is slower and wider",
        ),
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "alma",
    title: "ALMA_p",
    summary: "Demands a margin that falls with the number of updates, and keeps the weights in the unit ball.",
    rule: "when y w·x̂ ≤ (1−α)γ_k: θ ← θ + η_k y x̂, θ ← θ/max(1, ‖θ‖_p), w = g(θ); x̂ = x/‖x‖_p",
    paper: "Gentile (2001)",
    cost: "O(non-zeros) per trial",
    bound: "updates ≤ 2 ((p−1)/ρ²)(2/α − 1)² + 8/α − 4 on rows x̂ separable with margin ρ by a u with ‖u‖_q = 1",
    theorem: Charges::Updates(|settings, evidence| Ok(theorem(Parameters::read(settings), evidence))),
    differs: "none (C = √2 and B = √8/α are the paper's own choices)",
    python: PythonClass::own("ALMA"),
    parameters: AlmaParameters::TABLE,
    grid: &["p=2,4,8", "alpha=0.5,0.9"],
    new: New::RowByRow(|settings| {
        let AlmaParameters { p, alpha } = Parameters::read(settings);
        Ok(Box::new(Alma { p, alpha, theta: PNormDual::new(p), updates: 0, norm: 0.0 }))
    }),
    ..Algorithm::ONLINE
};

/// Theorem 3 of the paper in its separable case, on rows of p-norm 1.
fn theorem(AlmaParameters { p, alpha }: AlmaParameters, evidence: &Evidence<'_>) -> Theorem {
    let mut rows = Rows::default();
    for i in 0..evidence.trials.rows().len() {
        let x = evidence.trials.rows().row(i);
        let norm = x.norm(p);
        let values: Vec<f64> = x.values().iter().map(|v| if norm > 0.0 { v / norm } else { 0.0 }).collect();
        rows.push_row(x.with_values(&values));
    }
    let formula = move |&Measures { gamma, deviation, .. }: &Measures| {
        let bound = 2.0 * (p - 1.0) / (gamma * gamma) * (2.0 / alpha - 1.0).powi(2) + 8.0 / alpha - 4.0;
        (if deviation == 0.0 { bound } else { f64::NAN }, "separable")
    };
    Theorem {
        row_norm: p,
        comparator_norm: p / (p - 1.0),
        is_classical: true,
        trials: Some(evidence.trials.with_rows(rows)),
        unmet: "no u was found that is right on all rows, which the bound needs".to_string(),
        ..Theorem::new(ALGORITHM.title, formula)
    }
}

/// ALMA_p.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "alma".parse::<Spec>()?.online()?;
/// let x = Row::Dense(&[3.0, 4.0]);
/// learner.round(&Example::new(x, Label::Positive));
/// assert!((learner.score(x) - 1.0).abs() < 1e-15); // on the unit ball
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Alma {
    p: f64,
    alpha: f64,
    /// θ = f(w).
    theta: PNormDual,
    updates: u64,
    /// ‖x‖_p of the row of this trial.
    norm: f64,
}

impl Alma {
    /// f(x) of a row of this norm.
    fn score_of(&self, x: Row<'_>, norm: f64) -> f64 {
        if norm == 0.0 { 0.0 } else { self.theta.dot(x) / norm }
    }
}

impl Learner for Alma {
    fn score(&self, x: Row<'_>) -> f64 {
        self.score_of(x, x.norm(self.p))
    }

    fn begin(&mut self, x: Row<'_>, _lane: Option<usize>) -> f64 {
        self.norm = x.norm(self.p); // [1]
        self.score_of(x, self.norm)
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let &Example { x, y, .. } = example;
        let root_k = ((self.updates + 1) as f64).sqrt();
        let root_p = (self.p - 1.0).sqrt();
        let gamma = 8f64.sqrt() / self.alpha * root_p / root_k;
        if y.sign() * score > (1.0 - self.alpha) * gamma || x.is_zero() {
            return Ok(Step::Stay); // [2]
        }
        let norm = self.norm;
        Overflow::check([norm])?;
        let eta = 2f64.sqrt() / (root_p * root_k);
        self.theta.add(eta * y.sign() / norm, x)?; // [3]
        let length = self.theta.norm();
        if length > 1.0 {
            self.theta.multiply(1.0 / length); // [4]
        }
        self.updates += 1;
        Ok(Step::Update)
    }

    fn withhold(&mut self, _: u64) {}
}

impl Predictor for Alma {
    fn leaves(&self) -> Leaves<'_> {
        let formula = || {
            let (scale, weights) = self.theta.image();
            Formula::Linear { weights: weights.into(), less: None, scale, over_norm: Some(self.p) }
        };
        Leaves::derived(|x| self.score(x), formula)
    }

    fn memory(&self, features: usize) -> u64 {
        self.theta.bytes(features)
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.theta.state(state)?;
        state.tally("updates", &mut self.updates)
    }
}
