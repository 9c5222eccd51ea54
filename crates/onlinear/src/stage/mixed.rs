//! Scales each feature by what it is: what tables get where nothing is said. No sparse row becomes dense.

use super::columns::{DENSE, FeatureSummary, Scale, Scaling, Zeros};
use super::{Slot, StageKind, standard};

/// The declaration.
pub(super) static STAGE: StageKind = StageKind {
    name: "mixed",
    summary: "Brings numbers to mean 0 and deviation 1; sparse ones keep their zeros, and yes or no stays 0 or 1.",
    parameters: &[],
    slot: Slot::Scale,
    reads_all: true,
    unit_ranges: false,
    new: |_| Ok(Box::new(Scale::new(&SCALING))),
};

static SCALING: Scaling = Scaling { name: "mixed", center_and_factor, zeros: Zeros::KeptWithoutCenter };

fn center_and_factor(column: &FeatureSummary, rows: u64) -> (f64, f64) {
    let (center, factor) = standard::center_and_factor(column, rows);
    if column.low == 1.0 && column.high == 1.0 {
        (0.0, 1.0)
    } else if (column.count as f64) < DENSE * rows as f64 {
        (0.0, factor)
    } else {
        (center, factor)
    }
}
