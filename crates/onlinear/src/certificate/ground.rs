//! What a bound stands on.

use super::RunRecord;
use crate::bound::{ChargedTrials, Evidence, Theorem};
use crate::spec::{Charges, kernel};

/// A run's trials and the theorem about them.
pub(crate) struct Ground<'a> {
    pub(crate) evidence: Evidence<'a>,
    pub(crate) theorem: Theorem,
    /// R.
    pub(crate) radius: f64,
}

impl<'a> Ground<'a> {
    /// The ground of a run's bound, or why there is none.
    pub(crate) fn of(run: &'a RunRecord) -> Result<Ground<'a>, String> {
        let RunRecord { spec, trials, features, correlations, .. } = run;
        if spec.is_batch() {
            return Err("a batch learner makes no trials".to_string());
        }
        let kernel = spec.get("kernel").map(|_| kernel::of(spec)).filter(|kernel| !kernel.is_linear());
        let evidence = Evidence { trials, kernel, features: *features, correlations: correlations.as_ref() };
        let theorem = match spec.algorithm().theorem {
            Charges::Mistakes(state) | Charges::Updates(state) => state(spec, &evidence)?,
            Charges::Nothing => return Err(format!("no mistake bound is stated for {}", spec.algorithm().name)),
        };
        let radius = theorem.trials.as_ref().unwrap_or(trials).radius(theorem.row_norm, kernel);
        if radius == 0.0 {
            return Err("every mistaken row is zero".to_string());
        }
        Ok(Ground { evidence, theorem, radius })
    }

    /// The trials, on the rows that the theorem speaks of.
    pub(crate) fn trials(&self) -> &ChargedTrials {
        self.theorem.trials.as_ref().unwrap_or(self.evidence.trials)
    }
}
