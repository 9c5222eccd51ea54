//! What a bound stands on.

use super::RunRecord;
use crate::bound::{ChargedTrials, Evidence, Theorem};
use crate::spec::{Charges, Spec, kernel};

/// A run's trials and the theorem about them.
pub(crate) struct Ground<'a> {
    pub(crate) evidence: Evidence<'a>,
    pub(crate) theorem: Theorem,
    /// R.
    pub(crate) radius: f64,
}

impl<'a> Ground<'a> {
    /// The ground of a bound on these trials of a run, or why there is none.
    pub(crate) fn of(run: &'a RunRecord, spec: &Spec, trials: &'a ChargedTrials) -> Result<Ground<'a>, String> {
        let evidence = evidence(run, spec, trials);
        let theorem = match spec.algorithm().theorem {
            Charges::Mistakes(state) | Charges::Updates(state) => state(spec, &evidence)?,
            Charges::Nothing => return Err(format!("no mistake bound is stated for {}", spec.algorithm().name)),
        };
        Ground::new(evidence, theorem).ok_or_else(|| "every row that counts is zero".to_string())
    }

    /// The ground of the Perceptron's bound, with the learner's kernel; none where every row is zero.
    pub(crate) fn of_perceptron(run: &'a RunRecord, trials: &'a ChargedTrials) -> Option<Ground<'a>> {
        Ground::new(evidence(run, &run.spec, trials), Theorem::perceptron())
    }

    fn new(evidence: Evidence<'a>, theorem: Theorem) -> Option<Ground<'a>> {
        let trials = theorem.trials.as_ref().unwrap_or(evidence.trials);
        let radius = trials.radius(theorem.row_norm, evidence.kernel);
        (radius > 0.0).then_some(Ground { evidence, theorem, radius })
    }

    /// This ground, unless its theorem speaks of what became of the rows in the run.
    pub(crate) fn before(self) -> Result<Ground<'a>, String> {
        match self.theorem.is_of_run {
            true => Err("the bound depends on which rows are mistaken, and in which order".to_string()),
            false => Ok(self),
        }
    }

    /// The trials, on the rows that the theorem speaks of.
    pub(crate) fn trials(&self) -> &ChargedTrials {
        self.theorem.trials.as_ref().unwrap_or(self.evidence.trials)
    }
}

fn evidence<'a>(run: &'a RunRecord, spec: &Spec, trials: &'a ChargedTrials) -> Evidence<'a> {
    let RunRecord { features, correlations, .. } = run;
    // What a run gained is known of its own trials alone.
    let gains = if std::ptr::eq(trials, &run.trials) { run.gains } else { 0.0 };
    let kernel = spec.get("kernel").map(|_| kernel::of(spec)).filter(|kernel| !kernel.is_linear());
    Evidence { trials, kernel, features: *features, gains, correlations: correlations.as_ref() }
}
