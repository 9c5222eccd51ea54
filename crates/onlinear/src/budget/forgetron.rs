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
//! A row with K(x,x) = 0 can change nothing: it is a mistake in the counts of the run, but does not count in M.
//!
//! With a = σ_r² − 2σ_r μ, b = 2σ_r and c = Q − (15/32) M < 0 the condition is aφ² + bφ + c ≤ 0. Both where the
//! parabola opens upwards and where it opens downwards the root sought is −2c/(b + √(b² − 4ac)).

use super::projectron::theorem_with_norm_bound;
use super::{BUDGET, refuse_averaging, require_budget, set};
use crate::bound::Theorem;
use crate::error::Result;
use crate::hypothesis::{OUTPUT, Output, StepRule, Stepper, Trajectory};
use crate::learner::{Example, Fact};
use crate::space::{Expansion, Finite, Overflow};
use crate::spec::{Algorithm, Charges, New, Parameters, PythonClass, parameters};
use crate::state::State;

parameters! {
    struct ForgetronParameters {
        budget: u64 = BUDGET,
        output: Output = OUTPUT;
        kernel
    }
}

/// The least budget that the bound is proved for.
const LEAST_BUDGET: u64 = 83;

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "forgetron",
    title: "Forgetron",
    summary: "Learns as the kernel Perceptron does; over its budget it shrinks all coefficients and forgets the oldest \
              vector.",
    rule: "over budget f ← φ f′ without its oldest vector, φ the largest with Ψ(φσ_r, φμ) + Q ≤ (15/32) M",
    paper: "Dekel, Shalev-Shwartz and Singer (2008)",
    cost: "at most B kernel values per trial, B more per mistake over budget",
    bound: "the Perceptron's until its budget is spent; then, for K ≤ 1, M ≤ 2‖g‖² + 4D₁ for every g with \
            ‖g‖ ≤ ¼√((B+1)/ln(B+1)), B ≥ 83; where the kernel is wide it can make twice the mistakes of rbp with the \
            same budget",
    theorem: Charges::Mistakes(|settings, evidence| {
        let ForgetronParameters { budget, .. } = Parameters::read(settings);
        if evidence.steps() <= budget as f64 {
            return Ok(Theorem::perceptron());
        }
        if budget < LEAST_BUDGET {
            return Err(format!("once rows are forgotten, the bound needs a budget of {LEAST_BUDGET} at least"));
        }
        let places = budget as f64 + 1.0;
        let u = 0.25 * (places / libm::log(places)).sqrt();
        theorem_with_norm_bound(ALGORITHM.title, "with forgetting", u, evidence)
    }),
    differs: "a row with K(x,x) = 0 can change nothing and does not count in M",
    python: PythonClass::own("Forgetron"),
    parameters: ForgetronParameters::TABLE,
    grid: &["budget=100,1000"],
    new: New::RowByRow(|settings| {
        let ForgetronParameters { budget, output, kernel } = Parameters::read(settings);
        refuse_averaging(output)?;
        let rule = Forgetron { budget: budget as usize, mistakes: 0, damage: 0.0, min_phi: 1.0 };
        Ok(Box::new(Stepper { f: Trajectory::dual(kernel, output), rule }))
    }),
    ..Algorithm::ONLINE
};

/// The Forgetron.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "forgetron:budget=1".parse::<Spec>()?.online()?;
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Positive));
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Negative)); // forgets the first
/// assert!(learner.score(Row::Dense(&[1.0])) < 0.0 && learner.leaves().support_len() == Some(1));
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Forgetron {
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
    /// Shrinks and forgets, now that there is one vector too many.
    fn forget(&mut self, f: &mut Expansion) {
        let oldest = f.coefficients()[0];
        let sigma = oldest.abs();
        let mu = oldest.signum() * f.score(f.set().row(0)); // [3]
        let (a, b) = (sigma * sigma - 2.0 * sigma * mu, 2.0 * sigma);
        let c = self.damage - SHARE * self.mistakes as f64;
        let phi = if a + b + c <= 0.0 {
            1.0
        } else {
            (-2.0 * c / (b + (b * b - 4.0 * a * c).max(0.0).sqrt())).clamp(0.0, 1.0)
        };
        self.damage += (a * phi + b) * phi; // [4]
        self.min_phi = self.min_phi.min(phi);
        f.coefficients_mut().iter_mut().for_each(|alpha| *alpha *= phi); // [5]
        f.remove_oldest();
    }
}

impl StepRule for Forgetron {
    fn update(&mut self, f: &mut Trajectory, example: &Example<'_>, score: f64) -> Finite<bool> {
        let (x, y) = (example.x, example.y.sign());
        let square = set(f).with_itself(x);
        let updates = y * score <= 0.0 && square != 0.0; // [1]
        if updates {
            Overflow::check([4.0 * (self.budget + 1) as f64 * square])?; // 2μ is no larger, since σ ≤ 1
            f.push(x, y)?; // [2]
            self.mistakes += 1;
            if set(f).len() > self.budget {
                f.forget(|f| self.forget(f));
            }
        }
        Ok(updates)
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        vec![("min_phi", Fact::Number(self.min_phi))]
    }

    fn state(&mut self, f: &mut Trajectory, state: &mut State) -> Result<()> {
        state
            .refuse_merging("how much it shrinks and forgets follows from the damage done in the course of one run")?;
        require_budget(f, self.budget, state)?;
        state.u64("mistakes", &mut self.mistakes)?;
        state.f64("damage", &mut self.damage)?;
        state.f64("least-phi", &mut self.min_phi)
    }
}
