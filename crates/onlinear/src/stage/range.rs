//! Brings features to a range of one size in the way that suits the rows: what learners use where nothing is said.

use super::columns::Scale;
use super::{Slot, StageKind, maxabs, minmax};

/// The declaration.
pub(super) static STAGE: StageKind = StageKind {
    name: "range",
    summary: "As minmax where at least a quarter of all entries is non-zero, else as maxabs.",
    parameters: &[],
    slot: Slot::Scale,
    reads_all: true,
    unit_ranges: true,
    new: |_| Ok(Box::new(Scale::new(&minmax::SCALING).or_sparse(&maxabs::SCALING))),
};
