//! Each feature gets mean 0 and standard deviation 1 over the training rows.

use super::columns::{FeatureSummary, Scale, Scaling, Zeros};
use super::{Slot, StageKind};

/// The declaration.
pub(super) static STAGE: StageKind = StageKind {
    name: "standard",
    summary: "Brings each feature to mean 0 and standard deviation 1.",
    parameters: &[],
    slot: Slot::Scale,
    reads_all: true,
    unit_ranges: false,
    new: |_| Ok(Box::new(Scale::new(&SCALING))),
};

static SCALING: Scaling = Scaling { name: "standard", center_and_factor, zeros: Zeros::Moved };

pub(super) fn center_and_factor(column: &FeatureSummary, rows: u64) -> (f64, f64) {
    let (n, k, zeros) = (rows as f64, column.count as f64, (rows - column.count) as f64);
    let mean = column.mean * k / n;
    // The zeros shift the mean and add their own spread around it.
    let spread = column.spread + column.mean * column.mean * k * zeros / n;
    (mean, 1.0 / (spread / n).sqrt())
}
