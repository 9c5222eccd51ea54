//! A learner made of a trajectory and a rule for its steps. Scores, look-ahead, the counting of trials with a label and
//! without, and the model that is left are the trajectory's: once, for every such rule.

use super::{Hypothesis, Trajectory};
use crate::error::{Message, Result};
use crate::learner::{Example, Fact, Facts, Learner, Leaves, PlainWeights, Predictor, Step};
use crate::space::{Expansion, Finite, Row};
use crate::state::State;

/// What a learner whose hypothesis is a trajectory does in a trial; all else every one of them has in common.
pub(crate) trait StepRule: Send + Sync {
    /// Whether the update needs the kernel values of x with the support set.
    const NEEDS_COLUMN: bool = false;

    /// Whether an update of weights changes those of the row's components alone.
    const KEEPS_TO_ROW: bool = false;

    /// A trial with y f(x) beyond this changes nothing, whatever its row is.
    const STAYS_BEYOND: f64 = f64::INFINITY;

    /// The update of a trial with this score, if there is one; whether the hypothesis changed.
    fn update(&mut self, f: &mut Trajectory, example: &Example<'_>, score: f64) -> Finite<bool>;

    /// Further figures.
    fn facts(&self) -> Vec<(&'static str, Fact)> {
        Vec::new()
    }

    /// What the user should know about the run so far.
    fn warning(&self, _f: &Trajectory) -> Option<Message> {
        None
    }

    /// Memory that it takes besides the trajectory, over so many features, in bytes.
    fn memory(&self, _features: usize) -> u64 {
        0
    }

    /// Starts its random numbers anew.
    fn reseed(&mut self, _seed: u64) {}

    /// Visits the fields, after those of `f`. While merging, `f` is mixed of the parts' and goes where the fields of
    /// all of them together say.
    fn state(&mut self, _f: &mut Trajectory, _state: &mut State) -> Result<()> {
        Ok(())
    }
}

/// A learner that moves along its trajectory by a rule.
pub(crate) struct Stepper<R> {
    pub(crate) f: Trajectory,
    pub(crate) rule: R,
}

impl<R: StepRule> Learner for Stepper<R> {
    fn score(&self, x: Row<'_>) -> f64 {
        self.f.f().score(x)
    }

    fn begin(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        if R::NEEDS_COLUMN { self.f.begin_column(x, lane) } else { self.f.begin(x, lane) }
    }

    fn begin_with_model(&mut self, x: Row<'_>, lane: Option<usize>) -> (f64, f64) {
        self.f.both_scores(x).unwrap_or_else(|| {
            let score = self.begin(x, lane);
            (score, self.f.model_score(x, lane, score))
        })
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let updates = self.rule.update(&mut self.f, example, score)?;
        self.f.count(1);
        Ok(if updates { Step::Update } else { Step::Stay })
    }

    fn withhold(&mut self, trials: u64) {
        self.f.count(trials);
    }

    fn ahead(&mut self) -> Option<&mut Expansion> {
        self.f.ahead()
    }

    fn plain_weights(&self) -> Option<PlainWeights<'_>> {
        match self.f.f() {
            Hypothesis::Primal(w) if R::KEEPS_TO_ROW => {
                Some(PlainWeights { w: w.as_slice(), stays_beyond: R::STAYS_BEYOND })
            }
            _ => None,
        }
    }
}

impl<R: StepRule> Predictor for Stepper<R> {
    fn leaves(&self) -> Leaves<'_> {
        self.f.leaves()
    }

    fn memory(&self, features: usize) -> u64 {
        self.f.memory(features).saturating_add(self.rule.memory(features))
    }

    fn reseed(&mut self, seed: u64) {
        self.rule.reseed(seed);
    }

    fn start_at(&mut self, weights: &[f64]) -> bool {
        self.f.start_at(weights)
    }

    fn facts(&self) -> Facts {
        let warnings = self.rule.warning(&self.f).into_iter().collect();
        Facts { rows_kept: self.f.rows_kept(), further: self.rule.facts(), warnings, ..Facts::default() }
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.f.state(state)?;
        self.rule.state(&mut self.f, state)
    }
}
