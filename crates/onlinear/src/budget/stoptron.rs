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

use super::{BUDGET, Bounded, Budgeted, OUTPUT, Rule, require_budget};
use crate::algorithm::{Algorithm, Learns};
use crate::error::Result;
use crate::kernel_parameters::{COSINE, DEGREE, KERNEL, OFFSET, SIGMA2};
use crate::space::Row;
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
    learns: Learns::RowByRow,
    new: |spec| Ok(Box::new(Budgeted::new(spec, Stoptron::new(spec)))),
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
}

impl Stoptron {
    /// f = 0.
    pub fn new(spec: &Spec) -> Stoptron {
        Stoptron { budget: spec.whole("budget") as usize }
    }
}

impl Rule for Stoptron {
    fn trial(&mut self, held: &mut Bounded, x: Row<'_>, y: f64) -> (f64, bool) {
        let score = held.trial_score(x); // [1]
        let set = held.f().set();
        let updates = y * score <= 0.0 && set.len() < self.budget && set.with_itself(x) != 0.0;
        if updates {
            held.change().push(x, None, y); // [2]
            held.note_new(y);
        }
        (score, updates)
    }

    fn state(&mut self, held: &Bounded, state: &mut State) -> Result<()> {
        require_budget(held, self.budget, state)
    }
}
