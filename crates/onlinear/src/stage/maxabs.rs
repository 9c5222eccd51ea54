//! Each feature is divided by its largest size over the training rows: zeros stay zeros, sparse rows sparse.

use super::columns::{FeatureSummary, Scale, Scaling, Zeros};
use super::{Slot, StageKind};

/// The declaration.
pub(super) static STAGE: StageKind = StageKind {
    name: "maxabs",
    summary: "Divides each feature by its largest absolute value; zeros stay zeros.",
    parameters: &[],
    slot: Slot::Scale,
    reads_all: true,
    unit_ranges: true,
    new: |_| Ok(Box::new(Scale::new(&SCALING))),
};

pub(super) static SCALING: Scaling = Scaling { name: "maxabs", center_and_factor, zeros: Zeros::Kept };

fn center_and_factor(column: &FeatureSummary, _rows: u64) -> (f64, f64) {
    (0.0, 1.0 / column.low.abs().max(column.high.abs()))
}
