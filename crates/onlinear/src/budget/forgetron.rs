//! The Forgetron, self-tuned.
//!
//! Dekel, Shalev-Shwartz and Singer, "The Forgetron: a kernel-based Perceptron on a budget" (2008);
//! a baseline of the Projectron paper.
//! Learns as the kernel Perceptron does; over its budget it shrinks all coefficients by φ and forgets
//! the oldest vector, φ being the largest that keeps the damage within bounds.
//!
//! Ψ(λ, μ) = λ² + 2λ − 2λμ;   φ ∈ (0, 1] the largest with Ψ(φσ_r, φμ) + Q ≤ (15/32) M
//!
//! | step | the paper's |
//! | --- | --- |
//! | \[1\] | score f(x) |
//! | \[2\] | on a mistake, number M, insert (x, y, σ = 1): f′ |
//! | \[3\] | over budget: r the oldest, μ = y_r f′(x_r) |
//! | \[4\] | φ, and Q ← Q + Ψ(φσ_r, φμ) |
//! | \[5\] | shrink all by φ, drop r |
//!
//! With a = σ_r² − 2σ_r μ, b = 2σ_r and c = Q − (15/32) M < 0 the condition is aφ² + bφ + c ≤ 0. Both where the
//! parabola opens upwards and where it opens downwards the root sought is −2c/(b + √(b² − 4ac)).
//!
//! Cost: at most B kernel values per trial, B more per mistake over budget. Bound: none reported here.
//!
//! **Differs from the paper:** none.

use super::{BUDGET, Bounded, Budgeted, OUTPUT, Rule, refuse_averaging, require_budget};
use crate::algorithm::{Algorithm, Learns};
use crate::error::Result;
use crate::kernel_parameters::{COSINE, DEGREE, KERNEL, OFFSET, SIGMA2};
use crate::learner::Fact;
use crate::space::Row;
use crate::spec::Spec;
use crate::state::State;

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "forgetron",
    title: "Forgetron",
    summary: "Learns as the kernel Perceptron does; over its budget it shrinks all coefficients and forgets the oldest vector.",
    rule: "over budget f ← φ f′ without its oldest vector, φ the largest with Ψ(φσ_r, φμ) + Q ≤ (15/32) M",
    paper: "Dekel, Shalev-Shwartz and Singer (2008)",
    cost: "at most B kernel values per trial, B more per mistake over budget",
    bound: "none reported",
    differs: "none",
    parameters: &[BUDGET, OUTPUT, KERNEL, DEGREE, OFFSET, SIGMA2, COSINE],
    takes_weights: |_| false,
    needs_feature_count: |_| false,
    learns: Learns::RowByRow,
    new: |spec| Ok(Box::new(Budgeted::new(spec, Forgetron::new(spec)?))),
};

/// The Forgetron.
///
/// ```
/// use onlinear::{Example, Label, Learner, Row, Spec};
/// let mut learner = "forgetron:budget=1".parse::<Spec>()?.learner();
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Positive));
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Negative)); // forgets the first
/// assert!(learner.score(Row::Dense(&[1.0])) < 0.0 && learner.support() == Some(1));
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct Forgetron {
    budget: usize,
    /// M, the mistakes so far.
    mistakes: u64,
    /// Q, the damage so far.
    damage: f64,
    min_phi: f64,
}

/// (15/32) M is the damage allowed.
const SHARE: f64 = 15.0 / 32.0;

impl Forgetron {
    /// f = 0.
    pub fn new(spec: &Spec) -> std::result::Result<Forgetron, String> {
        refuse_averaging(spec)?;
        let budget = spec.whole("budget") as usize;
        Ok(Forgetron { budget, mistakes: 0, damage: 0.0, min_phi: 1.0 })
    }

    /// Shrinks and forgets, now that there is one vector too many.
    fn forget(&mut self, held: &mut Bounded) {
        let f = held.f();
        let oldest = f.coefficients()[0];
        let sigma = oldest.abs();
        let mu = oldest.signum() * f.combine(f.coefficients(), f.set().row(0)); // [3]
        let (a, b) = (sigma * sigma - 2.0 * sigma * mu, 2.0 * sigma);
        let c = self.damage - SHARE * self.mistakes as f64;
        let phi = if a + b + c <= 0.0 {
            1.0
        } else {
            (-2.0 * c / (b + (b * b - 4.0 * a * c).max(0.0).sqrt())).clamp(0.0, 1.0)
        };
        self.damage += (a * phi + b) * phi; // [4]
        self.min_phi = self.min_phi.min(phi);
        let f = held.change();
        f.coefficients_mut().iter_mut().for_each(|alpha| *alpha *= phi); // [5]
        f.remove_oldest();
    }
}

impl Rule for Forgetron {
    fn trial(&mut self, held: &mut Bounded, x: Row<'_>, y: f64) -> (f64, bool) {
        let score = held.trial_score(x); // [1]
        let updates = y * score <= 0.0 && held.f().set().with_itself(x) != 0.0;
        if updates {
            self.mistakes += 1;
            held.change().push(x, None, y); // [2]
            if held.f().set().len() > self.budget {
                self.forget(held);
            }
        }
        (score, updates)
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        vec![("min_phi", Fact::Number(self.min_phi))]
    }

    fn state(&mut self, held: &Bounded, state: &mut State) -> Result<()> {
        require_budget(held, self.budget, state)?;
        state.u64("mistakes", &mut self.mistakes)?;
        state.f64("damage", &mut self.damage)?;
        state.f64("least-phi", &mut self.min_phi)
    }
}
