//! The Stoptron.
//!
//! Orabona, Keshet and Caputo, "Bounded kernel-based online learning" (2009), as a baseline.
//! Learns as the kernel Perceptron does until its budget is used up, and then no more.
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | score f(x) |
//! | \[2\] | on a mistake with fewer than B support vectors, x joins them with coefficient y |

use super::{BUDGET, require_budget, set, theorem_within};
use crate::error::Result;
use crate::hypothesis::{OUTPUT, Output, StepRule, Stepper, Trajectory};
use crate::learner::Example;
use crate::space::Finite;
use crate::spec::{Algorithm, Charges, New, Parameters, PythonClass, parameters};
use crate::state::State;

parameters! {
    struct StoptronParameters {
        budget: u64 = BUDGET,
        output: Output = OUTPUT;
        kernel
    }
}

/// The declaration.
pub(crate) static ALGORITHM: Algorithm = Algorithm {
    name: "stoptron",
    title: "Stoptron",
    summary: "Learns as the kernel Perceptron does until its budget is used up, and then no more.",
    rule: "x joins the support set with coefficient y when y f(x) ≤ 0 and there is room",
    paper: "Orabona, Keshet and Caputo (2009)",
    cost: "at most B kernel values per trial",
    bound: "the Perceptron's until its budget is spent",
    theorem: Charges::Mistakes(|settings, evidence| {
        let StoptronParameters { budget, .. } = Parameters::read(settings);
        theorem_within(budget, evidence, "stoptron stops when its budget is spent: its bound holds until then")
    }),
    differs: "none",
    python: PythonClass::own("Stoptron"),
    parameters: StoptronParameters::TABLE,
    grid: &["budget=100,1000"],
    new: New::RowByRow(|settings| {
        let StoptronParameters { budget, output, kernel } = Parameters::read(settings);
        Ok(Box::new(Stepper { f: Trajectory::dual(kernel, output), rule: Stoptron { budget: budget as usize } }))
    }),
    ..Algorithm::ONLINE
};

/// The Stoptron.
///
/// ```
/// use onlinear::{Example, Label, Row, Spec};
/// let mut learner = "stoptron:budget=1".parse::<Spec>()?.online()?;
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Positive));
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Negative)); // a mistake, but no room
/// assert_eq!((learner.score(Row::Dense(&[1.0])), learner.leaves().support_len()), (1.0, Some(1)));
/// # Ok::<(), onlinear::Error>(())
/// ```
struct Stoptron {
    budget: usize,
}

impl StepRule for Stoptron {
    fn update(&mut self, f: &mut Trajectory, example: &Example<'_>, score: f64) -> Finite<bool> {
        let (x, y) = (example.x, example.y.sign());
        let set = set(f);
        let updates = y * score <= 0.0 && set.len() < self.budget && set.with_itself(x) != 0.0; // [1]
        if updates {
            f.push(x, y)?; // [2]
        }
        Ok(updates)
    }

    fn state(&mut self, f: &mut Trajectory, state: &mut State) -> Result<()> {
        state.refuse_merging("what it holds is the first rows of one run that were mistaken")?;
        require_budget(f, self.budget, state)
    }
}
