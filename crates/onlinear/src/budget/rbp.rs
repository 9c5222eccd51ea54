//! The Randomized Budget Perceptron.
//!
//! Cavallanti, Cesa-Bianchi and Gentile, "Tracking the best hyperplane with a simple budget Perceptron"
//! (2007); a baseline of the Projectron paper.
//! Learns as the kernel Perceptron does; over its budget, the new vector takes the place of one drawn
//! at random.
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | score f(x) |
//! | \[2\] | on a mistake with fewer than B support vectors, x joins them with coefficient y |
//! | \[3\] | else it takes the place of number index(B) |

use super::{BUDGET, refold, refuse_averaging, require_budget, set, theorem_within};
use crate::error::Result;
use crate::hypothesis::{OUTPUT, Output, StepRule, Stepper, Trajectory};
use crate::learner::Example;
use crate::random::Random;
use crate::space::{Finite, Overflow, Row};
use crate::spec::{Algorithm, Charges, New, Parameters, PythonClass, SEED, parameters};
use crate::state::State;

parameters! {
    struct RbpParameters {
        budget: u64 = BUDGET,
        output: Output = OUTPUT,
        seed: u64 = SEED.help("of the draws");
        kernel
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "rbp",
    title: "Randomized Budget Perceptron",
    summary: "Learns as the kernel Perceptron does; over its budget, the new vector takes the place of one drawn at \
              random.",
    rule: "x joins the support set with coefficient y when y f(x) ≤ 0, in the place of a random vector if there is no \
           room",
    paper: "Cavallanti, Cesa-Bianchi and Gentile (2007)",
    cost: "at most B kernel values per trial",
    bound: "the Perceptron's until its budget is spent; from then on only on average over its random choices",
    theorem: Charges::Mistakes(|settings, evidence| {
        let RbpParameters { budget, .. } = Parameters::read(settings);
        theorem_within(
            budget,
            evidence,
            "rbp forgets rows beyond its budget: its bound then holds on average over its random choices only",
        )
    }),
    differs: "none; the generator is xoshiro256++, drawn from only where there is no room",
    python: PythonClass::own("RandomizedBudgetPerceptron"),
    parameters: RbpParameters::TABLE,
    grid: &["budget=100,1000"],
    new: New::RowByRow(|settings| {
        let RbpParameters { budget, output, seed, kernel } = Parameters::read(settings);
        refuse_averaging(output)?;
        let rule = Rbp { budget: budget as usize, random: Random::new(seed) };
        Ok(Box::new(Stepper { f: Trajectory::dual(kernel, output), rule }))
    }),
    ..Algorithm::ONLINE
};

/// The Randomized Budget Perceptron.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "rbp:budget=1".parse::<Spec>()?.online()?;
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Positive));
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Negative)); // takes the only place
/// assert_eq!((learner.score(Row::Dense(&[1.0])), learner.leaves().support_len()), (-1.0, Some(1)));
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Rbp {
    budget: usize,
    random: Random,
}

impl Rbp {
    /// The row x comes with this coefficient: over budget, in the place of one drawn at random.
    fn join(&mut self, f: &mut Trajectory, x: Row<'_>, coefficient: f64) -> Finite {
        if set(f).len() < self.budget {
            return f.push(x, coefficient); // [2]
        }
        Overflow::check([coefficient, set(f).with_itself(x)])?;
        let victim = self.random.index(self.budget);
        f.forget(|f| f.replace(victim, x, coefficient)); // [3]
        Ok(())
    }
}

impl StepRule for Rbp {
    fn update(&mut self, f: &mut Trajectory, example: &Example<'_>, score: f64) -> Finite<bool> {
        let (x, y) = (example.x, example.y.sign());
        let updates = y * score <= 0.0 && set(f).with_itself(x) != 0.0; // [1]
        if updates {
            self.join(f, x, y)?;
        }
        Ok(updates)
    }

    fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    fn state(&mut self, f: &mut Trajectory, state: &mut State) -> Result<()> {
        state.generator("generator", &mut self.random)?;
        if state.is_merging() {
            return refold(f, |f, x, (coefficient, _), _| self.join(f, x, coefficient));
        }
        require_budget(f, self.budget, state)
    }
}
