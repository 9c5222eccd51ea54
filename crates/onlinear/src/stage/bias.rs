//! A constant feature in front of the others.

use super::{Arithmetic, Slot, Stage, StageKind};
use crate::space::{Row, Scratch};
use crate::spec::{Parameters, Range, number, parameters};

parameters! {
    struct Bias {
        value: f64 = number("value", 1.0, Range::ANY, "of the constant feature"),
    }
}

/// The declaration.
pub(super) static STAGE: StageKind = StageKind {
    name: "bias",
    summary: "Puts a constant feature in front of the others.",
    parameters: Bias::TABLE,
    slot: Slot::Bias,
    reads_all: false,
    unit_ranges: false,
    new: |settings| Ok(Box::new(Bias::read(settings))),
};

impl Stage for Bias {
    fn features_after(&self, features: usize) -> usize {
        features + 1
    }

    fn apply(&self, x: Row<'_>, out: &mut Scratch) {
        if matches!(x, Row::Sparse { .. }) {
            out.indices.push(0);
        }
        out.values.push(self.value);
        out.push(x, 1);
    }

    fn arithmetic(&self, _features: usize) -> Option<Arithmetic<'_>> {
        Some(Arithmetic::Constant(self.value))
    }

    fn pull_back(&self, weights: &mut Vec<f64>) -> Option<f64> {
        Some(if weights.is_empty() { 0.0 } else { weights.remove(0) * self.value })
    }
}
