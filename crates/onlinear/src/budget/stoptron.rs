//! The Stoptron.
//!
//! Orabona, Keshet and Caputo, "Bounded kernel-based online learning" (2009), as a baseline.
//! Learns as the kernel Perceptron does until its budget is used up, and then no more.
//!
//! | step | |
//! | --- | --- |
//! | \[1\] | score f(x) |
//! | \[2\] | on a mistake with fewer than B support vectors, x joins them with coefficient y |
//!
//! Cost: at most B kernel values per trial. Bound: none.
//!
//! **Differs from the paper:** none.

use super::{BUDGET, Bounded, OUTPUT};
use crate::algorithm::Algorithm;
use crate::error::Result;
use crate::kernel_parameters::{COSINE, DEGREE, KERNEL, OFFSET, SIGMA2};
use crate::learner::{Example, Learner, Round, Step};
use crate::space::{Row, Rows, SupportSet};
use crate::spec::Spec;
use crate::state::State;

/// The declaration.
pub static ALGORITHM: Algorithm = Algorithm {
    name: "stoptron",
    title: "Stoptron",
    summary: "Learns as the kernel Perceptron does until its budget is used up, and then no more.",
    rule: "x joins the support set with coefficient y when y f(x) ≤ 0 and there is room",
    paper: "Orabona, Keshet and Caputo (2009)",
    cost: "at most B kernel values per trial",
    bound: "none",
    differs: "none",
    parameters: &[BUDGET, OUTPUT, KERNEL, DEGREE, OFFSET, SIGMA2, COSINE],
    takes_weights: |_| false,
    needs_feature_count: |_| false,
    needs_all_rows: |_| false,
    new: |spec| Ok(Box::new(Stoptron::new(spec))),
};

/// The Stoptron.
///
/// ```
/// use onlinear::{Example, Label, Learner, Row, Spec};
/// let mut learner = "stoptron:budget=1".parse::<Spec>()?.learner();
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Positive));
/// learner.round(&Example::new(Row::Dense(&[1.0]), Label::Negative)); // a mistake, but no room
/// assert_eq!((learner.score(Row::Dense(&[1.0])), learner.support()), (1.0, Some(1)));
/// # Ok::<(), onlinear::Error>(())
/// ```
pub struct Stoptron {
    budget: usize,
    held: Bounded,
}

impl Stoptron {
    /// f = 0.
    pub fn new(spec: &Spec) -> Stoptron {
        Stoptron { budget: spec.whole("budget") as usize, held: Bounded::new(spec) }
    }
}

impl Learner for Stoptron {
    fn score(&self, x: Row<'_>) -> f64 {
        self.held.f().combine(self.held.f().coefficients(), x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        let &Example { x, y, .. } = example;
        let score = self.held.trial_score(x); // [1]
        let set = self.held.f().set();
        let updates = y.sign() * score <= 0.0 && set.len() < self.budget && set.with_itself(x) != 0.0;
        if updates {
            self.held.change().push(x, None, y.sign()); // [2]
            self.held.note_new(y.sign());
        }
        self.held.end_trial();
        Round { score, step: if updates { Step::Update } else { Step::Stay } }
    }

    fn output(&self, x: Row<'_>) -> f64 {
        self.held.output(x)
    }

    fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        self.held.outputs(rows, out);
    }

    fn block(&self) -> usize {
        SupportSet::MOST_AHEAD
    }

    fn look_ahead(&mut self, rows: &Rows) {
        self.held.look_ahead(rows);
    }

    fn form(&self) -> &'static str {
        "dual"
    }

    fn support(&self) -> Option<usize> {
        Some(self.held.f().set().len())
    }

    fn bytes(&self, _features: usize) -> u64 {
        0
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.held.state(self.budget, state)
    }
}
