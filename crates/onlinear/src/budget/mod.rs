//! Kernel learners whose support set is bounded: one file each, named as in its paper.

pub mod bpa;
pub mod forgetron;
pub mod projectron;
pub mod projectron_plus_plus;
pub mod rbp;
pub mod stoptron;

use crate::bound::{Evidence, Theorem};
use crate::error::Result;
use crate::hypothesis::{Output, Trajectory};
use crate::learner::{Example, Fact, Facts, Learner, Leaves, Predictor, Step};
use crate::space::{Expansion, Finite, Kernel, Row, SupportSet};
use crate::spec::{Declaration, whole};
use crate::state::State;

/// B.
pub(crate) const BUDGET: Declaration<u64> = whole("budget", 1000, 1, 1 << 30, "the most support vectors there may be");

/// Refuses the average of a learner that throws vectors away.
fn refuse_averaging(output: Output) -> std::result::Result<(), String> {
    match output {
        Output::Averaged => {
            Err("output=averaged would keep every vector ever stored; expected output=last or longest".to_string())
        }
        Output::Last | Output::Longest => Ok(()),
    }
}

/// The Perceptron's theorem for as long as the budget was enough; `beyond` says what is the case from then on.
fn theorem_within(budget: u64, evidence: &Evidence<'_>, beyond: &str) -> std::result::Result<Theorem, String> {
    let is_within = evidence.steps() <= budget as f64;
    if is_within { Ok(Theorem::perceptron()) } else { Err(beyond.to_string()) }
}

/// What a budget learner does in a trial; all else every one of them has in common.
trait BudgetRule: Send + Sync {
    /// Whether the update needs the kernel values of x with the support set.
    const NEEDS_COLUMN: bool = false;

    /// The update of a trial with this score, if there is one; whether the hypothesis changed.
    fn update(&mut self, f: &mut Trajectory, x: Row<'_>, y: f64, score: f64) -> Finite<bool>;

    /// Further figures.
    fn facts(&self) -> Vec<(&'static str, Fact)> {
        Vec::new()
    }

    /// Memory that it takes besides the support vectors, in bytes.
    fn memory(&self) -> u64 {
        0
    }

    /// Starts its random numbers anew.
    fn reseed(&mut self, _seed: u64) {}

    /// Visits the fields, after those of `f`.
    fn state(&mut self, f: &Expansion, state: &mut State) -> Result<()>;
}

/// A learner with a bounded support set.
struct Budgeted<R> {
    rule: R,
    f: Trajectory,
    output: Output,
}

impl<R> Budgeted<R> {
    fn new(kernel: Kernel, output: Output, rule: R) -> Budgeted<R> {
        Budgeted { rule, f: Trajectory::dual(kernel, output), output }
    }
}

/// The support set of a hypothesis that has one.
fn set(f: &Trajectory) -> &SupportSet {
    expansion(f).set()
}

fn expansion(f: &Trajectory) -> &Expansion {
    f.f().expansion().expect("a budget learner keeps a support set whatever the kernel")
}

impl<R: BudgetRule> Learner for Budgeted<R> {
    fn score(&self, x: Row<'_>) -> f64 {
        self.f.f().score(x)
    }

    fn begin(&mut self, x: Row<'_>, lane: Option<usize>) -> f64 {
        if R::NEEDS_COLUMN { self.f.begin_column(x, lane) } else { self.f.begin(x, lane) }
    }

    fn model_score(&mut self, x: Row<'_>, lane: Option<usize>, score: f64) -> f64 {
        self.f.model_score(x, lane, score)
    }

    fn learn(&mut self, example: &Example<'_>, score: f64) -> Finite<Step> {
        let updates = self.rule.update(&mut self.f, example.x, example.y.sign(), score)?;
        self.f.count();
        Ok(if updates { Step::Update } else { Step::Stay })
    }

    fn withhold(&mut self) {
        self.f.count();
    }

    fn ahead(&mut self) -> Option<&mut Expansion> {
        self.f.ahead()
    }
}

impl<R: BudgetRule> Predictor for Budgeted<R> {
    fn leaves(&self) -> Leaves<'_> {
        self.f.leaves()
    }

    fn memory(&self, features: usize) -> u64 {
        self.f.memory(features) + self.rule.memory()
    }

    fn reseed(&mut self, seed: u64) {
        self.rule.reseed(seed);
    }

    fn facts(&self) -> Facts {
        Facts { further: self.rule.facts(), ..Facts::default() }
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.f.state(state)?;
        if self.output == Output::Last {
            self.f.trials_state(state)?; // a mean or a longest survivor has it already
        }
        self.rule.state(expansion(&self.f), state)
    }
}

/// While loading, refuses a support set that exceeds its budget.
fn require_budget(f: &Expansion, budget: usize, state: &State) -> Result<()> {
    state.require(f.set().len() <= budget, "there are more support vectors than the budget allows")
}
