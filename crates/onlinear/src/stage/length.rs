//! Rows of one length: each is divided by its p-norm, unless that is 0.

use super::{Arithmetic, Slot, Stage, StageKind};
use crate::space::{Row, Scratch};
use crate::spec::{Parameters, Range, number_or, parameters};

parameters! {
    struct LengthParameters {
        p: Option<f64> = number_or(
            "p",
            None,
            "own",
            Range { low: (1.0, true), high: (f64::INFINITY, false) },
            "of the norm; own: that of the learner",
        ),
    }
}

/// The declaration of `l2`.
pub(super) static L2: StageKind = StageKind {
    name: "l2",
    summary: "Brings rows to length 1.",
    parameters: &[],
    slot: Slot::Normalize,
    reads_all: false,
    unit_ranges: false,
    new: |_| Ok(Box::new(Length { p: 2.0 })),
};

/// The declaration of `lp`.
pub(super) static LP: StageKind = StageKind {
    name: "lp",
    summary: "Brings rows to length 1 in the p-norm.",
    parameters: LengthParameters::TABLE,
    slot: Slot::Normalize,
    reads_all: false,
    unit_ranges: false,
    new: |settings| Ok(Box::new(Length { p: LengthParameters::read(settings).p.unwrap_or(2.0) })),
};

#[derive(Clone)]
struct Length {
    p: f64,
}

impl Stage for Length {
    fn apply(&self, x: Row<'_>, out: &mut Scratch) {
        out.push(x, 0);
        let norm = x.norm(self.p);
        if norm > 0.0 {
            out.values.iter_mut().for_each(|v| *v /= norm);
        }
    }

    fn arithmetic(&self, _features: usize) -> Option<Arithmetic<'_>> {
        Some(Arithmetic::Length { p: self.p })
    }

    fn pull_back(&self, _weights: &mut Vec<f64>) -> Option<f64> {
        Some(0.0)
    }
}
