//! Kernel learners whose support set is bounded: one file each, named as in its paper.

pub mod forgetron;
pub mod projectron;
pub mod projectron_plus_plus;
pub mod rbp;
pub mod stoptron;

use std::borrow::Cow;

use crate::algorithm::{Kind, Parameter, Value};
use crate::error::Result;
use crate::kernel_parameters::kernel;
use crate::learner::{Example, Fact, Learner, Round, Step};
use crate::space::{Expansion, Row, Rows, SupportSet};
use crate::spec::Spec;
use crate::state::State;

pub(crate) const BUDGET: Parameter = Parameter {
    name: "budget",
    aliases: &[],
    kind: Kind::Integer { low: 1, high: 1 << 30 },
    default: Value::Number(1000.0),
    help: "the most support vectors there may be",
};

/// Which hypothesis the model is.
pub(crate) const OUTPUT: Parameter = Parameter {
    name: "output",
    aliases: &[],
    kind: Kind::Choice(&["last", "averaged", "longest"]),
    default: Value::Choice("last"),
    help: "predict with the last hypothesis, the mean of all, or the one that survived most trials",
};

/// Refuses the average of a learner that throws vectors away.
pub(crate) fn refuse_averaging(spec: &Spec) -> std::result::Result<(), String> {
    if spec.choice("output") == "averaged" {
        return Err("output=averaged would keep every vector ever stored; expected output=last or longest".to_string());
    }
    Ok(())
}

/// What a budget learner does in a trial; all else is the same for all of them.
pub(crate) trait Rule: Send + Sync {
    /// Begins the trial with `held.trial_score` or `held.trial_column` and ends with the update, if
    /// there is one; gives the score and whether the hypothesis changed.
    fn trial(&mut self, held: &mut Bounded, x: Row<'_>, y: f64) -> (f64, bool);

    /// Further figures.
    fn facts(&self) -> Vec<(&'static str, Fact)> {
        Vec::new()
    }

    /// Memory that it takes besides the support vectors, in bytes.
    fn held(&self) -> u64 {
        0
    }

    /// Starts its random numbers anew.
    fn reseed(&mut self, _seed: u64) {}

    /// Visits the fields, after those of `held`.
    fn state(&mut self, held: &Bounded, state: &mut State) -> Result<()>;
}

/// A learner with a bounded support set.
pub(crate) struct Budgeted<R> {
    rule: R,
    held: Bounded,
}

impl<R> Budgeted<R> {
    pub(crate) fn new(spec: &Spec, rule: R) -> Budgeted<R> {
        Budgeted { rule, held: Bounded::new(spec) }
    }
}

impl<R: Rule> Learner for Budgeted<R> {
    fn score(&self, x: Row<'_>) -> f64 {
        self.held.f.combine(self.held.f.coefficients(), x)
    }

    fn round(&mut self, example: &Example<'_>) -> Round {
        let (score, updated) = self.rule.trial(&mut self.held, example.x, example.y.sign());
        self.held.end_trial();
        Round { score, step: if updated { Step::Update } else { Step::Stay } }
    }

    fn output(&self, x: Row<'_>) -> f64 {
        let (mut rows, mut out) = (Rows::default(), Vec::new());
        rows.push_row(x);
        self.held.outputs(&rows, &mut out);
        out[0]
    }

    fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        self.held.outputs(rows, out);
    }

    fn block(&self) -> usize {
        SupportSet::MOST_AHEAD
    }

    fn look_ahead(&mut self, rows: &Rows) {
        self.held.f.look_ahead(rows);
    }

    fn form(&self) -> &'static str {
        "dual"
    }

    fn support(&self) -> Option<usize> {
        Some(self.held.f.set().len())
    }

    fn expansion(&self) -> Option<(&SupportSet, Vec<f64>)> {
        let (f, coefficients) = self.held.output();
        Some((f.set(), coefficients.into_owned()))
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        self.rule.facts()
    }

    fn reseed(&mut self, seed: u64) {
        self.rule.reseed(seed);
    }

    fn bytes(&self, features: usize) -> u64 {
        SupportSet::lookup_bytes(features)
    }

    fn held(&self) -> u64 {
        let kept = match &self.held.output {
            Output::Longest { kept, .. } => kept.set().bytes(),
            Output::Last | Output::Averaged { .. } => 0,
        };
        self.held.f.set().bytes() + kept + self.rule.held()
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.held.state(state)?;
        self.rule.state(&self.held, state)
    }
}

