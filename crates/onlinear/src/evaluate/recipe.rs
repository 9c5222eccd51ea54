//! A fresh learner, and what happens to its rows.

use super::class_weights::ClassWeights;
use super::plan::unread;
use crate::data::{About, Missing};
use crate::error::{Cure, Error, Message, Request, Result};
use crate::metrics::Metric;
use crate::space::Rows;
use crate::spec::Spec;
use crate::stage::{Slot, StageSpec, Stages};
use crate::state::Mean;

/// A fresh learner, and what happens to its rows.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Which learner.
    pub spec: Spec,
    /// What happens to its rows, in order.
    pub stages: Vec<StageSpec>,
    /// Shuffle the rows with this seed, anew for each pass.
    pub shuffle: Option<u64>,
    /// Keep so many of the last trials for probabilities.
    pub calibrate: Option<u64>,
    /// What the rows of each class weigh, besides their sample weights.
    pub class_weights: Option<ClassWeights>,
    /// What tells how many passes are best, where that is to be found out.
    pub metric: &'static Metric,
}

impl Recipe {
    /// A learner and what happens to its rows, which come in the order of the data and weigh the same.
    pub fn of(spec: Spec, stages: Vec<StageSpec>) -> Recipe {
        Recipe { spec, stages, shuffle: None, calibrate: None, class_weights: None, metric: Metric::usual() }
    }

    /// A stage that must read all rows before the first trial, if there is one.
    pub(super) fn reads_all(&self) -> Option<&StageSpec> {
        self.stages.iter().find(|stage| stage.kind().reads_all)
    }

    /// Says why parts that start afresh, each with rows of its own, do not become models that can be merged, if so.
    pub fn require_mergeable(&self, mean: Mean, classes: usize) -> Result<()> {
        self.spec.require_mergeable_by(mean, classes)?;
        let differs = "would differ from part to part";
        if let Some(stage) = self.reads_all() {
            let goes_by = format!("{} goes by the rows that it reads, and {differs}", stage.kind().name);
            let cure = if self.spec.is_batch() { Cure::LeaveUnscaled } else { Cure::StartTogether };
            return Err(Error::usage(Message::from(goes_by).and(cure)));
        }
        Stages::new(&self.stages).require_alike()?;
        if self.waits_for_width() {
            return Err(Error::usage(format!("sigma2=auto goes by the first rows, and {differs}; name a number")));
        }
        if self.class_weights == Some(ClassWeights::Balanced) {
            let reason = format!(" 'balanced' {differs}; give each label its weight");
            return Err(Error::usage(Message::from(Request::ClassWeights).and(reason)));
        }
        Ok(())
    }

    /// Refuses what does not go together.
    pub(super) fn check(&self) -> Result<()> {
        match self.calibrate.filter(|_| self.spec.is_direct()) {
            Some(_) => Err(Error::usage(Message::from(Request::Calibrate).and(" does not go with multiclass=direct"))),
            None => Ok(()),
        }
    }

    /// Whether the first rows have to tell the width of a kernel.
    pub(super) fn waits_for_width(&self) -> bool {
        self.spec.waits_for_width() || self.stages.iter().any(|stage| stage.settings().waits_for_width())
    }

    /// The same with the widths that the first rows tell, if it waits for any, for itself and for its stages, which
    /// have read what they must.
    pub(super) fn settled(&self, stages: &mut Stages, first: &Rows, file: &str) -> Result<Recipe> {
        let told = stages.settle_widths(first, &self.spec);
        Ok(Recipe { spec: told.map_err(|reason| Error::data(file, reason))?, ..self.clone() })
    }

    /// With a stage that fills in what a table has no values for, where that is wanted and none does.
    pub(crate) fn filling(&self, about: &About, is_stream: bool) -> Result<Recipe> {
        let missing = about.csv.as_ref().map(|csv| csv.missing).filter(|missing| missing.is_filled_later());
        let is_filled = self.stages.iter().any(|stage| stage.kind().slot == Slot::Fill);
        let mut recipe = self.clone();
        if let Some(missing) = missing.filter(|_| !is_filled) {
            let stage = match (missing, is_stream) {
                (Missing::Median, true) => return Err(unread("the median", "all rows first")),
                (Missing::Median, false) => "impute:with=median",
                (_, true) => "impute-running",
                (_, false) => "impute",
            };
            recipe.stages.insert(0, stage.parse()?);
        }
        Ok(recipe)
    }
}
