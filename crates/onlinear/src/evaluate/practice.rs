//! What a practitioner would choose for rows, where nothing is said: the papers' learners take rows as they are.

use super::rows_in_memory::RowsInMemory;
use crate::space::Scratch;
use crate::spec::{Spec, Value};
use crate::stage::{Slot, StageChoices, StageSpec};

/// Passes that early stopping may come to.
pub const MOST_PASSES: u64 = 20;
/// Where at least this share of all entries is non-zero, rows are dense.
const DENSE: f64 = 0.25;
/// Rows whose lengths differ from 1 by less than this have been brought to length 1.
const UNIT: f64 = 0.01;

/// What suits the rows of some data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Practice {
    /// They are those of a table.
    is_table: bool,
    /// Features are to be brought to one scale.
    scales: bool,
    /// A constant feature is of use: it would spoil rows that are all of one length.
    has_bias: bool,
}

impl Practice {
    /// What suits a table.
    pub fn of_table() -> Practice {
        Practice { is_table: true, scales: true, has_bias: true }
    }

    /// What suits these rows.
    pub fn of(rows: &RowsInMemory) -> Practice {
        if rows.about().csv.is_some() {
            return Practice::of_table();
        }
        let mut scratch = Scratch::default();
        let (mut entries, mut is_unit) = (0, true);
        for i in 0..rows.len() {
            if let Some(x) = rows.row(i, &mut scratch) {
                entries += x.values().iter().filter(|value| **value != 0.0).count();
                is_unit &= (x.norm(2.0) - 1.0).abs() < UNIT;
            }
        }
        let scales = entries as f64 >= DENSE * rows.len() as f64 * rows.features() as f64 && !is_unit;
        Practice { is_table: false, scales, has_bias: !is_unit }
    }

    /// What was asked for, and what suits the rows where nothing was and the learner has no way of its own.
    pub fn choices(self, asked: &StageChoices, spec: &Spec) -> StageChoices {
        let mut choices = asked.clone();
        // The width of a kernel is meant for rows as they are.
        let is_kernel = spec.get("kernel").is_some_and(|kernel| kernel != Value::Choice("linear"));
        if asked.stages.is_empty() && (self.is_table || !is_kernel) {
            let own = |slot: Slot| {
                let stages = spec.algorithm().stages.iter().filter_map(|stage| stage.parse::<StageSpec>().ok());
                stages.map(|stage| stage.kind().slot).any(|other| other == slot)
            };
            let is_normalized = asked.normalize.as_deref().is_some_and(|word| word != "none");
            if self.scales && !is_normalized && (self.is_table || !own(Slot::Scale)) {
                choices.scale.get_or_insert_with(|| "mixed".to_string());
            }
            if self.has_bias && !own(Slot::Bias) {
                choices.bias.get_or_insert_with(|| "1".to_string());
            }
        }
        choices
    }
}