/// While loading, refuses a support set that exceeds its budget.
pub(crate) fn require_budget(held: &Bounded, budget: usize, state: &State) -> Result<()> {
    state.require(held.f.set().len() <= budget, "there are more support vectors than the budget allows")
}

/// A hypothesis under a budget, with what the model is made of beside it.
pub(crate) struct Bounded {
    f: Expansion,
    output: Output,
    trials: u64,
}

enum Output {
    Last,
    /// Σ (t − 1) Δα over the changes of each coefficient: the mean is α − u/T, as in `averaged`.
    Averaged {
        u: Vec<f64>,
    },
    /// The hypothesis that survived most trials, of those that are over, and how many these were.
    Longest {
        survived: u64,
        best: u64,
        kept: Box<Expansion>,
    },
}

impl Bounded {
    fn new(spec: &Spec) -> Bounded {
        let f = Expansion::new(kernel(spec));
        let output = match spec.choice("output") {
            "averaged" => Output::Averaged { u: Vec::new() },
            "longest" => Output::Longest { survived: 0, best: 0, kept: Box::new(f.clone()) },
            _ => Output::Last,
        };
        Bounded { f, output, trials: 0 }
    }

    pub(crate) fn f(&self) -> &Expansion {
        &self.f
    }

    /// f, which the caller is about to change.
    pub(crate) fn change(&mut self) -> &mut Expansion {
        if let Output::Longest { survived, best, kept } = &mut self.output {
            if *survived > *best {
                *best = *survived;
                **kept = self.f.without_look_ahead();
            }
            *survived = 0;
        }
        &mut self.f
    }

    /// Begins a trial: f(x).
    pub(crate) fn trial_score(&mut self, x: Row<'_>) -> f64 {
        self.trials += 1;
        self.f.trial_score(x)
    }

    /// The same, keeping the kernel values of x for [`Expansion::column`].
    pub(crate) fn trial_column(&mut self, x: Row<'_>) -> f64 {
        self.trials += 1;
        self.f.trial_column(x)
    }

    /// Notes by how much each coefficient has changed.
    pub(crate) fn note_change(&mut self, differences: &[f64]) {
        if let Output::Averaged { u } = &mut self.output {
            let before = (self.trials - 1) as f64;
            u.iter_mut().zip(differences).for_each(|(u, difference)| *u += before * difference);
        }
    }

    /// Notes that the newest coefficient came in with this value.
    pub(crate) fn note_new(&mut self, coefficient: f64) {
        if let Output::Averaged { u } = &mut self.output {
            u.push((self.trials - 1) as f64 * coefficient);
        }
    }

    /// Ends a trial: the hypothesis as it is now has survived it.
    fn end_trial(&mut self) {
        if let Output::Longest { survived, .. } = &mut self.output {
            *survived += 1;
        }
    }

    /// What the model predicts with.
    fn output(&self) -> (&Expansion, Cow<'_, [f64]>) {
        let last = self.f.coefficients();
        match &self.output {
            Output::Averaged { u } => {
                let trials = self.trials.max(1) as f64;
                (&self.f, last.iter().zip(u).map(|(c, u)| c - u / trials).collect())
            }
            Output::Longest { survived, best, kept } if best >= survived => (kept, kept.coefficients().into()),
            Output::Last | Output::Longest { .. } => (&self.f, last.into()),
        }
    }

    /// The model's scores.
    fn outputs(&self, rows: &Rows, out: &mut Vec<f64>) {
        let (f, coefficients) = self.output();
        f.combine_all(&coefficients, rows, out);
    }

    fn state(&mut self, state: &mut State) -> Result<()> {
        self.f.state(state)?;
        state.u64("trials", &mut self.trials)?;
        match &mut self.output {
            Output::Last => Ok(()),
            Output::Averaged { u } => {
                state.f64s("weighted-updates", u)?;
                state.require(u.len() == self.f.set().len(), "weighted-updates and coefficients differ in length")
            }
            Output::Longest { survived, best, kept } => {
                state.u64("survived", survived)?;
                state.u64("longest-survived", best)?;
                state.within("longest", |state| kept.state(state))
            }
        }
    }
}
