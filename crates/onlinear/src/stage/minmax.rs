//! Each feature's range over the training rows becomes −1 … 1.

use super::columns::{FeatureSummary, Scale, Scaling, Zeros};
use super::{Slot, StageKind};

/// The declaration.
pub(super) static STAGE: StageKind = StageKind {
    name: "minmax",
    summary: "Brings the range of each feature to -1 … 1.",
    parameters: &[],
    slot: Slot::Scale,
    reads_all: true,
    unit_ranges: true,
    new: |_| Ok(Box::new(Scale::new(&SCALING))),
};

pub(super) static SCALING: Scaling = Scaling { name: "minmax", center_and_factor, zeros: Zeros::Moved };

fn center_and_factor(column: &FeatureSummary, rows: u64) -> (f64, f64) {
    let zeros = rows - column.count;
    let (low, high) = if zeros > 0 { (column.low.min(0.0), column.high.max(0.0)) } else { (column.low, column.high) };
    if (high - low).is_finite() && (low + high).is_finite() {
        ((low + high) / 2.0, 2.0 / (high - low))
    } else {
        (low / 2.0 + high / 2.0, 1.0 / (high / 2.0 - low / 2.0))
    }
}
